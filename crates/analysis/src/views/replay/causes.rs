//! What hosts did in their own stretches, and while devices waited.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use stepscope_model::{DeviceKind, HostId, Picos, Session, Span, TrackId};

use super::device::CLOSE_PS;
use super::graph::{Builder, CauseTime, EdgeKind, Elastic, Graph, NodeKind, Why};
use super::host::{Stretch, Threads, recorded};
use crate::measuring::activity::{
    CAUSES, Cause, Loops, cause_times, claimed, claimed_by, driving_threads,
};
use crate::measuring::callbacks::Callbacks;
use crate::measuring::interval::Intervals;
use crate::measuring::pauses::Pauses;
use crate::views::collectives::clocks::Clocks;

/// Stretches of a host that are shorter are not divided by cause.
const SHORTEST_PS: i64 = 1_000_000;
/// Share of a stretch without anything recorded from which the thread is taken to have waited.
const SILENT: f64 = 0.9;
/// Share of a thread's quiet time between two cuts that is left when work of a device ends, up to which
/// the thread goes on soon after it.
const SOON: f64 = 0.25;
/// Pieces divided at a time, which bounds memory.
const CHUNK: usize = 4096;

/// Divides the stretches of driving threads, and finds those in which the thread may have waited for
/// a device although no wait was recorded.
pub(super) fn add_host_causes(session: &Session, builder: &mut Builder, threads: &mut Threads) {
    let mut stretches = std::mem::take(&mut threads.stretches);
    stretches.retain(|one| one.span.duration().0 >= SHORTEST_PS);
    let hosts: Vec<HostId> = (0..session.hosts.len()).map(HostId::from_index).collect();
    let driving = driving_threads(session, &hosts, Loops::All);
    // Of threads that each drive devices, none delays the others.
    let alone = |one: &Stretch| {
        let driving = &driving[one.host.index()];
        let is_alone = driving.len() > 1 && driving.binary_search(&one.track).is_ok();
        is_alone.then_some(one.track)
    };
    stretches.sort_by_key(|one| (one.host, alone(one), one.span));
    // Threads that launch kernels one by one are silent between their calls, too: there, only a thread
    // that goes on soon after each work of a device waits at the end of a call.
    let launches_programs = session
        .devices
        .iter()
        .all(|one| one.kind == DeviceKind::Cpu);
    let mut quiet: FxHashMap<u32, Quiet> = FxHashMap::default();
    for alike in stretches.chunk_by(|a, b| (a.host, alone(a)) == (b.host, alone(b))) {
        let host = alike[0].host;
        let spans: Vec<Span> = alike.iter().map(|one| one.span).collect();
        let windows = Intervals::union_of(spans.clone());
        let threads = alone(&alike[0]).map(|thread| vec![thread]);
        let threads = threads.as_ref().unwrap_or(&driving[host.index()]);
        let times = &mut claimed_by(session, host, threads, windows.spans());
        // A call that waits for Python that its program calls is not dispatching.
        let called = called_back(session, host, windows.spans());
        let dispatch = &mut times[Cause::Dispatch.position()];
        *dispatch = dispatch.subtract(&called);
        for (pieces, own) in spans.chunks(CHUNK).zip(alike.chunks(CHUNK)) {
            for (row, stretch) in cause_times(pieces, &clip(times, pieces)).iter().zip(own) {
                push(&mut builder.graph, stretch.node, row);
                let mut own = Quiet::of(row);
                if stretch.may_wait.is_some() {
                    own.tail_ps = tail_ps(times, stretch.span);
                }
                quiet.insert(stretch.node, own);
            }
        }
    }
    let resuming = resuming_threads(&stretches, &quiet);
    for stretch in &stretches {
        let waits = launches_programs || resuming.contains(&stretch.track);
        add_loose(builder, stretch, &quiet, (&resuming, waits));
    }
    builder.graph.causes.sort_by_key(|one| one.node);
}

/// Time of a stretch of which nothing says what the thread did.
#[derive(Clone, Copy, Default)]
#[expect(clippy::struct_field_names, reason = "the unit is part of each name")]
struct Quiet {
    unknown_ps: i64,
    /// In functions of Python.
    python_ps: i64,
    /// Since the last thing that is known, without Python. Only of stretches that may be waits.
    tail_ps: i64,
}

