//! Levels of the activity of host threads.

use crate::measuring::work::NO_LEVEL;
use stepscope_model::{Activity, Label, Session, SliceKind};

/// Which level the activity of a host thread counts for, `NO_LEVEL` for none.
pub(crate) type LevelOf = fn(Activity) -> u8;

/// The level of each label: work of devices, steps and markers have none.
pub(crate) fn levels(session: &Session, level_of: LevelOf) -> Vec<u8> {
    let level = |label: &Label| match label.activity {
        Activity::None => NO_LEVEL,
        _ if label.kind == SliceKind::Marker || label.kind.is_work() => NO_LEVEL,
        activity => level_of(activity),
    };
    session.labels.iter().map(level).collect()
}
