//! Steps if none are known: the period of the dominant program.

use std::collections::{BTreeMap, BTreeSet};

use super::evidence::{Evidence, Found, Steps, period};
use crate::ids::{DeviceId, ProgramId};
use crate::ingest::runs::runs_by_device;
use crate::program::Program;
use crate::step::StepSpan;
use crate::units::{Picos, Span};

/// The k-th run, on every device, of the program with the most time is step k, until the next run.
/// The last run has no next: the end of its step is unknown, so it is cut.
pub(super) fn steps(evidence: &Evidence<'_>) -> Steps {
    let Some(program) = dominant_program(evidence) else {
        return Steps::new();
    };
    let mut steps = Steps::new();
    let runs_of = runs_by_device(evidence.runs, evidence.devices.len());
    for (position, device) in evidence.devices.iter().enumerate() {
        let id = DeviceId::from_index(position);
        let runs = runs_of[position]
            .iter()
            .filter(|run| run.program == program);
        let mut works: Vec<Option<Span>> = runs.map(|run| Some(run.span)).collect();
        works.sort_unstable();
        for position in 0..works.len() {
            let Some((span, is_last)) = period(&works, position) else {
                continue;
            };
            let number = i64::try_from(position).unwrap_or(i64::MAX);
            let found: &mut Found = steps.entry((None, number, 0)).or_default();
            found.is_cut |= is_last;
            found.spans.push(StepSpan {
                host: device.host,
                device: Some(id),
                span,
                work: works[position],
            });
        }
    }
    steps
}

/// Programs that are shorter than this, have one op each, and run at least this often are ops that
/// the host dispatches one at a time: parts of a step, not a step.
const EAGER_PS: i64 = 100_000_000;
const EAGER_RUNS: usize = 64;

/// Share of the time of the longest program, from which on a program may be the step's.
const MIN_OF_LONGEST: f64 = 0.25;

/// Least share of the time of all runs: what takes less does not make the steps of a recording, such
/// as keys that are split before a whole training loop runs as one program.
const MIN_OF_ALL: f64 = 0.05;

/// Of the programs that ran at least twice on some device and took a considerable part of the time,
/// the one that ran most often: an evaluation may take longer than the steps between. `None` if
/// that is a single op, dispatched repeatedly, or next to nothing.
fn dominant_program(evidence: &Evidence<'_>) -> Option<ProgramId> {
    // What XLA tries out while it compiles is no step.
    let is_trial = Program::trials(evidence.programs);
    let runs = evidence.runs.iter();
    let runs = runs.filter(|run| !is_trial[run.program.index()]);
    let mut totals: BTreeMap<ProgramId, Picos> = BTreeMap::new();
    let mut counts: BTreeMap<(ProgramId, DeviceId), usize> = BTreeMap::new();
    for run in runs {
        *totals.entry(run.program).or_default() += run.span.duration();
        *counts.entry((run.program, run.device)).or_default() += 1;
    }
    let repeated = counts.iter().filter(|(_, count)| **count >= 2);
    let repeated: BTreeSet<ProgramId> = repeated.map(|(key, _)| key.0).collect();
    let candidates = || {
        let all = totals.iter();
        all.filter(|(program, _)| repeated.contains(program))
    };
    let longest = candidates().map(|(_, total)| total.0).max()?;
    let runs_of = |program: ProgramId| {
        let own = counts.iter().filter(|((of, _), _)| *of == program);
        own.fold((0, 0usize), |(most, all), (_, &count)| {
            (count.max(most), all + count)
        })
    };
    let all_ps: f64 = totals.values().map(|total| total.0 as f64).sum();
    let least_ps = (MIN_OF_LONGEST * longest as f64).max(MIN_OF_ALL * all_ps);
    let is_long = |total: Picos| total.0 as f64 >= least_ps;
    let (&program, total) = candidates()
        .filter(|(_, total)| is_long(**total))
        .max_by_key(|(program, total)| {
            let (most, _) = runs_of(**program);
            (most, **total, std::cmp::Reverse(**program))
        })?;
    let (most, all) = runs_of(program);
    let mean_ps = total.0 / i64::try_from(all).unwrap_or(i64::MAX).max(1);
    let is_eager = most >= EAGER_RUNS
        && mean_ps < EAGER_PS
        && is_single_op(&evidence.programs[program.index()]);
    (!is_eager).then_some(program)
}

/// Whether the program computes a single instruction.
fn is_single_op(program: &Program) -> bool {
    let Some(hlo) = program.hlo.as_ref() else {
        return false;
    };
    let Some(entry) = hlo.entry() else {
        return false;
    };
    let computes = |opcode: &str| {
        !matches!(
            opcode,
            "parameter" | "constant" | "tuple" | "get-tuple-element" | "copy" | "bitcast"
        )
    };
    let instructions = hlo.instructions_of(entry).iter();
    let own = instructions.filter(|instruction| computes(&instruction.opcode));
    own.count() <= 1
}
