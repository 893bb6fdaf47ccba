//! Who copies between a device and its host: its input and output are what no program copies.

use stepscope_model::{Class, Direction, Label, Session};

/// Who makes a copy between a device and its host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Copier {
    /// A program that keeps arrays in host memory, or looks at one there.
    Program,
    /// A program that calls Python: arguments and results of the call.
    Callback,
    /// Nobody on the device: input, output, and what the host reads.
    Host,
}

/// Who makes the copies of a label; none if these are no copies between a device and its host.
pub(crate) fn copier(session: &Session, label: &Label) -> Option<Copier> {
    let transfer = label.transfer?;
    let with_host = [Direction::HostToDevice, Direction::DeviceToHost];
    if !with_host.contains(&transfer.direction) {
        return None;
    }
    let class = label.op.map(|op| session.op_class(op));
    Some(match (class, label.program) {
        (Some(Class::Python), _) => Copier::Callback,
        // The launch of a graph names the program and no op of it.
        (Some(_), _) | (None, Some(_)) => Copier::Program,
        (None, None) => Copier::Host,
    })
}
