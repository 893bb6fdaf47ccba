//! What distinguishes work.

use stepscope_model::{Direction, Label, OpId, ProgramId, SliceKind, StringId};

/// What distinguishes work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Key {
    /// An HLO op.
    Op(OpId),
    /// A kernel without an op, by name.
    Kernel(Option<ProgramId>, StringId),
    /// A copy without an op, by direction.
    Transfer(Option<ProgramId>, Direction),
}

pub(crate) fn key_of(label: &Label) -> Key {
    match (label.op, label.kind, label.transfer) {
        (Some(op), ..) => Key::Op(op),
        (None, SliceKind::Transfer, Some(transfer)) => {
            Key::Transfer(label.program, transfer.direction)
        }
        _ => Key::Kernel(label.program, label.name),
    }
}
