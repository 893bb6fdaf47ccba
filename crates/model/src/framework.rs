//! The framework a program was written with, so that advice uses the right terms.

use crate::session::Session;
pub use crate::vendor::frameworks::Framework;
use crate::vendor::frameworks::{of_event, of_program};

impl Session {
    /// The framework according to names of programs, events, kernels, and frames. Evidence of JAX
    /// counts before any other, because JAX programs use libraries of the others.
    pub fn framework(&self) -> Framework {
        *self.memo.get_or_compute(|| {
            let mut facts = self.hosts.iter().flat_map(|host| &host.facts);
            if facts.any(|(name, value)| name == "profiler" && value == "Kineto") {
                return Framework::PyTorch;
            }
            let programs = self.programs.iter().filter_map(|one| of_program(&one.name));
            let labels = self.labels.iter();
            let events = labels.filter_map(|label| of_event(self.text(label.name)));
            programs.chain(events).min().unwrap_or(Framework::Jax)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Program;

    fn framework(programs: &[&str]) -> Framework {
        let mut session = Session::default();
        let programs = programs.iter().map(|name| Program::named(1, *name));
        session.programs.extend(programs);
        session.framework()
    }

    #[test]
    fn a_sign_of_jax_counts_before_others() {
        assert_eq!(framework(&[]), Framework::Jax);
        assert_eq!(framework(&["main"]), Framework::Jax);
        assert_eq!(
            framework(&["cluster_0__XlaCompiledKernel"]),
            Framework::TensorFlow
        );
        assert_eq!(framework(&["cluster_0", "jit_step"]), Framework::Jax);
        assert_eq!(framework(&["reactant_fn"]), Framework::Other);
    }

    #[test]
    fn names_of_events_tell() {
        assert_eq!(
            of_event("void tensorflow::functor::Fill<float>(int)"),
            Some(Framework::TensorFlow)
        );
        assert_eq!(
            of_event("ExecutorState::Process"),
            Some(Framework::TensorFlow)
        );
        assert_eq!(of_event("aten::mm"), Some(Framework::PyTorch));
        assert_eq!(of_event("PjitFunction(train_step)"), Some(Framework::Jax));
        assert_eq!(
            of_event("Iterator::Prefetch::Generator"),
            None,
            "tf.data feeds JAX as well"
        );
    }
}
