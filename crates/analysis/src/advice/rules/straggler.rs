//! One host arrives later than the others at what they do together.

use std::collections::BTreeMap;

use super::{NO_STEPS, Outcome, Rule, finding, gravity};
use crate::advice::facts::{Facts, part_ps};
use crate::advice::report::Confidence;
use crate::format;
use crate::overview::PartKind;
use crate::steps::{StepParts, median, parts::PARTS};

pub(super) static RULE: Rule = Rule {
    id: "straggler",
    title: "A host is slower than the others",
    check,
};

/// Time of a step that a place spends on its own, before it meets the others: all but collectives
/// and idle time.
fn own(row: &StepParts) -> f64 {
    let met = part_ps(row, PartKind::Collectives) + part_ps(row, PartKind::Idle);
    (row.span.duration().0 - met) as f64
}

fn check(facts: &Facts<'_>) -> Outcome {
    let Some(step) = facts.step_ps else {
        return Outcome::Skipped(NO_STEPS.to_owned());
    };
    if facts.session.hosts.len() < 3 {
        return Outcome::Skipped("Needs three hosts to know a usual one.".to_owned());
    }
    let mut hosts: BTreeMap<_, f64> = BTreeMap::new();
    for ((host, _), time) in facts.typical(own) {
        let longest = hosts.entry(host).or_insert(time);
        *longest = longest.max(time);
    }
    let usual = median(&hosts.values().copied().collect::<Vec<f64>>());
    let Some((&host, &slowest)) = hosts.iter().max_by(|a, b| a.1.total_cmp(b.1)) else {
        return Outcome::Skipped(NO_STEPS.to_owned());
    };
    let behind = slowest - usual;
    let share = format::percent(behind / step);
    let name = &facts.session.host(host).name;
    let Some(severity) = gravity(&facts.threshold("straggler_ratio"), behind / step) else {
        return Outcome::Passed(format!(
            "{name} is {} behind the median host, {share} of a step.",
            format::duration_ps(behind)
        ));
    };
    // Which part it is that takes longer there.
    let more = |part: PartKind| {
        let parts = facts.typical(|row| part_ps(row, part) as f64);
        let all: Vec<f64> = parts.iter().map(|(_, time)| *time).collect();
        let there = parts.iter().filter(|(place, _)| place.0 == host);
        there.map(|(_, time)| *time).fold(0.0, f64::max) - median(&all)
    };
    let causes = PARTS
        .into_iter()
        .filter(|part| !matches!(part, PartKind::Collectives | PartKind::Idle))
        .map(|part| (part, more(part)));
    let (part, time) = causes
        .reduce(|most, next| if next.1 > most.1 { next } else { most })
        .unwrap_or((PartKind::DeviceCompute, 0.0));
    let row = facts
        .rows()
        .iter()
        .filter(|row| row.host == host)
        .max_by(|a, b| own(a).total_cmp(&own(b)));
    let evidence = row.map(|row| {
        let number = facts.session.steps[row.step].number;
        facts.at_row(row, format!("step {number} on {name}"))
    });
    let mut found = finding(
        &RULE,
        severity,
        format!(
            "{name} needs {} of a step for itself where {} are usual; {} more of it is {}.",
            format::duration_ps(slowest),
            format::duration_ps(usual),
            format::duration_ps(time),
            part.title().to_lowercase()
        ),
    )
    .why("All hosts meet in the collectives of every step, so the slowest one sets the pace.")
    .fix(match part {
        PartKind::InputWait => "Speed up the input of this host; see the finding about waiting for input.",
        _ => "Compare this host with another in the timeline, in the same step: its load, its clock, other processes.",
    })
    .gain(Some(behind), "own time of the slowest host − the median over hosts")
    .sure(Confidence::Medium)
    .seen(evidence);
    found.title = format!("{name} is slower than the other hosts");
    found.found()
}
