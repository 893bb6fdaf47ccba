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
    for side in sides {
        let typical = side.typical().count();
        if side.steps.is_empty() {
            let text = format!(
                "{}: no step was recorded and none could be inferred, so neither steps nor ops can be \
                 compared with it.",
                side.name
            );
            notes.push(Note::warning(text).with_code(recording::steps(side.session)));
        } else if !side.is_timed {
            let text = format!(
                "{}: how long its steps take was not recorded, so they are not compared.",
                side.name
            );
            notes.push(Note::warning(text));
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
             neighbors that are alike, and runs that differ though nothing changed (standard deviation \
             {runs})."
        ))
        .with_hint("`--run-noise 0.01` where your runs are known to differ by 1 %."),
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
