//! What `kernels` answers: GPU kernels, their launches, streams, and copies.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::telling::Note;
use crate::telling::attribution::AttributionShare;

/// The answer of the `kernels` analysis.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct KernelsReport {
    /// One row per kernel and launch geometry, largest total first unless sorted otherwise.
    pub rows: Vec<KernelRow>,
    /// Number of rows before the limit.
    pub row_count: usize,
    /// Σ kernel durations over all selected rows before the limit.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Kernels by duration.
    pub durations: Vec<DurationBin>,
    /// Share of kernel launches shorter than 0.1 ms, 0..1. Absent without kernels.
    pub tiny_ratio: Option<f64>,
    /// Share of kernel time in launches shorter than 0.1 ms, 0..1.
    pub tiny_time_ratio: Option<f64>,
    /// Launches and queue of each device.
    pub launches: Vec<LaunchDevice>,
    /// Host time in launch calls, by step and host.
    pub steps: Vec<LaunchStep>,
    /// Streams of each device.
    pub streams: Vec<StreamRow>,
    /// Matrix unit use by op: ops that are matrix products or use matrix units.
    pub matrix_ops: Vec<MatrixOp>,
    /// Share of kernel time in kernels that use Tensor Cores or MFMA, identified by their names, 0..1;
    /// absent without kernels.
    pub matrix_ratio: Option<f64>,
    /// Copies and memsets, by direction and kind of host memory.
    pub transfers: Vec<TransferRow>,
    /// Copies by size.
    pub transfer_sizes: Vec<TransferSize>,
    /// Share of kernel time that is attributed to an HLO op, 0..1. Absent without kernels.
    pub attributed_ratio: Option<f64>,
    /// That share by how the op was found, most certain first, and the rest.
    pub attribution: Vec<AttributionShare>,
    /// What the figures do not cover, such as that the profile has no GPU.
    pub notes: Vec<Note>,
}

/// One kernel with one launch geometry.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct KernelRow {
    /// Name of the function that ran on the GPU, as recorded.
    pub name: String,
    /// Name of the function as C++ writes it. Empty if the recorded name is not mangled.
    pub demangled: String,
    /// Number of launches of the kernel.
    #[ts(type = "number")]
    pub occurrences: i64,
    /// Σ duration of the kernel's launches.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Mean duration of one launch of the kernel.
    pub mean_ps: f64,
    /// Duration of the kernel's shortest launch.
    #[ts(type = "number")]
    pub min_ps: i64,
    /// Duration of the kernel's longest launch.
    #[ts(type = "number")]
    pub max_ps: i64,
    /// Mean time from the start of the host call that launched the kernel to the start of the
    /// kernel. If a call starts several kernels, only the first counts. Absent if the calls are not
    /// recorded.
    pub latency_mean_ps: Option<f64>,
    /// Median launch latency: half of the launches wait no longer.
    #[ts(type = "number | null")]
    pub latency_p50_ps: Option<i64>,
    /// 99th percentile (p99) of the launch latency: 99 of 100 launches wait no longer.
    #[ts(type = "number | null")]
    pub latency_p99_ps: Option<i64>,
    /// Longest launch latency of the kernel.
    #[ts(type = "number | null")]
    pub latency_max_ps: Option<i64>,
    /// Registers per thread. Absent if not recorded.
    #[ts(type = "number | null")]
    pub registers: Option<i64>,
    /// Static and dynamic shared memory per block.
    #[ts(type = "number | null")]
    pub shared_bytes: Option<i64>,
    /// Blocks per launch: x, y, z.
    pub grid: String,
    /// Threads per block: x, y, z.
    pub block: String,
    /// Theoretical occupancy of the launch, recorded or derived: resident warps ÷ warps the chip
    /// can hold. Absent if neither.
    pub occupancy: Option<f64>,
    /// Where the occupancy comes from: one of `recorded`, `derived`, or empty.
    pub occupancy_source: String,
    /// What keeps more blocks from running at once: `registers`, `shared memory`, `block slots` or
    /// `block size`.
    pub occupancy_limit: String,
    /// Whether the kernel uses Tensor Cores or MFMA, inferred from its name: `yes`, `no` or
    /// `unknown` (shown as a dash).
    pub matrix_unit: String,
    /// Naming rule that identifies the kernel as one that uses matrix units.
    pub matrix_rule: String,
    /// HLO op or framework op that the kernel ran for.
    pub op: String,
    /// How the op of the kernel was found: recorded in the profile, or inferred from the kernel's
    /// name, its neighbors or its order.
    pub attribution: String,
    /// Program of the kernel, as `module(program id)`. Empty if unknown.
    pub program: String,
    /// Id of the program as a decimal string if the kernel's op is an HLO op. Empty otherwise.
    pub program_id: String,
    /// Numbers of the streams the kernel ran on, comma separated. A stream is a queue of the device
    /// whose work runs in order.
    pub stream: String,
    /// Names of the devices the kernel ran on, comma separated.
    pub device: String,
}

