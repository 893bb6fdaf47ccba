//! What `ops` answers: every op with its time, work and bound.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::telling::Note;
use crate::telling::attribution::AttributionShare;

/// The answer of the `ops` analysis.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct OpsReport {
    /// Ops over all selected devices, largest self time first unless sorted otherwise.
    pub rows: Vec<OpRow>,
    /// Number of rows before the limit.
    pub row_count: usize,
    /// Totals of each device, which the ratios refer to.
    pub devices: Vec<OpsDevice>,
    /// Σ self time over all selected rows before the limit.
    #[ts(type = "number")]
    pub total_self_ps: i64,
    /// Share of device work time whose op is known, 0..1; the rest is listed under its own name.
    /// Absent without devices.
    pub attributed_ratio: Option<f64>,
    /// That share by how the op was found, most certain first, and the rest.
    pub attribution: Vec<AttributionShare>,
    /// Regions that TPU kernels recorded within ops, longest first.
    pub regions: Vec<OpRegion>,
    /// Share of self time in ops that compute but whose FLOPs are unknown, 0..1.
    pub flops_unknown_ratio: f64,
    /// What the figures do not cover.
    pub notes: Vec<Note>,
}

/// One op of one program (or one kernel without an op), over the selected devices.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct OpRow {
    /// Compiled executable that the op belongs to, with its ID.
    pub program: String,
    /// ID of the program that the op belongs to, as a decimal string (IDs exceed 2^53).
    pub program_id: String,
    /// Name of the HLO instruction, or of the kernel if no op is known.
    pub name: String,
    /// HLO category of the op, as XLA names it.
    pub category: String,
    /// Source of the category: `recorded`, `hlo`, `inferred` (from the op's name, where the profile
    /// has no HLO for it), or empty.
    pub category_source: String,
    /// How the slices were matched to the op: `recorded`, or inferred from the kernel's name
    /// (`exact_name`), its neighbors (`between_anchors`), or its order (`by_order`). `none` if
    /// there is no op.
    pub attribution: String,
    /// Kind of work the op does. Determines its color, which is the same in every view.
    pub class: String,
    /// Device that the op ran on, in the sense of a JAX device. Empty if the row merges several
    /// devices.
    pub device: String,
    /// Number of occurrences of the op over the selected devices and steps.
    #[ts(type = "number")]
    pub occurrences: i64,
    /// Number of executions by which the work is multiplied. An op lowered to several kernels does
    /// its work once per execution.
    #[ts(type = "number")]
    pub executions: i64,
    /// Time from start to end of the op, including work nested inside it, summed over all
    /// occurrences.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Time in the op itself, excluding work nested inside it, summed over all occurrences.
    #[ts(type = "number")]
    pub self_ps: i64,
    /// Self time of the op as a share of the self time of all selected ops.
    pub self_ratio: f64,
    /// Floating-point operations of one execution of the op, recorded or computed from the HLO.
    /// Absent if unknown.
    pub flops: Option<f64>,
    /// Bytes that one execution of the op reads and writes, recorded or computed from the HLO.
    /// Absent if unknown.
    pub bytes: Option<f64>,
    /// Achieved rate of floating-point operations of the op.
    pub flop_rate: Option<f64>,
    /// Achieved memory bandwidth of the op.
    pub bandwidth: Option<f64>,
    /// Roof that limits the op: `compute`, `memory`, or an on-chip memory. Empty if the peaks of
    /// the chip or the work of the op are unknown.
    pub bound_by: String,
    /// Achieved share of the roof that limits the op.
    pub roofline_ratio: Option<f64>,
    /// Operand types of the products of the op (dots, convolutions, known calls) and, if they differ,
    /// the types the chip computes them in: `bf16`, `f32 as tf32`, `f32 as 6 × bf16`. `unknown` if the
    /// HLO does not tell. Empty without products.
    pub operand_type: String,
    /// Peak of compute for the op: its operations ÷ the time they take at the peaks of their types.
    pub peak_flops_per_second: Option<f64>,
    /// Time that the op should take by theory, for all executions: the largest of operations ÷ peak of
    /// their type, bytes ÷ bandwidth of each memory, and, for collectives, bytes ÷ links.
    pub expected_ps: Option<f64>,
    /// Measured ÷ expected time of the op. Below 1 if a peak or the work is not what it seems.
    pub times_expected: Option<f64>,
    /// How the expected time of one execution of the op was derived, or why it is unknown.
    pub expectation: String,
    /// Source of the FLOPs and bytes: `recorded` in the profile, computed from the HLO (`hlo`) or
    /// from the shapes of a known call (`shapes`), or estimated by the author of the kernel
    /// (`estimate`).
    pub cost_source: String,
    /// JAX name stack of the op: the transformations and named scopes in which it was traced.
    pub scope: String,
    /// File and line of the program that the op comes from.
    pub source: String,
    /// Whether the op is a recomputation.
    pub is_rematerialized: bool,
}

/// Totals of one device.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct OpsDevice {
    /// Name of the device.
    pub device: String,
    /// Time the device is busy: the union of its work intervals.
    #[ts(type = "number")]
    pub busy_ps: i64,
    /// Σ self time of the ops on the device. May exceed the busy time where GPU streams overlap.
    #[ts(type = "number")]
    pub self_ps: i64,
    /// Number of slices of ops on the device.
    #[ts(type = "number")]
    pub occurrences: i64,
}

/// A region that a TPU kernel recorded while an op ran.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct OpRegion {
    /// Innermost op in which the region starts.
    pub op: String,
    /// ID of the program that the op belongs to, as a decimal string.
    pub program_id: String,
    /// Name of the region as the kernel recorded it, such as `ep_wait_in`.
    pub name: String,
    /// Row of the device that the region is on: `XLA TraceMe` for what kernels record by themselves,
    /// `Pallas Primitives` and `LLO Ops` for what was traced within them.
    pub row: String,
    /// Number of occurrences of the region within the op.
    #[ts(type = "number")]
    pub occurrences: i64,
    /// Σ duration of the region. A region nested in another counts in both.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Time of the region as a share of the total time of its op, 0..1. Absent if the op is not
    /// among the rows.
    pub op_ratio: Option<f64>,
    /// Whether the name of the region indicates that the kernel waits in it.
    pub is_wait: bool,
}
