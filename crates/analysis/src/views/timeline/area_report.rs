//! What is answered about an area of the timeline: statistics, counters, a pivot table, merged stacks.

use serde::Serialize;
use ts_rs::TS;

/// Statistics of an area of the timeline.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct AreaReport {
    /// Start of the area.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// End of the area.
    #[ts(type = "number")]
    pub end_ps: i64,
    /// Number of slices that overlap the area, including partly.
    #[ts(type = "number")]
    pub slice_count: i64,
    /// Rows by the chosen key, most time first.
    pub rows: Vec<AreaRow>,
    /// Number of rows before the limit.
    pub row_count: usize,
    /// Counters among the tracks (bounded).
    pub counters: Vec<AreaCounter>,
    /// Number of counters with a value in the area, before the limit.
    pub counter_count: usize,
}

/// One row of an area's statistics. Totals are clipped to the area; the other durations are of whole
/// slices.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct AreaRow {
    /// Name, class, scope, track, device, program or step, as requested.
    pub key: String,
    /// Color class of the first member.
    pub class: String,
    /// Slices.
    #[ts(type = "number")]
    pub count: i64,
    /// Σ duration within the area.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Σ self time within the area.
    #[ts(type = "number")]
    pub self_ps: i64,
    /// Shortest.
    #[ts(type = "number")]
    pub min_ps: i64,
    /// Median.
    #[ts(type = "number")]
    pub p50_ps: i64,
    /// Mean.
    pub mean_ps: f64,
    /// 95th percentile (nearest rank).
    #[ts(type = "number")]
    pub p95_ps: i64,
    /// Longest.
    #[ts(type = "number")]
    pub max_ps: i64,
    /// Total ÷ length of the area. Exceeds 1 if slices on several tracks overlap.
    pub window_ratio: f64,
}

/// One counter in an area. A sample holds until the next one.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[ts(export)]
pub struct AreaCounter {
    /// Track.
    pub track: u32,
    /// Group and track.
    pub name: String,
    /// Unit, from the counter's name or description; empty if these do not contain one.
    pub unit: String,
    /// Number of samples in the area.
    #[ts(type = "number")]
    pub sample_count: i64,
    /// Value at the start of the area, or the first one in it.
    pub first: f64,
    /// Value at the end of the area.
    pub last: f64,
    /// Smallest value.
    pub min: f64,
    /// Mean over the time in the area for which a value is known.
    pub mean: f64,
    /// Largest value.
    pub max: f64,
}

/// An area in two directions: time and slices by two keys.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct PivotReport {
    /// Start of the area.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// End of the area.
    #[ts(type = "number")]
    pub end_ps: i64,
    /// Keys of the columns, in the order of the session (bounded: those with most time).
    pub columns: Vec<PivotColumn>,
    /// Number of columns before the limit.
    pub column_count: usize,
    /// Rows, most time first (bounded).
    pub rows: Vec<PivotRow>,
    /// Number of rows before the limit.
    pub row_count: usize,
}

/// One column of a pivot table.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct PivotColumn {
    /// Name, class, scope, track, device, program or step, as requested.
    pub key: String,
    /// Slices over all rows.
    #[ts(type = "number")]
    pub count: i64,
    /// Σ duration within the area, over all rows.
    #[ts(type = "number")]
    pub total_ps: i64,
}

/// One row of a pivot table.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct PivotRow {
    /// Name, class, scope, track, device, program or step, as requested.
    pub key: String,
    /// Slices over all columns, also those that were left out.
    #[ts(type = "number")]
    pub count: i64,
    /// Σ duration within the area, over all columns.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// For each column: slices.
    #[ts(type = "number[]")]
    pub counts: Vec<i64>,
    /// For each column: Σ duration within the area.
    #[ts(type = "number[]")]
    pub totals_ps: Vec<i64>,
}

/// The slices of an area, merged by their names and those of the slices around them.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct FlameReport {
    /// Start of the area.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// End of the area.
    #[ts(type = "number")]
    pub end_ps: i64,
    /// Time of all outermost frames, also those left out.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Frames, depth first, most time first (bounded).
    pub frames: Vec<FlameFrameReport>,
    /// Number of frames with time before the limit.
    pub frame_count: usize,
    /// Self time of the frames left out.
    #[ts(type = "number")]
    pub left_out_ps: i64,
    /// Whether there were more different stacks than are told apart: deeper ones then count as self
    /// time of the frame where they begin.
    pub is_cut: bool,
}

/// Slices with the same name and the same names around them.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct FlameFrameReport {
    /// Name of the slices; of the track, for frames without slices around them.
    pub name: String,
    /// Color class; empty for a track.
    pub class: String,
    /// Number of frames around it.
    pub depth: u32,
    /// Slices.
    #[ts(type = "number")]
    pub count: i64,
    /// Σ duration within the area; upside down, the self time of the leaf with these callers.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// The part of it in no frame below.
    #[ts(type = "number")]
    pub self_ps: i64,
}
