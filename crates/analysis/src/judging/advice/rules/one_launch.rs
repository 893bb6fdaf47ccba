//! Steps that are one call of a compiled function: what takes long is that call, and not how many there are.

use std::collections::BTreeMap;

use stepscope_model::hlo::Program;
use stepscope_model::host_names::{dispatched_function, module_function, plain_function};
use stepscope_model::{HostId, LabelId};

use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::AdviceFinding;
use crate::measuring::activity::{driving_threads, outermost};
use crate::telling::format;

/// More calls per step are several launches.
const MOST: f64 = 1.5;
/// Fewer calls per step were not recorded.
const LEAST: f64 = 0.5;
/// So many arguments take long to check and to pass on.
const MANY: usize = 100;

/// The only call of a step.
pub(super) struct OneLaunch {
    function: String,
    /// Number of arrays that it is called with; none if the profile does not tell.
    arguments: Option<usize>,
}

impl OneLaunch {
    /// That of a host whose steps have one call each.
    pub(super) fn of(facts: &Facts<'_>, host: HostId) -> Option<Self> {
        let session = facts.session;
        let windows = facts.selected.host_windows(host);
        let labels = session.labels.iter();
        let is_call: Vec<bool> = labels
            .map(|label| dispatched_function(session.text(label.name)).is_some())
            .collect();
        let is_call = |label: LabelId| is_call[label.index()];
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for id in driving_threads(session, &[host], facts.selected.loops()).concat() {
            let Some(track) = session.track_having(id, is_call) else {
                continue;
            };
            for (_, label) in outermost(&track, &windows, is_call) {
                if let Some(function) = dispatched_function(session.label_name(label)) {
                    *counts.entry(function).or_default() += 1;
                }
            }
        }
        let per_step = counts.values().sum::<usize>() as f64 / facts.step_count();
        let (function, _) = counts.into_iter().max_by_key(|&(_, count)| count)?;
        (LEAST..=MOST).contains(&per_step).then(|| Self {
            function: function.to_owned(),
            arguments: arguments_of(facts, function),
        })
    }

    fn has_many(&self) -> bool {
        self.arguments.is_some_and(|count| count >= MANY)
    }

    /// A finding about the time that its launch takes.
    pub(super) fn told(&self, finding: AdviceFinding) -> AdviceFinding {
        let function = format::shortened(&self.function);
        let finding = match self.arguments.filter(|_| self.has_many()) {
            Some(count) => finding
                .why(format!(
                    "Each step is one call of {function}, whose program has {count} arguments: every call \
                     flattens, checks and passes on each of them."
                ))
                .fix(
                    "Pass fewer, larger arrays: stack the weights of identical layers, and keep them and \
                     the optimizer's state stacked between calls. Run several steps in one call with \
                     jax.lax.scan, and donate what the step returns updated.",
                ),
            None => finding
                .why(format!(
                    "Each step is one call of {function}, and the device has nothing to do until that \
                     call has launched its program."
                ))
                .fix(
                    "Run several steps in one call with jax.lax.scan, or do more work per step, such as a \
                     larger batch.",
                ),
        };
        finding.fix_elsewhere(if self.has_many() {
            "Pass fewer, larger arrays, or run several steps in one call."
        } else {
            "Run several steps in one call, or do more work per step, such as a larger batch."
        })
    }
}

/// The most arrays that a busy program of a function is called with.
fn arguments_of(facts: &Facts<'_>, function: &str) -> Option<usize> {
    // `<lambda>` is `jit__lambda`.
    let name = plain_function(function);
    let own = facts.programs().iter().filter(|one| {
        let program = facts.session.program(one.id);
        plain_function(module_function(&program.name)) == name
    });
    own.map(|one| arguments(one.hlo)).max()
}

/// The arrays in the parameters of a program.
fn arguments(program: &Program) -> usize {
    let parameters = program
        .entry()
        .map_or(&[][..], |entry| program.instructions_of(entry));
    let own = parameters.iter().filter(|one| one.opcode == "parameter");
    own.map(|one| one.shape.arrays().len()).sum()
}
