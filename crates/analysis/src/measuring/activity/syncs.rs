//! Which calls of `fsync` write a checkpoint: a log is synchronized with the disk, too.
//!
//! ```text
//! save (train.py)   [ dump (pickle) ][ fsync ]      a checkpoint
//! log (train.py)              [ write ][ fsync ]    a line of a log
//! ```

use stepscope_model::host_names::is_file_sync;
use stepscope_model::{Activity, LabelId, Session, SliceKind, Track};

use super::named_calls::{NamedCall, not_meant};

const MOST_CALLS: usize = 500;

/// Names of functions that write checkpoints, in part.
const SAVING: [&str; 4] = ["save", "ckpt", "checkpoint", "snapshot"];

/// The labels of `fsync` if for most of its time nothing around it writes a checkpoint.
pub(super) fn other_syncs(session: &Session) -> Vec<LabelId> {
    not_meant(session, is_file_sync, MOST_CALLS, |track, named, call| {
        is_saving(session, track, named, call)
    })
}

/// Whether a frame around a call says that it saves, or the innermost one also writes arrays.
fn is_saving(session: &Session, track: &Track, named: &[LabelId], call: NamedCall) -> bool {
    let writes = |label: LabelId| {
        session.label(label).activity == Activity::Checkpoint && !named.contains(&label)
    };
    let mut innermost = None;
    for (lane, index) in track.ancestors(call.lane, call.index) {
        let (lane, index) = (&track.lanes[lane as usize], index as usize);
        let label = lane.labels()[index];
        let name = session.label_name(label).to_ascii_lowercase();
        if writes(label) || SAVING.iter().any(|word| name.contains(word)) {
            return true;
        }
        if session.label(label).kind == SliceKind::Python {
            innermost.get_or_insert(lane.span(index));
        }
    }
    let Some((around, nest)) = innermost.zip(track.nest_of(call.lane)) else {
        return false;
    };
    let lanes = &track.lanes[nest.start as usize..nest.end as usize];
    lanes.iter().any(|lane| {
        let mut within = lane.overlapping(around);
        within.any(|index| around.contains(lane.span(index)) && writes(lane.labels()[index]))
    })
}
