//! What is around a slice and within it, on its track.

use std::convert::Infallible;

use rustc_hash::FxHashMap;
use stepscope_model::walk::{Moment, walk_within};
use stepscope_model::{Lane, Session, SliceId, Span, StringId, Track, TrackId};

use super::labels::position;
use super::slice_report::{AncestorReport, DescendantRow, NestingReport};

/// Maximum number of slices listed around a slice.
const MOST_ANCESTORS: usize = 200;

/// What is around a slice and within it, with at most `limit` names; none if the slice does not exist.
pub fn nesting(session: &Session, slice: SliceId, limit: usize) -> Option<NestingReport> {
    let lane = session.lane(slice.track, slice.lane)?;
    let index = slice.index as usize;
    let span = (index < lane.len()).then(|| lane.span(index))?;
    let track = session.track(slice.track);
    let nest = track.nest_of(slice.lane)?.clone();
    let mut ancestors: Vec<AncestorReport> = ancestors(track, slice)
        .take(MOST_ANCESTORS)
        .map(|id| ancestor(session, id))
        .collect();
    ancestors.reverse();
    let below = slice.lane + 1..nest.end;
    let found = Names::within(session, slice.track, below, span);
    let (slice_count, depth) = (found.slice_count, found.depth);
    let mut descendants = found.rows(session);
    let row_count = descendants.len();
    if limit > 0 {
        descendants.truncate(limit);
    }
    Some(NestingReport {
        ancestors,
        ancestor_count: slice.lane - nest.start,
        descendants,
        row_count,
        slice_count,
        depth,
    })
}

/// The slices around a slice, the nearest first.
pub(super) fn ancestors(track: &Track, slice: SliceId) -> impl Iterator<Item = SliceId> {
    std::iter::successors(parent(track, slice), |&inner| parent(track, inner))
}

fn ancestor(session: &Session, slice: SliceId) -> AncestorReport {
    let lane = &session.track(slice.track).lanes[slice.lane as usize];
    let index = slice.index as usize;
    let label = lane.labels()[index];
    AncestorReport {
        slice: slice.into(),
        name: session.label_name(label).to_owned(),
        class: session.label(label).class.name().to_owned(),
        start_ps: lane.starts()[index],
        duration_ps: lane.durations()[index],
    }
}

/// The slice of the lane above that encloses this one.
pub(super) fn parent(track: &Track, slice: SliceId) -> Option<SliceId> {
    let nest = track.nest_of(slice.lane)?;
    let above = slice
        .lane
        .checked_sub(1)
        .filter(|lane| nest.contains(lane))?;
    let own = track.lanes[slice.lane as usize].span(slice.index as usize);
    let lane = &track.lanes[above as usize];
    // If starts are equal, the last slice that is long enough, since instants may share a start.
    let behind = lane.starts().partition_point(|&start| start <= own.start.0);
    let index = (0..behind)
        .rev()
        .take(16)
        .find(|&index| lane.span(index).contains(own))?;
    Some(address(slice.track, above, index))
}

/// The first slice of the lane below that lies within this one.
pub(super) fn first_child(track: &Track, slice: SliceId) -> Option<SliceId> {
    let below: &Lane = track.child_lane(slice.lane as usize)?;
    let own = track.lanes[slice.lane as usize].span(slice.index as usize);
    let index = below.starts().partition_point(|&start| start < own.start.0);
    let is_within = index < below.len() && own.contains_instant(below.span(index).start);
    is_within.then(|| address(slice.track, slice.lane + 1, index))
}

pub(super) fn address(track: TrackId, lane: u32, index: usize) -> SliceId {
    SliceId {
        track,
        lane,
        index: position(index),
    }
}

/// The slices of one name.
struct Sum {
    first: SliceId,
    count: i64,
    total_ps: i64,
    self_ps: i64,
    longest: SliceId,
    max_ps: i64,
    /// Slices of this name that are open during the walk.
    open: u32,
}

/// Slices by name.
struct Names {
    sums: FxHashMap<StringId, Sum>,
    slice_count: i64,
    depth: u32,
}

impl Names {
    /// Adds up the slices of some lanes of a nest within the span of a slice directly above them.
    fn within(session: &Session, id: TrackId, lanes: std::ops::Range<u32>, span: Span) -> Self {
        let mut names = Self {
            sums: FxHashMap::default(),
            slice_count: 0,
            depth: 0,
        };
        if lanes.is_empty() || span.start == span.end {
            return names;
        }
        let track = session.track(id);
        let mut open: Vec<StringId> = Vec::new();
        let Ok(()) = walk_within(track, &lanes, span, |moment| {
            match moment {
                Moment::Begin(lane, index) => {
                    let columns = &track.lanes[lane as usize];
                    let name = session.label(columns.labels()[index]).name;
                    let duration_ps = columns.durations()[index];
                    if let Some(around) = open.last().and_then(|name| names.sums.get_mut(name)) {
                        around.self_ps = around.self_ps.saturating_sub(duration_ps);
                    }
                    names.add(name, address(id, lane, index), duration_ps);
                    open.push(name);
                    names.depth = names.depth.max(position(open.len()));
                }
                Moment::End(_) => {
                    let ended = open.pop().and_then(|name| names.sums.get_mut(&name));
                    if let Some(sum) = ended {
                        sum.open -= 1;
                    }
                }
            }
            Ok::<(), Infallible>(())
        });
        names
    }

    fn add(&mut self, name: StringId, slice: SliceId, duration_ps: i64) {
        self.slice_count += 1;
        let sum = self.sums.entry(name).or_insert(Sum {
            first: slice,
            count: 0,
            total_ps: 0,
            self_ps: 0,
            longest: slice,
            max_ps: duration_ps,
            open: 0,
        });
        sum.count += 1;
        sum.self_ps = sum.self_ps.saturating_add(duration_ps);
        if sum.open == 0 {
            sum.total_ps = sum.total_ps.saturating_add(duration_ps);
        }
        sum.open += 1;
        if duration_ps > sum.max_ps {
            (sum.longest, sum.max_ps) = (slice, duration_ps);
        }
    }

    fn rows(self, session: &Session) -> Vec<DescendantRow> {
        let label = |slice: SliceId| {
            let lane = &session.track(slice.track).lanes[slice.lane as usize];
            session.label(lane.labels()[slice.index as usize])
        };
        let start_ps = |slice: SliceId| {
            let lane = &session.track(slice.track).lanes[slice.lane as usize];
            lane.starts()[slice.index as usize]
        };
        let rows = self.sums.into_iter().map(|(name, sum)| DescendantRow {
            name: session.text(name).to_owned(),
            class: label(sum.first).class.name().to_owned(),
            count: sum.count,
            total_ps: sum.total_ps,
            self_ps: sum.self_ps,
            max_ps: sum.max_ps,
            longest: sum.longest.into(),
            longest_start_ps: start_ps(sum.longest),
        });
        let mut rows: Vec<DescendantRow> = rows.collect();
        rows.sort_by(|a, b| (b.total_ps, &a.name).cmp(&(a.total_ps, &b.name)));
        rows
    }
}

#[cfg(test)]
#[path = "nesting_tests.rs"]
mod tests;
