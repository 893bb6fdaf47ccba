//! Calls with a name that says little: most of their time, by what is around them, says what they are.

use stepscope_model::{HostId, LabelId, Session, Span, Track};

use super::host_tracks;

/// Labels are shared by all threads, so that a few threads, and the first calls of each, show what they
/// do.
const MOST_THREADS: usize = 8;

/// One call: where its slice is on its thread, and its time.
#[derive(Clone, Copy)]
pub(super) struct NamedCall {
    pub(super) lane: u32,
    pub(super) index: u32,
    pub(super) span: Span,
}

/// The labels with such a name, unless half of the time of their calls or more `is_meant`: that of so many
/// calls of each thread. `is_meant` is also given these labels.
pub(super) fn not_meant(
    session: &Session,
    is_named: fn(&str) -> bool,
    most_calls: usize,
    is_meant: impl Fn(&Track, &[LabelId], NamedCall) -> bool,
) -> Vec<LabelId> {
    let ids = (0..session.labels.len()).map(LabelId::from_index);
    let named: Vec<LabelId> = ids.filter(|&id| is_named(session.label_name(id))).collect();
    if named.is_empty() {
        return named;
    }
    let hosts = (0..session.hosts.len()).map(HostId::from_index);
    let tracks = hosts.flat_map(|host| host_tracks(session, host));
    let threads = tracks.filter(|&id| session.track(id).may_have(|label| named.contains(&label)));
    let (mut meant_ps, mut all_ps) = (0i64, 0i64);
    for id in threads.take(MOST_THREADS) {
        let track = &*session.track_in_passing(id);
        for call in calls(track, &named).take(most_calls) {
            let length = call.span.duration().0;
            all_ps = all_ps.saturating_add(length);
            if is_meant(track, &named, call) {
                meant_ps = meant_ps.saturating_add(length);
            }
        }
    }
    if meant_ps.saturating_mul(2) < all_ps {
        named
    } else {
        Vec::new()
    }
}

/// The calls on a thread.
fn calls<'a>(track: &'a Track, named: &'a [LabelId]) -> impl Iterator<Item = NamedCall> + 'a {
    (0u32..).zip(&track.lanes).flat_map(move |(lane, slices)| {
        let labels = (0u32..).zip(slices.labels());
        let own = labels.filter(move |(_, label)| named.contains(label));
        own.map(move |(index, _)| NamedCall {
            lane,
            index,
            span: slices.span(index as usize),
        })
    })
}
