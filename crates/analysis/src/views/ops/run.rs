//! An op with its work and how it ran.

use stepscope_model::{DeviceId, Op, OpCost, Session};

/// An op as it ran.
pub(crate) struct Run<'a> {
    pub(crate) session: &'a Session,
    pub(crate) op: &'a Op,
    pub(crate) cost: OpCost,
    pub(crate) devices: &'a [DeviceId],
    pub(crate) executions: f64,
    pub(crate) total_ps: i64,
}
