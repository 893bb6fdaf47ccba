//! From an allocator's events to its row, its steps and its timeline.

use stepscope_model::{Allocator, AllocatorEvent, Session, Span};

use super::replay;
use super::report::{AllocatorRow, MemoryTimeline, StepMemoryRow};
use super::timeline::timeline;
use super::trend::{MIN_STEPS, trend};
use crate::measuring::selection::Selected;
use crate::measuring::steps::{median, outliers};
use crate::telling::places::SliceRefReport;

/// Allocations of at most this many bytes count as small.
pub(super) const SMALL_BYTES: i64 = 4096;

/// What is computed for one allocator.
pub(super) struct Figures<'a> {
    pub(super) allocator: &'a Allocator,
    pub(super) row: AllocatorRow,
    pub(super) steps: Vec<StepMemoryRow>,
    pub(super) timeline: MemoryTimeline,
    /// Position of the event at the peak.
    pub(super) peak: usize,
    /// Number of events that do not follow from the previous one.
    pub(super) inconsistencies: usize,
    /// All steps on this allocator's host or device, for rows that name a step.
    pub(super) all_steps: Vec<(i64, Span)>,
}

/// The figures of an allocator; none if it has no event in the selection.
pub(super) fn figures<'a>(
    session: &Session,
    selected: &Selected<'_>,
    allocator: &'a Allocator,
) -> Option<Figures<'a>> {
    let events = allocator.events.as_slice();
    let all_steps = step_spans(session, allocator, None);
    let positions = selected.step_positions();
    let own_steps = step_spans(session, allocator, Some(&positions));
    let range = window(events, selected, &own_steps);
    let peak = replay::peak(events, range.clone())?;
    let names = Names {
        allocator: allocator.name.clone(),
        host: session.host(allocator.host).name.clone(),
    };
    let steps = step_rows(events, &own_steps, &names);
    let mut row = row(session, allocator, &events[range.clone()], &names);
    let at = &events[peak];
    row.peak_bytes = at.taken();
    row.peak_reserved_bytes = at.reserved;
    row.peak_ps = at.time.0;
    row.peak_step = step_at(&all_steps, at);
    row.peak_slice = at.slice.into();
    row.fragmentation_ratio = f64::from(at.fragmentation);
    row.spike_count = steps.iter().filter(|step| step.is_spike).count();
    let largest = row.peak_bytes.max(row.recorded_peak_bytes);
    row.headroom_bytes = row.capacity_bytes.saturating_sub(largest).max(0);
    row.peak_ratio = (row.capacity_bytes > 0).then(|| largest as f64 / row.capacity_bytes as f64);
    let lows: Vec<f64> = steps.iter().map(|step| step.lowest_bytes as f64).collect();
    if let Some(trend) = trend(&lows) {
        row.growth_bytes_per_step = Some(trend.slope);
        row.growth_confidence_ratio = Some(trend.confidence);
        row.is_growing = trend.is_growing;
    }
    let timeline = MemoryTimeline {
        allocator: names.allocator,
        host: names.host,
        ..timeline(&events[range])
    };
    Some(Figures {
        allocator,
        row,
        steps,
        timeline,
        peak,
        inconsistencies: replay::inconsistencies(events),
        all_steps,
    })
}

struct Names {
    allocator: String,
    host: String,
}

/// The step that contains an event.
pub(super) fn step_at(steps: &[(i64, Span)], event: &AllocatorEvent) -> Option<i64> {
    let after = steps.partition_point(|(_, span)| span.start <= event.time);
    let (number, span) = steps.get(after.checked_sub(1)?)?;
    (event.time <= span.end).then_some(*number)
}

/// The steps as recorded on the allocator's host, since that is where memory is allocated; otherwise
/// as recorded on its device. Sorted by start.
fn step_spans(
    session: &Session,
    allocator: &Allocator,
    wanted: Option<&[usize]>,
) -> Vec<(i64, Span)> {
    let positions: Vec<usize> =
        wanted.map_or_else(|| (0..session.steps.len()).collect(), <[usize]>::to_vec);
    let mut spans: Vec<(i64, Span)> = positions
        .into_iter()
        .filter_map(|position| {
            let step = &session.steps[position];
            let own = step.times_on(allocator.host);
            let device = own.iter().find(|span| span.device == allocator.device);
            let found = device.or_else(|| own.first())?;
            Some((step.number, found.span))
        })
        .collect();
    spans.sort_by_key(|(_, span)| span.start);
    spans
}

