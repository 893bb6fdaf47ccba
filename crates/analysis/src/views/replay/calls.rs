//! Which host call launched which work.

use std::collections::BTreeMap;

use stepscope_model::{Session, SliceId, TrackId, TrackReader};

use super::device::DeviceNodes;
use super::graph::EdgeKind;
use super::segments::Segment;
use crate::measuring::launch_calls::{LaunchCall, launch_calls};

/// A call that launched work.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call {
    /// Thread of the call.
    pub(super) track: TrackId,
    /// Its start, as recorded.
    pub(super) at_ps: i64,
    /// The node that it launched.
    pub(super) to: u32,
    /// When all that it launched ended, on aligned clocks, and the node that is over then.
    pub(super) end: Option<(i64, u32)>,
    /// Position of the device in the list of devices.
    pub(super) device: usize,
    pub(super) kind: EdgeKind,
    /// Whether it launched one kernel or copy of a GPU.
    pub(super) is_of_kernel: bool,
    /// Whether as many runs were pending as ever: then the device's pace is the host's, since a
    /// runtime launches only so far ahead.
    pub(super) is_paced: bool,
}

/// Fewest pending runs that show how far ahead a runtime launches.
const FEWEST_PENDING: usize = 4;

/// All calls: of every kernel and copy of a GPU, else of every program run.
pub(super) fn calls(
    session: &Session,
    devices: &[DeviceNodes],
    aligned: impl Fn(usize, i64) -> i64,
) -> Vec<Call> {
    let mut calls = of_kernels(session, devices);
    let mut has_calls = vec![false; devices.len()];
    for call in &calls {
        has_calls[call.device] = true;
    }
    let mut begins: Vec<u32> = Vec::new();
    let mut ends: Vec<(usize, i64)> = Vec::new();
    for run in &session.program_runs {
        let Some(position) = devices.iter().position(|on| on.device == run.device) else {
            continue;
        };
        let (from, until) = (
            aligned(position, run.span.start.0),
            aligned(position, run.span.end.0),
        );
        let first = devices[position].first_from(from);
        let Some(first) = first.filter(|first| first.start_ps < until.max(from + 1)) else {
            continue;
        };
        begins.push(first.entry);
        if has_calls[position] {
            continue;
        }
        if let Some((at, track)) = run.launched.zip(run.launched_on) {
            calls.push(Call {
                track,
                at_ps: at.0,
                to: first.entry,
                end: devices[position].last_within(from, until),
                device: position,
                kind: EdgeKind::RunLaunch,
                is_of_kernel: false,
                is_paced: false,
            });
            ends.push((calls.len() - 1, until));
        }
    }
    mark_paced(&mut calls, &ends);
    begins.sort_unstable();
    for call in &mut calls {
        if begins.binary_search(&call.to).is_ok() {
            call.kind = EdgeKind::RunLaunch;
        }
    }
    calls
}

/// Finds calls at which a device had its largest number of pending runs. `ends` has the position of
/// each call of a run, and when that run ended.
fn mark_paced(calls: &mut [Call], ends: &[(usize, i64)]) {
    let mut by_device: BTreeMap<usize, Vec<(usize, i64)>> = BTreeMap::new();
    for &(call, end_ps) in ends {
        by_device
            .entry(calls[call].device)
            .or_default()
            .push((call, end_ps));
    }
    for mut own in by_device.into_values() {
        own.sort_by_key(|&(call, _)| calls[call].at_ps);
        let mut run_ends: Vec<i64> = own.iter().map(|&(_, end_ps)| end_ps).collect();
        run_ends.sort_unstable();
        // Runs end in the order of their calls, so that those not over yet are pending.
        let pending = |(before, &(call, _)): (usize, &(usize, i64))| {
            let over = run_ends.partition_point(|&end_ps| end_ps <= calls[call].at_ps);
            (call, before.saturating_sub(over))
        };
        let pending: Vec<(usize, usize)> = own.iter().enumerate().map(pending).collect();
        let most = pending.iter().map(|&(_, count)| count).max().unwrap_or(0);
        for (call, count) in pending {
            calls[call].is_paced = most >= FEWEST_PENDING && count + 1 >= most;
        }
    }
}

fn of_kernels(session: &Session, devices: &[DeviceNodes]) -> Vec<Call> {
    let is_gpu = |on: &DeviceNodes| session.device(on.device).kind.is_gpu();
    if !devices.iter().any(is_gpu) {
        return Vec::new();
    }
    let mut entries: Vec<(SliceId, u32, (i64, u32), usize)> = Vec::new();
    for (position, on) in devices.iter().enumerate().filter(|(_, on)| is_gpu(on)) {
        let entry = |one: &Segment| (slice(one), one.entry, (one.end_ps, one.exit), position);
        entries.extend(on.segments.iter().map(entry));
    }
    entries.sort_unstable();
    entries.dedup_by_key(|entry| entry.0);
    let mut pairs: Vec<LaunchCall> = Vec::new();
    for host in session.host_ids() {
        let mut reader = TrackReader::new(session);
        pairs.extend(launch_calls(session, host, &mut reader, |_| true));
    }
    pairs.sort_unstable();
    let call = |one: LaunchCall| {
        let found = entries
            .binary_search_by_key(&one.kernel, |entry| entry.0)
            .ok()?;
        let (_, to, end, device) = entries[found];
        Some(Call {
            track: one.call.track,
            at_ps: one.start.0,
            to,
            end: Some(end),
            device,
            kind: EdgeKind::Launch,
            is_of_kernel: true,
            is_paced: false,
        })
    };
    pairs.into_iter().filter_map(call).collect()
}

fn slice(one: &Segment) -> SliceId {
    SliceId {
        track: one.track,
        lane: one.lane,
        index: one.index,
    }
}
