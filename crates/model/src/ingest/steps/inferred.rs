//! Steps if none are known: the period of the dominant function.

use std::collections::{BTreeMap, BTreeSet};

use super::evidence::{Evidence, Found, Steps, period};
use crate::functions::Functions;
use crate::ids::{DeviceId, ProgramId};
use crate::ingest::runs::runs_by_device;
use crate::program::Program;
use crate::session::ProgramRun;
use crate::step::StepSpan;
use crate::units::{Picos, Span};

/// The k-th run, on every device, of the main function's programs is step k, until the next run.
/// The last run has no next: the end of its step is unknown, so it is cut.
pub(super) fn steps(evidence: &Evidence<'_>) -> Steps {
    let Some(programs) = dominant_programs(evidence) else {
        return Steps::new();
    };
    let mut steps = Steps::new();
    let runs_of = runs_by_device(evidence.runs, evidence.devices.len());
    for (position, device) in evidence.devices.iter().enumerate() {
        let id = DeviceId::from_index(position);
        let runs = runs_of[position]
            .iter()
            .filter(|run| programs.contains(&run.program));
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

/// Programs take turns if they do so at least this often.
const MIN_TURNS: usize = 2;

/// The programs of the function whose runs are steps: of the functions that ran at least twice on
/// some device and took a considerable part of the time, the one that ran most often, since an
/// evaluation may take longer than the steps between. `None` if that is a single op, dispatched
/// repeatedly, or next to nothing.
fn dominant_programs(evidence: &Evidence<'_>) -> Option<BTreeSet<ProgramId>> {
    // What XLA tries out while it compiles is no step.
    let is_trial = Program::trials(evidence.programs);
    let runs = evidence.runs.iter();
    let runs: Vec<&ProgramRun> = runs.filter(|run| !is_trial[run.program.index()]).collect();
    let functions = Functions::of(evidence.programs);
    let taking_turns = taking_turns(&runs, &functions);
    let function = |program: ProgramId| {
        let function = functions.function(program);
        let is_apart = taking_turns.contains(&function);
        if is_apart { program } else { function }
    };
    let mut totals: BTreeMap<ProgramId, Picos> = BTreeMap::new();
    let mut counts: BTreeMap<(ProgramId, DeviceId), usize> = BTreeMap::new();
    for run in &runs {
        let function = function(run.program);
        *totals.entry(function).or_default() += run.span.duration();
        *counts.entry((function, run.device)).or_default() += 1;
    }
    let dominant = dominant(evidence, &totals, &counts)?;
    let own = runs.iter().map(|run| run.program);
    Some(own.filter(|&one| function(one) == dominant).collect())
}

/// The function of [`dominant_programs`], from the time and the number of runs of each.
fn dominant(
    evidence: &Evidence<'_>,
    totals: &BTreeMap<ProgramId, Picos>,
    counts: &BTreeMap<(ProgramId, DeviceId), usize>,
) -> Option<ProgramId> {
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
        && evidence.programs[program.index()].is_single_op();
    (!is_eager).then_some(program)
}

/// Functions that are called once with each of several shapes between two runs of some other program:
/// their programs are parts of one step, such as an encoder of images and of their captions.
///
/// ```text
/// encode(64) encode(16) update encode(64) encode(16) update      one step until each update
/// train(64) train(16) train(64) train(64) evaluate train(16)     each run of train is a step
/// ```
fn taking_turns(runs: &[&ProgramRun], functions: &Functions) -> BTreeSet<ProgramId> {
    let mut members: BTreeMap<ProgramId, BTreeSet<ProgramId>> = BTreeMap::new();
    for run in runs {
        let function = functions.function(run.program);
        members.entry(function).or_default().insert(run.program);
    }
    members.retain(|_, own| own.len() > 1);
    let Some(device) = runs.first().map(|run| run.device) else {
        return BTreeSet::new();
    };
    let own = runs.iter().copied().filter(|run| run.device == device);
    let mut order: Vec<&ProgramRun> = own.collect();
    order.sort_by_key(|run| run.span);
    let order: Vec<ProgramId> = order.iter().map(|run| run.program).collect();
    let mut counts: BTreeMap<ProgramId, usize> = BTreeMap::new();
    for program in &order {
        *counts.entry(*program).or_default() += 1;
    }
    let take_turns = |(function, own): (ProgramId, BTreeSet<ProgramId>)| {
        let most = own.iter().filter_map(|one| counts.get(one)).max()?;
        let mut others = counts.iter();
        let divided = others.any(|(&other, &count)| {
            !own.contains(&other)
                && count.abs_diff(*most) <= 1
                && divides(&order, &own, other, count)
        });
        divided.then_some(function)
    };
    members.into_iter().filter_map(take_turns).collect()
}

/// Whether each of the programs runs exactly once between any two runs of the other, of which there are
/// `count`.
fn divides(order: &[ProgramId], own: &BTreeSet<ProgramId>, other: ProgramId, count: usize) -> bool {
    // What precedes the first run and follows the last may be cut.
    let whole_count = count.saturating_sub(1);
    let between = order.split(|&program| program == other).skip(1);
    whole_count >= MIN_TURNS
        && between.take(whole_count).all(|part| {
            let of_own = || part.iter().filter(|&one| own.contains(one));
            let distinct: BTreeSet<&ProgramId> = of_own().collect();
            of_own().count() == own.len() && distinct.len() == own.len()
        })
}
