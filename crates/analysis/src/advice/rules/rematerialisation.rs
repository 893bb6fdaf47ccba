//! Work that is done again to save memory.

use super::{NO_WORK, Outcome, Rule, finding, gravity};
use crate::advice::facts::{Facts, largest_ops};
use crate::format;
use crate::ops::OpRow;

pub(super) static RULE: Rule = Rule {
    id: "rematerialisation",
    title: "Work done again to save memory",
    check,
};

fn is_again(row: &OpRow) -> bool {
    row.is_rematerialised || row.scope.contains("rematted_computation")
}

fn check(facts: &Facts<'_>) -> Outcome {
    if !facts.has_work() {
        return Outcome::Skipped(NO_WORK.to_owned());
    }
    let (total, per_step) = facts.ops_per_step(is_again);
    let ratio = total as f64 / facts.ops.total_self_ps as f64;
    let share = format::percent(ratio);
    let Some(severity) = gravity(&facts.threshold("rematerialised_ratio"), ratio) else {
        return Outcome::Passed(format!("{share} of the work."));
    };
    let device = facts
        .memory
        .allocators
        .iter()
        .filter(|row| !row.device.is_empty());
    let fullest = device
        .filter_map(|row| row.peak_ratio)
        .fold(None, |most: Option<f64>, ratio| {
            Some(most.map_or(ratio, |most| most.max(ratio)))
        });
    let room = fullest.map_or_else(String::new, |ratio| {
        format!(
            " Device memory is {} full at its peak.",
            format::percent(ratio)
        )
    });
    finding(
        &RULE,
        severity,
        format!("{share} of the devices' work repeats what was computed before (jax.checkpoint, or the compiler's own choice).{room}"),
    )
    .why("Intermediate results of the forward pass are dropped and computed again in the backward pass.")
    .fix("Where memory is left, keep more: a policy that saves the results of matrix products, or no checkpoint on cheap blocks.")
    .code("jax.checkpoint(block, policy=jax.checkpoint_policies.dots_with_no_batch_dims_saveable)")
    .gain(per_step, "share of these ops in the work × busy time of a step")
    .seen(largest_ops(facts, is_again))
    .found()
}
