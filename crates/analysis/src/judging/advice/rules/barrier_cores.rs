//! TPU cores that wait for one another (XProf's BarrierCores).

use super::{Outcome, Rule, SHARE_OF_WORK, finding, share};
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::Confidence;
use crate::measuring::steps::PartKind;
use crate::views::ops::OpRow;

pub(super) static RULE: Rule = Rule {
    id: "barrier_cores",
    title: "Cores waiting at barriers",
    parts: &[PartKind::DeviceCompute],
    check,
};

fn is_barrier(row: &OpRow) -> bool {
    row.name.contains("barrier-cores")
}

fn check(facts: &Facts<'_>) -> Outcome {
    let found = match share(facts, "barrier_cores_ratio", is_barrier) {
        Ok(found) => found,
        Err(outcome) => return outcome,
    };
    finding(
        &RULE,
        found.severity,
        format!("Devices spend {} of their work waiting at barriers between cores.", found.text),
    )
    .why("A core that finishes early waits for the slowest, because work is unequal or a host launches late.")
    .fix("Compare the cores in the timeline just before the barrier, and balance the shards.")
    .gain(found.per_step, SHARE_OF_WORK)
    .sure(Confidence::Medium)
    .seen(facts.largest_ops(is_barrier))
    .found()
}
