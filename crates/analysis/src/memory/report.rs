//! What `memory` answers: how much memory was in use, when it was most, and who held it then.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::note::Note;
use crate::timeline::SliceRefReport;

/// The answer of the `memory` analysis.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct MemoryReport {
    /// One row per allocator: devices first, then memory of the host.
    pub allocators: Vec<AllocatorRow>,
    /// Who was alive at the peak of each allocator, over all steps; the bytes of an allocator's rows
    /// sum to its peak. By allocator, largest first.
    pub rows: Vec<AliveRow>,
    /// Rows before the limit.
    pub row_count: usize,
    /// What was in use over time, one per allocator and in their order.
    pub timelines: Vec<MemoryTimeline>,
    /// Every step on every allocator.
    pub steps: Vec<StepMemoryRow>,
    /// Memory snapshots of the session, oldest first; `heap` says who allocated.
    pub snapshots: Vec<MemorySnapshotRow>,
    /// How the figures were obtained and what they do not cover.
    pub notes: Vec<Note>,
}

/// One allocator.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct AllocatorRow {
    /// Name as recorded, such as `GPU_0_bfc`; the device's number where it has none.
    pub allocator: String,
    /// Host name.
    pub host: String,
    /// Device whose memory it hands out; empty for memory of the host.
    pub device: String,
    /// Most bytes taken (handed out + set aside for programs) in the window.
    #[ts(type = "number")]
    pub peak_bytes: i64,
    /// Part of `peak_bytes` that was set aside for programs (the stack of a TPU).
    #[ts(type = "number")]
    pub peak_reserved_bytes: i64,
    /// When that was, since the session began.
    #[ts(type = "number")]
    pub peak_ps: i64,
    /// Step in which it was; absent between steps.
    #[ts(type = "number | null")]
    pub peak_step: Option<i64>,
    /// The event, in the timeline.
    pub peak_slice: SliceRefReport,
    /// Largest bytes handed out since the process began, as the allocator itself counts them; what
    /// is set aside for programs is not in it.
    #[ts(type = "number")]
    pub recorded_peak_bytes: i64,
    /// Bytes the allocator has to give: the largest taken + free.
    #[ts(type = "number")]
    pub capacity_bytes: i64,
    /// The larger of both peaks ÷ capacity, 0..1; absent without a capacity.
    pub peak_ratio: Option<f64>,
    /// Capacity − the larger of both peaks.
    #[ts(type = "number")]
    pub headroom_bytes: i64,
    /// Bytes taken when the window ends.
    #[ts(type = "number")]
    pub last_bytes: i64,
    /// How scattered the free bytes were at the peak, 0..1, as the allocator computes it.
    pub fragmentation_ratio: f64,
    /// The largest of it in the window.
    pub largest_fragmentation_ratio: f64,
    /// Allocations in the window.
    #[ts(type = "number")]
    pub allocations: i64,
    /// Deallocations in the window.
    #[ts(type = "number")]
    pub deallocations: i64,
    /// Σ bytes handed out in the window.
    #[ts(type = "number")]
    pub allocated_bytes: i64,
    /// Share of those bytes that nobody asked for: blocks are rounded up.
    pub rounding_ratio: Option<f64>,
    /// Allocations of at most 4 KiB.
    #[ts(type = "number")]
    pub small_allocations: i64,
    /// How much more is in use at the low point of each step than at that of the step before: the
    /// median of the slopes between all pairs of steps. Absent with fewer than five steps.
    pub growth_bytes_per_step: Option<f64>,
    /// How sure it is that there is a trend, 0..1 (Mann and Kendall's test).
    pub growth_confidence_ratio: Option<f64>,
    /// The low points rise, surely, and still do so in the second half of the steps.
    pub is_growing: bool,
    /// Steps whose peak stands out by the outlier rule of `steps`.
    pub spike_count: usize,
}

/// Something that was alive at the peak of an allocator: allocations for one purpose, of one size
/// and from one caller.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct AliveRow {
    /// Allocator.
    pub allocator: String,
    /// Host name.
    pub host: String,
    /// One of `allocation`, `before_window` (in use when the recording began), `reserved` (set aside for
    /// programs), or `unexplained` (negative: freed without a record).
    pub kind: String,
    /// Framework op as recorded; empty if unknown.
    pub op: String,
    /// The innermost recorded call of the thread that allocated.
    pub caller: String,
    /// The Python line that allocated, with the Python tracer on.
    pub source: String,
    /// As recorded.
    pub region: String,
    /// Element type.
    pub data_type: String,
    /// As recorded.
    pub shape: String,
    /// Allocations of one size, for one purpose and from one caller.
    #[ts(type = "number")]
    pub count: i64,
    /// Bytes that were alive at the peak; the rows sum to it.
    #[ts(type = "number")]
    pub bytes: i64,
    /// Its share.
    pub ratio: f64,
    /// When the first of them was allocated. Absent if before the window.
    #[ts(type = "number | null")]
    pub allocated_ps: Option<i64>,
    /// The step in which that was.
    #[ts(type = "number | null")]
    pub allocated_step: Option<i64>,
    /// The first allocation, in the timeline.
    pub slice: Option<SliceRefReport>,
    /// When the last of them was freed; nothing where one outlives the recording.
    #[ts(type = "number | null")]
    pub freed_ps: Option<i64>,
}

/// What one allocator had in use over time: at each time what was taken from then on. Cut to about a
/// thousand points that keep the lowest and the highest of each stretch.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct MemoryTimeline {
    /// Allocator.
    pub allocator: String,
    /// Host name.
    pub host: String,
    /// Times since the session began, ascending.
    #[ts(type = "number[]")]
    pub times_ps: Vec<i64>,
    /// Bytes handed out.
    #[ts(type = "number[]")]
    pub in_use_bytes: Vec<i64>,
    /// Bytes set aside for programs.
    #[ts(type = "number[]")]
    pub reserved_bytes: Vec<i64>,
    /// How scattered the free bytes were, 0..1.
    pub fragmentation_ratios: Vec<f64>,
    /// Events that the points stand for.
    #[ts(type = "number")]
    pub event_count: i64,
}

/// One step on one allocator.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct StepMemoryRow {
    /// Allocator.
    pub allocator: String,
    /// Host name.
    pub host: String,
    /// Step number as recorded.
    #[ts(type = "number")]
    pub step: i64,
    /// Start since the session began.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Length.
    #[ts(type = "number")]
    pub duration_ps: i64,
    /// Most bytes taken.
    #[ts(type = "number")]
    pub peak_bytes: i64,
    /// Fewest bytes taken.
    #[ts(type = "number")]
    pub lowest_bytes: i64,
    /// Allocations.
    #[ts(type = "number")]
    pub allocations: i64,
    /// The peak stands out, upwards, by the outlier rule of `steps`.
    pub is_spike: bool,
}

/// One memory snapshot.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct MemorySnapshotRow {
    /// Name.
    pub snapshot: String,
    /// Device; empty for what belongs to none, such as programs.
    pub device: String,
    /// Allocations alive.
    #[ts(type = "number")]
    pub allocations: i64,
    /// Bytes alive.
    #[ts(type = "number")]
    pub bytes: i64,
}
