//! Which calls of `fsync` write a checkpoint: a log is synchronized with the disk, too.
//!
//! ```text
//! save (train.py)   [ dump (pickle) ][ fsync ]      a checkpoint
//! log (train.py)              [ write ][ fsync ]    a line of a log
//! ```

use stepscope_model::host_names::is_file_sync;
use stepscope_model::{Activity, HostId, LabelId, Session, SliceKind, Span, Track};

use super::host_tracks;

/// Labels are shared by all threads, so that a few threads, and the first calls of each, show what they
/// do.
const MOST_THREADS: usize = 8;
const MOST_CALLS: usize = 500;

/// Names of functions that write checkpoints, in part.
const SAVING: [&str; 4] = ["save", "ckpt", "checkpoint", "snapshot"];

/// The labels of `fsync` if for most of its time nothing around it writes a checkpoint.
pub(super) fn other_syncs(session: &Session) -> Vec<LabelId> {
    let ids = (0..session.labels.len()).map(LabelId::from_index);
    let named: Vec<LabelId> = ids
        .filter(|&id| is_file_sync(session.label_name(id)))
        .collect();
    if named.is_empty() {
        return named;
    }
    let hosts = (0..session.hosts.len()).map(HostId::from_index);
    let tracks = hosts.flat_map(|host| host_tracks(session, host));
    let threads = tracks.filter(|&id| session.track(id).may_have(|label| named.contains(&label)));
    let (mut saving_ps, mut all_ps) = (0i64, 0i64);
    for id in threads.take(MOST_THREADS) {
        let track = &*session.track_in_passing(id);
        for (lane, span) in calls(track, &named).take(MOST_CALLS) {
            let length = span.duration().0;
            all_ps = all_ps.saturating_add(length);
            if is_saving(session, track, lane, (span, &named)) {
                saving_ps = saving_ps.saturating_add(length);
            }
        }
    }
    if saving_ps.saturating_mul(2) < all_ps {
        named
    } else {
        Vec::new()
    }
}

/// The calls on a thread, each with its lane.
fn calls<'a>(track: &'a Track, named: &'a [LabelId]) -> impl Iterator<Item = (usize, Span)> + 'a {
    let lanes = track.lanes.iter().enumerate();
    lanes.flat_map(move |(number, lane)| {
        let labels = lane.labels().iter().enumerate();
        let own = labels.filter(move |(_, label)| named.contains(label));
        own.map(move |(index, _)| (number, lane.span(index)))
    })
}

/// Whether a frame around a call says that it saves, or the innermost one also writes arrays.
fn is_saving(
    session: &Session,
    track: &Track,
    lane: usize,
    (call, named): (Span, &[LabelId]),
) -> bool {
    let nest = track.nests.iter().find(|nest| {
        let lanes = nest.start as usize..nest.end as usize;
        lanes.contains(&lane)
    });
    let lanes = nest.map_or(lane..lane + 1, |nest| {
        nest.start as usize..nest.end as usize
    });
    let writes = |label: LabelId| {
        session.label(label).activity == Activity::Checkpoint && !named.contains(&label)
    };
    let mut innermost = None;
    for lane in &track.lanes[lanes.start..lane] {
        let around = lane.overlapping(call);
        for index in around.filter(|&index| lane.span(index).contains(call)) {
            let label = lane.labels()[index];
            let name = session.label_name(label).to_ascii_lowercase();
            if writes(label) || SAVING.iter().any(|word| name.contains(word)) {
                return true;
            }
            if session.label(label).kind == SliceKind::Python {
                innermost = Some(lane.span(index));
            }
        }
    }
    let Some(around) = innermost else {
        return false;
    };
    track.lanes[lanes].iter().any(|lane| {
        let mut within = lane.overlapping(around);
        within.any(|index| around.contains(lane.span(index)) && writes(lane.labels()[index]))
    })
}
