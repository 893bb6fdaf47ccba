//! Devices that work together have unequal loads (guides: load imbalance between devices).

use super::more_ops::MoreOps;
use super::{Outcome, Rule, finding, gravity, no_steps};
use crate::judging::advice::facts::{Facts, part_ps};
use crate::judging::advice::report::Confidence;
use crate::measuring::pauses::Pauses;
use crate::measuring::steps::PartKind;
use crate::telling::format;

pub(super) static RULE: Rule = Rule {
    id: "load_imbalance",
    title: "Load imbalance between devices",
    parts: &[PartKind::DeviceCompute, PartKind::Collectives],
    check,
};

pub(super) const FIX: &str = "Shard the work equally: batch and model dimensions that divide evenly, experts with equal \
                              loads, pipeline stages of equal duration.";

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
        return of_virtual_devices(facts, period);
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
    .fix(FIX)
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

/// Of virtual devices, which take turns on the same cores: one runs more ops, and the others are done with
/// their parts of the runs before it is. At collectives, it is a straggler.
fn of_virtual_devices(facts: &Facts<'_>, period: f64) -> Outcome {
    let Some(more) = MoreOps::of(facts) else {
        return Outcome::Skipped(
            "Virtual devices of XLA:CPU take turns on the same cores, so their times say little about \
             their loads, and none runs more ops than the others."
                .to_owned(),
        );
    };
    let pauses = Pauses::of(facts.session);
    let waiting = facts.by_place(|row| {
        let tails = row.device.map(|device| pauses.tails_of(device));
        tails.map_or(0.0, |tails| tails.duration_within(row.span).0 as f64)
    });
    let others = waiting
        .iter()
        .filter(|one| one.place.1 != Some(more.device));
    let times: Vec<f64> = others.map(|one| one.mean).collect();
    let count = times.len().max(1) as f64;
    let waited = times.iter().sum::<f64>() / count;
    let share = format::percent(waited / period);
    let name = facts.session.device_title(more.device);
    let text = format!(
        "{name} runs {:.1} times as many ops as any other device. For {} of {} ({share}), the others are \
         done with their parts of a run while it still works on it, and the host waits for the whole run.",
        more.ratio,
        format::duration_ps(waited),
        facts.period()
    );
    let Some(severity) = gravity(&facts.threshold("load_imbalance_ratio"), waited / period) else {
        return Outcome::Passed(text);
    };
    let mut places = waiting.iter().map(|one| one.place);
    let place = places.find(|place| place.1 == Some(more.device));
    finding(&RULE, severity, text)
        .why("The host has the result of a run only when every device is done with it.")
        .fix(
            "Find what only this device does, such as a loop whose length or a branch whose condition \
             depends on jax.lax.axis_index or on its part of the data, and divide that work over all of \
             them.",
        )
        .gain(
            Some(waited * count / (count + 1.0)),
            "mean over the other devices of this time in the mean step, less the share of the work that \
             the device would keep",
        )
        .of_parts(&[PartKind::Idle])
        .sure(Confidence::Low)
        .seen(place.and_then(|place| facts.longest(place, PartKind::DeviceCompute)))
        .found()
}
