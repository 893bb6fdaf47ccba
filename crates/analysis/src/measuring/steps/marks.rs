//! What marks the steps: an annotation, or the runs of programs.

use stepscope_model::{ProgramId, Session, StepOrigin, StepSpan, StringId};

/// What marks the steps of a series by name: the annotation; of steps that were inferred, the program
/// whose runs they are, or the programs of a round. Empty for steps that the device recorded.
pub(crate) fn marks(session: &Session, series: Option<StringId>) -> Vec<String> {
    match session.step_origin {
        Some(StepOrigin::Annotation) => {
            let name = series.map(|series| session.text(series).to_owned());
            name.into_iter().collect()
        }
        Some(StepOrigin::Cadence | StepOrigin::ProgramRuns) => match marking_program(session) {
            Some(program) => vec![session.program(program).title()],
            None => marking_round(session),
        },
        Some(StepOrigin::StepLine) | None => Vec::new(),
    }
}

/// The program whose runs define the steps: the one whose run is the work of the first step. None for
/// rounds of several.
pub(crate) fn marking_program(session: &Session) -> Option<ProgramId> {
    let step = first_work(session)?;
    let mut runs = session.program_runs.iter();
    let run = runs.find(|run| Some(run.device) == step.device && Some(run.span) == step.work)?;
    Some(run.program)
}

/// The programs of one step whose runs take turns: `jit_generate(4)` and `jit_judge(6)`.
fn marking_round(session: &Session) -> Vec<String> {
    let first = first_work(session);
    let mut titles: Vec<String> = Vec::new();
    for run in &session.program_runs {
        let work = first.filter(|span| span.device == Some(run.device));
        let work = work.and_then(|span| span.work);
        let title = session.program(run.program).title();
        let is_within = work.is_some_and(|work| work.intersection(run.span) == Some(run.span));
        if is_within && !titles.contains(&title) {
            titles.push(title);
        }
    }
    titles
}

/// The first step on the first device whose work begins it: that of another stage has none.
fn first_work(session: &Session) -> Option<&StepSpan> {
    let mut spans = session.steps.first()?.spans.iter();
    spans.find(|on| on.work.is_some())
}
