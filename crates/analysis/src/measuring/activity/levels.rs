//! Levels of the activity of host threads.

use crate::measuring::work::NO_LEVEL;
use stepscope_model::{Activity, Label, Session, SliceKind};

/// Maps the activity of a host thread to a level, or to `NO_LEVEL`.
pub(crate) type LevelOf = fn(Activity) -> u8;

/// The level of each label. Device work, markers and labels without an activity have none.
pub(crate) fn levels(session: &Session, level_of: LevelOf) -> Vec<u8> {
    let level = |label: &Label| match label.activity {
        Activity::None => NO_LEVEL,
        _ if label.kind == SliceKind::Marker || label.kind.is_work() => NO_LEVEL,
        activity => level_of(activity),
    };
    session.labels.iter().map(level).collect()
}
