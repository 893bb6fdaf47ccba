//! Exposed copies within or between devices, and memsets.

use super::{Outcome, PART_ESTIMATE, Rule, finding, part, who_spends};
use crate::judging::advice::facts::{Facts, part_ps};
use crate::measuring::steps::PartKind;

pub(super) static RULE: Rule = Rule {
    id: "device_copies",
    title: "Copies on and between devices",
    parts: &[PartKind::DeviceToDevice],
    check,
};

/// `copies` are also those from and to the host.
fn change(facts: &Facts<'_>) -> &'static str {
    let with_host = [PartKind::HostToDevice, PartKind::DeviceToHost];
    let time = facts.mean(|row| {
        with_host
            .iter()
            .map(|&part| part_ps(row, part) as f64)
            .sum()
    });
    match time {
        Some(time) if time <= 0.0 => "remove:copies",
        _ => "",
    }
}

fn check(facts: &Facts<'_>) -> Outcome {
    let found = match part(facts, "device_copy_ratio", RULE.parts) {
        Ok(found) => found,
        Err(outcome) => return outcome,
    };
    let sharding = if facts.is_divided() {
        " and one sharding"
    } else {
        ""
    };
    finding(
        &RULE,
        found.severity,
        format!(
            "{} {} on copies within or between devices, while nothing else runs.",
            who_spends(facts, &found, RULE.parts),
            found.text
        ),
    )
    .why(
        "An argument that is also a result is copied unless it is donated. Mismatched layouts \
         cause copies, too.",
    )
    .fix(format!(
        "Donate the state to the step; keep one layout{sharding} for each array."
    ))
    .why_elsewhere(
        "An argument that is also a result is copied unless it is updated in place. Mismatched \
         layouts cause copies, too.",
    )
    .fix_elsewhere(format!(
        "Update the state in place; keep one layout{sharding} for each array."
    ))
    .code("step = jax.jit(train_step, donate_argnums=0)")
    .gain(Some(found.time), PART_ESTIMATE)
    .without(change(facts))
    .of_step(found.step_ps)
    .seen(facts.largest_ops(|row| row.class == "copy"))
    .found()
}
