//! Waits for buffers that have no slice of their own: `x.block_until_ready()` is a method that Python's
//! tracer does not record.
//!
//! ```text
//! host      [launch]|                          |[launch]     | `…Buffer::Await`, for an instant
//! device      [ run                          ]
//!                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^              the thread waits
//! ```
//!
//! The runtime records when a wait begins and when it ends. Meanwhile the thread records nothing, so the
//! two follow each other.

use stepscope_model::host_names::is_buffer_wait;
use stepscope_model::{LabelId, Picos, Session, SliceId, Span, Track, TrackId};

use crate::measuring::interval::Intervals;

/// Finds such waits.
pub(crate) struct Awaits {
    /// For each label, whether it is the start or the end of one.
    is_end: Vec<bool>,
}

/// One wait.
pub(crate) struct Await {
    pub(crate) span: Span,
    pub(crate) label: LabelId,
    /// The slice at its end.
    pub(crate) slice: SliceId,
}

/// A slice at the start or the end of a wait.
struct End {
    span: Span,
    lane: usize,
    index: usize,
}

impl Awaits {
    pub(crate) fn of(session: &Session) -> Self {
        let labels = session.labels.iter();
        let is_end = labels.map(|label| is_buffer_wait(session.text(label.name)));
        Self {
            is_end: is_end.collect(),
        }
    }

    /// The waits of a thread, by start.
    pub(crate) fn on(&self, id: TrackId, track: &Track) -> Vec<Await> {
        let mut ends = self.ends(track);
        ends.sort_unstable_by_key(|end| (end.span.start, end.lane));
        let mut found = Vec::new();
        let last = ends.len();
        let mut first = 0;
        while first < last {
            let mut until = first + 1;
            while until < last && !begins_between(track, &ends[until - 1], &ends[until]) {
                until += 1;
            }
            // The recording may begin or end within a wait.
            let is_cut = (until - first) % 2 == 1;
            let is_first = is_cut && first == 0 && is_first(track, &ends[0]);
            if !is_cut || is_first || until == last {
                let pairs = ends[first + usize::from(is_first)..until].chunks_exact(2);
                // Both are in the same call.
                let pairs = pairs.filter(|pair| pair[0].lane == pair[1].lane);
                found.extend(pairs.map(|pair| of_pair(id, track, pair)));
            }
            first = until;
        }
        found
    }

    /// The times within `windows`, which are sorted and do not overlap, in which a thread waits.
    pub(super) fn within(&self, id: TrackId, track: &Track, windows: &[Span]) -> Intervals {
        if !track.may_have(|label| self.is_end[label.index()]) {
            return Intervals::default();
        }
        let waits = self.on(id, track).into_iter().map(|wait| wait.span);
        Intervals::union_of(waits.collect()).intersect(&Intervals::union_of(windows.to_vec()))
    }

    fn ends(&self, track: &Track) -> Vec<End> {
        let mut ends = Vec::new();
        for (number, lane) in track.lanes.iter().enumerate() {
            let labels = lane.labels().iter().enumerate();
            let wanted = labels.filter(|(_, label)| self.is_end[label.index()]);
            ends.extend(wanted.map(|(index, _)| End {
                span: lane.span(index),
                lane: number,
                index,
            }));
        }
        ends
    }
}

fn of_pair(id: TrackId, track: &Track, pair: &[End]) -> Await {
    let end = &pair[1];
    Await {
        span: Span::new(pair[0].span.start, end.span.end),
        label: track.lanes[end.lane].labels()[end.index],
        slice: SliceId {
            track: id,
            lane: u32::try_from(end.lane).unwrap_or(u32::MAX),
            index: u32::try_from(end.index).unwrap_or(u32::MAX),
        },
    }
}

/// Whether something else begins on the thread between two slices.
fn begins_between(track: &Track, one: &End, next: &End) -> bool {
    begins_in(track, one.span.start.0.saturating_add(1), next.span.start)
}

/// Whether nothing begins on the thread before a slice.
fn is_first(track: &Track, end: &End) -> bool {
    !begins_in(track, i64::MIN, end.span.start)
}

fn begins_in(track: &Track, from: i64, until: Picos) -> bool {
    track.lanes.iter().any(|lane| {
        let starts = lane.starts();
        let first = starts.partition_point(|&start| start < from);
        starts.get(first).is_some_and(|&start| start < until.0)
    })
}
