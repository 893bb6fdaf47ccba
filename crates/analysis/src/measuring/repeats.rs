//! How often the program of annotated steps runs in each: an annotation may be around an epoch, or
//! around several micro-batches.

use std::collections::BTreeMap;

use stepscope_model::{ProgramId, SaturatingSum as _, Session, Span};

/// Share of the device time of steps that a program has to take to be the one of the steps.
const MOST_OF_STEP: f64 = 0.5;

/// A program that runs several times in most steps.
pub(crate) struct Repeated {
    pub(crate) program: ProgramId,
    /// The median over steps.
    pub(crate) runs: usize,
    /// Whether it is the same in every step.
    pub(crate) is_always: bool,
}

/// The program that takes most of the time of these steps on their first device, if it runs several times
/// in most of them. Single ops, dispatched one at a time, do not count.
pub(crate) fn repeated(session: &Session, steps: &[usize]) -> Option<Repeated> {
    let first = session.steps.get(*steps.first()?)?;
    let device = first.spans.iter().find_map(|on| on.device)?;
    let host = session.device(device).host;
    let spans = steps.iter().filter_map(|&step| {
        let on = session.steps[step].seen_from(host, Some(device))?;
        Some(on.span)
    });
    let mut spans: Vec<Span> = spans.collect();
    spans.sort_unstable();
    let mut found: BTreeMap<ProgramId, (i64, Vec<usize>)> = BTreeMap::new();
    let runs = session.program_runs.iter();
    for run in runs.filter(|run| run.device == device) {
        let at = spans.partition_point(|span| span.start <= run.span.start);
        let step = at.checked_sub(1);
        if let Some(step) = step.filter(|&step| run.span.start < spans[step].end) {
            let nothing = || (0, vec![0; spans.len()]);
            let (time_ps, counts) = found.entry(run.program).or_insert_with(nothing);
            *time_ps = time_ps.saturating_add(run.span.duration().0);
            counts[step] += 1;
        }
    }
    let all_ps: i64 = found.values().map(|one| one.0).saturating_sum();
    let (program, (time_ps, mut counts)) = found.into_iter().max_by_key(|(_, one)| one.0)?;
    counts.sort_unstable();
    let runs = counts[counts.len() / 2];
    let is_main = time_ps as f64 >= MOST_OF_STEP * all_ps as f64;
    let is_told = is_main && runs >= 2 && !session.program(program).is_single_op();
    is_told.then(|| Repeated {
        program,
        runs,
        is_always: counts.first() == counts.last(),
    })
}
