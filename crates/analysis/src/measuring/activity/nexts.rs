//! Which calls of Python's `next` take an element of something that loads: the tracer names all of them
//! alike, also those with which libraries walk through their own lists.
//!
//! ```text
//! loader     [next                ]          the program waits for the next batch
//! library    _bind (inspect.py)
//!              [next][next][next]            names of arguments, each over at once
//! ```

use stepscope_model::host_names::{is_library_frame, is_next};
use stepscope_model::{HostId, LabelId, Session, SliceKind, Span, Track};

use super::host_tracks;

/// An element that is there is taken in less.
const LEAST_WAIT_PS: i64 = 10_000_000;
/// Labels are shared by all threads, so that a few threads, and the first calls of each, show what they
/// do.
const MOST_THREADS: usize = 8;
const MOST_CALLS: usize = 2000;

/// The labels of `next` if for most of its time libraries call it, or what it takes is there.
pub(super) fn bare_nexts(session: &Session) -> Vec<LabelId> {
    let ids = (0..session.labels.len()).map(LabelId::from_index);
    let named: Vec<LabelId> = ids.filter(|&id| is_next(session.label_name(id))).collect();
    if named.is_empty() {
        return named;
    }
    let is_named = |label: LabelId| named.contains(&label);
    let hosts = (0..session.hosts.len()).map(HostId::from_index);
    let tracks = hosts.flat_map(|host| host_tracks(session, host));
    let threads = tracks.filter(|&id| session.track(id).may_have(is_named));
    let (mut awaited_ps, mut all_ps) = (0i64, 0i64);
    for id in threads.take(MOST_THREADS) {
        let track = &*session.track_in_passing(id);
        for (lane, span) in calls(track, is_named).take(MOST_CALLS) {
            let length = span.duration().0;
            all_ps = all_ps.saturating_add(length);
            if length >= LEAST_WAIT_PS && !is_called_by_library(session, track, lane, span) {
                awaited_ps = awaited_ps.saturating_add(length);
            }
        }
    }
    if awaited_ps.saturating_mul(2) < all_ps {
        named
    } else {
        Vec::new()
    }
}

/// The calls on a thread, each with its lane.
fn calls(
    track: &Track,
    is_named: impl Fn(LabelId) -> bool + Copy,
) -> impl Iterator<Item = (usize, Span)> {
    let lanes = track.lanes.iter().enumerate();
    lanes.flat_map(move |(number, lane)| {
        let labels = lane.labels().iter().enumerate();
        let own = labels.filter(move |(_, label)| is_named(**label));
        own.map(move |(index, _)| (number, lane.span(index)))
    })
}

/// Whether the innermost frame around a call is that of a library.
fn is_called_by_library(session: &Session, track: &Track, lane: usize, call: Span) -> bool {
    let nest = track.nests.iter().find(|nest| {
        let lanes = nest.start as usize..nest.end as usize;
        lanes.contains(&lane)
    });
    let first = nest.map_or(lane, |nest| nest.start as usize);
    let around = track.lanes[first..lane].iter().rev().find_map(|lane| {
        let mut around = lane.overlapping(call);
        let index = around.find(|&index| lane.span(index).contains(call))?;
        let label = session.label(lane.labels()[index]);
        (label.kind == SliceKind::Python).then(|| session.text(label.name))
    });
    around.is_some_and(is_library_frame)
}
