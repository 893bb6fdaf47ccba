//! From the work of devices to gaps, and from gaps to sums.

use std::sync::Arc;

use rayon::prelude::*;
use stepscope_model::{DeviceId, DeviceKind, HostId, Picos, SaturatingSum as _, Session, Span};

use super::explain::Explainer;
use super::report::{CauseRow, GapBucket, GapRow, IdleDevice, IdleReport, IdleStep};
use crate::measuring::activity::{CAUSES, Cause, CauseTimes, Loops, cause_times, claimed};
use crate::measuring::callbacks::Callbacks;
use crate::measuring::interval::Intervals;
use crate::measuring::pauses::Pauses;
use crate::measuring::selection::{Selected, device_span};
use crate::measuring::steps::devices_in_steps;
use crate::measuring::windows::observed_windows;
use crate::measuring::work::{AllWork, has_worked};

/// A device with its gaps.
pub(super) struct DeviceGaps {
    pub(super) device: DeviceId,
    host: HostId,
    min_gap_ps: i64,
    window_ps: i64,
    busy_ps: i64,
    /// Listed gaps, in time order.
    gaps: Vec<Span>,
    /// Time of each gap by cause.
    times: Vec<CauseTimes>,
    /// The gaps that are not listed.
    short: Short,
    /// When its host did what, by cause.
    host_times: Arc<Vec<Intervals>>,
}

/// Gaps of the devices that the busy share in `overview` covers: of those selected that worked in the
/// observed window and, if any device worked in a step, in a step. Unless there are none: then of every
/// device that worked at all.
pub(super) fn devices(
    session: &Session,
    selected: &Selected<'_>,
    min_gap: impl Fn(DeviceKind) -> i64 + Sync,
) -> Vec<DeviceGaps> {
    let work = AllWork::of(session);
    let observed = observed_windows(session, selected);
    let pauses = Pauses::of(session);
    let mut found: Vec<Found> = observed
        .into_par_iter()
        .filter(|&(device, _)| selected.is_main(device) && has_worked(session, device))
        .map(|(device, windows)| {
            let busy = work.within(session, device, windows.spans());
            let min_gap_ps = min_gap(session.device(device).kind);
            let pauses = pauses.of_device(session, device);
            Found::of(device, &windows, &busy, &pauses, min_gap_ps)
        })
        .collect();
    let in_steps = devices_in_steps(session, selected);
    let is_counted =
        |found: &Found| found.was_busy && (in_steps.is_empty() || in_steps.contains(&found.device));
    if found.iter().any(is_counted) {
        found.retain(is_counted);
    }
    let mut hosts: Vec<HostId> = found
        .iter()
        .map(|found| session.device(found.device).host)
        .collect();
    hosts.sort_unstable();
    hosts.dedup();
    // Only what hosts did during gaps is computed, which is little if the devices are busy.
    let gaps = found.iter().map(|found| found.gaps.clone()).collect();
    let gaps = Intervals::union_of_sorted(gaps);
    let host_times: Vec<(HostId, Arc<Vec<Intervals>>)> =
        claimed(session, (&hosts, selected.loops()), gaps.spans())
            .into_iter()
            .map(|(host, times)| (host, Arc::new(times)))
            .collect();
    let divided = |found: Found| {
        let host = session.device(found.device).host;
        let times = host_times.iter().find(|(id, _)| *id == host);
        let host_times = times.map(|(_, times)| Arc::clone(times));
        let host_times = with_own(session, &found, host_times.unwrap_or_default());
        DeviceGaps {
            device: found.device,
            host,
            min_gap_ps: found.min_gap_ps,
            window_ps: found.window_ps,
            busy_ps: found.busy_ps,
            times: cause_times(&found.gaps, &host_times),
            gaps: found.gaps,
            short: found.short,
            host_times,
        }
    };
    found.into_par_iter().map(divided).collect()
}

/// What the host did, by cause, with the gaps that the device itself causes taken out: those in which
/// its program calls Python, and those it makes although it has work queued.
fn with_own(
    session: &Session,
    found: &Found,
    host_times: Arc<Vec<Intervals>>,
) -> Arc<Vec<Intervals>> {
    let callbacks = Callbacks::of(session).within(session, found.device, &found.gaps);
    let pauses = found.pauses.subtract(&callbacks);
    let own = callbacks.union(&pauses);
    if own.spans().is_empty() {
        return host_times;
    }
    let mut times: Vec<Intervals> = host_times
        .iter()
        .map(|times| times.subtract(&own))
        .collect();
    times.resize(CAUSES.len() - 1, Intervals::default());
    times[Cause::Callback.position()] = callbacks;
    times[Cause::Device.position()] = pauses;
    Arc::new(times)
}

