//! Levels of device work: which kind of work an instant counts for when several run at the same time.

use crate::measuring::steps::PartKind;
use crate::measuring::work::NO_LEVEL;
use stepscope_model::{Class, Direction, Label, Session, Transfer};

/// What a device does, by decreasing priority. Asynchronous collectives count as collectives from
/// their start to their end; see [`crate::measuring::communication`].
pub(crate) const DEVICE_LEVELS: [PartKind; 7] = [
    PartKind::DeviceCompute,
    PartKind::Collectives,
    PartKind::DeviceToDevice,
    PartKind::HostToDevice,
    PartKind::DeviceToHost,
    PartKind::PythonCallbacks,
    // Control ops (while, call) span their bodies, so they only get what the body leaves uncovered.
    PartKind::DeviceCompute,
];

const CALLBACK: u8 = 5;

const CONTROL: u8 = 6;

/// The part of a step that work of this level counts for, unless work of a higher level covers it.
/// None for levels that are not work.
pub(crate) fn part_of_level(level: u8) -> Option<PartKind> {
    DEVICE_LEVELS.get(usize::from(level)).copied()
}

/// Level of computation.
pub(crate) const COMPUTE: u8 = 0;

/// Level of collectives.
pub(crate) const COLLECTIVE: u8 = 1;

/// Level of copies from the host.
pub(crate) const TO_DEVICE: u8 = 3;

/// Level of each label of work; see [`DEVICE_LEVELS`].
pub(crate) fn device_levels(session: &Session) -> Vec<u8> {
    session
        .labels
        .iter()
        .map(|label| level(session, label))
        .collect()
}

fn level(session: &Session, label: &Label) -> u8 {
    if !label.kind.is_work() {
        return NO_LEVEL;
    }
    // A memset is work of the op that it prepares memory for.
    let is_memset = |transfer: &Transfer| transfer.direction == Direction::Memset;
    if let Some(transfer) = label.transfer.filter(|one| !is_memset(one)) {
        return match transfer.direction {
            Direction::HostToDevice => TO_DEVICE,
            Direction::DeviceToHost | Direction::HostToHost => 4,
            Direction::DeviceToDevice | Direction::Memset | Direction::Other => 2,
        };
    }
    let op = label.op.map(|id| session.op(id));
    let category = op.map_or("", |op| session.text(op.category));
    match label.class {
        Class::Collective => COLLECTIVE,
        Class::Python => CALLBACK,
        _ if op.is_some_and(|op| op.is_control) => CONTROL,
        _ if category.contains("infeed") || category.contains("host recv") => TO_DEVICE,
        _ if category.contains("outfeed") || category.contains("host send") => 4,
        // Asynchronous copies within a device, such as between its memories.
        _ if category.starts_with("copy-start") || category.starts_with("copy-done") => 2,
        _ => COMPUTE,
    }
}