/// Kernels whose duration is in one range.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct DurationBin {
    /// Shortest duration of the bin.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Shortest duration of the next bin. Absent for the last bin.
    #[ts(type = "number | null")]
    pub end_ps: Option<i64>,
    /// Number of kernel launches whose duration falls into the bin.
    #[ts(type = "number")]
    pub occurrences: i64,
    /// Σ duration of the kernels in the bin.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Share of all kernel launches whose duration falls into the bin, 0..1.
    pub occurrence_ratio: f64,
    /// Share of all kernel time in kernels of the bin, 0..1.
    pub time_ratio: f64,
    /// Rating of the bin: one of `bad` below 0.1 ms, `warning` below 1 ms, `good` otherwise.
    pub verdict: String,
}

/// Launches of one device.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct LaunchDevice {
    /// Name of the device.
    pub device: String,
    /// Number of kernels and copies on the device whose launch call is recorded.
    #[ts(type = "number")]
    pub launched: i64,
    /// Kernels and copies whose launch call is recorded ÷ all kernels and copies on the device,
    /// 0..1.
    pub launched_ratio: f64,
    /// Mean launch latency on the device, from the start of the launch call to the start of the
    /// kernel or copy.
    pub latency_mean_ps: Option<f64>,
    /// Median launch latency on the device.
    #[ts(type = "number | null")]
    pub latency_p50_ps: Option<i64>,
    /// 99th percentile (p99) of the launch latency on the device.
    #[ts(type = "number | null")]
    pub latency_p99_ps: Option<i64>,
    /// Longest launch latency on the device.
    #[ts(type = "number | null")]
    pub latency_max_ps: Option<i64>,
    /// Mean number of kernels and copies launched but not finished, from the first launch call to
    /// the last end.
    pub queue_mean: f64,
    /// Largest number of kernels and copies launched but not finished at the same time.
    #[ts(type = "number")]
    pub queue_most: i64,
    /// Time at which the launch queue of the device was longest.
    #[ts(type = "number")]
    pub queue_most_at_ps: i64,
    /// The queue over time.
    pub queue: Vec<QueuePoint>,
}

/// The queue during one time interval.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct QueuePoint {
    /// Start of the interval.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// End of the interval.
    #[ts(type = "number")]
    pub end_ps: i64,
    /// Mean number of kernels and copies launched but not finished.
    pub mean: f64,
    /// Largest number of kernels and copies launched but not finished at the same time.
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
    /// Name of the host.
    pub host: String,
    /// Start of the step on the host.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// End of the step on the host.
    #[ts(type = "number")]
    pub end_ps: i64,
    /// Duration of the step on the host: of its annotation, or else the mean over the devices of the host.
    #[ts(type = "number")]
    pub duration_ps: i64,
    /// Number of launch calls that started in the step; without an annotation, the mean over devices.
    #[ts(type = "number")]
    pub calls: i64,
    /// Time in the step during which the host was in a launch call, on any thread; without an annotation,
    /// the mean over devices.
    #[ts(type = "number")]
    pub launch_ps: i64,
    /// Time in launch calls ÷ duration of the step, 0..1.
    pub ratio: f64,
}

