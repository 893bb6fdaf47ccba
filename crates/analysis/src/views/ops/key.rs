//! What distinguishes work.

use stepscope_model::{Direction, Label, OpId, ProgramId, SliceKind, StringId};

/// What distinguishes work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Key {
    /// An HLO op.
    Op(OpId),
    /// A kernel without an op, by name and the framework's op that launched it. An op of TensorFlow is
    /// what its kernels do, so it stands for their names.
    Kernel(Option<ProgramId>, StringId, Option<StringId>),
    /// A copy without an op, by direction and the framework's op.
    Transfer(Option<ProgramId>, Direction, Option<StringId>),
}

pub(crate) fn key_of(label: &Label) -> Key {
    match (label.op, label.kind, label.transfer) {
        (Some(op), ..) => Key::Op(op),
        (None, SliceKind::Transfer, Some(transfer)) => {
            Key::Transfer(label.program, transfer.direction, label.framework_op)
        }
        _ => {
            let op = label.framework_type.and(label.framework_op);
            Key::Kernel(label.program, op.unwrap_or(label.name), label.framework_op)
        }
    }
}
