//! What hosts did in their own stretches, and while devices waited.

use std::collections::{BTreeMap, BTreeSet};

use stepscope_model::{HostId, Picos, Session, Span};

use super::device::CLOSE_PS;
use super::graph::{Builder, CauseTime, EdgeKind, Elastic, Graph, NodeKind, Why};
use super::host::{Stretch, Threads, recorded};
use crate::measuring::activity::{CAUSES, Cause, cause_times, claimed};
use crate::measuring::callbacks::Callbacks;
use crate::measuring::interval::Intervals;
use crate::measuring::pauses::Pauses;
use crate::views::collectives::clocks::Clocks;

/// Stretches of a host that are shorter are not divided by cause.
const SHORTEST_PS: i64 = 1_000_000;
/// Share of a stretch without anything recorded from which the thread is taken to have waited.
const SILENT: f64 = 0.9;
/// Share of the time between two cuts of a thread that is left when work of a device ends, up to which
/// the thread goes on right after it.
const SOON: f64 = 0.1;
/// Pieces divided at a time, which bounds memory.
const CHUNK: usize = 4096;

/// Divides the stretches of driving threads, and finds those in which the thread may have waited for
/// a device although no wait was recorded.
pub(super) fn add_host_causes(session: &Session, builder: &mut Builder, threads: &mut Threads) {
    let mut stretches = std::mem::take(&mut threads.stretches);
    stretches.retain(|one| one.span.duration().0 >= SHORTEST_PS);
    stretches.sort_by_key(|one| (one.host, one.span));
    let resuming = resuming_threads(&builder.graph, &stretches);
    for of_host in stretches.chunk_by(|a, b| a.host == b.host) {
        let host = of_host[0].host;
        let spans: Vec<Span> = of_host.iter().map(|one| one.span).collect();
        let windows = Intervals::union_of(spans.clone());
        let mut claimed = claimed(session, &[host], windows.spans());
        let Some((_, times)) = claimed.first_mut() else {
            continue;
        };
        // A call that waits for Python that its program calls is not dispatching.
        let called = called_back(session, host, windows.spans());
        let dispatch = &mut times[Cause::Dispatch.position()];
        *dispatch = dispatch.subtract(&called);
        for (pieces, own) in spans.chunks(CHUNK).zip(of_host.chunks(CHUNK)) {
            for (row, stretch) in cause_times(pieces, &clip(times, pieces)).iter().zip(own) {
                push(&mut builder.graph, stretch.node, row);
                let track = builder.graph.nodes[stretch.node as usize].track;
                add_loose(builder, stretch, row, resuming.contains(&track));
            }
        }
    }
    builder.graph.causes.sort_by_key(|one| one.node);
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

/// Threads that nearly always go on right after the work of a device ended. Then they waited for it in
/// a function that records nothing else, such as `block_until_ready` called from a frame of Python.
fn resuming_threads(graph: &Graph, stretches: &[Stretch]) -> BTreeSet<u32> {
    let mut counts: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
    for stretch in stretches {
        let Some(may) = stretch.may_wait.as_ref().filter(|may| !may.is_paced) else {
            continue;
        };
        let whole_ps = stretch.span.duration().0.saturating_add(may.rest_ps);
        let track = graph.nodes[stretch.node as usize].track;
        let (soon, all) = counts.entry(track).or_default();
        *soon += usize::from(may.rest_ps as f64 <= SOON * whole_ps as f64);
        *all += 1;
    }
    let resumes =
        |&(_, (soon, all)): &(u32, (usize, usize))| all >= 2 && soon as f64 >= SILENT * all as f64;
    let tracks = counts.into_iter().filter(resumes);
    tracks.map(|(track, _)| track).collect()
}

/// Where nothing is known of the thread, it may have waited for the work that ended meanwhile. On a
/// thread that `resumes` right after such work, Python that calls nothing recorded is nothing known.
fn add_loose(builder: &mut Builder, stretch: &Stretch, row: &[i64; CAUSES.len()], resumes: bool) {
    let Some(may) = &stretch.may_wait else {
        return;
    };
    let unknown_ps = if may.is_paced {
        stretch.span.duration().0
    } else {
        row[Cause::Unknown.position()]
            + row[Cause::Annotation.position()]
            + row[Cause::Blocked.position()]
            + if resumes {
                row[Cause::Python.position()]
            } else {
                0
            }
    };
    if unknown_ps >= CLOSE_PS {
        let is_silent = unknown_ps as f64 >= SILENT * stretch.span.duration().0 as f64;
        let elastic = Elastic {
            time_ps: unknown_ps,
            is_silent,
        };
        builder.graph.elastic.insert(stretch.node, elastic);
        let kind = if is_silent {
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
        let claimed = claimed(session, &[host], windows.spans());
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
