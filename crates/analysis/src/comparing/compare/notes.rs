//! What the figures do not cover.

use super::CompareOptions;
use super::noise::FEWEST_STEPS;
use super::report::SessionDifference;
use super::side::Side;
use crate::telling::Note;
use crate::telling::format;
use crate::telling::format::percent;
use crate::telling::recording;

pub(super) fn notes(
    sides: &[Side<'_>],
    differences: &[SessionDifference],
    options: &CompareOptions,
) -> Vec<Note> {
    let mut notes = Vec::new();
    notes.extend(unusual(sides));
    for side in sides {
        let typical = side.typical().count();
        if side.steps.is_empty() {
            let text = format!(
                "{}: no steps were recorded or could be inferred, so its steps and ops cannot be compared.",
                side.name
            );
            notes.push(
                Note::warning("steps-missing", text).with_code(recording::steps(side.session)),
            );
        } else if !side.is_timed {
            let text = format!(
                "{}: step times were not recorded, so its steps are not compared.",
                side.name
            );
            notes.push(Note::warning("step-times-missing", text));
        } else if typical < FEWEST_STEPS {
            let text = format!(
                "{}: {} are too few to distinguish a change from noise; differences are not tested.",
                side.name,
                format::counted(typical, "typical step")
            );
            notes.push(Note::warning("too-few-steps", text).with_hint("Capture 10 steps or more."));
        }
    }
    let percent_of = percent(options.confidence);
    let runs = options.run_noise.map_or_else(
        || {
            "1 % of the time or 1.5 standard deviations of the steps, whichever is larger, as measured \
             for an unchanged program on a busy machine"
                .to_owned()
        },
        |ratio| format!("{} of the time, as given", percent(ratio)),
    );
    notes.push(
        Note::info(
            "interval-confidence",
            format!(
            "Intervals have {percent_of} confidence. They account for differences between steps, for \
             correlated neighboring steps, and for noise between runs (standard deviation: {runs})."
        ))
        .with_hint("If your runs are known to differ by 1 %, pass `--run-noise 0.01`."),
    );
    if differences
        .iter()
        .any(|difference| difference.step.is_some())
    {
        notes.push(Note::info(
            "many-ops-tested",
            format!(
            "Many ops are tested: at most {} of those reported as beyond noise are expected to be false \
             alarms (Benjamini-Hochberg procedure). Ops below 0.1 % of the step are not tested.",
            percent(1.0 - options.confidence)
        )));
    }
    notes
}

/// Steps far from the median that are compared like all others.
fn unusual(sides: &[Side<'_>]) -> Option<Note> {
    let told = sides.iter().filter_map(|side| {
        let count = side.unusual.filter(|&count| count > 0)?;
        let name = format::shortened(side.name);
        Some(format!(
            "{count} of {} in {name}",
            format::counted(side.steps.len(), "step")
        ))
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| {
        let text = format!(
            "Many steps are far from the median ({}), so none is excluded: all steps are compared.",
            told.join(", ")
        );
        Note::info("many-outliers", text)
    })
}
