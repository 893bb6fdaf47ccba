//! What `memory` answers: how much memory was in use, when it peaked, and what was alive then.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::telling::Note;
use crate::telling::places::SliceRefReport;

/// The answer of the `memory` analysis.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct MemoryReport {
    /// One row per allocator: devices first, then host memory.
    pub allocators: Vec<AllocatorRow>,
    /// Moment at which `rows` were alive, since the session started. Absent if it is the peak of each
    /// allocator.
    #[ts(type = "number | null")]
    pub at_ps: Option<i64>,
    /// What was alive on each allocator at the moment `at_ps`, or at its peak, over all steps. The
    /// bytes of an allocator's rows sum to the bytes in use then. By allocator, largest first.
    pub rows: Vec<AliveRow>,
    /// Number of rows before the limit.
    pub row_count: usize,
    /// Memory in use over time, one timeline per allocator, in the same order.
    pub timelines: Vec<MemoryTimeline>,
    /// Every step on every allocator.
    pub steps: Vec<StepMemoryRow>,
    /// Memory snapshots of the session, oldest first; `heap` shows what allocated the memory.
    pub snapshots: Vec<MemorySnapshotRow>,
    /// How the figures were obtained and what they do not cover.
    pub notes: Vec<Note>,
}

/// One allocator.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct AllocatorRow {
    /// Name of the allocator as recorded, such as `GPU_0_bfc`. Number of the device if the
    /// allocator has no name.
    pub allocator: String,
    /// Name of the host that the allocator runs on.
    pub host: String,
    /// Device whose memory the allocator hands out. Empty for host memory.
    pub device: String,
    /// Largest number of bytes in use in the window: handed out + set aside for programs.
    #[ts(type = "number")]
    pub peak_bytes: i64,
    /// Part of `peak_bytes` that was set aside for programs (the stack of a TPU).
    #[ts(type = "number")]
    pub peak_reserved_bytes: i64,
    /// Time of the memory peak, since the session started.
    #[ts(type = "number")]
    pub peak_ps: i64,
    /// Step in which the memory peak occurred. Absent if it occurred between steps.
    #[ts(type = "number | null")]
    pub peak_step: Option<i64>,
    /// The event at the memory peak, on the timeline.
    pub peak_slice: SliceRefReport,
    /// Largest number of bytes handed out since the process started, as the allocator itself counts
    /// them. Excludes bytes set aside for programs.
    #[ts(type = "number")]
    pub recorded_peak_bytes: i64,
    /// Total bytes that the allocator manages: the largest sum of bytes in use and free bytes in
    /// the window.
    #[ts(type = "number")]
    pub capacity_bytes: i64,
    /// Share of the capacity in use at the peak, 0..1: the larger of the peak in the window and the
    /// recorded peak ÷ capacity. Absent without a capacity.
    pub peak_ratio: Option<f64>,
    /// Capacity − peak, where the peak is the larger of the peak in the window and the recorded
    /// peak.
    #[ts(type = "number")]
    pub headroom_bytes: i64,
    /// Bytes in use (handed out + set aside for programs) at the end of the window.
    #[ts(type = "number")]
    pub last_bytes: i64,
    /// Fragmentation of the free bytes at the peak, 0..1, as the allocator computes it.
    pub fragmentation_ratio: f64,
    /// Largest fragmentation of the free bytes in the window, 0..1, as the allocator computes it.
    pub largest_fragmentation_ratio: f64,
    /// Number of allocations in the window.
    #[ts(type = "number")]
    pub allocations: i64,
    /// Number of deallocations in the window.
    #[ts(type = "number")]
    pub deallocations: i64,
    /// Σ bytes that the allocator handed out in the window.
    #[ts(type = "number")]
    pub allocated_bytes: i64,
    /// Share of the bytes handed out in the window that no caller requested, because blocks are
    /// rounded up. Absent if no requested sizes were recorded.
    pub rounding_ratio: Option<f64>,
    /// Number of allocations of at most 4 KiB in the window.
    #[ts(type = "number")]
    pub small_allocations: i64,
    /// Growth per step of the lowest bytes in use in a step: the median of the slopes between all
    /// pairs of steps. Absent with fewer than five steps.
    pub growth_bytes_per_step: Option<f64>,
    /// Confidence that the lowest bytes in use per step have a trend, 0..1 (Mann–Kendall test).
    /// Absent with fewer than five steps.
    pub growth_confidence_ratio: Option<f64>,
    /// Whether the lowest bytes in use per step rise: with a confidence of at least 0.95, by more
    /// than 0.5 % of their median over all steps, and still in the second half of the steps.
    pub is_growing: bool,
    /// Number of steps whose memory peak is an upward outlier by the rule of `steps`.
    pub spike_count: usize,
}

