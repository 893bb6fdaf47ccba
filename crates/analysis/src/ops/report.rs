//! What `ops` answers: every op with its time, work and bound.

use documented::DocumentedFields;
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
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct OpRow {
    /// The compiled executable the op belongs to, with its id.
    pub program: String,
    /// Program id as a decimal string (ids exceed 2^53).
    pub program_id: String,
    /// Name of the HLO instruction, or of the kernel where no op is known.
    pub name: String,
    /// HLO category as XLA names it.
    pub category: String,
    /// Where the category comes from: `recorded`, `hlo`, `inferred` (from the op's name, where the
    /// profile has no HLO for it), or empty.
    pub category_source: String,
    /// How the slices were joined with the op: recorded in the profile, or inferred from the
    /// kernel’s name, its neighbours or its order.
    pub attribution: String,
    /// What kind of work it is; decides the colour, the same in every view.
    pub class: String,
    /// What JAX calls a device.
    pub device: String,
    /// How often it ran, over the selected devices and steps.
    #[ts(type = "number")]
    pub occurrences: i64,
    /// Executions the work is counted with: an op lowered to several kernels did its work once.
    #[ts(type = "number")]
    pub executions: i64,
    /// Time from start to end, summed; what runs nested inside is included.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Time in the op itself, without what runs nested inside it, summed.
    #[ts(type = "number")]
    pub self_ps: i64,
    /// Share of the self time of all selected ops.
    pub self_ratio: f64,
    /// Floating point operations of one execution, recorded or computed from the HLO. Absent if
    /// unknown.
    pub flops: Option<f64>,
    /// Bytes one execution reads and writes, recorded or computed from the HLO. Absent if unknown.
    pub bytes: Option<f64>,
    /// Achieved rate of floating point operations.
    pub flop_rate: Option<f64>,
    /// Achieved rate of memory traffic.
    pub bandwidth: Option<f64>,
    /// Which roof limits the op: compute or memory. Empty when the peaks of the chip or the work of
    /// the op are unknown.
    pub bound_by: String,
    /// How close the op comes to the roof that limits it.
    pub roofline_ratio: Option<f64>,
    /// Where FLOP and bytes came from: recorded in the profile, computed from the HLO or from the
    /// shapes of a known call, or estimated by the author of the kernel.
    pub cost_source: String,
    /// JAX name stack: the transformations and named scopes the op was traced in.
    pub scope: String,
    /// File and line of the program that the op comes from.
    pub source: String,
    /// The op is a recomputation.
    pub is_rematerialised: bool,
}

/// Totals of one device.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
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
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
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
