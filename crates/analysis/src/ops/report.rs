//! What `ops` answers: every op with its time, work and bound.

use serde::Serialize;
use ts_rs::TS;

use crate::attribution::AttributionShare;
use crate::note::Note;

/// The answer of the `ops` analysis.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct OpsReport {
    /// Ops over all selected devices, largest self time first unless sorted otherwise.
    pub rows: Vec<OpRow>,
    /// Rows before the limit.
    pub row_count: usize,
    /// Per device: totals the ratios refer to.
    pub devices: Vec<OpsDevice>,
    /// Σ self time over all selected rows before the limit.
    #[ts(type = "number")]
    pub total_self_ps: i64,
    /// Share of device work time that carries an HLO op, 0..1; absent without devices.
    pub attributed_ratio: Option<f64>,
    /// That share by how the op was found, and the rest; the surest first.
    pub attribution: Vec<AttributionShare>,
    /// Regions that kernels of a TPU recorded within ops, longest first.
    pub regions: Vec<OpRegion>,
    /// Share of self time of ops that compute and whose FLOPs are unknown, 0..1.
    pub flops_unknown_ratio: f64,
    /// What the figures do not cover.
    pub notes: Vec<Note>,
}

/// One op of one program (or one kernel that carries no op), over the selected devices.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct OpRow {
    /// `module(program id)`; empty for work without a program.
    pub program: String,
    /// Program id as a decimal string (ids exceed 2^53).
    pub program_id: String,
    /// HLO instruction name, or the kernel's name.
    pub name: String,
    /// HLO category, such as `loop fusion`; `kernel` or `transfer` for work without an op.
    pub category: String,
    /// Where the category comes from: `recorded`, `hlo`, `inferred` (from the op's name, where the
    /// profile has no HLO for it), or empty.
    pub category_source: String,
    /// How its slices were joined with the op: `recorded`, `exact_name`, `between_anchors`,
    /// `by_order`, or `none`; several, the surest first, joined by `, `.
    pub attribution: String,
    /// Colour class, such as `matmul`.
    pub class: String,
    /// Device names; empty when merged over several (`--by device` separates them).
    pub device: String,
    /// Slices: executions of the op on TPU and XLA:CPU, kernel launches and copies on GPU.
    #[ts(type = "number")]
    pub occurrences: i64,
    /// Executions the work is counted with: an op lowered to several kernels did its work once.
    #[ts(type = "number")]
    pub executions: i64,
    /// Σ duration.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Σ (duration − nested children).
    #[ts(type = "number")]
    pub self_ps: i64,
    /// self ÷ Σ self of all selected rows, 0..1.
    pub self_ratio: f64,
    /// Floating point operations per execution, normalised as the chip's peak; absent if unknown.
    pub flops: Option<f64>,
    /// Bytes read and written per execution; absent if unknown.
    pub bytes: Option<f64>,
    /// flops × executions ÷ total time, per second.
    pub flop_rate: Option<f64>,
    /// bytes × executions ÷ total time, per second.
    pub bandwidth: Option<f64>,
    /// `compute`, `memory`, or empty when peaks or work are unknown.
    pub bound_by: String,
    /// flop_rate ÷ peak or bandwidth ÷ peak, whichever is larger; may exceed 1, then a note says so.
    pub roofline_ratio: Option<f64>,
    /// Where flops came from, or bytes where flops are unknown: `recorded`, `hlo`, `shapes` (of a
    /// known library's call), `estimate` (of the kernel's author), or empty.
    pub cost_source: String,
    /// JAX name stack.
    pub scope: String,
    /// `file:line`.
    pub source: String,
    /// The op is a recomputation.
    pub is_rematerialised: bool,
}

/// Totals of one device.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct OpsDevice {
    /// Device name.
    pub device: String,
    /// Union of work intervals.
    #[ts(type = "number")]
    pub busy_ps: i64,
    /// Σ self time.
    #[ts(type = "number")]
    pub self_ps: i64,
    /// Number of slices.
    #[ts(type = "number")]
    pub occurrences: i64,
}

/// A region that a kernel of a TPU recorded while an op ran.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct OpRegion {
    /// The innermost op that it begins in.
    pub op: String,
    /// Its program as a decimal string.
    pub program_id: String,
    /// Name of the region, such as `ep_wait_in`.
    pub name: String,
    /// How often.
    #[ts(type = "number")]
    pub occurrences: i64,
    /// Σ duration; one within another counts in both.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// total ÷ total of the op, 0..1; absent where the op is not among the rows.
    pub op_ratio: Option<f64>,
    /// Its name says that the kernel waits in it.
    pub is_wait: bool,
}
