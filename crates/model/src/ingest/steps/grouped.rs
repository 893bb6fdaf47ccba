//! Runs within a call: a function that is called several times in each iteration of a loop.
//!
//! ```text
//! rk4     [ f  f  f  f ]   [ f  f  f  f ]        a step from one call of rk4 to the next
//! ```
//!
//! What trains, decodes or denoises changes what it was called with, and each of its runs is as much a
//! step as the call around several of them. What changes nothing, and is called with what it returned, is
//! a part of an expression in Python: the right-hand side of a solver, the cell of an unrolled network. So
//! is what changes nothing and is followed in each call by another function, which runs less often and makes
//! something of all the results: members of a population, of a mixture, or blocks of an array.
//!
//! ```text
//! iterate [ f  f  f  g ]   [ f  f  f  g ]
//! ```

use std::collections::{BTreeMap, BTreeSet};

use super::completing::Arrays;
use super::evidence::Evidence;
use crate::activity::Activity;
use crate::callers::Caller;
use crate::ids::{HostId, LabelId, ProgramId, TrackId};
use crate::label::Label;
use crate::own_code::OwnCode;
use crate::session::ProgramRun;
use crate::strings::Strings;
use crate::track::Track;
use crate::transfer::Direction;
use crate::units::{Picos, Span};
use crate::vendor::waits::is_buffer_wait;

/// Share of the calls in which another function has to run.
const MOST: f64 = 0.9;

/// Runs of a function by the calls in which they were launched.
pub(super) struct Grouped {
    programs: BTreeSet<ProgramId>,
    /// Times of the calls, by thread.
    calls: BTreeMap<TrackId, Vec<Span>>,
}

impl Grouped {
    /// The calls around all that is launched in them, if each contains the same number of runs of an op that
    /// the host dispatches on its own: layers repeat such ops, but an iteration is a call of the function
    /// around them.
    pub(super) fn of_ops(evidence: &Evidence<'_>, ops: &BTreeSet<ProgramId>) -> Option<Self> {
        let calls = calls(evidence, ops, |_, _, _| true)?;
        let programs = evidence.runs.iter().map(|run| run.program).collect();
        Some(Self { programs, calls })
    }

    /// The calls around the runs of these programs, if these are parts of an expression, and each call
    /// contains the same number of them: between them, the host exchanges nothing with the device, as it
    /// does for each request.
    pub(super) fn of(evidence: &Evidence<'_>, programs: &BTreeSet<ProgramId>) -> Option<Self> {
        let arrays = |program: &ProgramId| Arrays::of(&evidence.programs[program.index()]);
        let all: Vec<Arrays<'_>> = programs.iter().map(arrays).collect::<Option<_>>()?;
        if all.iter().any(|arrays| arrays.updated() > 0) {
            return None;
        }
        let flows_on = |track: &Track, launches: &[Picos], calls: &[Span]| {
            !is_exchanged(track, (evidence.labels, evidence.strings), launches, calls)
        };
        let calls = calls(evidence, programs, flows_on)?;
        if all.iter().all(Arrays::may_be_called_with_results) {
            let programs = programs.clone();
            return Some(Self { programs, calls });
        }
        let around = Self {
            programs: evidence.runs.iter().map(|run| run.program).collect(),
            calls,
        };
        around.gathers(evidence, programs).then_some(around)
    }

    /// Whether another function of several ops runs in each call, at most half as often as these programs:
    /// what prepares each of their runs runs as often.
    fn gathers(&self, evidence: &Evidence<'_>, parts: &BTreeSet<ProgramId>) -> bool {
        let mut parts_count = 0;
        let mut others: BTreeMap<ProgramId, (usize, BTreeSet<(TrackId, usize)>)> = BTreeMap::new();
        for run in evidence.runs {
            if parts.contains(&run.program) {
                parts_count += 1;
            } else {
                let (count, calls) = others.entry(run.program).or_default();
                *count += 1;
                calls.extend(self.call_of(run));
            }
        }
        let all: usize = self.calls.values().map(Vec::len).sum();
        others.into_iter().any(|(program, (count, calls))| {
            // Runs at the ends of the recording may be cut.
            2 * count <= parts_count + 2
                && calls.len() as f64 >= MOST * all as f64
                && !evidence.programs[program.index()].is_single_op()
        })
    }

    /// The thread and the number of the call that launched a run.
    fn call_of(&self, run: &ProgramRun) -> Option<(TrackId, usize)> {
        let (at, thread) = run.launched.zip(run.launched_on)?;
        let calls = self.calls.get(&thread)?;
        let call = calls
            .partition_point(|call| call.start <= at)
            .checked_sub(1)?;
        calls[call].contains_instant(at).then_some((thread, call))
    }

    pub(super) fn has(&self, program: ProgramId) -> bool {
        self.programs.contains(&program)
    }

    /// What the runs of a device did for each call, in the order of the calls.
    pub(super) fn works(&self, runs: &[&ProgramRun]) -> Vec<Option<Span>> {
        let mut works: Vec<Option<Span>> = Vec::new();
        for run in runs.iter().filter(|run| self.has(run.program)) {
            let Some((_, call)) = self.call_of(run) else {
                continue;
            };
            if works.len() <= call {
                works.resize(call + 1, None);
            }
            works[call] = Some(works[call].map_or(run.span, |work| work.hull(run.span)));
        }
        works
    }
}

