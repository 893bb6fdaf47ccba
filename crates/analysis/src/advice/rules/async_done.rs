//! Waiting for asynchronous ops to end (what XProf's SparseCoreOffload looks for). Copies and
//! collectives have rules of their own.

use super::{NO_WORK, Outcome, Rule, finding, gravity};
use crate::advice::facts::{Facts, largest_ops};
use crate::advice::report::Confidence;
use crate::format;
use crate::ops::OpRow;

pub(super) static RULE: Rule = Rule {
    id: "async_done",
    title: "Waiting for asynchronous ops",
    check,
};

/// The half of an asynchronous op that waits.
fn is_done(row: &OpRow) -> bool {
    !matches!(row.class.as_str(), "collective" | "copy") && row.category == "async-done"
}

fn check(facts: &Facts<'_>) -> Outcome {
    if !facts.has_work() {
        return Outcome::Skipped(NO_WORK.to_owned());
    }
    let (total, per_step) = facts.ops_per_step(is_done);
    let ratio = total as f64 / facts.ops.total_self_ps as f64;
    let share = format::percent(ratio);
    let Some(severity) = gravity(&facts.threshold("async_done_ratio"), ratio) else {
        return Outcome::Passed(format!("{share} of the work."));
    };
    finding(
        &RULE,
        severity,
        format!("{share} of the devices' time waits for copies and other asynchronous ops to end."),
    )
    .why("There is not enough other work between the start and the end of these ops to hide them.")
    .fix(
        "See what they move: prefetched weights want more computation in between; on chips with \
         SparseCores gathers and scatters can run there while memory has room for their buffers.",
    )
    .gain(
        per_step,
        "share of these ops in the work × busy time of a step",
    )
    .sure(Confidence::Medium)
    .seen(largest_ops(facts, is_done))
    .found()
}