/// Allocations that were alive at the peak of an allocator, or at the requested moment, for one
/// purpose, of one size, and from one caller.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct AliveRow {
    /// Name of the allocator that holds the bytes.
    pub allocator: String,
    /// Name of the host that the allocator runs on.
    pub host: String,
    /// One of `allocation`, `before_window` (in use when the recording started), `reserved` (set
    /// aside for programs), or `unexplained` (negative: freed without a record).
    pub kind: String,
    /// Framework op that made the allocation, as recorded. Empty if unknown.
    pub op: String,
    /// Innermost recorded call on the thread that made the allocation.
    pub caller: String,
    /// Python line that made the allocation. Requires the Python tracer.
    pub source: String,
    /// Region of the allocations as recorded, such as `dynamic`, `persist`, or `output`.
    pub region: String,
    /// Element type of the allocated data.
    pub data_type: String,
    /// Shape of the allocated data, as recorded.
    pub shape: String,
    /// Number of allocations of the same size, for the same purpose, and from the same caller.
    #[ts(type = "number")]
    pub count: i64,
    /// Bytes that were live at the peak of the allocator, or at the requested moment. The rows of an
    /// allocator sum to the bytes in use then.
    #[ts(type = "number")]
    pub bytes: i64,
    /// Share of the bytes in use on the allocator at that moment.
    pub ratio: f64,
    /// Time at which the first of the allocations was made. Absent if before the window.
    #[ts(type = "number | null")]
    pub allocated_ps: Option<i64>,
    /// Step in which the first of the allocations was made. Absent if before the window or between
    /// steps.
    #[ts(type = "number | null")]
    pub allocated_step: Option<i64>,
    /// The first of the allocations, on the timeline.
    pub slice: Option<SliceRefReport>,
    /// Time at which the last of the allocations was freed. Absent if one of them outlives the
    /// recording.
    #[ts(type = "number | null")]
    pub freed_ps: Option<i64>,
}

/// What one allocator had in use over time: each point holds from its time until the next one.
/// Reduced to about a thousand points, keeping the lowest and highest of each interval.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct MemoryTimeline {
    /// Name of the allocator.
    pub allocator: String,
    /// Name of the host.
    pub host: String,
    /// Times of the points since the session started, ascending.
    #[ts(type = "number[]")]
    pub times_ps: Vec<i64>,
    /// Bytes handed out.
    #[ts(type = "number[]")]
    pub in_use_bytes: Vec<i64>,
    /// Bytes set aside for programs.
    #[ts(type = "number[]")]
    pub reserved_bytes: Vec<i64>,
    /// Fragmentation of the free bytes, 0..1.
    pub fragmentation_ratios: Vec<f64>,
    /// Number of events that the points represent.
    #[ts(type = "number")]
    pub event_count: i64,
}

/// One step on one allocator.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct StepMemoryRow {
    /// Name of the allocator that was measured.
    pub allocator: String,
    /// Name of the host that the allocator runs on.
    pub host: String,
    /// Step number as recorded.
    #[ts(type = "number")]
    pub step: i64,
    /// Start of the step, since the session started.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Duration of the step.
    #[ts(type = "number")]
    pub duration_ps: i64,
    /// Largest number of bytes in use during the step: handed out + set aside for programs.
    #[ts(type = "number")]
    pub peak_bytes: i64,
    /// Smallest number of bytes in use during the step: handed out + set aside for programs.
    #[ts(type = "number")]
    pub lowest_bytes: i64,
    /// Number of allocations during the step.
    #[ts(type = "number")]
    pub allocations: i64,
    /// Whether the memory peak of the step is an upward outlier by the rule of `steps`.
    pub is_spike: bool,
}

/// One memory snapshot.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct MemorySnapshotRow {
    /// Name of the memory snapshot.
    pub snapshot: String,
    /// Device that holds the bytes. Empty if they belong to no device, such as those of programs.
    pub device: String,
    /// Number of allocations that were live at the snapshot.
    #[ts(type = "number")]
    pub allocations: i64,
    /// Bytes that were live at the snapshot.
    #[ts(type = "number")]
    pub bytes: i64,
}