/// Positions of the events in the window: from the start of the first selected step to the end of
/// the last one, from the first selected time to the last one, or all events.
fn window(
    events: &[AllocatorEvent],
    selected: &Selected<'_>,
    steps: &[(i64, Span)],
) -> std::ops::Range<usize> {
    let of_steps = steps.iter().map(|(_, span)| *span).reduce(Span::hull);
    let of_time = selected
        .time
        .as_ref()
        .map(|time| time.spans().iter().copied().reduce(Span::hull));
    let hull = match (selected.steps.is_some(), of_time) {
        (false, None) => return 0..events.len(),
        (true, None) => of_steps,
        (false, Some(time)) => time,
        (true, Some(time)) => of_steps
            .zip(time)
            .and_then(|(steps, time)| steps.intersection(time)),
    };
    let Some(hull) = hull else {
        return 0..0;
    };
    let first = events.partition_point(|event| event.time < hull.start);
    let last = events.partition_point(|event| event.time <= hull.end);
    first..last.max(first)
}

fn step_rows(
    events: &[AllocatorEvent],
    steps: &[(i64, Span)],
    names: &Names,
) -> Vec<StepMemoryRow> {
    let mut rows: Vec<StepMemoryRow> = Vec::with_capacity(steps.len());
    for &(number, span) in steps {
        let first = events.partition_point(|event| event.time < span.start);
        let last = events
            .partition_point(|event| event.time < span.end)
            .max(first);
        // Bytes taken at the start of the step and after each of its events. Before the very first
        // event: the bytes that this event found taken.
        let before = match first.checked_sub(1) {
            Some(before) => events[before].taken(),
            None => events.first().map_or(0, found_by),
        };
        let taken = events[first..last].iter().map(AllocatorEvent::taken);
        let (low, high) = taken.fold((before, before), |(low, high), taken| {
            (low.min(taken), high.max(taken))
        });
        let allocations = events[first..last]
            .iter()
            .filter(|event| event.is_allocation);
        rows.push(StepMemoryRow {
            allocator: names.allocator.clone(),
            host: names.host.clone(),
            step: number,
            start_ps: span.start.0,
            duration_ps: span.duration().0,
            peak_bytes: high,
            lowest_bytes: low,
            allocations: i64::try_from(allocations.count()).unwrap_or(i64::MAX),
            is_spike: false,
        });
    }
    let peaks: Vec<f64> = rows.iter().map(|row| row.peak_bytes as f64).collect();
    // A host that launches ahead allocates for steps that run later.
    let idle = rows.iter().filter(|row| row.allocations == 0).count();
    let is_ahead = idle * 4 >= rows.len() && idle < rows.len();
    if rows.len() >= MIN_STEPS && !is_ahead {
        let middle = median(&peaks);
        for (row, is_outlier) in rows.iter_mut().zip(outliers(&peaks)) {
            row.is_spike = is_outlier && row.peak_bytes as f64 > middle;
        }
    }
    rows
}

/// Bytes taken before the event.
fn found_by(event: &AllocatorEvent) -> i64 {
    if event.is_allocation {
        event.taken().saturating_sub(event.allocated).max(0)
    } else {
        event.taken().saturating_add(event.allocated)
    }
}

fn row(
    session: &Session,
    allocator: &Allocator,
    events: &[AllocatorEvent],
    names: &Names,
) -> AllocatorRow {
    let allocations = || events.iter().filter(|event| event.is_allocation);
    let count = allocations().count();
    let largest = |figure: fn(&AllocatorEvent) -> i64| events.iter().map(figure).max().unwrap_or(0);
    let sum = |figure: fn(&AllocatorEvent) -> i64| {
        allocations().fold(0i64, |sum, event| sum.saturating_add(figure(event)))
    };
    let (allocated_bytes, requested) = (sum(|event| event.allocated), sum(|event| event.requested));
    let rounded = allocated_bytes.saturating_sub(requested).max(0);
    AllocatorRow {
        allocator: names.allocator.clone(),
        host: names.host.clone(),
        device: allocator
            .device
            .map(|device| session.device_title(device))
            .unwrap_or_default(),
        peak_bytes: 0,
        peak_reserved_bytes: 0,
        peak_ps: 0,
        peak_step: None,
        peak_slice: SliceRefReport {
            track: 0,
            lane: 0,
            index: 0,
        },
        recorded_peak_bytes: largest(|event| event.peak),
        capacity_bytes: largest(AllocatorEvent::capacity),
        peak_ratio: None,
        headroom_bytes: 0,
        last_bytes: events.last().map_or(0, AllocatorEvent::taken),
        fragmentation_ratio: 0.0,
        largest_fragmentation_ratio: events
            .iter()
            .map(|event| f64::from(event.fragmentation))
            .fold(0.0, f64::max),
        allocations: i64::try_from(count).unwrap_or(i64::MAX),
        deallocations: i64::try_from(events.len() - count).unwrap_or(i64::MAX),
        allocated_bytes,
        rounding_ratio: (allocated_bytes > 0 && requested > 0)
            .then(|| rounded as f64 / allocated_bytes as f64),
        small_allocations: i64::try_from(
            allocations()
                .filter(|event| event.allocated <= SMALL_BYTES)
                .count(),
        )
        .unwrap_or(i64::MAX),
        growth_bytes_per_step: None,
        growth_confidence_ratio: None,
        is_growing: false,
        spike_count: 0,
    }
}