/// One stream.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct StreamRow {
    /// Name of the device.
    pub device: String,
    /// Name of the stream, as recorded.
    pub stream: String,
    /// Number of the stream.
    #[ts(type = "number")]
    pub number: i64,
    /// Track of the stream on the timeline.
    pub track: u32,
    /// Number of kernels and copies on the stream.
    #[ts(type = "number")]
    pub occurrences: i64,
    /// Time in which the stream ran kernels or copies, overlapping ones counted once.
    #[ts(type = "number")]
    pub busy_ps: i64,
    /// Start of the first kernel or copy on the stream.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// End of the last kernel or copy on the stream.
    #[ts(type = "number")]
    pub end_ps: i64,
    /// Number of gaps without work between the first and the last work on the stream.
    #[ts(type = "number")]
    pub gap_count: i64,
    /// Σ gaps without work between the first and the last work on the stream.
    #[ts(type = "number")]
    pub gap_ps: i64,
    /// Longest gap without work on the stream.
    #[ts(type = "number")]
    pub largest_gap_ps: i64,
    /// Start of the longest gap on the stream. Absent without gaps.
    #[ts(type = "number | null")]
    pub largest_gap_start_ps: Option<i64>,
    /// Busy time of the stream during which another stream of the device is busy too.
    #[ts(type = "number")]
    pub overlap_ps: i64,
    /// Overlap with other streams of the device ÷ busy time of the stream, 0..1.
    pub overlap_ratio: f64,
}

/// Matrix unit use in the kernels of one op.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct MatrixOp {
    /// Name of the HLO op.
    pub op: String,
    /// Program of the op, as `module(program id)`.
    pub program: String,
    /// Program id as a decimal string.
    pub program_id: String,
    /// Whether the op is a matrix product, convolution or attention, so that it could use matrix
    /// units.
    pub is_eligible: bool,
    /// Σ duration of the op's kernels.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Time of the op's kernels that use matrix units.
    #[ts(type = "number")]
    pub matrix_ps: i64,
    /// Time of the op's kernels that do not use matrix units.
    #[ts(type = "number")]
    pub plain_ps: i64,
    /// Time of the op's kernels whose names do not show whether they use matrix units.
    #[ts(type = "number")]
    pub unknown_ps: i64,
    /// Time on matrix units ÷ total kernel time of the op, 0..1.
    pub matrix_ratio: f64,
}

/// Copies in one direction, with one kind of host memory.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct TransferRow {
    /// Direction of the copies: one of `host_to_device`, `device_to_host`, `device_to_device`,
    /// `host_to_host`, `memset`, `unknown`.
    pub direction: String,
    /// Kind of host memory used: one of `pageable`, `pinned`, `managed`, or empty if not recorded.
    pub memory: String,
    /// Number of copies or memsets. A copy that one op starts and another ends counts once.
    #[ts(type = "number")]
    pub occurrences: i64,
    /// Total bytes moved by the copies. Absent if not recorded.
    #[ts(type = "number | null")]
    pub bytes: Option<i64>,
    /// Σ duration of the copies or memsets.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Bytes moved per second of copying. Absent for ops that only start or end a copy.
    pub bandwidth: Option<f64>,
    /// Peak bandwidth of the link that the copies use, per second. Absent if unknown.
    pub peak_bandwidth: Option<f64>,
    /// Bandwidth of the copies ÷ peak bandwidth of the link.
    pub bandwidth_ratio: Option<f64>,
    /// Source of the peak bandwidth of the link.
    pub peak_source: String,
}

/// Copies in one direction and size range.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct TransferSize {
    /// Direction of the copies: one of `host_to_device`, `device_to_host`, `device_to_device`,
    /// `host_to_host`, `memset`, `unknown`.
    pub direction: String,
    /// Smallest copy size of the bin.
    #[ts(type = "number")]
    pub start_bytes: i64,
    /// Smallest copy size of the next bin. Absent for the last bin.
    #[ts(type = "number | null")]
    pub end_bytes: Option<i64>,
    /// Number of copies in the bin.
    #[ts(type = "number")]
    pub occurrences: i64,
    /// Σ bytes of the copies in the bin.
    #[ts(type = "number")]
    pub bytes: i64,
    /// Σ duration of the copies in the bin.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Bytes ÷ duration of the copies in the bin, per second.
    pub bandwidth: Option<f64>,
}
