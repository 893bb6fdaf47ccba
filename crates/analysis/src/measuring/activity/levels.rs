//! Levels of the activity of host threads.

use super::Activities;
use crate::measuring::work::NO_LEVEL;
use stepscope_model::{Activity, LabelId, Session, SliceKind};

/// Maps the activity of a host thread to a level, or to `NO_LEVEL`.
pub(crate) type LevelOf = fn(Activity) -> u8;

/// The level of each label. Device work, markers and labels without an activity have none.
pub(crate) fn levels(session: &Session, level_of: LevelOf) -> Vec<u8> {
    let activities = Activities::of(session);
    let level = |id: LabelId| {
        let kind = session.label(id).kind;
        match activities.label(id) {
            Activity::None => NO_LEVEL,
            _ if kind == SliceKind::Marker || kind.is_work() => NO_LEVEL,
            activity => level_of(activity),
        }
    };
    let ids = (0..session.labels.len()).map(LabelId::from_index);
    ids.map(level).collect()
}
