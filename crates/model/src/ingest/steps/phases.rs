//! Loops that follow each other: training, then an evaluation of many batches. Each has steps of its
//! own; those of the longest one are the steps.
//!
//! ```text
//! train train train train eval eval eval eval eval eval eval      train: it takes longest
//! train train eval train train eval train train eval              one loop
//! ```

use std::collections::BTreeMap;

use crate::ids::ProgramId;
use crate::session::ProgramRun;
use crate::units::Span;
use crate::vendor::hosts::is_evaluation;

/// A function that runs less often is no loop.
const FEWEST_RUNS: usize = 3;

/// Share of the time of the longest function, from which on a function may be a loop's.
const MIN_OF_LONGEST: f64 = 0.25;

/// A function as its runs show it.
struct Loop {
    /// From the first to the last run, on whatever device.
    extent: Span,
    time_ps: i64,
    run_count: usize,
    is_evaluation: bool,
}

/// The runs within the longest of the loops that follow each other; all runs if there is one loop.
/// What evaluates, by its name, is the longest only if nothing else is.
pub(super) fn longest_loop<'a>(
    runs: Vec<&'a ProgramRun>,
    function: impl Fn(ProgramId) -> ProgramId,
    name: impl Fn(ProgramId) -> &'a str,
) -> Vec<&'a ProgramRun> {
    let mut loops: BTreeMap<ProgramId, Loop> = BTreeMap::new();
    for run in &runs {
        let own = loops.entry(function(run.program)).or_insert_with(|| Loop {
            extent: run.span,
            time_ps: 0,
            run_count: 0,
            is_evaluation: is_evaluation(name(run.program)),
        });
        own.extent = own.extent.hull(run.span);
        own.time_ps = own.time_ps.saturating_add(run.span.duration().0);
        own.run_count += 1;
    }
    loops.retain(|_, one| one.run_count >= FEWEST_RUNS);
    let longest_ps = loops.values().map(|one| one.time_ps).max().unwrap_or(0);
    loops.retain(|_, one| one.time_ps as f64 >= MIN_OF_LONGEST * longest_ps as f64);
    let phases = phases(loops.into_values().collect());
    if phases.len() < 2 {
        return runs;
    }
    let rank = |(extent, is_evaluation): &(Span, bool)| (!is_evaluation, extent.duration());
    let Some((longest, _)) = phases.into_iter().max_by_key(rank) else {
        return runs;
    };
    let is_within = |run: &&ProgramRun| longest.hull(run.span) == longest;
    runs.into_iter().filter(is_within).collect()
}

/// Times in which functions run beside each other, and whether all of these evaluate.
fn phases(mut loops: Vec<Loop>) -> Vec<(Span, bool)> {
    loops.sort_by_key(|one| one.extent);
    let mut phases: Vec<(Span, bool)> = Vec::new();
    for one in loops {
        match phases.last_mut() {
            Some((extent, is_evaluation)) if one.extent.start < extent.end => {
                *extent = extent.hull(one.extent);
                *is_evaluation &= one.is_evaluation;
            }
            _ => phases.push((one.extent, one.is_evaluation)),
        }
    }
    phases
}
