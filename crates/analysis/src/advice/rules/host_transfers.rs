//! Copies between host and device that no work hides (guides: data on the wrong device).

use super::{NO_STEPS, Outcome, Rule, finding, gravity};
use crate::advice::facts::{Facts, in_view, part_ps};
use crate::format;
use crate::overview::PartKind;

pub(super) static RULE: Rule = Rule {
    id: "host_transfers",
    title: "Copies between host and device",
    check,
};

fn check(facts: &Facts<'_>) -> Outcome {
    let part = |row: &_| {
        (part_ps(row, PartKind::HostToDevice) + part_ps(row, PartKind::DeviceToHost)) as f64
    };
    let (Some(step), Some((place, time))) = (facts.step_ps, facts.worst(part)) else {
        return Outcome::Skipped(NO_STEPS.to_owned());
    };
    let share = format::percent(time / step);
    let Some(severity) = gravity(&facts.threshold("exposed_transfer_ratio"), time / step) else {
        return Outcome::Passed(format!("At most {share} of a step."));
    };
    let copies = facts.kernels.iter().flat_map(|report| &report.transfers);
    let of_host = copies.filter(|row| row.direction.contains("host"));
    let evidence: Vec<_> = of_host
        .map(|row| {
            let bytes = row.bytes.map_or_else(String::new, |bytes| {
                format!(", {}", format::bytes(bytes as f64))
            });
            let (count, words) = (row.occurrences, row.direction.replace('_', " "));
            in_view("kernels", format!("{count} copies {words}{bytes}"))
        })
        .collect();
    finding(
        &RULE,
        severity,
        format!(
            "{} copies to or from its host for {} of a step ({share}) and does nothing else.",
            facts.place_name(place),
            format::duration_ps(time)
        ),
    )
    .why(
        "Data lies on the other side from where it is used, or moves back and forth in every step.",
    )
    .fix(
        "Put inputs on the device before the step that needs them; keep state and intermediate \
         results there (no np.asarray, no float() in the loop); read metrics every hundred steps.",
    )
    .code("batch = jax.device_put(batch, sharding)   # while the step before runs")
    .gain(
        Some(time),
        "the median over steps of these parts on the device that has most of them",
    )
    .seen(facts.longest(place, PartKind::HostToDevice))
    .seen(evidence)
    .found()
}
