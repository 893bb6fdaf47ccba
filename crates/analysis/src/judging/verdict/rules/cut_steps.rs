//! `cut_steps`: the program of the steps also ran before the first step or after the last one.

use stepscope_model::{DeviceId, Picos, ProgramId, Session, StepOrigin};

use super::Rule;
use crate::judging::verdict::evidence::{Evidence, short};
use crate::judging::verdict::limits;
use crate::judging::verdict::report::{Finding, Severity};

pub(super) const RULE: Rule = Rule {
    ids: &["cut_steps"],
    look,
};

fn look(evidence: &Evidence<'_>, _: &[Finding]) -> Vec<Finding> {
    let session = evidence.session;
    if session.step_origin != Some(StepOrigin::Annotation) || session.steps.is_empty() {
        return Vec::new();
    }
    let most = evidence
        .working()
        .filter_map(|device| leftovers(session, device))
        .max_by_key(|left| left.before + left.after);
    let Some(left) = most else {
        return Vec::new();
    };
    let times = |count: usize| match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        count => format!("{count} times"),
    };
    let what = match (left.before, left.after) {
        (before, 0) => format!("{} before the first annotated step", times(before)),
        (0, after) => format!("{} after the last annotated step", times(after)),
        (before, after) => format!(
            "{} before the first and {} after the last annotated step",
            times(before),
            times(after)
        ),
    };
    let name = short(&session.program(left.program).name);
    vec![
        Finding::new("cut_steps", Severity::Info, format!("{name} ran {what}."))
            .why(
                "The window cut these steps off, or they were not annotated. Step time excludes them.",
            )
            .fix("Start and stop the profiler between two steps, and annotate every step."),
    ]
}

/// Runs of the steps' program that do not belong to a step.
struct Leftovers {
    program: ProgramId,
    before: usize,
    after: usize,
}

fn leftovers(session: &Session, device: DeviceId) -> Option<Leftovers> {
    let works = session.steps.iter().flat_map(|step| &step.spans);
    let works = works.filter(|span| span.device == Some(device));
    let works: Vec<_> = works.filter_map(|span| span.work).collect();
    let first: Picos = works.iter().map(|work| work.start).min()?;
    let last: Picos = works.iter().map(|work| work.end).max()?;
    let mut inside = vec![0usize; session.programs.len()];
    let runs = || {
        session
            .program_runs
            .iter()
            .filter(|run| run.device == device)
    };
    for run in runs().filter(|run| run.span.start >= first && run.span.end <= last) {
        inside[run.program.index()] += 1;
    }
    let index = (0..inside.len()).max_by_key(|&index| (inside[index], std::cmp::Reverse(index)))?;
    let program = ProgramId::from_index(index);
    let own = || runs().filter(|run| run.program == program);
    let before = own().filter(|run| run.span.end <= first).count();
    let after = own().filter(|run| run.span.start >= last).count();
    let per_step = inside[index] as f64 / works.len() as f64;
    let is_step = (before + after) as f64 >= limits::RUNS_PER_STEP_RATIO * per_step;
    (before + after > 0 && is_step).then_some(Leftovers {
        program,
        before,
        after,
    })
}
