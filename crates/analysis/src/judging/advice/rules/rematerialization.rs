//! Work that is done again to save memory.

use stepscope_model::hlo::name_stack::{Pass, pass};

use super::{Outcome, Rule, SHARE_OF_WORK, finding, share};
use crate::judging::advice::facts::Facts;
use crate::measuring::steps::PartKind;
use crate::telling::format;
use crate::views::ops::OpRow;

pub(super) static RULE: Rule = Rule {
    id: "rematerialization",
    title: "Rematerialization",
    parts: &[PartKind::DeviceCompute],
    check,
};

/// Kernels without an op have only the name stack of their launch.
fn is_again(row: &OpRow) -> bool {
    let has_op = !row.program_id.is_empty() && row.category != "kernel";
    row.is_rematerialized || !has_op && pass(&row.scope) == Pass::Rematerialized
}

fn check(facts: &Facts<'_>) -> Outcome {
    let found = match share(facts, "rematerialized_ratio", is_again) {
        Ok(found) => found,
        Err(outcome) => return outcome,
    };
    let fullest = super::fullest(facts, |row| row.peak_ratio).ok();
    let room = fullest.map_or_else(String::new, |(_, ratio)| {
        format!(
            " Device memory is {} full at its peak.",
            format::percent(ratio)
        )
    });
    finding(
        &RULE,
        found.severity,
        format!(
            "{} of the devices' work repeats earlier computation (jax.checkpoint, or chosen by the \
             compiler).{room}",
            found.text
        ),
    )
    .why("Intermediate results of the forward pass are dropped and recomputed in the backward pass.")
    .fix(
        "If memory allows, keep more: use a policy that saves the results of matrix products, or do \
         not checkpoint cheap blocks.",
    )
    .fix_elsewhere(
        "If memory allows, keep more: the results of matrix products, or everything in cheap \
         blocks.",
    )
    .code("jax.checkpoint(block, policy=jax.checkpoint_policies.dots_with_no_batch_dims_saveable)")
    .gain(found.per_step, SHARE_OF_WORK)
    .seen(facts.largest_ops(is_again))
    .found()
}
