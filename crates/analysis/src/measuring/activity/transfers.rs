//! Copies on pool threads while the driving threads wait or do nothing.
//!
//! A thread that starts a program waits within the call for arguments that are still being copied,
//! such as arrays of NumPy that were passed to it. Nothing is recorded of the wait: it is the time in
//! which nothing else is recorded within the call.
//!
//! A thread that reads a result of a run that only begins after a copy to the device waits for that copy:
//!
//! ```text
//! loop      [launch][ __float__                       ]
//! pool      [ H2D Dispatch             ]
//! device                                [ run     ]
//!                   ^^^^^^^^^^^^^^^^^^^^ the copy to the device, not the reading of the result
//! ```
//!
//! A thread that calls functions itself, such as one that evaluates meanwhile, reads results for itself.

use stepscope_model::{
    Activity, Direction, HostId, Label, LabelId, Picos, Session, Span, Track, TrackId,
};

use super::{Activities, LevelOf, calls_functions, levels, own_tracks};
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
    let to_device = usize::from(level_of(Activity::Transfer(Direction::HostToDevice)));
    let waited = |(level, times): (usize, Intervals)| {
        let alone = times.subtract(&does_something);
        if level != to_device || alone == times {
            return alone;
        }
        let reads = reads_until_runs(session, host, driving, windows);
        times.subtract(&does_something.subtract(&reads))
    };
    copies.into_iter().enumerate().map(waited).collect()
}

/// When a driving thread reads a result, until the last run that begins within that read: what is read
/// depends on it, and it begins once its arguments are on the device.
fn reads_until_runs(
    session: &Session,
    host: HostId,
    driving: &[TrackId],
    windows: &[Span],
) -> Intervals {
    let activities = Activities::of(session);
    let is_read: Vec<bool> = (0..session.labels.len())
        .map(LabelId::from_index)
        .map(|label| activities.label(label) == Activity::Transfer(Direction::DeviceToHost))
        .collect();
    let own = session.program_runs.iter();
    let own = own.filter(|run| session.device(run.device).host == host);
    let mut starts: Vec<Picos> = own.map(|run| run.span.start).collect();
    starts.sort_unstable();
    let mut found = Vec::new();
    for &id in driving {
        let Some(track) = session.track_having(id, |label| is_read[label.index()]) else {
            continue;
        };
        for lane in &track.lanes {
            let labels = lane.labels();
            let within = windows.iter().flat_map(|&window| lane.overlapping(window));
            for index in within.filter(|&index| is_read[labels[index].index()]) {
                let read = lane.span(index);
                let begun = starts.partition_point(|&start| start <= read.end);
                let last = starts[..begun].last().copied();
                if let Some(last) = last.filter(|&last| last > read.start) {
                    found.push(Span::new(read.start, last));
                }
            }
        }
    }
    Intervals::union_of(found)
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
