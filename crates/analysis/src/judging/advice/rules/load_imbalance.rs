//! Devices that work together have unequal loads (guides: load imbalance between devices).

use super::{Outcome, Rule, finding, gravity, no_steps};
use crate::judging::advice::facts::{Facts, part_ps};
use crate::judging::advice::report::Confidence;
use crate::measuring::steps::PartKind;
use crate::telling::format;

pub(super) static RULE: Rule = Rule {
    id: "load_imbalance",
    title: "Load imbalance between devices",
    parts: &[PartKind::DeviceCompute, PartKind::Collectives],
    check,
};

fn check(facts: &Facts<'_>) -> Outcome {
    let compute = |row: &_| part_ps(row, PartKind::DeviceCompute) as f64;
    let places = facts.by_place(compute);
    let working: Vec<_> = places.iter().filter(|place| place.mean > 0.0).collect();
    let Some(period) = facts.period_ps() else {
        return Outcome::Skipped(no_steps(facts));
    };
    if working.len() < 2 {
        return Outcome::Skipped("Requires at least two devices with work.".to_owned());
    }
    if facts.has_virtual_devices_only() {
        return Outcome::Skipped(
            "Virtual devices of XLA:CPU take turns on the same cores, so their times say little about \
             their loads."
                .to_owned(),
        );
    }
    let sum: f64 = working.iter().map(|place| place.mean).sum();
    let mean = sum / working.len() as f64;
    let Some(most) = working.iter().max_by(|a, b| a.mean.total_cmp(&b.mean)) else {
        return Outcome::Skipped(no_steps(facts));
    };
    let more = most.mean - mean;
    let share = format::percent(more / period);
    let Some(severity) = gravity(&facts.threshold("load_imbalance_ratio"), more / period) else {
        return Outcome::Passed(format!(
            "The device with the most computation computes {} longer than the mean over devices \
             ({share} of {}).",
            format::duration_ps(more),
            facts.period()
        ));
    };
    finding(
        &RULE,
        severity,
        format!(
            "{} computes for {} of {}; the mean over {} devices is {}.",
            facts.place_name(most.place),
            format::duration_ps(most.mean),
            facts.period(),
            working.len(),
            format::duration_ps(mean)
        ),
    )
    .why("The others wait for it at the next collective, or at the end of the step.")
    .fix(
        "Shard the work equally: batch and model dimensions that divide evenly, experts with equal \
         loads, pipeline stages of equal duration.",
    )
    .gain(
        Some(more),
        "longest computation of a device − mean over devices, in the mean step",
    )
    .sure(if facts.is_cpu_only() {
        Confidence::Low
    } else {
        Confidence::Medium
    })
    .seen(facts.longest(most.place, PartKind::DeviceCompute))
    .found()
}
