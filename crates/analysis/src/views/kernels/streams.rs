//! Streams: how busy each is, its gaps, and how much of its work overlaps with other streams.

use stepscope_model::{DeviceId, SaturatingSum as _, Session, Span, Track};

use super::report::StreamRow;
use crate::measuring::interval::Intervals;
use crate::measuring::selection::Selected;

/// One row per stream of the selected GPUs that did work.
pub(super) fn streams(
    session: &Session,
    selected: &Selected<'_>,
    labels: &[bool],
) -> Vec<StreamRow> {
    let gpus = selected.devices.iter().copied();
    let gpus = gpus.filter(|&device| session.device(device).kind.is_gpu());
    gpus.flat_map(|device| of_device(session, selected, labels, device))
        .collect()
}

fn of_device(
    session: &Session,
    selected: &Selected<'_>,
    labels: &[bool],
    device: DeviceId,
) -> Vec<StreamRow> {
    let windows = Intervals::union_of(selected.windows(device));
    let tracks: Vec<_> = session
        .work_tracks(device)
        .map(|(id, track)| {
            let busy = busy(selected, &track, windows.spans(), labels);
            (id, track, busy)
        })
        .filter(|(_, _, busy)| busy.1 > 0)
        .collect();
    let row = |position: usize| {
        let (id, track, (busy, occurrences)) = &tracks[position];
        let others = tracks
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != position);
        let beside = others.fold(Intervals::default(), |all, (_, (_, _, (busy, _)))| {
            all.union(busy)
        });
        let overlap_ps = busy.intersect(&beside).duration().0;
        let (spans, busy_ps) = (busy.spans(), busy.duration().0);
        let gaps = spans.windows(2).map(|pair| Span {
            start: pair[0].end,
            end: pair[1].start,
        });
        let largest = gaps
            .clone()
            .max_by_key(|gap| (gap.duration(), std::cmp::Reverse(gap.start)));
        let ratio = |part: i64| {
            if busy_ps > 0 {
                part as f64 / busy_ps as f64
            } else {
                0.0
            }
        };
        StreamRow {
            device: session.device_title(device),
            stream: session.text(track.name).to_owned(),
            number: track.line_id,
            track: id.0,
            occurrences: *occurrences,
            busy_ps,
            start_ps: spans.first().map_or(0, |span| span.start.0),
            end_ps: spans.last().map_or(0, |span| span.end.0),
            gap_count: i64::try_from(gaps.clone().count()).unwrap_or(i64::MAX),
            gap_ps: gaps.clone().map(|gap| gap.duration().0).saturating_sum(),
            largest_gap_ps: largest.map_or(0, |gap| gap.duration().0),
            largest_gap_start_ps: largest.map(|gap| gap.start.0),
            overlap_ps,
            overlap_ratio: ratio(overlap_ps),
        }
    };
    let mut rows: Vec<StreamRow> = (0..tracks.len()).map(row).collect();
    rows.sort_by(|a, b| b.busy_ps.cmp(&a.busy_ps).then(a.number.cmp(&b.number)));
    rows
}

/// The union of a stream's work, and its slices.
fn busy(
    selected: &Selected<'_>,
    track: &Track,
    windows: &[Span],
    labels: &[bool],
) -> (Intervals, i64) {
    let mut spans = Vec::new();
    for lane in &track.lanes {
        for range in selected.slices(lane, windows) {
            let counted = range.filter(|&index| labels[lane.labels()[index].index()]);
            spans.extend(counted.map(|index| lane.span(index)));
        }
    }
    let occurrences = i64::try_from(spans.len()).unwrap_or(i64::MAX);
    (Intervals::union_of(spans), occurrences)
}