/// Times of the calls of one function, by thread, that launch the runs of these programs, each the same
/// number of them, on one thread of each host. `passes` is asked of each thread, with its launches and calls.
fn calls(
    evidence: &Evidence<'_>,
    programs: &BTreeSet<ProgramId>,
    passes: impl Fn(&Track, &[Picos], &[Span]) -> bool,
) -> Option<BTreeMap<TrackId, Vec<Span>>> {
    let mut launches: BTreeMap<(HostId, TrackId), Vec<Picos>> = BTreeMap::new();
    let own = evidence.runs.iter();
    let own = own.filter(|run| programs.contains(&run.program));
    let mut first = BTreeMap::new();
    for run in own {
        // Runs that were launched before the recording.
        let Some((at, thread)) = run.launched.zip(run.launched_on) else {
            continue;
        };
        let host = evidence.devices[run.device.index()].host;
        // One call may launch a run on every device.
        if *first.entry(host).or_insert(run.device) == run.device {
            launches.entry((host, thread)).or_default().push(at);
        }
    }
    let hosts: BTreeSet<HostId> = launches.keys().map(|(host, _)| *host).collect();
    if hosts.len() != launches.len() {
        return None;
    }
    let mut label: Option<LabelId> = None;
    let mut calls = BTreeMap::new();
    let code = OwnCode::of(evidence.programs);
    for ((_, thread), mut launches) in launches {
        launches.sort_unstable();
        let track = &evidence.tracks[thread.index()];
        let track = track.for_one_reader(evidence.has_rounds);
        let caller = Caller::of(
            &track,
            (evidence.labels, evidence.strings, &code),
            &launches,
        )?;
        let is_same = *label.get_or_insert(caller.label) == caller.label;
        caller.launches_per_call().filter(|_| is_same)?;
        let spans: Vec<Span> = caller.spans().collect();
        if !passes(&track, &launches, &spans) {
            return None;
        }
        calls.insert(thread, spans);
    }
    (!calls.is_empty()).then_some(calls)
}

/// Whether the host exchanges something with the device between most of these runs, which one device ran, that
/// began in the same of these times; or whether nothing tells what launched them.
pub(super) fn is_exchanged_between(
    evidence: &Evidence<'_>,
    runs: &[&ProgramRun],
    rounds: &[Option<Span>],
) -> bool {
    let round_of = |run: &ProgramRun| {
        rounds.partition_point(|round| round.is_some_and(|round| round.start <= run.span.start))
    };
    let threads = runs.iter().filter_map(|run| run.launched_on);
    let threads: BTreeSet<TrackId> = threads.collect();
    let [thread] = threads.into_iter().collect::<Vec<TrackId>>()[..] else {
        return true;
    };
    let launches = runs
        .iter()
        .filter_map(|run| Some((run.launched?, round_of(run))));
    let launches: BTreeMap<Picos, usize> = launches.collect();
    let mut calls: Vec<Span> = Vec::new();
    let mut last = None;
    for (&at, &round) in &launches {
        if last != Some(round) {
            calls.push(Span::new(at, at));
        }
        last = Some(round);
    }
    let launches: Vec<Picos> = launches.into_keys().collect();
    let track = &evidence.tracks[thread.index()];
    let track = track.for_one_reader(evidence.has_rounds);
    is_exchanged(
        &track,
        (evidence.labels, evidence.strings),
        &launches,
        &calls,
    )
}

/// Whether the thread reads a result, sleeps or loads input between most launches of one call. What a
/// dispatch itself waits for, and copies of numbers to a device, do not count.
fn is_exchanged(
    track: &Track,
    (labels, strings): (&[Label], &Strings),
    launches: &[Picos],
    calls: &[Span],
) -> bool {
    let exchanges = |label: LabelId| {
        let label = &labels[label.index()];
        let name = strings.get(label.name);
        matches!(
            label.activity,
            Activity::Transfer(Direction::DeviceToHost) | Activity::Sleep | Activity::Input(_)
        ) || is_buffer_wait(name)
            || name.contains("block_until_ready")
    };
    let is_exchange: BTreeSet<LabelId> = track
        .labels
        .iter()
        .copied()
        .filter(|one| exchanges(*one))
        .collect();
    let mut begins: Vec<i64> = Vec::new();
    for lane in &track.lanes {
        let slices = lane.starts().iter().zip(lane.labels());
        let own = slices.filter(|(_, label)| is_exchange.contains(label));
        begins.extend(own.map(|(start, _)| *start));
    }
    begins.sort_unstable();
    let before = |at: Picos| begins.partition_point(|&begin| begin < at.0);
    let call_of = |at: Picos| calls.partition_point(|call| call.start <= at);
    let pairs = launches.windows(2);
    let within = pairs.filter(|pair| call_of(pair[0]) == call_of(pair[1]));
    let interrupted = within
        .clone()
        .filter(|pair| before(pair[0]) < before(pair[1]));
    interrupted.count() * 2 > within.count()
}
