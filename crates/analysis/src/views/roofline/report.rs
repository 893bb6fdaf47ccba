//! What `roofline` answers: points under the roofs of a chip.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::telling::Note;

/// The answer of the `roofline` analysis.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct RooflineReport {
    /// One point per op, largest self time first unless sorted otherwise.
    pub rows: Vec<RooflineRow>,
    /// Number of ops before the limit.
    pub row_count: usize,
    /// The total, programs, the mean step, and steps, in this order; `kind` distinguishes them.
    pub scopes: Vec<RooflineRow>,
    /// Peaks of the chips, with their sources.
    pub peaks: Vec<RooflinePeak>,
    /// Memories that have a peak or recorded traffic: `hbm`, `cmem_read`, `cmem_write`,
    /// `vmem_read`, `vmem_write`, `shared`.
    pub levels: Vec<String>,
    /// Share of self time in ops that compute but whose FLOPs are unknown, 0..1.
    pub flops_unknown_ratio: f64,
    /// What the figures do not cover.
    pub notes: Vec<Note>,
}

/// One point.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct RooflineRow {
    /// One of `op`, `program`, `step`, `total`, or `average`.
    pub kind: String,
    /// Name of the op or program, or a step such as `step 12`.
    pub name: String,
    /// Program that the work belongs to, as `module(program id)`. Empty for work without a program.
    pub program: String,
    /// Program id as a decimal string.
    pub program_id: String,
    /// HLO category of the op. Empty for all but ops.
    pub category: String,
    /// Color class. Empty for all but ops.
    pub class: String,
    /// Number of the step.
    #[ts(type = "number | null")]
    pub step: Option<i64>,
    /// Start of the step. Absent for all but steps.
    #[ts(type = "number | null")]
    pub start_ps: Option<i64>,
    /// End of the step. Absent for all but steps.
    #[ts(type = "number | null")]
    pub end_ps: Option<i64>,
    /// Number of slices of the op.
    #[ts(type = "number")]
    pub occurrences: i64,
    /// Number of executions by which the work is multiplied.
    #[ts(type = "number")]
    pub executions: i64,
    /// Time over which the rates are computed: summed over devices; for steps, mean over devices.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Σ self time of the op.
    #[ts(type = "number")]
    pub self_ps: i64,
    /// Share of the op in the self time of all ops, 0..1: self ÷ Σ self of all ops.
    pub self_ratio: f64,
    /// Floating-point operations of all executions, whatever their type; for steps, mean over devices.
    /// Absent if unknown.
    pub flops: Option<f64>,
    /// Bytes read and written by all executions; for steps, mean over devices.
    pub bytes: Option<f64>,
    /// Achieved FLOP rate: FLOPs ÷ time, per second.
    pub flop_rate: Option<f64>,
    /// Achieved memory bandwidth: bytes ÷ time, per second.
    pub bandwidth: Option<f64>,
    /// Floating-point operations per byte, counting all bytes or only those of the selected memory.
    pub intensity: Option<f64>,
    /// Resource that bounds the op, program, or step: `compute`, `memory`, an on-chip memory, or
    /// empty.
    pub bound_by: String,
    /// Compute utilization: time that the operations take at the peaks of their operand types ÷ time.
    /// For the total, programs and steps, this is the hardware FLOPs utilization (HFU).
    pub compute_ratio: Option<f64>,
    /// Model FLOPs utilization (MFU): the same with the operations that the model needs
    /// (`needed_flops`), or with those stated by `--model-flops`. Absent for ops.
    pub mfu_ratio: Option<f64>,
    /// Floating-point operations that the model needs: those of matrix products, convolutions and
    /// recognized kernels, without rematerialized, masked and copied ones. Absent if unknown.
    pub needed_flops: Option<f64>,
    /// Floating-point operations of products that repeat earlier work to save memory
    /// (rematerialization). Absent if unknown.
    pub recomputed_flops: Option<f64>,
    /// Floating-point operations of products that a causal attention mask hides, or that multiply rows with
    /// groups that they do not belong to. Absent if unknown.
    pub masked_flops: Option<f64>,
    /// Floating-point operations of products that other devices compute alike. Absent if unknown.
    pub copied_flops: Option<f64>,
    /// Efficiency: the largest ratio of an achieved rate to its peak. May exceed 1.
    pub roofline_ratio: Option<f64>,
    /// FLOP rate of the op if what bounds it ran at its peak.
    pub optimal_flop_rate: Option<f64>,
    /// Operand types of the products of the op, and the types the chip computes them in if they differ:
    /// `bf16`, `f32 as 6 × bf16`; `unknown` if the HLO does not tell. Empty for all but ops.
    pub operand_type: String,
    /// Time that the op should take by theory, for all executions, as in `ops`. Absent for all but
    /// ops.
    pub expected_ps: Option<f64>,
    /// Measured ÷ expected time of the op.
    pub times_expected: Option<f64>,
    /// How the expected time of one execution of the op was derived, or why it is unknown.
    pub expectation: String,
    /// Whether an achieved rate exceeds its peak by more than 5 %. If so, the peak, the time, or the
    /// work is not what it seems.
    pub is_over_peak: bool,
    /// Use of each memory with a peak or traffic.
    pub levels: Vec<RooflineLevel>,
    /// Source of the FLOPs and bytes: `recorded`, `hlo`, `shapes`, `estimate`, or empty.
    pub cost_source: String,
    /// JAX name stack of the op. Empty for all but ops.
    pub scope: String,
    /// File and line of the program that the op comes from. Empty for all but ops.
    pub source: String,
}

/// A point's use of one memory.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct RooflineLevel {
    /// Name of the memory.
    pub level: String,
    /// Bytes moved through the memory.
    pub bytes: f64,
    /// Bytes ÷ time, per second.
    pub bandwidth: f64,
    /// FLOPs per byte of this memory. Absent without traffic.
    pub intensity: Option<f64>,
    /// Bandwidth ÷ peak. Absent if the peak is unknown.
    pub ratio: Option<f64>,
}

/// A peak of a chip.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct RooflinePeak {
    /// Hardware model of the chip.
    pub chip: String,
    /// Number of selected devices with this chip.
    pub device_count: usize,
    /// What the peak applies to: `compute` or a memory.
    pub level: String,
    /// Type whose products have the peak. Empty for the stated peak of compute, which the others derive
    /// from, and for memories.
    pub operand_type: String,
    /// Peak in FLOPs or bytes per second. Absent if unknown.
    pub per_second: Option<f64>,
    /// Intensity above which compute rather than this memory bounds an op, in FLOP per byte: peak
    /// of compute ÷ peak of the memory. For the peak of an operand type, the same with device memory.
    /// Absent for the stated peak of compute.
    pub ridge_intensity: Option<f64>,
    /// Source of the peak, or why the peak is unknown.
    pub source: String,
}
