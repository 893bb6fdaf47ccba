//! What `kernels` answers: GPU kernels, their launches, streams, and copies.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::attribution::AttributionShare;
use crate::note::Note;

/// The answer of the `kernels` analysis.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct KernelsReport {
    /// One row per kernel and launch geometry, largest total first unless sorted otherwise.
    pub rows: Vec<KernelRow>,
    /// Rows before the limit.
    pub row_count: usize,
    /// Σ kernel durations over all selected rows before the limit.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Kernels by duration.
    pub durations: Vec<DurationBin>,
    /// Share of kernels shorter than 0.1 ms, 0..1; absent without kernels.
    pub tiny_ratio: Option<f64>,
    /// Share of kernel time in kernels shorter than 0.1 ms, 0..1.
    pub tiny_time_ratio: Option<f64>,
    /// Launches and queue of each device.
    pub launches: Vec<LaunchDevice>,
    /// Host time in launch calls, by step and host.
    pub steps: Vec<LaunchStep>,
    /// Streams, by device.
    pub streams: Vec<StreamRow>,
    /// Matrix units by op: ops that are matrix products or use them.
    pub matrix_ops: Vec<MatrixOp>,
    /// Share of kernel time in kernels that use matrix units, 0..1; absent without kernels.
    pub matrix_ratio: Option<f64>,
    /// Copies and memsets, by direction and kind of host memory.
    pub transfers: Vec<TransferRow>,
    /// Copies by size.
    pub transfer_sizes: Vec<TransferSize>,
    /// Share of kernel time that carries an HLO op, 0..1; absent without kernels.
    pub attributed_ratio: Option<f64>,
    /// That share by how the op was found, and the rest; the surest first.
    pub attribution: Vec<AttributionShare>,
    /// What the figures do not cover; says so when the profile has no GPU.
    pub notes: Vec<Note>,
}

/// One kernel with one launch geometry.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct KernelRow {
    /// The function that ran on the GPU.
    pub name: String,
    /// Launches.
    #[ts(type = "number")]
    pub occurrences: i64,
    /// Σ duration.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Mean duration of one launch.
    pub mean_ps: f64,
    /// Shortest launch.
    #[ts(type = "number")]
    pub min_ps: i64,
    /// Longest launch.
    #[ts(type = "number")]
    pub max_ps: i64,
    /// From the begin of the host call that launched it to the begin of the kernel. Of a call that
    /// starts several kernels the first counts. Absent where the calls are not recorded.
    pub latency_mean_ps: Option<f64>,
    /// Half are no longer.
    #[ts(type = "number | null")]
    pub latency_p50_ps: Option<i64>,
    /// 99 of 100 are no longer.
    #[ts(type = "number | null")]
    pub latency_p99_ps: Option<i64>,
    /// The longest wait.
    #[ts(type = "number | null")]
    pub latency_max_ps: Option<i64>,
    /// Registers per thread. Absent if not recorded.
    #[ts(type = "number | null")]
    pub registers: Option<i64>,
    /// Static and dynamic shared memory per block.
    #[ts(type = "number | null")]
    pub shared_bytes: Option<i64>,
    /// Blocks of a launch: x, y, z.
    pub grid: String,
    /// Threads of a block: x, y, z.
    pub block: String,
    /// Theoretical occupancy of the launch: resident warps against what the chip can hold. Absent
    /// if neither.
    pub occupancy: Option<f64>,
    /// One of `recorded`, `derived`, or empty.
    pub occupancy_source: String,
    /// What keeps more blocks from running at once: registers, shared memory, block slots, or the
    /// size of the block.
    pub occupancy_limit: String,
    /// Whether the kernel uses Tensor Cores or MFMA, told by its name; a dash where the name does
    /// not tell. The tooltip has the rule.
    pub matrix_unit: String,
    /// The rule that said yes.
    pub matrix_rule: String,
    /// The HLO op or framework op the kernel ran for.
    pub op: String,
    /// How the kernel was joined with its op: recorded in the profile, or inferred from the
    /// kernel’s name, its neighbours or its order.
    pub attribution: String,
    /// Program, as `module(program id)`; empty if unknown.
    pub program: String,
    /// Program id as a decimal string, where the op is an HLO op; else empty.
    pub program_id: String,
    /// A queue of the device whose work runs in order.
    pub stream: String,
    /// Device names, comma separated.
    pub device: String,
}

/// Kernels of some durations.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct DurationBin {
    /// Shortest of the bin.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Shortest of the next bin; absent for the last.
    #[ts(type = "number | null")]
    pub end_ps: Option<i64>,
    /// Launches.
    #[ts(type = "number")]
    pub occurrences: i64,
    /// Σ duration.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Of all launches, 0..1.
    pub occurrence_ratio: f64,
    /// Of all kernel time, 0..1.
    pub time_ratio: f64,
    /// One of `bad` below 0.1 ms, `warning` below 1 ms, else `good`.
    pub verdict: String,
}