/// The smallest minimum length of a listed gap over devices; 0 without devices.
pub(super) fn min_gap_ps(devices: &[DeviceGaps]) -> i64 {
    let lengths = devices.iter().map(|device| device.min_gap_ps);
    lengths.min().unwrap_or(0)
}

/// Share of the idle time that is in gaps too short to be listed, 0..1.
pub(super) fn short_ratio(devices: &[DeviceGaps]) -> f64 {
    let sum = |of: fn(&DeviceGaps) -> i64| devices.iter().map(of).saturating_sum() as f64;
    let idle = sum(|device| device.window_ps - device.busy_ps);
    if idle > 0.0 {
        sum(|device| device.short.total_ps()) / idle
    } else {
        0.0
    }
}

/// The gaps of a device, before they are explained by what its host did.
struct Found {
    device: DeviceId,
    min_gap_ps: i64,
    window_ps: i64,
    busy_ps: i64,
    /// Whether it did any work in the window.
    was_busy: bool,
    gaps: Vec<Span>,
    /// Those that the device makes although it has work queued.
    pauses: Intervals,
    short: Short,
}

/// Number and total length of gaps that are not listed, by bucket of their length.
#[derive(Clone, Copy, Default)]
struct Short([(i64, i64); BUCKET_ENDS.len()]);

impl Short {
    fn of(gaps: &[Span]) -> Self {
        let mut buckets = Self::default();
        for length in gaps.iter().map(|gap| gap.duration().0) {
            let (count, total_ps) = &mut buckets.0[bucket_of(length)];
            *count += 1;
            *total_ps = total_ps.saturating_add(length);
        }
        buckets
    }

    fn count(&self) -> i64 {
        self.0.iter().map(|(count, _)| count).sum()
    }

    fn total_ps(&self) -> i64 {
        let totals = self.0.iter().map(|(_, total_ps)| *total_ps);
        totals.saturating_sum()
    }
}

impl Found {
    fn of(
        device: DeviceId,
        windows: &Intervals,
        busy: &Intervals,
        pauses: &Intervals,
        min_gap_ps: i64,
    ) -> Self {
        let idle = windows.subtract(busy).into_spans();
        let (gaps, short): (Vec<Span>, Vec<Span>) = idle
            .into_iter()
            .partition(|gap| gap.duration().0 >= min_gap_ps);
        Self {
            device,
            min_gap_ps,
            window_ps: windows.duration().0,
            busy_ps: busy.duration().0,
            was_busy: !busy.spans().is_empty(),
            pauses: pauses.intersect(&Intervals::union_of_sorted(vec![gaps.clone()])),
            gaps,
            short: Short::of(&short),
        }
    }
}

/// The cause with the most time; the first one on a tie.
fn main_cause(times: &CauseTimes) -> (Cause, i64) {
    let mut found = (Cause::Unknown, 0);
    for (&cause, &time) in CAUSES.iter().zip(times) {
        if time > found.1 {
            found = (cause, time);
        }
    }
    found
}

/// The longest gaps with their explanations, longest first, and the total number of gaps.
pub(super) fn gaps(
    session: &Session,
    (devices, loops): (&[DeviceGaps], Loops),
    wanted: Option<&[Cause]>,
    most: usize,
) -> (Vec<GapRow>, usize) {
    let mut all: Vec<(usize, usize, Cause, i64)> = Vec::new();
    for (place, device) in devices.iter().enumerate() {
        for (index, times) in device.times.iter().enumerate() {
            let (cause, cause_ps) = main_cause(times);
            if wanted.is_none_or(|wanted| wanted.contains(&cause)) {
                all.push((place, index, cause, cause_ps));
            }
        }
    }
    let length =
        |&(place, index, ..): &(usize, usize, Cause, i64)| devices[place].gaps[index].duration().0;
    all.sort_by_key(|gap| (std::cmp::Reverse(length(gap)), gap.0, gap.1));
    let count = all.len();
    all.truncate(most);
    let hosts: Vec<HostId> = devices.iter().map(|device| device.host).collect();
    let explainer = Explainer::new(session, &hosts, loops);
    let rows = all
        .into_par_iter()
        .map(|(place, index, cause, cause_ps)| {
            let device = &devices[place];
            let gap = device.gaps[index];
            let words = explainer.words(device.host, gap, cause, cause_ps);
            GapRow {
                device: session.device_title(device.device),
                device_index: device.device.0,
                step: step_at(session, device.device, gap),
                start_ps: gap.start.0,
                duration_ps: gap.duration().0,
                cause,
                cause_ps,
                what: words.what,
                slice: words.slice.map(Into::into),
                annotation: words.annotation,
                python: words.python,
            }
        })
        .collect();
    (rows, count)
}

