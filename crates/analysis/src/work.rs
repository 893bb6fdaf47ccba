//! Work of devices: which slices count, and for how long a device was busy.

use stepscope_model::{DeviceId, Session, Span, Track};

use crate::interval::Intervals;

/// Level of a label that does not count.
pub const NO_LEVEL: u8 = u8::MAX;

/// Times at which the device did work whose label passes, as a union, within the windows.
///
/// `labels` says for each label whether it counts; labels that are no work must be `false`.
pub fn work_intervals(
    session: &Session,
    device: DeviceId,
    windows: &[Span],
    labels: &[bool],
) -> Intervals {
    let level_of: Vec<u8> = labels
        .iter()
        .map(|&counts| if counts { 0 } else { NO_LEVEL })
        .collect();
    let mut spans = vec![Vec::new()];
    for (_, track) in session.work_tracks(device) {
        add_levels(track, &level_of, windows, &mut spans);
    }
    Intervals::union_of(spans.pop().unwrap_or_default())
}

/// Sorts a track's slices into levels: `spans[level]` receives the times, clipped to the windows, at
/// which a slice of that level runs.
///
/// Slices nested in one of the same level add nothing and are dropped on the way, so that deep
/// stacks cost no more than a look at each slice.
pub fn add_levels(track: &Track, level_of: &[u8], windows: &[Span], spans: &mut [Vec<Span>]) {
    for nest in &track.nests {
        let mut covered: Vec<Vec<Span>> = vec![Vec::new(); spans.len()];
        for number in nest.clone() {
            let lane = &track.lanes[number as usize];
            let mut positions = vec![0usize; spans.len()];
            let mut fresh: Vec<Vec<Span>> = vec![Vec::new(); spans.len()];
            for &window in windows {
                for index in lane.overlapping(window) {
                    let level = level_of[lane.labels[index].index()];
                    let Some(outer) = covered.get(level as usize) else {
                        continue;
                    };
                    let Some(span) = lane.span(index).intersection(window) else {
                        continue;
                    };
                    let level = level as usize;
                    let position = &mut positions[level];
                    while outer
                        .get(*position)
                        .is_some_and(|outer| outer.end < span.end)
                    {
                        *position += 1;
                    }
                    let is_nested = outer
                        .get(*position)
                        .is_some_and(|outer| outer.start <= span.start);
                    if !is_nested {
                        append(&mut fresh[level], span);
                    }
                }
            }
            for (outer, fresh) in covered.iter_mut().zip(fresh) {
                merge(outer, fresh);
            }
        }
        for (spans, covered) in spans.iter_mut().zip(covered) {
            spans.extend(covered);
        }
    }
}

/// Adds a span that starts no earlier than the last one, joining the two where they touch.
pub fn append(spans: &mut Vec<Span>, span: Span) {
    match spans.last_mut() {
        Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
        _ => spans.push(span),
    }
}

fn merge(outer: &mut Vec<Span>, fresh: Vec<Span>) {
    if outer.is_empty() {
        *outer = fresh;
    } else if !fresh.is_empty() {
        outer.extend(fresh);
        *outer = Intervals::union_of(std::mem::take(outer)).into_spans();
    }
}
