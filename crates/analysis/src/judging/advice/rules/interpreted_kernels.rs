//! Pallas kernels that are interpreted: many ordinary ops instead of one kernel.

use super::{Outcome, Rule, SHARE_OF_WORK, finding, share};
use crate::judging::advice::facts::Facts;
use crate::measuring::steps::PartKind;
use crate::views::ops::OpRow;

pub(super) static RULE: Rule = Rule {
    id: "interpreted_kernels",
    title: "A Pallas kernel is interpreted",
    parts: &[PartKind::DeviceCompute],
    check,
};

const UNNAMED: &str = "A loop of the program updates parts of arrays, and so does an interpreted kernel, which current \
                       versions of JAX do not name.";

/// Whether an op is an ordinary op within a Pallas call. Compiled, the call would be a custom call.
pub(super) fn is_interpreted(row: &OpRow) -> bool {
    row.scope.contains("pallas_call") && !row.category.contains("custom-call")
}

/// Whether a loop writes into a part of an array, as an interpreted kernel does in each turn.
fn writes_parts(row: &OpRow) -> bool {
    row.scope.contains("while/body") && row.scope.ends_with("dynamic_update_slice")
}

fn check(facts: &Facts<'_>) -> Outcome {
    let found = match share(facts, "interpreted_kernel_ratio", is_interpreted) {
        Ok(found) => found,
        Err(Outcome::Passed(_)) if facts.rows_of_ops().any(writes_parts) => {
            return Outcome::Skipped(UNNAMED.to_owned());
        }
        Err(outcome) => return outcome,
    };
    finding(
        &RULE,
        found.severity,
        format!(
            "{} of the devices' work is a Pallas kernel that is interpreted op by op.",
            found.text
        ),
    )
    .why(
        "With interpret=True (the only option on XLA:CPU), every grid step runs as slices and updates \
         of whole arrays: correct, but many times slower than the compiled kernel.",
    )
    .fix(
        "Compile it: keep interpret=False on TPUs and GPUs. On CPUs, call a plain jax.numpy version \
         instead; interpreted kernels are meant for testing results.",
    )
    .gain(found.per_step, SHARE_OF_WORK)
    .seen(facts.largest_ops(is_interpreted))
    .found()
}
