//! Copies within or between devices, and memsets, that no work hides.

use super::{NO_STEPS, Outcome, Rule, finding, gravity};
use crate::advice::facts::{Facts, largest_ops, part_ps};
use crate::format;
use crate::overview::PartKind;

pub(super) static RULE: Rule = Rule {
    id: "device_copies",
    title: "Copies on and between devices",
    check,
};

fn check(facts: &Facts<'_>) -> Outcome {
    let part = |row: &_| part_ps(row, PartKind::DeviceToDevice) as f64;
    let (Some(step), Some((place, time))) = (facts.step_ps, facts.worst(part)) else {
        return Outcome::Skipped(NO_STEPS.to_owned());
    };
    let share = format::percent(time / step);
    let Some(severity) = gravity(&facts.threshold("device_copy_ratio"), time / step) else {
        return Outcome::Passed(format!("At most {share} of a step."));
    };
    finding(
        &RULE,
        severity,
        format!(
            "{} copies for {} of a step ({share}) and does nothing else.",
            facts.place_name(place),
            format::duration_ps(time)
        ),
    )
    .why("An argument that is also a result is copied unless it is donated; layouts that do not agree are copied too.")
    .fix("Donate the state to the step; keep one layout and one sharding for each array.")
    .code("step = jax.jit(train_step, donate_argnums=0)")
    .gain(Some(time), "the median over steps of this part on the device that has most of it")
    .seen(largest_ops(facts, |row| row.class == "copy"))
    .found()
}
