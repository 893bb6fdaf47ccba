//! Loops beside the one whose steps were inferred: programs that another thread runs again and again,
//! or that run before or after its steps.

use std::collections::BTreeMap;

use stepscope_model::{HostId, ProgramId, ProgramRun, SaturatingSum as _, Session, Span, TrackId};

use crate::measuring::activity::{Loops, driving_threads};

/// A program of another loop.
pub(crate) struct OtherLoop {
    pub(crate) program: ProgramId,
    pub(crate) run_count: usize,
    /// The mean length of its runs.
    pub(crate) mean_ps: f64,
}

/// Fewer runs are no loop.
const FEWEST_RUNS: usize = 3;
/// What takes less of the time of all runs is not told.
const LEAST_RATIO: f64 = 0.05;

/// Programs that only threads run which do not run the main program, the one that takes most time first.
/// Empty where launches were not recorded.
pub(crate) fn other_loops(session: &Session, main: ProgramId) -> Vec<OtherLoop> {
    let name = &session.program(main).name;
    let is_main = |run: &ProgramRun| session.program(run.program).name == *name;
    let runs = session.program_runs.iter();
    let mut own: Vec<TrackId> = runs
        .filter(|run| is_main(run))
        .filter_map(|run| run.launched_on)
        .collect();
    own.sort_unstable();
    own.dedup();
    if own.is_empty() {
        return Vec::new();
    }
    let hosts: Vec<HostId> = (0..session.hosts.len()).map(HostId::from_index).collect();
    let driving = driving_threads(session, &hosts, Loops::All).concat();
    let is_apart = |run: &ProgramRun| {
        let thread = run.launched_on;
        thread
            .is_some_and(|thread| own.binary_search(&thread).is_err() && driving.contains(&thread))
    };
    repeated(session, is_apart)
}

/// Programs that run again and again, but only before the first or after the last step, the one that takes
/// most time first.
pub(crate) fn other_phases(session: &Session) -> Vec<OtherLoop> {
    let spans = session.steps.iter().flat_map(|step| &step.spans);
    let Some(steps) = spans.map(|on| on.span).reduce(Span::hull) else {
        return Vec::new();
    };
    let is_outside = |run: &ProgramRun| run.span.end <= steps.start || run.span.start >= steps.end;
    repeated(session, is_outside)
}

/// Programs of which every run is so, the one that takes most time first.
fn repeated(session: &Session, is_so: impl Fn(&ProgramRun) -> bool) -> Vec<OtherLoop> {
    let mut others: BTreeMap<ProgramId, Vec<&ProgramRun>> = BTreeMap::new();
    for run in &session.program_runs {
        others.entry(run.program).or_default().push(run);
    }
    others.retain(|_, runs| runs.len() >= FEWEST_RUNS && runs.iter().all(|run| is_so(run)));
    let sum_ps = |run: &ProgramRun| run.span.duration().0;
    let all_ps = session.program_runs.iter().map(sum_ps).saturating_sum() as f64;
    let mut found: Vec<OtherLoop> = others
        .into_iter()
        .map(|(program, runs)| {
            let time_ps = runs.iter().map(|run| sum_ps(run)).saturating_sum();
            OtherLoop {
                program,
                run_count: runs.len(),
                mean_ps: time_ps as f64 / runs.len() as f64,
            }
        })
        .filter(|one| one.mean_ps * one.run_count as f64 >= LEAST_RATIO * all_ps)
        .collect();
    let time = |one: &OtherLoop| one.mean_ps * one.run_count as f64;
    found.sort_by(|a, b| time(b).total_cmp(&time(a)));
    found
}