/// The step of the device that contains the middle of the gap.
fn step_at(session: &Session, device: DeviceId, gap: Span) -> Option<i64> {
    let steps = &session.steps;
    let middle = gap.start + Picos(gap.duration().0 / 2);
    // Steps are sorted by first start; a device's own span starts no earlier than that.
    let after = steps.partition_point(|step| {
        device_span(step, session, device).is_none_or(|span| span.start <= middle)
    });
    let found = steps[..after].iter().rev().take(8).find(|step| {
        device_span(step, session, device).is_some_and(|span| span.contains_instant(middle))
    });
    found.map(|step| step.number)
}

/// Sums over everything. The caller fills in the rows.
pub(super) fn report(
    session: &Session,
    selected: &Selected<'_>,
    devices: &[DeviceGaps],
) -> IdleReport {
    let rows = device_rows(session, devices);
    let window_ps: i64 = devices
        .iter()
        .map(|device| device.window_ps)
        .saturating_sum();
    IdleReport {
        causes: cause_rows(session, devices, window_ps),
        devices: rows,
        buckets: buckets(devices),
        steps: steps(session, &selected.step_positions(), devices),
        rows: Vec::new(),
        row_count: 0,
        notes: Vec::new(),
    }
}

fn sum(times: &[CauseTimes]) -> CauseTimes {
    let mut sums = [0i64; CAUSES.len()];
    for times in times {
        for (sum, time) in sums.iter_mut().zip(times) {
            *sum = sum.saturating_add(*time);
        }
    }
    sums
}

/// Each device with its sums.
pub(super) fn device_rows(session: &Session, devices: &[DeviceGaps]) -> Vec<IdleDevice> {
    let rows = devices.iter();
    rows.map(|device| device_row(session, device)).collect()
}

fn device_row(session: &Session, device: &DeviceGaps) -> IdleDevice {
    let longest = device.gaps.iter().map(|gap| gap.duration().0).max();
    let idle_ps = device.window_ps - device.busy_ps;
    IdleDevice {
        device: session.device_title(device.device),
        device_index: device.device.0,
        window_ps: device.window_ps,
        busy_ps: device.busy_ps,
        idle_ps,
        idle_ratio: (device.window_ps > 0).then(|| idle_ps as f64 / device.window_ps as f64),
        min_gap_ps: device.min_gap_ps,
        gap_count: device.gaps.len(),
        longest_ps: longest.unwrap_or(0),
        short_count: device.short.count(),
        short_ps: device.short.total_ps(),
        causes_ps: sum(&device.times).to_vec(),
    }
}

fn cause_rows(session: &Session, devices: &[DeviceGaps], window_ps: i64) -> Vec<CauseRow> {
    let mut rows: Vec<CauseRow> = CAUSES
        .into_iter()
        .map(|cause| CauseRow {
            cause,
            meaning: cause.meaning().to_owned(),
            total_ps: 0,
            count: 0,
            longest_ps: 0,
            window_ratio: None,
            remedy: cause.remedy(session.framework()).to_owned(),
        })
        .collect();
    for device in devices {
        for (gap, times) in device.gaps.iter().zip(&device.times) {
            for (row, &time) in rows.iter_mut().zip(times) {
                row.total_ps = row.total_ps.saturating_add(time);
            }
            let row = &mut rows[main_cause(times).0.position()];
            row.count += 1;
            row.longest_ps = row.longest_ps.max(gap.duration().0);
        }
    }
    for row in &mut rows {
        row.window_ratio = (window_ps > 0).then(|| row.total_ps as f64 / window_ps as f64);
    }
    rows.retain(|row| row.total_ps > 0 || row.count > 0);
    rows.sort_by_key(|row| (std::cmp::Reverse(row.total_ps), row.cause));
    rows
}

/// Powers of ten, starting at 1 µs. The first bucket holds everything below, the last everything above.
const BUCKET_ENDS: [i64; 7] = [
    1_000_000,
    10_000_000,
    100_000_000,
    1_000_000_000,
    10_000_000_000,
    100_000_000_000,
    i64::MAX,
];

/// Position of the bucket of gaps of this length.
fn bucket_of(length_ps: i64) -> usize {
    let position = BUCKET_ENDS.partition_point(|&end| end <= length_ps);
    position.min(BUCKET_ENDS.len() - 1)
}

