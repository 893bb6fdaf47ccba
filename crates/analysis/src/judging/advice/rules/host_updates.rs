//! Weights that the host updates: a program that returns gradients and no program that applies them.
//!
//! ```text
//! gradients(w, x) ──► g_w         same shapes as the weights      host: w -= rate · g_w, in NumPy
//! ```

use std::collections::BTreeMap;

use stepscope_model::hlo::Shape;

use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::AdviceFinding;
use crate::telling::format;

/// Smaller arrays take no time to copy.
const MIN_BYTES: u64 = 64 * 1024;
/// So few arrays may be inputs and outputs of a model.
const LEAST: usize = 2;
/// Least share of the bytes that a program is called with.
const MOST: f64 = 0.5;

/// Such weights.
pub(super) struct HostUpdates {
    program: String,
    count: usize,
    bytes: u64,
}

/// What makes two arrays alike.
fn key(shape: &Shape) -> (String, Vec<i64>) {
    (
        format!("{:?}", shape.element_type),
        shape.dimensions.clone(),
    )
}

impl HostUpdates {
    /// Those of the busiest program that has some; none if a program updates arrays, as an optimizer does.
    pub(super) fn of(facts: &Facts<'_>) -> Option<Self> {
        if facts.programs().is_empty() || facts.trains() {
            return None;
        }
        facts.programs().iter().find_map(|program| {
            let signature = program.hlo.signature()?;
            let mut results: BTreeMap<_, usize> = BTreeMap::new();
            for result in &signature.results {
                *results.entry(key(result)).or_default() += 1;
            }
            let (mut count, mut bytes, mut all) = (0, 0_u64, 0_u64);
            for argument in &signature.arguments {
                let own = argument.shape.byte_size();
                all = all.saturating_add(own);
                let alike = results.get_mut(&key(argument.shape));
                if let Some(left) = alike.filter(|left| **left > 0 && own >= MIN_BYTES) {
                    *left -= 1;
                    count += 1;
                    bytes = bytes.saturating_add(own);
                }
            }
            let is_most = count >= LEAST && bytes as f64 >= MOST * all as f64;
            is_most.then(|| Self {
                program: facts.session.program(program.id).name.clone(),
                count,
                bytes,
            })
        })
    }

    /// A finding about copies to the device that are these.
    pub(super) fn told(&self, finding: AdviceFinding) -> AdviceFinding {
        let why = format!(
            "{} returns {} arrays of the shapes of its arguments, {} together, as gradients are, and no \
             program that the devices spend time in updates arrays: the host updates them, and they go to \
             the device again for the next call.",
            format::shortened(&self.program),
            self.count,
            format::bytes(self.bytes as f64)
        );
        finding
            .titled("Weights go through the host and back".to_owned())
            .why(why)
            .fix(
                "Update them on the device: apply the gradients in the compiled step, with optax or \
                 jax.numpy, and keep the weights and the optimizer's state there.",
            )
            .fix_elsewhere("Update them on the device, in the compiled step, and keep them there.")
            .code(CODE)
    }
}

const CODE: &str = "\
@jax.jit
def train_step(params, opt_state, batch):
    grads = jax.grad(loss)(params, batch)
    updates, opt_state = tx.update(grads, opt_state, params)
    return optax.apply_updates(params, updates), opt_state";
