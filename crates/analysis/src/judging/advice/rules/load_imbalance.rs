//! Devices that work together have unequal loads (guides: load imbalance between devices).

use super::more_ops::MoreOps;
use super::{Outcome, Rule, finding, gravity, no_steps};
use crate::judging::advice::facts::{Facts, part_ps};
use crate::judging::advice::report::Confidence;
use crate::measuring::pauses::Pauses;
use crate::measuring::steps::{PartKind, StepParts, mean};
use crate::telling::format;
use stepscope_model::DeviceId;

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

/// Of virtual devices, which take turns on the same cores: one runs more ops, and the others wait for it: at the
/// end of a run, where they are done with their parts before it is, and at collectives, unless it is a
/// straggler there.
fn of_virtual_devices(facts: &Facts<'_>, period: f64) -> Outcome {
    let Some(more) = MoreOps::of(facts) else {
        return Outcome::Skipped(
            "Virtual devices of XLA:CPU take turns on the same cores, so their times say little about \
             their loads, and none runs more ops than the others."
                .to_owned(),
        );
    };
    let pauses = Pauses::of(facts.session);
    let tails_ps = mean_of_others(facts, more.device, |row| {
        let tails = row.device.map(|device| pauses.tails_of(device));
        tails.map_or(0.0, |tails| tails.duration_within(row.span).0 as f64)
    });
    let name = facts.session.device_title(more.device);
    let is_straggler = facts.late().stragglers.iter().any(|one| one.name == name);
    let met_ps = if is_straggler {
        0.0
    } else {
        let collectives = |row: &StepParts| part_ps(row, PartKind::Collectives) as f64;
        let met_ps = mean_of_others(facts, more.device, collectives);
        met_ps.min((more.more_ps - tails_ps).max(0.0))
    };
    let waited = tails_ps + met_ps;
    if is_straggler && waited <= 0.0 {
        let text = format!(
            "{name} runs {}, and the others wait for it: it is a straggler.",
            more.told()
        );
        return Outcome::Passed(text);
    }
    let text = format!(
        "{name} runs {}. {}",
        more.told(),
        waiting(facts, [tails_ps, met_ps], period)
    );
    let Some(severity) = gravity(&facts.threshold("load_imbalance_ratio"), waited / period) else {
        return Outcome::Passed(text);
    };
    let place = (facts.session.device(more.device).host, Some(more.device));
    finding(&RULE, severity, text)
        .why(if tails_ps >= met_ps {
            "The host has the result of a run only when every device is done with it."
        } else {
            "All devices meet in the collectives of a step, so the one with the most work sets the pace."
        })
        .fix(
            "Find what only this device does, such as a loop whose length or a branch whose condition \
             depends on jax.lax.axis_index or on its part of the data, and divide that work over all of \
             them.",
        )
        .gain(
            Some(waited * (1.0 - more.kept)),
            "mean over the other devices of this time in the mean step, less the share of the work that \
             the device would keep",
        )
        .of_parts(if met_ps > 0.0 {
            &[PartKind::Idle, PartKind::Collectives]
        } else {
            &[PartKind::Idle]
        })
        .sure(Confidence::Low)
        .seen(facts.longest(place, PartKind::DeviceCompute))
        .found()
}

/// A figure in the mean step, mean over the devices but one.
fn mean_of_others(facts: &Facts<'_>, device: DeviceId, figure: impl Fn(&StepParts) -> f64) -> f64 {
    let places = facts.by_place(figure);
    let others = places.iter().filter(|one| one.place.1 != Some(device));
    mean(others.map(|one| one.mean)).unwrap_or(0.0)
}

/// How long the others wait at the end of runs and at collectives.
fn waiting(facts: &Facts<'_>, [tails_ps, met_ps]: [f64; 2], period: f64) -> String {
    let of = |time: f64| {
        let share = format::percent(time / period);
        let time = format::duration_ps(time);
        format!("{time} of {} ({share})", facts.period())
    };
    let met = format!(
        "The others wait at collectives for up to {}, which it computes longer for them.",
        of(met_ps)
    );
    let tails = format!(
        "For {}, the others are done with their parts of a run while it still works on it, and the host \
         waits for the whole run.",
        of(tails_ps)
    );
    match (tails_ps > 0.0, met_ps > 0.0) {
        (true, true) => format!("{met} {tails}"),
        (false, true) => met,
        _ => tails,
    }
}
