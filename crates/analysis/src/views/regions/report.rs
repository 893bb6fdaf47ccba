//! What `regions` answers: host time by annotation and function, and what it launched.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::telling::Note;
use crate::telling::places::SliceRefReport;

/// The answer of the `regions` analysis.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct RegionsReport {
    /// What a row represents: `name`, `thread` or `stack`.
    pub by: String,
    /// One row per region. With `--by thread`, one per region and thread; with `--by stack`, the tree
    /// of nested regions, flattened depth first.
    pub rows: Vec<RegionRow>,
    /// Number of rows before the limit.
    pub row_count: usize,
    /// Threads that ran regions, in the order of the timeline.
    pub threads: Vec<RegionThread>,
    /// Time of threads within regions: Σ over threads, one region within another counted once.
    #[ts(type = "number")]
    pub covered_ps: i64,
    /// Number of slices in the rows.
    #[ts(type = "number")]
    pub slice_count: i64,
    /// Number of steps that figures per step refer to.
    pub step_count: usize,
    /// Share of the device work whose launch was found on a thread with regions, 0..1; null without
    /// device work or regions.
    pub device_ratio: Option<f64>,
    /// Number of names of the runtime on these threads that were left out.
    pub hidden_count: usize,
    /// What was left out, and what the figures do not cover.
    pub notes: Vec<Note>,
}

/// One region, or one stack of regions.
#[derive(Debug, Clone, Default, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct RegionRow {
    /// Annotation of the program without its arguments, Python function, or event of the runtime.
    pub name: String,
    /// Origin of the region: `annotation` (opened by the program), `python` (a call of a Python
    /// function), or `runtime` (opened by the runtime).
    pub kind: String,
    /// File and line of the Python function, or its module.
    pub source: String,
    /// Thread that the region ran on. Empty if it ran on several.
    pub thread: String,
    /// Number of threads that the region ran on.
    pub thread_count: u32,
    /// Number of different names folded into the row.
    pub name_count: u32,
    /// Level of the row in the tree of `--by stack`, 0 for the outermost.
    pub depth: u32,
    /// Number of rows directly below this one in the tree of `--by stack`.
    pub child_count: u32,
    /// Number of occurrences of the region that start in the selection.
    #[ts(type = "number")]
    pub count: i64,
    /// Time within the region. An occurrence nested in another of the same region counts once.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Time within the region and in no other shown region.
    #[ts(type = "number")]
    pub self_ps: i64,
    /// Self time of the region as a share of the time that threads spent within regions.
    pub ratio: f64,
    /// Mean duration of one occurrence of the region.
    pub mean_ps: Option<f64>,
    /// 95th percentile of the duration: 95 % of the occurrences are no longer. With more than 256
    /// occurrences, accurate to within 0.4 %.
    #[ts(type = "number | null")]
    pub p95_ps: Option<i64>,
    /// Occurrences that start within a step ÷ the steps of the hosts on which they do. Null if none
    /// does.
    pub step_count: Option<f64>,
    /// Time of the occurrences that start within a step ÷ the steps of the hosts on which they do.
    /// Null if none does.
    pub step_ps: Option<f64>,
    /// Time of the kernels, copies, and program runs launched within the region, over all devices,
    /// no matter when they ran. Null if launches are unknown.
    #[ts(type = "number | null")]
    pub device_ps: Option<i64>,
    /// The first occurrence. Null if none was selected.
    pub first: Option<RegionPlace>,
    /// The longest occurrence. Null if none was selected.
    pub longest: Option<RegionPlace>,
}

/// One occurrence of a region.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct RegionPlace {
    /// Start of the occurrence, on the session's clock.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Duration of the occurrence.
    #[ts(type = "number")]
    pub duration_ps: i64,
    /// Thread of the occurrence.
    pub thread: String,
    /// Slice of the occurrence on the timeline.
    pub slice: SliceRefReport,
}

/// A thread with regions.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct RegionThread {
    /// Name of the host that the thread runs on.
    pub host: String,
    /// Name of the thread, with its number if the host has several threads of that name.
    pub thread: String,
    /// Number of different regions, or stacks of regions, on the thread.
    pub region_count: usize,
    /// Number of slices on the thread that count as regions.
    #[ts(type = "number")]
    pub slice_count: i64,
    /// Time of the thread within regions. Nested regions count once.
    #[ts(type = "number")]
    pub covered_ps: i64,
    /// Device time launched within the regions of the thread. Null if launches are unknown.
    #[ts(type = "number | null")]
    pub device_ps: Option<i64>,
}
