//! Waiting for asynchronous ops to end (XProf's SparseCoreOffload). Copies and collectives have separate
//! rules.

use super::{Outcome, Rule, SHARE_OF_WORK, finding, share};
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::Confidence;
use crate::measuring::steps::PartKind;
use crate::views::ops::OpRow;

pub(super) static RULE: Rule = Rule {
    id: "async_done",
    title: "Waiting for asynchronous ops",
    parts: &[PartKind::DeviceCompute],
    check,
};

/// The half of an asynchronous op that waits.
fn is_done(row: &OpRow) -> bool {
    !matches!(row.class.as_str(), "collective" | "copy") && row.category == "async-done"
}

fn check(facts: &Facts<'_>) -> Outcome {
    let found = match share(facts, "async_done_ratio", is_done) {
        Ok(found) => found,
        Err(outcome) => return outcome,
    };
    finding(
        &RULE,
        found.severity,
        format!(
            "Devices spend {} of their work waiting for asynchronous ops to end (copies and \
             collectives not included).",
            found.text
        ),
    )
    .why("Too little other work runs between the start and the end of these ops to hide them.")
    .fix(
        "Check what these ops do. Schedule more computation between their start and end. On chips \
         with SparseCores, gathers and scatters can run there if memory has room for their buffers.",
    )
    .gain(found.per_step, SHARE_OF_WORK)
    .sure(Confidence::Medium)
    .seen(facts.largest_ops(is_done))
    .found()
}
