//! What `roofline` answers: points under the roofs of a chip.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::note::Note;

/// The answer of the `roofline` analysis.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct RooflineReport {
    /// One point per op, largest self time first unless sorted otherwise.
    pub rows: Vec<RooflineRow>,
    /// Ops before the limit.
    pub row_count: usize,
    /// The total, programs, the mean step, and steps, in this order; `kind` tells them apart.
    pub scopes: Vec<RooflineRow>,
    /// Peaks of the chips, with their sources.
    pub peaks: Vec<RooflinePeak>,
    /// Memories that have a peak or recorded traffic: `hbm`, `cmem_read`, `cmem_write`,
    /// `vmem_read`, `vmem_write`, `shared`.
    pub levels: Vec<String>,
    /// Share of self time of ops that compute and whose FLOPs are unknown, 0..1.
    pub flops_unknown_ratio: f64,
    /// What the figures do not cover.
    pub notes: Vec<Note>,
}

/// One point.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct RooflineRow {
    /// One of `op`, `program`, `step`, `total` or `average`.
    pub kind: String,
    /// Op, program, or `step 12`.
    pub name: String,
    /// Program, as `module(program id)`; empty for work without a program.
    pub program: String,
    /// Program id as a decimal string.
    pub program_id: String,
    /// HLO category; empty for all but ops.
    pub category: String,
    /// Colour class; empty for all but ops.
    pub class: String,
    /// Number of the step.
    #[ts(type = "number | null")]
    pub step: Option<i64>,
    /// Where the step begins and ends.
    #[ts(type = "number | null")]
    pub start_ps: Option<i64>,
    /// See `start_ps`.
    #[ts(type = "number | null")]
    pub end_ps: Option<i64>,
    /// Slices.
    #[ts(type = "number")]
    pub occurrences: i64,
    /// Executions the work is counted with.
    #[ts(type = "number")]
    pub executions: i64,
    /// The time that rates are over.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Σ self time.
    #[ts(type = "number")]
    pub self_ps: i64,
    /// self ÷ Σ self of all ops, 0..1.
    pub self_ratio: f64,
    /// Floating point operations in all, normalised as the chip's peak; absent if unknown.
    pub flops: Option<f64>,
    /// As the model needs them.
    pub model_flops: Option<f64>,
    /// Bytes in all.
    pub bytes: Option<f64>,
    /// flops ÷ time, per second.
    pub flop_rate: Option<f64>,
    /// bytes ÷ time, per second.
    pub bandwidth: Option<f64>,
    /// Floating point operations per byte, of all bytes or of the memory chosen above the chart.
    pub intensity: Option<f64>,
    /// What bounds it: `compute`, `memory`, a memory on the chip, or empty.
    pub bound_by: String,
    /// Achieved rate against the peak of compute.
    pub compute_ratio: Option<f64>,
    /// The largest ratio of rate to peak: how efficient it is; may exceed 1.
    pub roofline_ratio: Option<f64>,
    /// The rate it would have if what bounds it ran at its peak.
    pub optimal_flop_rate: Option<f64>,
    /// Above a peak: the peak, the time or the work is not what it seems.
    pub is_over_peak: bool,
    /// Memories with a peak or traffic.
    pub levels: Vec<RooflineLevel>,
    /// Where the work came from: `recorded`, `hlo`, `shapes`, `estimate`, or empty.
    pub cost_source: String,
    /// The whole selection, a program, the mean step, or a step. A step leads to its time on the
    /// timeline.
    pub scope: String,
    /// Where the peak comes from, or why it is unknown.
    pub source: String,
}

/// A point's use of one memory.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct RooflineLevel {
    /// The memory.
    pub level: String,
    /// Bytes through it.
    pub bytes: f64,
    /// Bytes ÷ time, per second.
    pub bandwidth: f64,
    /// FLOP per byte of this memory; absent without traffic.
    pub intensity: Option<f64>,
    /// bandwidth ÷ peak; absent where the peak is unknown.
    pub ratio: Option<f64>,
}

/// A peak of a chip.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct RooflinePeak {
    /// Hardware model.
    pub chip: String,
    /// Selected devices with it.
    pub device_count: usize,
    /// One of `compute` or a memory.
    pub level: String,
    /// FLOP or bytes per second; absent where unknown.
    pub per_second: Option<f64>,
    /// Peak of compute ÷ this peak, FLOP per byte.
    pub ridge_intensity: Option<f64>,
    /// Where it came from, or why it is unknown.
    pub source: String,
}