impl Quiet {
    fn of(row: &[i64; CAUSES.len()]) -> Self {
        let time = |cause: Cause| row[cause.position()];
        Self {
            unknown_ps: time(Cause::Unknown) + time(Cause::Annotation) + time(Cause::Blocked),
            python_ps: time(Cause::Python),
            tail_ps: 0,
        }
    }

    const fn sum_ps(self) -> i64 {
        self.unknown_ps.saturating_add(self.python_ps)
    }
}

/// The time at the end of a stretch of which nothing says what the thread did; 0 if it is short.
fn tail_ps(times: &[Intervals], span: Span) -> i64 {
    let is_known = |cause: Cause| !matches!(cause, Cause::Annotation | Cause::Blocked);
    let known = CAUSES.into_iter().filter(|&cause| is_known(cause));
    let ends = known.filter_map(|cause| {
        let own = times.get(cause.position())?.clip(span);
        own.spans().last().map(|last| last.end)
    });
    let tail_ps = (span.end - ends.max().unwrap_or(span.start)).0;
    if tail_ps < CLOSE_PS { 0 } else { tail_ps }
}

/// When devices of a host wait for Python that their programs call.
fn called_back(session: &Session, host: HostId, windows: &[Span]) -> Intervals {
    let callbacks = Callbacks::of(session);
    let devices = session.device_ids();
    let own = devices.filter(|&device| session.device(device).host == host);
    own.fold(Intervals::default(), |sum, device| {
        sum.union(&callbacks.within(session, device, windows))
    })
}

/// Threads that go on soon after the work of a device ended, however long it took. Then they waited for
/// it in a function that records nothing else, such as `block_until_ready` called from a frame of Python.
/// Of a thread that does not wait, about half of a stretch would be left on average.
fn resuming_threads(stretches: &[Stretch], quiet: &FxHashMap<u32, Quiet>) -> FxHashSet<TrackId> {
    let of = |node: u32| quiet.get(&node).copied().unwrap_or_default().sum_ps();
    let mut waits: FxHashMap<TrackId, Vec<(i64, i64)>> = FxHashMap::default();
    for stretch in stretches {
        let Some(may) = stretch.may_wait.as_ref().filter(|may| !may.is_paced) else {
            continue;
        };
        let (before_ps, rest_ps) = (of(stretch.node), of(may.rest));
        if before_ps >= CLOSE_PS {
            waits
                .entry(stretch.track)
                .or_default()
                .push((before_ps, rest_ps));
        }
    }
    let resuming = waits.into_iter().filter(|(_, waits)| resumes(waits));
    resuming.map(|(track, _)| track).collect()
}

/// Whether little of the time is left after the work ended, of pairs of time before and after it. The
/// longest time before it does not count: a thread that did something else once would pass by it alone.
fn resumes(waits: &[(i64, i64)]) -> bool {
    let longest_ps = waits.iter().map(|wait| wait.0).max().unwrap_or(0);
    let sum_ps = |of: fn(&(i64, i64)) -> i64| waits.iter().map(|wait| of(wait) as f64).sum::<f64>();
    let before_ps = sum_ps(|wait| wait.0) - longest_ps as f64;
    let rest_ps = sum_ps(|wait| wait.1);
    before_ps > 0.0 && rest_ps <= SOON * (before_ps + rest_ps)
}

/// Where nothing is known of the thread, it may have waited for the work that ended meanwhile. On a
/// thread that goes on soon after such work, Python that calls nothing recorded is nothing known.
fn add_loose(
    builder: &mut Builder,
    stretch: &Stretch,
    quiet: &FxHashMap<u32, Quiet>,
    (resuming, waits): (&FxHashSet<TrackId>, bool),
) {
    let Some((may, quiet)) = stretch.may_wait.as_ref().zip(quiet.get(&stretch.node)) else {
        return;
    };
    let unknown_ps = if may.is_paced {
        stretch.span.duration().0
    } else if resuming.contains(&stretch.track) {
        quiet.sum_ps()
    } else {
        quiet.unknown_ps
    };
    if unknown_ps >= CLOSE_PS {
        // A thread that was at work until shortly before, such as in a long call, waited for the rest.
        let is_all = unknown_ps as f64 >= SILENT * stretch.span.duration().0 as f64;
        let silent_ps = match (is_all, waits) {
            (true, _) => unknown_ps,
            (false, true) => quiet.tail_ps,
            (false, false) => 0,
        };
        let elastic = Elastic {
            time_ps: unknown_ps,
            silent_ps,
        };
        builder.graph.elastic.insert(stretch.node, elastic);
        let kind = if silent_ps > 0 {
            EdgeKind::Silent
        } else {
            EdgeKind::Loose
        };
        builder.wait(may.resume, may.exit, kind, 0);
    }
}