/// Launches of one device.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct LaunchDevice {
    /// Device name.
    pub device: String,
    /// Kernels and copies whose launch call is recorded.
    #[ts(type = "number")]
    pub launched: i64,
    /// Those ÷ all kernels and copies, 0..1.
    pub launched_ratio: f64,
    /// Mean latency.
    pub latency_mean_ps: Option<f64>,
    /// Median latency.
    #[ts(type = "number | null")]
    pub latency_p50_ps: Option<i64>,
    /// 99th percentile.
    #[ts(type = "number | null")]
    pub latency_p99_ps: Option<i64>,
    /// The longest.
    #[ts(type = "number | null")]
    pub latency_max_ps: Option<i64>,
    /// Launched and not finished, in the mean from the first call to the last end.
    pub queue_mean: f64,
    /// The most at once.
    #[ts(type = "number")]
    pub queue_most: i64,
    /// When that was.
    #[ts(type = "number")]
    pub queue_most_at_ps: i64,
    /// The queue over time.
    pub queue: Vec<QueuePoint>,
}

/// A part of the time and the queue in it.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct QueuePoint {
    /// Begin.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// End.
    #[ts(type = "number")]
    pub end_ps: i64,
    /// Launched and not finished, in the mean.
    pub mean: f64,
    /// The most at once.
    #[ts(type = "number")]
    pub most: i64,
}

/// Launch calls of a host in a step.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct LaunchStep {
    /// Number of the step.
    #[ts(type = "number")]
    pub step: i64,
    /// Host name.
    pub host: String,
    /// Begin of the step on the host.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Its end.
    #[ts(type = "number")]
    pub end_ps: i64,
    /// Its duration.
    #[ts(type = "number")]
    pub duration_ps: i64,
    /// Calls that began in it.
    #[ts(type = "number")]
    pub calls: i64,
    /// Time in which the host was in a launch call, on any thread.
    #[ts(type = "number")]
    pub launch_ps: i64,
    /// launch ÷ duration, 0..1.
    pub ratio: f64,
}

/// One stream.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct StreamRow {
    /// Device name.
    pub device: String,
    /// Name as recorded.
    pub stream: String,
    /// Number.
    #[ts(type = "number")]
    pub number: i64,
    /// Its track on the timeline.
    pub track: u32,
    /// Kernels and copies.
    #[ts(type = "number")]
    pub occurrences: i64,
    /// Union of their times.
    #[ts(type = "number")]
    pub busy_ps: i64,
    /// First begin.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Last end.
    #[ts(type = "number")]
    pub end_ps: i64,
    /// Times without work between the first and the last.
    #[ts(type = "number")]
    pub gap_count: i64,
    /// Σ of those.
    #[ts(type = "number")]
    pub gap_ps: i64,
    /// The longest.
    #[ts(type = "number")]
    pub largest_gap_ps: i64,
    /// Where it begins; absent without gaps.
    #[ts(type = "number | null")]
    pub largest_gap_start_ps: Option<i64>,
    /// Busy time beside another busy stream of the device.
    #[ts(type = "number")]
    pub overlap_ps: i64,
    /// overlap ÷ busy, 0..1.
    pub overlap_ratio: f64,
}

/// Matrix units in the kernels of one op.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct MatrixOp {
    /// HLO op.
    pub op: String,
    /// Program, as `module(program id)`.
    pub program: String,
    /// Program id as a decimal string.
    pub program_id: String,
    /// The op is a matrix product, convolution or attention: it could use them.
    pub is_eligible: bool,
    /// Σ duration of its kernels.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Of kernels that use them.
    #[ts(type = "number")]
    pub matrix_ps: i64,
    /// Of kernels that do not.
    #[ts(type = "number")]
    pub plain_ps: i64,
    /// Of kernels whose names do not tell.
    #[ts(type = "number")]
    pub unknown_ps: i64,
    /// matrix ÷ total, 0..1.
    pub matrix_ratio: f64,
}

/// Copies of one direction and kind of host memory.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct TransferRow {
    /// One of `host_to_device`, `device_to_host`, `device_to_device`, `host_to_host`, `memset`, `other`.
    pub direction: String,
    /// One of `pageable`, `pinned`, `managed`, or empty where not recorded.
    pub memory: String,
    /// How many.
    #[ts(type = "number")]
    pub occurrences: i64,
    /// Bytes moved, summed. Absent if not recorded.
    #[ts(type = "number | null")]
    pub bytes: Option<i64>,
    /// Σ duration.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Bytes moved per second of copying. Absent for ops that only start or end a copy.
    pub bandwidth: Option<f64>,
    /// Peak of the link it goes over, per second; absent where unknown.
    pub peak_bandwidth: Option<f64>,
    /// bandwidth ÷ peak.
    pub bandwidth_ratio: Option<f64>,
    /// Where the peak comes from.
    pub peak_source: String,
}

/// Copies of one direction and size.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct TransferSize {
    /// One of `host_to_device`, `device_to_host`, `device_to_device`, `host_to_host`, `memset`, `other`.
    pub direction: String,
    /// Smallest of the bin.
    #[ts(type = "number")]
    pub start_bytes: i64,
    /// Smallest of the next bin; absent for the last.
    #[ts(type = "number | null")]
    pub end_bytes: Option<i64>,
    /// How many.
    #[ts(type = "number")]
    pub occurrences: i64,
    /// Σ bytes.
    #[ts(type = "number")]
    pub bytes: i64,
    /// Σ duration.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// bytes ÷ duration, per second.
    pub bandwidth: Option<f64>,
}