/// From the first to the last bucket that has gaps, listed and short ones.
fn buckets(devices: &[DeviceGaps]) -> Vec<GapBucket> {
    let mut from_ps = 0;
    let mut buckets: Vec<GapBucket> = BUCKET_ENDS
        .into_iter()
        .map(|end_ps| {
            let bucket = GapBucket {
                from_ps,
                to_ps: (end_ps < i64::MAX).then_some(end_ps),
                count: 0,
                total_ps: 0,
                causes_ps: vec![0; CAUSES.len()],
            };
            from_ps = end_ps;
            bucket
        })
        .collect();
    for device in devices {
        for (gap, times) in device.gaps.iter().zip(&device.times) {
            let length = gap.duration().0;
            let bucket = &mut buckets[bucket_of(length)];
            bucket.count += 1;
            bucket.total_ps = bucket.total_ps.saturating_add(length);
            for (sum, time) in bucket.causes_ps.iter_mut().zip(times) {
                *sum = sum.saturating_add(*time);
            }
        }
        for (bucket, (count, total_ps)) in buckets.iter_mut().zip(device.short.0) {
            bucket.count += count;
            bucket.total_ps = bucket.total_ps.saturating_add(total_ps);
        }
    }
    let is_filled = |bucket: &GapBucket| bucket.count > 0;
    let filled = buckets.iter().rposition(is_filled);
    buckets.truncate(filled.map_or(0, |last| last + 1));
    let first = buckets.iter().position(is_filled).unwrap_or(0);
    buckets.split_off(first)
}

/// Each of these steps on each device, with the parts of listed gaps within it.
pub(super) fn steps(
    session: &Session,
    positions: &[usize],
    devices: &[DeviceGaps],
) -> Vec<IdleStep> {
    let row = |device: &DeviceGaps, within: &WithinStep| IdleStep {
        step: session.steps[within.position].number,
        device: session.device_title(device.device),
        device_index: device.device.0,
        start_ps: within.span.start.0,
        duration_ps: within.span.duration().0,
        gap_count: within.pieces.len(),
        gaps_ps: within
            .pieces
            .iter()
            .map(|piece| piece.duration().0)
            .saturating_sum(),
        causes_ps: within.causes_ps.to_vec(),
    };
    let rows = each_step(session, positions, devices, |device, within| {
        Some(row(device, within))
    });
    rows.into_iter().map(|(_, row)| row).collect()
}

/// What hosts did during the listed gaps of a device in a step.
pub(crate) struct StepCauses {
    /// Position in `Session::steps`.
    pub(crate) step: usize,
    pub(crate) device: DeviceId,
    /// In priority order of the causes.
    pub(crate) causes_ps: [i64; CAUSES.len()],
}

/// Each selected step on each device that has gaps in it, by step, then device.
pub(super) fn step_causes(
    session: &Session,
    selected: &Selected<'_>,
    devices: &[DeviceGaps],
) -> Vec<StepCauses> {
    let positions = selected.step_positions();
    let rows = each_step(session, &positions, devices, |device, within| {
        let causes = StepCauses {
            step: within.position,
            device: device.device,
            causes_ps: within.causes_ps,
        };
        (!within.pieces.is_empty()).then_some(causes)
    });
    rows.into_iter().map(|(_, row)| row).collect()
}

/// The gaps of a device in a step.
struct WithinStep {
    /// Position in `Session::steps`.
    position: usize,
    /// The step on the device.
    span: Span,
    pieces: Vec<Span>,
    causes_ps: [i64; CAUSES.len()],
}

/// What `row` makes of each of these steps on each device, by step, then device.
fn each_step<T: Send>(
    session: &Session,
    positions: &[usize],
    devices: &[DeviceGaps],
    row: impl Fn(&DeviceGaps, &WithinStep) -> Option<T> + Sync,
) -> Vec<((usize, DeviceId), T)> {
    let of_device = |device: &DeviceGaps| -> Vec<((usize, DeviceId), T)> {
        let rows = positions.iter().filter_map(|&position| {
            let span = device_span(&session.steps[position], session, device.device)?;
            let first = device.gaps.partition_point(|gap| gap.end <= span.start);
            let pieces: Vec<Span> = device.gaps[first..]
                .iter()
                .take_while(|gap| gap.start < span.end)
                .filter_map(|gap| gap.intersection(span))
                .collect();
            let times = cause_times_from(&pieces, &device.host_times, span.start);
            let within = WithinStep {
                position,
                span,
                pieces,
                causes_ps: sum(&times),
            };
            Some(((position, device.device), row(device, &within)?))
        });
        rows.collect()
    };
    let mut rows: Vec<_> = devices.par_iter().flat_map_iter(of_device).collect();
    // Devices start a step in any order; rows are ordered by device number.
    rows.sort_by_key(|&(place, _)| place);
    rows
}

/// Like [`cause_times`], but skips everything before `start`.
fn cause_times_from(pieces: &[Span], causes: &[Intervals], start: Picos) -> Vec<CauseTimes> {
    let Some(last) = pieces.last() else {
        return Vec::new();
    };
    let within = Span {
        start,
        end: last.end,
    };
    let clipped: Vec<Intervals> = causes.iter().map(|times| times.clip(within)).collect();
    cause_times(pieces, &clipped)
}
