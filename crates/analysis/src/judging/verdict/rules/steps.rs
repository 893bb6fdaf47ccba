//! `no_steps`, `steps_inferred`, `single_step`: what the step time is based on.

use stepscope_model::StepOrigin;

use super::{Rule, annotate};
use crate::judging::verdict::evidence::Evidence;
use crate::judging::verdict::report::{Finding, Severity};
use crate::measuring::selection::counted_steps;
use crate::telling::recording;
use crate::telling::steps::step_notes;

pub(super) const RULE: Rule = Rule {
    ids: &["no_steps", "steps_inferred", "single_step"],
    look,
};

fn look(evidence: &Evidence<'_>, _: &[Finding]) -> Vec<Finding> {
    let session = evidence.session;
    let is_dispatched = !session.steps.is_empty() && session.steps.iter().all(|step| step.is_cut);
    // Without device work, missing steps are not the problem.
    if !evidence.has_work() && !is_dispatched {
        return Vec::new();
    }
    let told = step_notes(session, None).into_iter().next();
    let told = told.map(|note| note.text).unwrap_or_default();
    let counted = counted_steps(session).len();
    let origin = session.step_origin.filter(|_| counted > 0);
    let mut found = Vec::new();
    match origin {
        None => {
            let finding = Finding::new("no_steps", Severity::Warning, told)
                .why("Without a step time there is no figure per step.");
            // Steps that are annotated lack only their work, and the note or another finding says why.
            found.push(if session.steps.is_empty() {
                finding.fix(annotate(session))
            } else if evidence.has_work() {
                finding.fix(recording::last_result(session))
            } else {
                finding
            });
        }
        Some(StepOrigin::Cadence) => found.push(
            Finding::new("steps_inferred", Severity::Warning, told)
                .why("A step ends where the next run of that program begins.")
                .fix("Wait for the result at the end of every step while you measure."),
        ),
        Some(StepOrigin::ProgramRuns) => found.push(
            Finding::new("steps_inferred", Severity::Info, told)
                .why("A step ends where the next run of that program begins.")
                .fix(annotate(session)),
        ),
        Some(StepOrigin::StepLine | StepOrigin::Annotation) => {}
    }
    if counted == 1 {
        found.push(
            Finding::new("single_step", Severity::Info, "One step was captured.")
                .why("A single step has no spread, so it is unknown whether it is typical.")
                .fix("Capture 5 to 10 steps."),
        );
    }
    found
}
