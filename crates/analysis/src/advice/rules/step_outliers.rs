//! Some steps take much longer than the others.

use super::{Outcome, Rule, finding, gravity, no_steps};
use crate::advice::facts::Facts;
use crate::format;
use crate::overview::{PartKind, StepBar, grown_part};
use crate::steps::{MIN_APART, median};

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
            "{took}; the median of all {} steps is {}. Step {} has {} more {} than the median step.",
            bars.len(),
            format::duration_ps(usual),
            worst.step,
            format::duration_ps(more),
            part.title().to_lowercase()
        ),
    )
    .why(if warms_up {
        "They are the first of the recording: caches, allocators and pipelines warm up."
    } else {
        match part {
        PartKind::InputWait => "The input was late in these steps: a slow batch, a full disk queue, a shuffle buffer that fills.",
        PartKind::Compilation => "Something was compiled in these steps: the shape or type of an argument changed.",
        PartKind::Collectives => "A participant of a collective was late: look at what the other hosts did.",
        PartKind::HostOverhead => "The host did something it does not do in every step: logging, a checkpoint, garbage collection.",
            _ => "The devices themselves took longer, or the host recorded nothing in the meantime.",
        }
    })
    .fix(if warms_up {
        "Leave them out of what you measure (`--steps`), and record from a later step on."
    } else {
        "Look at the longest of these steps beside a usual one in the timeline."
    })
    .gain(Some(gain), "Σ of what these steps take beyond the median ÷ all steps, of the mean step")
    .of_parts(&[part])
    .seen(evidence)
    .found()
}
