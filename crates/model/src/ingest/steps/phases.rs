//! Loops that follow each other: training, then an evaluation of many batches. Each has steps of its
//! own; those of the longest one are the steps.
//!
//! ```text
//! train train train train eval eval eval eval eval eval eval      train: it takes longest
//! train train eval train train eval train train eval              one loop
//! ```

use std::collections::{BTreeMap, BTreeSet};

use crate::ids::{DeviceId, ProgramId};
use crate::session::ProgramRun;
use crate::units::{Picos, Span};
use crate::vendor::hosts::is_evaluation;

/// A function that runs less often is no loop.
const FEWEST_RUNS: usize = 3;

/// Share of the time of the longest function, from which on a function may be a loop's.
const MIN_OF_LONGEST: f64 = 0.25;

/// A function as its runs show it.
struct Loop {
    /// From the first to the last run, on whatever device.
    extent: Span,
    /// When the last run began.
    last_start: Picos,
    devices: BTreeSet<DeviceId>,
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
            last_start: run.span.start,
            devices: BTreeSet::new(),
            time_ps: 0,
            run_count: 0,
            is_evaluation: is_evaluation(name(run.program)),
        });
        own.extent = own.extent.hull(run.span);
        own.last_start = own.last_start.max(run.span.start);
        own.devices.insert(run.device);
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
    let rank = |phase: &Phase| (!phase.is_evaluation, phase.time_ps);
    let Some(Phase { extent, .. }) = phases.into_iter().max_by_key(rank) else {
        return runs;
    };
    let is_within = |run: &&ProgramRun| extent.hull(run.span) == extent;
    runs.into_iter().filter(is_within).collect()
}

/// A time in which functions run beside each other.
struct Phase {
    extent: Span,
    /// How long the longest of its loops took.
    time_ps: i64,
    /// Whether all of them evaluate.
    is_evaluation: bool,
}

fn phases(mut loops: Vec<Loop>) -> Vec<Phase> {
    loops.sort_by_key(|one| one.extent);
    let mut phases: Vec<Phase> = Vec::new();
    for one in loops {
        match phases.last_mut() {
            Some(phase) if one.extent.start < phase.extent.end => {
                phase.extent = phase.extent.hull(one.extent);
                phase.time_ps = phase.time_ps.max(one.loop_ps());
                phase.is_evaluation &= one.is_evaluation;
            }
            _ => phases.push(Phase {
                extent: one.extent,
                time_ps: one.loop_ps(),
                is_evaluation: one.is_evaluation,
            }),
        }
    }
    phases
}

impl Loop {
    /// How long it took, with what the host did before each run: the last run has as long a part in it
    /// as the others.
    fn loop_ps(&self) -> i64 {
        let runs = self.run_count / self.devices.len().max(1);
        let runs = i64::try_from(runs).unwrap_or(i64::MAX);
        let started_ps = (self.last_start - self.extent.start).0;
        let per_run_ps = started_ps / (runs - 1).max(1);
        started_ps.saturating_add(per_run_ps)
    }
}
