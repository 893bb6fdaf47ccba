//! Memory in use over time, reduced to what a screen can show.

use stepscope_model::AllocatorEvent;

use super::report::MemoryTimeline;

/// Number of time intervals; each keeps its first, lowest, highest and last event.
const STRETCHES: i64 = 250;

/// The events as a line with up to four points per time interval; extremes are exact.
pub(super) fn timeline(events: &[AllocatorEvent]) -> MemoryTimeline {
    let mut line = MemoryTimeline {
        allocator: String::new(),
        host: String::new(),
        times_ps: Vec::new(),
        in_use_bytes: Vec::new(),
        reserved_bytes: Vec::new(),
        fragmentation_ratios: Vec::new(),
        event_count: i64::try_from(events.len()).unwrap_or(i64::MAX),
    };
    for index in kept(events) {
        let event = &events[index];
        line.times_ps.push(event.time.0);
        line.in_use_bytes.push(event.in_use);
        line.reserved_bytes.push(event.reserved);
        let fragmentation = f64::from(event.fragmentation);
        line.fragmentation_ratios.push(fragmentation);
    }
    line
}

/// Positions of the events that are kept, ascending.
fn kept(events: &[AllocatorEvent]) -> Vec<usize> {
    let (Some(first), Some(last)) = (events.first(), events.last()) else {
        return Vec::new();
    };
    let begin = i128::from(first.time.0);
    let length = (i128::from(last.time.0) - begin).max(1);
    let stretch = |index: usize| {
        (i128::from(events[index].time.0) - begin) * i128::from(STRETCHES) / (length + 1)
    };
    let (mut kept, mut start) = (Vec::new(), 0);
    while start < events.len() {
        let number = stretch(start);
        let length = (start..events.len())
            .take_while(|&index| stretch(index) == number)
            .count();
        let range = start..start + length;
        let lowest = range.clone().min_by_key(|&index| events[index].taken());
        let highest = super::replay::peak(events, range.clone());
        let mut own = vec![range.start, range.end - 1];
        own.extend(lowest);
        own.extend(highest);
        own.sort_unstable();
        own.dedup();
        kept.append(&mut own);
        start = range.end;
    }
    kept
}
