//! How often programs run in a step.

use std::collections::BTreeMap;

use stepscope_model::{ProgramId, Span};

use super::side::Side;
use crate::measuring::selection::device_span;

/// Runs of each program per selected step, on the device where it runs most often.
pub(super) fn program_runs(side: &Side<'_>) -> BTreeMap<ProgramId, f64> {
    let session = side.session;
    let steps = side.selected.step_positions();
    let mut most: BTreeMap<ProgramId, usize> = BTreeMap::new();
    for &device in &side.selected.devices {
        let spans = steps.iter();
        let spans = spans.filter_map(|&step| device_span(&session.steps[step], session, device));
        let mut spans: Vec<Span> = spans.collect();
        spans.sort_unstable();
        let mut counts: BTreeMap<ProgramId, usize> = BTreeMap::new();
        for run in session
            .program_runs
            .iter()
            .filter(|run| run.device == device)
        {
            let begin = run.span.start;
            let after = spans.partition_point(|span| span.start <= begin);
            let step = after.checked_sub(1).map(|at| spans[at]);
            if step.is_some_and(|step| step.contains_instant(begin)) {
                *counts.entry(run.program).or_default() += 1;
            }
        }
        for (program, count) in counts {
            let known = most.entry(program).or_default();
            *known = count.max(*known);
        }
    }
    let steps = steps.len().max(1) as f64;
    let per_step = most.into_iter();
    per_step
        .map(|(program, count)| (program, count as f64 / steps))
        .collect()
}