/// Says of every long delay of a device why: it paused, or its host did something else, also before it
/// launched.
pub(super) fn add_device_causes(session: &Session, clocks: &Clocks, graph: &mut Graph) {
    let pauses = Pauses::of(session);
    let mut by_host: BTreeMap<HostId, Vec<(Span, u32)>> = BTreeMap::new();
    for number in 0..graph.nodes.len() {
        let node = graph.nodes[number];
        let track = session.tracks.get(node.track as usize);
        let Some((track, device)) = track.and_then(|track| Some((track, track.device?))) else {
            continue;
        };
        let is_on_device = matches!(
            node.kind,
            NodeKind::Work | NodeKind::Arrive | NodeKind::Mark
        );
        let is_launch = node.why == Why::Launch;
        let is_explained = is_launch || node.why == Why::Short;
        if !is_on_device || !is_explained || node.sure_delay_ps < CLOSE_PS {
            continue;
        }
        let end = recorded(clocks, track.host, node.start_ps);
        let gap = Span::new(Picos(end - node.sure_delay_ps), Picos(end));
        if !is_launch {
            let within = pauses.of_device(session, device).duration_within(gap);
            if within.0 * 2 >= gap.duration().0 {
                graph.nodes[number].why = Why::Pause;
                continue;
            }
            graph.nodes[number].why = Why::Host;
        }
        let node = u32::try_from(number).unwrap_or(u32::MAX);
        by_host.entry(track.host).or_default().push((gap, node));
    }
    for (host, mut gaps) in by_host {
        gaps.sort_unstable();
        let spans: Vec<Span> = gaps.iter().map(|&(gap, _)| gap).collect();
        let windows = Intervals::union_of(spans.clone());
        let claimed = claimed(session, (&[host], Loops::All), windows.spans());
        let Some((_, times)) = claimed.first() else {
            continue;
        };
        for (pieces, own) in spans.chunks(CHUNK).zip(gaps.chunks(CHUNK)) {
            let rows = cause_times(pieces, &clip(times, pieces));
            for (row, &(_, node)) in rows.iter().zip(own) {
                if graph.nodes[node as usize].why == Why::Launch {
                    push(graph, node, &before_launch(row));
                } else {
                    push(graph, node, row);
                }
            }
        }
    }
    graph.causes.sort_by_key(|one| (one.node, one.cause));
}

/// What a call does before what it launches can begin: the launch is late because of it. Whatever else
/// the host does meanwhile, it does while the launch is on its way.
fn before_launch(row: &[i64; CAUSES.len()]) -> [i64; CAUSES.len()] {
    let mut kept = [0; CAUSES.len()];
    for cause in CAUSES {
        if cause.is_input() || matches!(cause, Cause::Compilation | Cause::Dispatch) {
            kept[cause.position()] = row[cause.position()];
        }
    }
    kept
}

fn clip(times: &[Intervals], pieces: &[Span]) -> Vec<Intervals> {
    let hull = pieces.iter().copied().reduce(Span::hull);
    let hull = hull.unwrap_or_default();
    times.iter().map(|own| own.clip(hull)).collect()
}

fn push(graph: &mut Graph, node: u32, row: &[i64; CAUSES.len()]) {
    for (cause, &time_ps) in (0u8..).zip(row) {
        if time_ps > 0 {
            graph.causes.push(CauseTime {
                node,
                cause,
                time_ps,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_resumes_soon_after_work_of_any_length() {
        // 40 µs each time, after 110 and after 790.
        let waited = [(110, 40), (790, 40), (110, 40), (790, 40)];
        assert!(resumes(&waited));
        // It runs on for as long as the work took.
        assert!(!resumes(&[(110, 40), (340, 500), (110, 40), (340, 500)]));
        // One stretch, however long, says nothing of the others.
        assert!(!resumes(&[(100_000, 40)]));
        assert!(!resumes(&[(100_000, 40), (110, 90), (110, 90)]));
        assert!(!resumes(&[]));
    }
}
