//! Some steps take much longer than the others.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use stepscope_model::{DeviceId, ProgramId};

use super::{Outcome, Rule, finding, gravity, no_steps};
use crate::judging::advice::facts::Facts;
use crate::measuring::steps::{MIN_APART, StepParts, median};
use crate::measuring::steps::{PartKind, StepBar, grown_part};
use crate::telling::format;

pub(super) static RULE: Rule = Rule {
    id: "step_outliers",
    title: "Some steps take much longer",
    parts: &[],
    check,
};

fn check(facts: &Facts<'_>) -> Outcome {
    let bars = &facts.bars;
    let Some(step) = facts.step_ps else {
        return Outcome::Skipped(no_steps(facts));
    };
    if bars.len() < MIN_APART {
        let counted = format::counted(bars.len(), "step");
        let verb = if bars.len() == 1 { "is" } else { "are" };
        return Outcome::Skipped(format!(
            "Needs {MIN_APART} steps to know a usual one; there {verb} {counted}."
        ));
    }
    let durations: Vec<f64> = bars.iter().map(|bar| bar.duration_ps).collect();
    let usual = median(&durations);
    let is_long = |bar: &&StepBar| bar.is_outlier && bar.duration_ps > usual;
    let long: Vec<&StepBar> = bars.iter().filter(is_long).collect();
    let lost: f64 = long.iter().map(|bar| bar.duration_ps - usual).sum();
    let gain = lost / bars.len() as f64;
    let Some((worst, severity)) = long
        .iter()
        .max_by(|a, b| a.duration_ps.total_cmp(&b.duration_ps))
        .zip(gravity(&facts.threshold("step_outlier_ratio"), gain / step))
    else {
        return Outcome::Passed(format!(
            "The longest of {} steps takes {}, the median {}.",
            bars.len(),
            format::duration_ps(durations.iter().copied().fold(0.0, f64::max)),
            format::duration_ps(usual)
        ));
    };
    let (part, more) = grown_part(bars, worst);
    let numbers: Vec<String> = long
        .iter()
        .take(8)
        .map(|bar| bar.step.to_string())
        .collect();
    let seen = facts
        .rows()
        .iter()
        .find(|row| facts.session.steps[row.step].number == worst.step);
    let evidence = seen.map(|row| {
        let length = format::duration_ps(worst.duration_ps);
        facts.at_row(row, format!("step {}: {length}", worst.step))
    });
    let warms_up = bars
        .iter()
        .zip(&long)
        .all(|(first, long)| first.step == long.step);
    let own = program_of_long_steps(facts, &long, worst);
    let own = own.filter(|&(_, time)| time >= EXPLAINS * (worst.duration_ps - usual));
    let program = own.map_or_else(String::new, |(program, time)| {
        format!(
            " {} runs in no other step, for {} there.",
            facts.session.program(program).name,
            format::duration_ps(time)
        )
    });
    let longest = format::duration_ps(worst.duration_ps);
    let took = if long.len() == 1 {
        format!("Step {} took {longest}", worst.step)
    } else {
        format!("Steps {} took up to {longest}", numbers.join(", "))
    };
    finding(
        &RULE,
        severity,
        format!(
            "{took}; the median of all {} steps is {}. Step {} has {} more {} than the median step.{program}",
            bars.len(),
            format::duration_ps(usual),
            worst.step,
            format::duration_ps(more),
            part.in_sentence()
        ),
    )
    .why(if own.is_some() {
        "A program that the other steps do not run: an evaluation, a checkpoint, a change of shape."
    } else if warms_up {
        "They are the first of the recording: caches, allocators and pipelines warm up."
    } else {
        match part {
        PartKind::InputWait => "The input was late in these steps: a slow batch, a full disk queue, a shuffle buffer that fills.",
        PartKind::Compilation => "Something was compiled in these steps: the shape or type of an argument changed.",
        PartKind::Collectives => "A participant of a collective was late: look at what the other hosts did.",
        PartKind::HostOverhead => "The host did something it does not do in every step: logging, a checkpoint, garbage collection.",
            _ => "The devices themselves took longer, or nothing on the host was recorded that explains it.",
        }
    })
    .fix(if own.is_some() {
        "Annotate what is no training step by a name of its own, and it becomes a series of its own; \
         run it less often, or beside the steps."
    } else if warms_up {
        "Leave them out of what you measure (`--steps`), and record from a later step on."
    } else {
        "Look at the longest of these steps beside a usual one in the timeline."
    })
    .gain(Some(gain), "Σ of what these steps take beyond the median ÷ all steps, of the mean step")
    .of_parts(&[part])
    .seen(evidence)
    .found()
}

/// Share of what the longest step takes beyond the median that a program has to have to explain it.
const EXPLAINS: f64 = 1.0 / 3.0;

/// The program that runs in long steps only and takes most of the longest, with its time there, mean
/// over devices.
fn program_of_long_steps(
    facts: &Facts<'_>,
    long: &[&StepBar],
    worst: &StepBar,
) -> Option<(ProgramId, f64)> {
    let session = facts.session;
    let number = |row: &StepParts| session.steps[row.step].number;
    let is_long = |row: &StepParts| long.iter().any(|bar| bar.step == number(row));
    let mut longest: BTreeMap<ProgramId, i64> = BTreeMap::new();
    let mut usual: BTreeSet<ProgramId> = BTreeSet::new();
    let mut devices = BTreeSet::new();
    let mut of_device: BTreeMap<DeviceId, Vec<&StepParts>> = BTreeMap::new();
    for row in facts.rows() {
        if let Some(device) = row.device {
            of_device.entry(device).or_default().push(row);
        }
    }
    for rows in of_device.values_mut() {
        rows.sort_by_key(|row| row.span);
    }
    for run in &session.program_runs {
        let Some(rows) = of_device.get(&run.device) else {
            continue;
        };
        let after = rows.partition_point(|row| row.span.start <= run.span.start);
        let row = after.checked_sub(1).map(|at| rows[at]);
        let Some(row) = row.filter(|row| row.span.contains_instant(run.span.start)) else {
            continue;
        };
        if !is_long(row) {
            usual.insert(run.program);
        } else if number(row) == worst.step {
            let sum: &mut i64 = longest.entry(run.program).or_default();
            *sum = sum.saturating_add(run.span.duration().0);
            devices.insert(run.device);
        }
    }
    let alone = longest
        .into_iter()
        .filter(|(program, _)| !usual.contains(program));
    let (program, time) = alone.max_by_key(|&(program, time)| (time, Reverse(program)))?;
    Some((program, time as f64 / devices.len() as f64))
}
