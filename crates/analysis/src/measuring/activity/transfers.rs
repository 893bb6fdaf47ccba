//! Copies on pool threads while the driving threads wait or do nothing.

use stepscope_model::{Activity, Direction, HostId, Session, Span, TrackId};

use super::{levels, own_tracks};
use crate::measuring::interval::Intervals;
use crate::measuring::work::{NO_LEVEL, add_levels_in_passing};

/// Times within `windows`, which are sorted and do not overlap, in which the driving threads wait or
/// recorded nothing while another thread of the host copies in a direction that `counts`. `driving` is
/// ascending.
pub(crate) fn waited_for(
    session: &Session,
    host: HostId,
    driving: &[TrackId],
    windows: &[Span],
    counts: fn(Direction) -> bool,
) -> Intervals {
    let mut others = own_tracks(session, host).filter(|id| driving.binary_search(id).is_err());
    let copies: Vec<u8> = session
        .labels
        .iter()
        .map(|label| match label.activity {
            Activity::Transfer(direction) if counts(direction) => 0,
            _ => NO_LEVEL,
        })
        .collect();
    let copies = times(session, &mut others, &copies, windows);
    if copies.spans().is_empty() {
        return copies;
    }
    let of_driving = |level_of: fn(Activity) -> u8| {
        let levels = levels(session, level_of);
        times(session, &mut driving.iter().copied(), &levels, windows)
    };
    let does_something = of_driving(|_| 0);
    let waits = of_driving(|activity| match activity {
        Activity::Blocked => 0,
        _ => NO_LEVEL,
    });
    copies.subtract(&does_something.subtract(&waits))
}

fn times(
    session: &Session,
    tracks: &mut dyn Iterator<Item = TrackId>,
    levels: &[u8],
    windows: &[Span],
) -> Intervals {
    let mut spans = vec![Vec::new()];
    for id in tracks {
        add_levels_in_passing(session, id, levels, windows, &mut spans);
    }
    Intervals::union_of_sorted(spans.pop().unwrap_or_default())
}
