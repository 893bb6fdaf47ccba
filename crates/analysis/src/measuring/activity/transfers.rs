//! Copies on pool threads while the driving threads wait or do nothing.
//!
//! A thread that starts a program waits within the call for arguments that are still being copied,
//! such as arrays of NumPy that were passed to it. Nothing is recorded of the wait: it is the time in
//! which nothing else is recorded within the call.
//!
//! A thread that calls functions itself, such as one that evaluates meanwhile, reads results for itself.

use stepscope_model::{Activity, Direction, HostId, Label, LabelId, Session, Span, Track, TrackId};

use super::{LevelOf, calls_functions, levels, own_tracks};
use crate::measuring::interval::Intervals;
use crate::measuring::work::{NO_LEVEL, add_levels_in_passing};

/// Times within `windows`, which are sorted and do not overlap, in which the driving threads wait or
/// recorded nothing while another thread of the host copies: by level of the copy, below `count`.
/// `driving` is ascending.
pub(super) fn waited_for(
    session: &Session,
    host: HostId,
    driving: &[TrackId],
    windows: &[Span],
    (level_of, count): (LevelOf, usize),
) -> Vec<Intervals> {
    let others = own_tracks(session, host).filter(|id| driving.binary_search(id).is_err());
    let reads_for_itself = |id: TrackId| {
        let is_read = |label: LabelId| {
            let activity = session.label(label).activity;
            activity == Activity::Transfer(Direction::DeviceToHost)
        };
        session.track(id).may_have(is_read) && calls_functions(session, id)
    };
    let (readers, others): (Vec<TrackId>, Vec<TrackId>) =
        others.partition(|&id| reads_for_itself(id));
    let of_copies = |tracks: Vec<TrackId>, counts: fn(Direction) -> bool| {
        let level = |label: &Label| match label.activity {
            Activity::Transfer(direction) if counts(direction) => level_of(label.activity),
            _ => NO_LEVEL,
        };
        let levels: Vec<u8> = session.labels.iter().map(level).collect();
        times(session, &mut tracks.into_iter(), &levels, windows, count)
    };
    let copies = of_copies(others, |_| true);
    let of_readers = of_copies(readers, |direction| direction != Direction::DeviceToHost);
    let copies = copies.iter().zip(&of_readers);
    let copies: Vec<Intervals> = copies.map(|(one, other)| one.union(other)).collect();
    if copies.iter().all(|times| times.spans().is_empty()) {
        return copies;
    }
    let of_driving = |level_of: LevelOf| {
        let levels = levels(session, level_of);
        let mut threads = driving.iter().copied();
        let mut times = times(session, &mut threads, &levels, windows, 1);
        times.pop().unwrap_or_default()
    };
    let does_something = of_driving(|_| 0);
    let waits = of_driving(|activity| match activity {
        Activity::Blocked => 0,
        _ => NO_LEVEL,
    });
    let does_something = does_something.subtract(&waits);
    let starts = waits_within_starts(session, driving, windows);
    let does_something = does_something.subtract(&starts);
    let copies = copies.into_iter();
    copies
        .map(|times| times.subtract(&does_something))
        .collect()
}

/// Where a program is started: `[0] PjRtStreamExecutorRawLoadedExecutable::Execute` and the like.
const STARTS: &str = "LoadedExecutable::Execute";

/// When driving threads are in a call that starts a program, and nothing is recorded within it.
fn waits_within_starts(session: &Session, driving: &[TrackId], windows: &[Span]) -> Intervals {
    let is_start: Vec<bool> = session
        .labels
        .iter()
        .map(|label| {
            label.activity == Activity::Dispatch && session.text(label.name).contains(STARTS)
        })
        .collect();
    let tracks = driving
        .iter()
        .filter_map(|&id| session.track_having(id, |label| is_start[label.index()]));
    let own = tracks.map(|track| own_times(&track, &is_start, windows));
    own.fold(Intervals::default(), |all, times| all.union(&times))
}

/// The times of slices with these labels in which no slice is nested.
fn own_times(track: &Track, is_wanted: &[bool], windows: &[Span]) -> Intervals {
    let mut own = Intervals::default();
    for (number, lane) in track.lanes.iter().enumerate() {
        let labels = lane.labels();
        let within = |&window: &Span| {
            let found = lane.overlapping(window);
            let found = found.filter(|&index| is_wanted[labels[index].index()]);
            found.filter_map(move |index| lane.span(index).intersection(window))
        };
        let wanted: Vec<Span> = windows.iter().flat_map(within).collect();
        let nested = track.child_lane(number).map(|children| {
            let nested = wanted.iter().flat_map(|&span| children.overlapping(span));
            Intervals::union_of(nested.map(|index| children.span(index)).collect())
        });
        let wanted = Intervals::union_of(wanted);
        own = own.union(&wanted.subtract(&nested.unwrap_or_default()));
    }
    own
}

fn times(
    session: &Session,
    tracks: &mut dyn Iterator<Item = TrackId>,
    levels: &[u8],
    windows: &[Span],
    count: usize,
) -> Vec<Intervals> {
    let mut spans = vec![Vec::new(); count];
    for id in tracks {
        add_levels_in_passing(session, id, levels, windows, &mut spans);
    }
    spans.into_iter().map(Intervals::union_of_sorted).collect()
}
