//! Copies on pool threads while the driving threads wait or do nothing.

use stepscope_model::{Activity, HostId, Session, Span, TrackId};

use super::{LevelOf, levels, own_tracks};
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
    let mut others = own_tracks(session, host).filter(|id| driving.binary_search(id).is_err());
    let copies: Vec<u8> = session
        .labels
        .iter()
        .map(|label| match label.activity {
            Activity::Transfer(_) => level_of(label.activity),
            _ => NO_LEVEL,
        })
        .collect();
    let copies = times(session, &mut others, &copies, windows, count);
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
    let copies = copies.into_iter();
    copies
        .map(|times| times.subtract(&does_something))
        .collect()
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
