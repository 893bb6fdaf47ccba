//! Devices that work together have unequal work (guides: load imbalance between devices).

use super::{Outcome, Rule, finding, gravity, no_steps};
use crate::advice::facts::{Facts, part_ps};
use crate::advice::report::Confidence;
use crate::format;
use crate::overview::PartKind;

pub(super) static RULE: Rule = Rule {
    id: "load_imbalance",
    title: "Unequal work of devices",
    parts: &[PartKind::DeviceCompute, PartKind::Collectives],
    check,
};

fn check(facts: &Facts<'_>) -> Outcome {
    let compute = |row: &_| part_ps(row, PartKind::DeviceCompute) as f64;
    let typical = facts.typical(compute);
    let working: Vec<_> = typical.iter().filter(|(_, time)| *time > 0.0).collect();
    let Some(step) = facts.step_ps else {
        return Outcome::Skipped(no_steps(facts));
    };
    if working.len() < 2 {
        return Outcome::Skipped("Needs two devices that work in steps.".to_owned());
    }
    let sum: f64 = working.iter().map(|(_, time)| *time).sum();
    let mean = sum / working.len() as f64;
    let Some((place, most)) = working.iter().max_by(|a, b| a.1.total_cmp(&b.1)) else {
        return Outcome::Skipped(no_steps(facts));
    };
    let more = most - mean;
    let share = format::percent(more / step);
    let Some(severity) = gravity(&facts.threshold("load_imbalance_ratio"), more / step) else {
        return Outcome::Passed(format!(
            "The device with most computes {} of a step longer than the mean ({share}).",
            format::duration_ps(more)
        ));
    };
    finding(
        &RULE,
        severity,
        format!(
            "{} computes {} in its median step, the mean of {} devices is {}.",
            facts.place_name(*place),
            format::duration_ps(*most),
            working.len(),
            format::duration_ps(mean)
        ),
    )
    .why("The others wait for it at the next collective, or at the end of the step.")
    .fix(
        "Shard so that all devices have equal shares: batch and model dimensions that divide evenly, \
         experts with equal loads, pipeline stages of equal time.",
    )
    .gain(Some(more), "computation of the device with most − the mean, in the median step")
    .sure(if facts.is_cpu_only() { Confidence::Low } else { Confidence::Medium })
    .seen(facts.longest(*place, PartKind::DeviceCompute))
    .found()
}
