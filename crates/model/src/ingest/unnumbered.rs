//! Runs of XLA:CPU whose ops have no run ID: jaxlib before 0.7.2 does not record it, nor the device. Each
//! run is on a thread of the runtime, which starts its first ops and waits for the last:
//!
//! ```text
//! thread of the runtime   [Execute][Execute (wait for completion)   ]
//! threads of the pool          [dot][tanh]     [dot]      [add]
//! run                          [                             ]
//! ```
//!
//! Ops of all devices of a process are on one device here, so what is executed on several devices at once
//! is one run.

use std::collections::BTreeMap;

use crate::ids::{DeviceId, HostId, ProgramId};
use crate::session::{DeviceKind, ProgramRun, Session};
use crate::track::Track;
use crate::units::{Picos, Span};
use crate::vendor::waits::is_completion_wait;

/// What a thread of the runtime does before it waits; the name of parts that the pool runs, too.
const EXECUTE: &str = "ThunkExecutor::Execute";
/// The wait begins at once.
const LONGEST_PAUSE_PS: i64 = 1_000_000_000;

/// What is found on hosts whose ops of XLA:CPU name no run.
#[derive(Default)]
pub(super) struct Unnumbered {
    pub(super) runs: Vec<ProgramRun>,
    /// Hosts on which one device stands for several, and for how many.
    pub(super) merged: Vec<(HostId, usize)>,
}

/// Finds the runs on hosts of which no run is known.
pub(super) fn unnumbered(session: &mut Session, numbered: &[ProgramRun]) -> Unnumbered {
    let mut found = Unnumbered::default();
    for (host, device) in without_runs(session, numbered) {
        let (executions, at_once) = executions(session, host);
        if !executions.is_empty() {
            let ops = Ops::of(session, device);
            let runs = executions
                .into_iter()
                .filter_map(|one| ops.run(device, one));
            found.runs.extend(runs);
        }
        if at_once > 1 {
            found.merged.push((host, at_once));
        }
        if session.has_rounds {
            let tracks = session.tracks.iter_mut();
            let own = tracks.filter(|track| track.host == host);
            own.for_each(Track::forget_decoded);
        }
    }
    found
}

/// The CPU device of each host that has just one, and no run on it.
fn without_runs(session: &Session, numbered: &[ProgramRun]) -> BTreeMap<HostId, DeviceId> {
    let mut devices: BTreeMap<HostId, Vec<DeviceId>> = BTreeMap::new();
    for id in session.device_ids() {
        let device = session.device(id);
        if device.kind == DeviceKind::Cpu {
            devices.entry(device.host).or_default().push(id);
        }
    }
    for run in numbered {
        devices.remove(&session.device(run.device).host);
    }
    let single = devices.into_iter().filter(|(_, own)| own.len() == 1);
    single.map(|(host, own)| (host, own[0])).collect()
}

/// The times in which something is executed, in order, and on how many devices at once. Where `n` devices
/// execute the same, `n` of these times are one.
fn executions(session: &Session, host: HostId) -> (Vec<Span>, usize) {
    let is_wait: Vec<bool> = named(session, is_completion_wait);
    let is_execute: Vec<bool> = named(session, |name| name == EXECUTE);
    let mut spans = Vec::new();
    let threads = session.tracks.iter().filter(|track| track.host == host);
    for track in threads.filter(|track| track.may_have(|label| is_wait[label.index()])) {
        for (number, lane) in (0u32..).zip(&track.lanes) {
            let labels = lane.labels();
            let is_own = |at: &u32| {
                // The body of a loop is executed by an op that is executed itself.
                let mut around = track.ancestors(number, *at);
                is_wait[labels[*at as usize].index()]
                    && !around.any(|(lane, at)| {
                        is_execute[track.lanes[lane as usize].labels()[at as usize].index()]
                    })
            };
            let waits = (0..u32::try_from(lane.len()).unwrap_or(u32::MAX)).filter(is_own);
            spans.extend(waits.map(|at| {
                let (at, wait) = (at as usize, lane.span(at as usize));
                let before = at
                    .checked_sub(1)
                    .filter(|&at| is_execute[labels[at].index()]);
                let before = before.map(|at| lane.span(at));
                let near = before.filter(|one| (wait.start - one.end).0 <= LONGEST_PAUSE_PS);
                near.map_or(wait, |one| one.hull(wait))
            }));
        }
    }
    spans.sort_unstable();
    let at_once = most_at_once(&spans);
    if at_once < 2 || !spans.len().is_multiple_of(at_once) {
        return (apart(spans), 1);
    }
    let groups = spans.chunks(at_once);
    let hulls = groups.filter_map(|group| group.iter().copied().reduce(Span::hull));
    (apart(hulls.collect()), at_once)
}

/// The same times, each cut where the next one begins: one device does one after the other.
fn apart(mut spans: Vec<Span>) -> Vec<Span> {
    for at in 1..spans.len() {
        let next = spans[at].start;
        spans[at - 1].end = spans[at - 1].end.min(next);
    }
    spans
}

/// How many of these spans, sorted by their starts, include one instant, at most.
fn most_at_once(spans: &[Span]) -> usize {
    let mut ends: Vec<Picos> = spans.iter().map(|span| span.end).collect();
    ends.sort_unstable();
    let begun = spans.iter().enumerate();
    let counts = begun.map(|(before, span)| {
        let ended = ends.partition_point(|&end| end <= span.start);
        (before + 1).saturating_sub(ended)
    });
    counts.max().unwrap_or(0)
}

fn named(session: &Session, passes: impl Fn(&str) -> bool) -> Vec<bool> {
    let labels = session.labels.iter();
    labels
        .map(|label| passes(session.strings.get(label.name)))
        .collect()
}

/// The outermost ops of a device, by their starts.
struct Ops(Vec<(Span, ProgramId)>);

impl Ops {
    fn of(session: &Session, device: DeviceId) -> Self {
        let mut ops = Vec::new();
        let tracks = session.tracks.iter();
        for track in tracks.filter(|track| track.device == Some(device)) {
            for nest in &track.nests {
                let Some(lane) = track.lanes.get(nest.start as usize) else {
                    continue;
                };
                let labels = lane.labels().iter().enumerate();
                ops.extend(labels.filter_map(|(at, label)| {
                    let program = session.labels[label.index()].program?;
                    Some((lane.span(at), program))
                }));
            }
        }
        ops.sort_unstable();
        Self(ops)
    }

    /// The run of the program that takes most of the time: from its first to its last op that begins in
    /// it. None if no op does.
    fn run(&self, device: DeviceId, execution: Span) -> Option<ProgramRun> {
        let ops = &self.0[self.0.partition_point(|(op, _)| op.start < execution.start)..];
        let ops = &ops[..ops.partition_point(|(op, _)| op.start < execution.end)];
        let mut found: BTreeMap<ProgramId, (i64, Span)> = BTreeMap::new();
        for &(op, program) in ops {
            let (work_ps, hull) = found.entry(program).or_insert((0, op));
            *work_ps = work_ps.saturating_add(op.duration().0);
            *hull = hull.hull(op);
        }
        let (program, (_, span)) = found.into_iter().max_by_key(|(_, (work_ps, _))| *work_ps)?;
        Some(ProgramRun {
            program,
            device,
            run_id: None,
            span,
            launched: None,
            launched_on: None,
            is_by_order: false,
        })
    }
}
