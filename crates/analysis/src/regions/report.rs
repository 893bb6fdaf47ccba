//! What `regions` answers: host time by annotation and function, and what it launched.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::note::Note;
use crate::timeline::SliceRefReport;

/// The answer of the `regions` analysis.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct RegionsReport {
    /// `name`, `thread` or `stack`: what a row is.
    pub by: String,
    /// One row per region; by thread, per region and thread; by stack, the tree of regions within
    /// regions, flattened depth first.
    pub rows: Vec<RegionRow>,
    /// Rows before the limit.
    pub row_count: usize,
    /// Threads that ran regions, in the order of the timeline.
    pub threads: Vec<RegionThread>,
    /// Time of threads within regions: Σ over threads, one region within another counted once.
    #[ts(type = "number")]
    pub covered_ps: i64,
    /// Slices that the rows are made of.
    #[ts(type = "number")]
    pub slice_count: i64,
    /// Steps that figures per step refer to.
    pub step_count: usize,
    /// Share of the device work whose launch was found on a thread with regions, 0..1; null without
    /// device work.
    pub device_ratio: Option<f64>,
    /// Names of the runtime on these threads that were left out.
    pub hidden_count: usize,
    /// What was left out and what the figures do not cover.
    pub notes: Vec<Note>,
}

/// One region, or one stack of regions.
#[derive(Debug, Clone, Default, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct RegionRow {
    /// An annotation of the program without its arguments, a function of Python, or an event of the
    /// runtime.
    pub name: String,
    /// Who opened the region: the program by an annotation, Python by a call, or the runtime.
    pub kind: String,
    /// File and line of the function, or its module.
    pub source: String,
    /// The thread, where there is one only.
    pub thread: String,
    /// Threads it ran on.
    pub thread_count: u32,
    /// Different names that were folded into the row.
    pub name_count: u32,
    /// By stack: level, 0 for the outermost.
    pub depth: u32,
    /// By stack: rows directly below.
    pub child_count: u32,
    /// Times the region began in the selection.
    #[ts(type = "number")]
    pub count: i64,
    /// Time within the region. An occurrence within another of the same region counts once.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Time within the region and in no other region that is shown.
    #[ts(type = "number")]
    pub self_ps: i64,
    /// Share of the time that threads spent within regions.
    pub ratio: f64,
    /// Mean duration of an occurrence.
    pub mean_ps: Option<f64>,
    /// 95 % of the occurrences are no longer. Of more than 256 to within 0.4 %.
    #[ts(type = "number | null")]
    pub p95_ps: Option<i64>,
    /// Occurrences that begin within a step, per step of the hosts they do so on. Null where none
    /// does.
    pub step_count: Option<f64>,
    /// Time of the occurrences that begin within a step, per step of the hosts they do so on.
    pub step_ps: Option<f64>,
    /// Time of the kernels, copies and program runs that were launched within the region, over all
    /// devices, whenever they ran. Empty where launches are not known.
    #[ts(type = "number | null")]
    pub device_ps: Option<i64>,
    /// The first occurrence; null where none was selected.
    pub first: Option<RegionPlace>,
    /// The longest occurrence.
    pub longest: Option<RegionPlace>,
}

/// One occurrence of a region.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct RegionPlace {
    /// Its begin, on the session's clock.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Its duration.
    #[ts(type = "number")]
    pub duration_ps: i64,
    /// Its thread.
    pub thread: String,
    /// Its slice on the timeline.
    pub slice: SliceRefReport,
}

/// A thread with regions.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct RegionThread {
    /// Host.
    pub host: String,
    /// Name, with its number where the host has several of the name.
    pub thread: String,
    /// Regions, or stacks, that occur.
    pub region_count: usize,
    /// Slices that count.
    #[ts(type = "number")]
    pub slice_count: i64,
    /// Time within regions, one within another counted once.
    #[ts(type = "number")]
    pub covered_ps: i64,
    /// Device time launched within regions; null where launches are unknown.
    #[ts(type = "number | null")]
    pub device_ps: Option<i64>,
}
