//! The slices of an area, each with the part of its time that lies within.

use rayon::prelude::*;
use stepscope_model::{LabelId, Lane, Session, Span, TrackId};

use super::encode::slices_in;

/// A slice that overlaps the area.
#[derive(Debug, Clone, Copy)]
pub(super) struct AreaSlice {
    pub(super) track: TrackId,
    pub(super) lane: usize,
    pub(super) label: LabelId,
    pub(super) start_ps: i64,
    /// Of the whole slice.
    pub(super) duration_ps: i64,
    /// Within the area.
    pub(super) total_ps: i64,
    /// Within the area, without nested slices.
    pub(super) self_ps: i64,
}

/// How many slices of these tracks overlap the window.
pub(super) fn slice_count(session: &Session, window: Span, tracks: &[TrackId]) -> usize {
    let known = tracks.iter().filter(|id| id.index() < session.tracks.len());
    let lanes = known.flat_map(|&id| session.track(id).lanes.iter());
    lanes.map(|lane| slices_in(lane, window)).sum()
}

/// How many lanes one thread takes at a time.
const LANES_AT_A_TIME: usize = 8;

/// How many sums [`add_up`] holds at most at a time: each thread one, and those that wait to be joined.
pub(super) fn most_sums(session: &Session, tracks: &[TrackId]) -> usize {
    let known = tracks.iter().filter(|id| id.index() < session.tracks.len());
    let lanes: usize = known.map(|&id| session.track(id).lanes.len()).sum();
    let parts = lanes.div_ceil(LANES_AT_A_TIME) + 1;
    let halvings = parts.ilog2() as usize + 1;
    parts.min(rayon::current_num_threads() * (halvings + 1))
}

/// Adds up the slices of these tracks that overlap the window. Tracks that are not in the session are
/// ignored.
pub(super) fn add_up<T: Send>(
    session: &Session,
    window: Span,
    tracks: &[TrackId],
    empty: impl Fn() -> T + Sync + Send,
    add: impl Fn(&mut T, AreaSlice) + Sync + Send,
    join: impl Fn(T, T) -> T + Sync + Send,
) -> T {
    let known = tracks
        .iter()
        .copied()
        .filter(|id| id.index() < session.tracks.len());
    let lanes: Vec<(TrackId, usize)> = known
        .flat_map(|id| (0..session.track(id).lanes.len()).map(move |lane| (id, lane)))
        .collect();
    lanes
        .into_par_iter()
        .with_min_len(LANES_AT_A_TIME)
        .fold(&empty, |mut sums, (id, lane)| {
            for_each(session, id, lane, window, |slice| add(&mut sums, slice));
            sums
        })
        .reduce(&empty, join)
}

/// Visits the slices of one lane that overlap the window.
fn for_each(
    session: &Session,
    id: TrackId,
    number: usize,
    window: Span,
    mut visit: impl FnMut(AreaSlice),
) {
    let track = session.track(id);
    let lane = &track.lanes[number];
    let range = lane.overlapping(window);
    let nothing = Lane::default();
    let below = track.child_lane(number).unwrap_or(&nothing);
    let mut child = range.clone().next().map_or(0, |first| {
        below
            .starts()
            .partition_point(|&start| start < lane.starts()[first])
    });
    for index in range {
        let end = lane.end(index);
        let total_ps = clipped_ps(lane, index, window);
        let mut nested = 0i64;
        while child < below.len() && below.starts()[child] < end {
            if below.starts()[child] >= lane.starts()[index] {
                nested = nested.saturating_add(clipped_ps(below, child, window));
            }
            child += 1;
        }
        visit(AreaSlice {
            track: id,
            lane: number,
            label: lane.labels()[index],
            start_ps: lane.starts()[index],
            duration_ps: lane.durations()[index],
            total_ps,
            self_ps: total_ps.saturating_sub(nested),
        });
    }
}

fn clipped_ps(lane: &Lane, index: usize, window: Span) -> i64 {
    lane.span(index)
        .intersection(window)
        .map_or(0, |span| span.duration().0)
}
