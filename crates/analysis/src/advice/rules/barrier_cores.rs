//! Cores of a TPU waiting for one another (XProf's BarrierCores).

use super::{NO_WORK, Outcome, Rule, finding, gravity};
use crate::advice::facts::{Facts, largest_ops};
use crate::advice::report::Confidence;
use crate::format;
use crate::ops::OpRow;

pub(super) static RULE: Rule = Rule {
    id: "barrier_cores",
    title: "Cores waiting at barriers",
    check,
};

fn is_barrier(row: &OpRow) -> bool {
    row.name.contains("barrier-cores")
}

fn check(facts: &Facts<'_>) -> Outcome {
    if !facts.has_work() {
        return Outcome::Skipped(NO_WORK.to_owned());
    }
    let (total, per_step) = facts.ops_per_step(is_barrier);
    let ratio = total as f64 / facts.ops.total_self_ps as f64;
    let share = format::percent(ratio);
    let Some(severity) = gravity(&facts.threshold("barrier_cores_ratio"), ratio) else {
        return Outcome::Passed(format!("{share} of the work."));
    };
    finding(&RULE, severity, format!("{share} of the devices' time passes at barriers between cores."))
        .why("A core that is done early waits for the slowest: unequal work, or a host that launches late.")
        .fix("Compare the cores in the timeline just before the barrier; balance the shards.")
        .gain(per_step, "share of these ops in the work × busy time of a step")
        .sure(Confidence::Medium)
        .seen(largest_ops(facts, is_barrier))
        .found()
}
