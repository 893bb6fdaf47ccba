//! The answer in a sentence, and what the figures do not cover.

use super::CompareOptions;
use super::causes::signed;
use super::noise::FEWEST_STEPS;
use super::report::{Evidence, SessionDifference, TimeDifference};
use super::side::Side;
use crate::format::{self, duration_ps, percent};
use crate::note::Note;

/// Whether the other session is slower, in a sentence.
pub(super) fn conclusion(sides: [&Side<'_>; 2], step: Option<&TimeDifference>) -> String {
    let [baseline, other] = sides.map(|side| side.name);
    let Some(step) = step else {
        return format!("{other} and {baseline} cannot be compared by step: one has none.");
    };
    let change = |ps: f64| {
        let ratio = ps / step.baseline_ps.max(1.0);
        let sign = if ratio < 0.0 { "−" } else { "+" };
        format!("{sign}{}", percent(ratio.abs()))
    };
    let times = format!(
        "{} instead of {} per step",
        duration_ps(step.mean_ps),
        duration_ps(step.baseline_ps)
    );
    let interval = format!("{} to {}", change(step.low_ps), change(step.high_ps));
    match step.evidence {
        Evidence::BeyondNoise => {
            let (word, ratio) = if step.difference_ps > 0.0 {
                ("slower", step.difference_ps / step.baseline_ps)
            } else {
                ("faster", -step.difference_ps / step.baseline_ps)
            };
            format!(
                "{other} is {} {word} than {baseline}: {times} ({interval}), more than noise.",
                percent(ratio)
            )
        }
        Evidence::WithinNoise => format!(
            "No difference beyond noise between {other} and {baseline}: {times} ({}; {interval}).",
            change(step.difference_ps)
        ),
        Evidence::TooFewSteps => format!(
            "Too few steps to tell whether {other} differs from {baseline}: {times} ({}).",
            signed(step.difference_ps)
        ),
    }
}

pub(super) fn notes(
    sides: &[Side<'_>],
    differences: &[SessionDifference],
    options: &CompareOptions,
) -> Vec<Note> {
    let mut notes = Vec::new();
    for side in sides {
        let typical = side.typical().count();
        if side.steps.is_empty() {
            let text = format!(
                "{}: no step was recorded and none could be inferred, so neither steps nor ops can be \
                 compared with it.",
                side.name
            );
            let hint = "with jax.profiler.StepTraceAnnotation(\"train\", step_num=step):";
            notes.push(Note::warning(text).with_hint(hint));
        } else if typical < FEWEST_STEPS {
            let text = format!(
                "{}: {} are too few to tell noise from a change; figures stand as they are.",
                side.name,
                format::counted(typical, "typical step")
            );
            notes.push(Note::warning(text).with_hint("Capture 10 steps or more."));
        }
    }
    let percent_of = percent(options.confidence);
    let runs = options.run_noise.map_or_else(
        || {
            "1 % of the time or 1.5 standard deviations of the steps, whichever is more: what runs of \
             an unchanged program differed by on a busy machine"
                .to_owned()
        },
        |ratio| format!("{} of the time, as given", percent(ratio)),
    );
    notes.push(
        Note::info(format!(
            "Intervals hold with {percent_of} confidence. They cover steps that differ from each other, \
             neighbours that are alike, and runs that differ though nothing changed (standard deviation \
             {runs})."
        ))
        .with_hint("--run-noise 0.01 where your runs are known to differ by 1 %."),
    );
    if differences
        .iter()
        .any(|difference| difference.step.is_some())
    {
        notes.push(Note::info(format!(
            "Many ops are tested at once: of those said to be beyond noise at most {} are expected to \
             be false (Benjamini and Hochberg); ops below 0.1 % of the step are not tested.",
            percent(1.0 - options.confidence)
        )));
    }
    notes
}
