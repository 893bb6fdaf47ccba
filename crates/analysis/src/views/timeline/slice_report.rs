//! What is answered about the surroundings of a slice: nesting, participants, chains of arrows, and
//! other slices of its name.

use serde::Serialize;
use ts_rs::TS;

use super::report::SearchSlice;
use crate::telling::places::SliceRefReport;

/// The slices around a slice and within it, on its track.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct NestingReport {
    /// The slices around it, outermost first (bounded: the nearest).
    pub ancestors: Vec<AncestorReport>,
    /// Number of slices around it before the limit.
    pub ancestor_count: u32,
    /// The slices within it by name, most time first (bounded).
    pub descendants: Vec<DescendantRow>,
    /// Number of names before the limit.
    pub row_count: usize,
    /// Number of slices within it, at any depth.
    #[ts(type = "number")]
    pub slice_count: i64,
    /// Levels of slices within it.
    pub depth: u32,
}

/// A slice around another one.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct AncestorReport {
    /// Position of the slice.
    pub slice: SliceRefReport,
    /// Name.
    pub name: String,
    /// Color class.
    pub class: String,
    /// Start, since the session started.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Length.
    #[ts(type = "number")]
    pub duration_ps: i64,
}

/// The slices of one name within a slice.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct DescendantRow {
    /// Name.
    pub name: String,
    /// Color class of the first one.
    pub class: String,
    /// Slices.
    #[ts(type = "number")]
    pub count: i64,
    /// Σ duration; slices within one of the same name are not added again.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Σ self time.
    #[ts(type = "number")]
    pub self_ps: i64,
    /// Duration of the longest one.
    #[ts(type = "number")]
    pub max_ps: i64,
    /// Position of the longest one.
    pub longest: SliceRefReport,
    /// Start of the longest one.
    #[ts(type = "number")]
    pub longest_start_ps: i64,
}

/// A collective on all devices that took part, as `collectives` matches them.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct ParticipantsReport {
    /// Whether the slice is part of a collective.
    pub is_collective: bool,
    /// Name of the instruction that starts it, or of the kernel.
    pub name: String,
    /// How data is exchanged, such as `all-reduce`; empty if unknown.
    pub kind: String,
    /// Why the participants are unknown; empty if they are known.
    pub unknown: String,
    /// First to last arrival, on aligned clocks.
    #[ts(type = "number")]
    pub skew_ps: i64,
    /// Last arrival to last end, on aligned clocks.
    #[ts(type = "number")]
    pub transfer_ps: i64,
    /// Largest difference that remains between the clocks of the hosts after aligning them; none on a
    /// single host.
    #[ts(type = "number | null")]
    pub clock_residual_ps: Option<i64>,
    /// Whether the devices of a group were inferred from their order.
    pub is_inferred: bool,
    /// One row per participant, in the order of arrival.
    pub rows: Vec<ParticipantRow>,
}

/// One participant of a collective.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct ParticipantRow {
    /// Device, with its host if there are several.
    pub device: String,
    /// The slice that starts the collective there.
    pub slice: SliceRefReport,
    /// Start, as recorded.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Length of that slice.
    #[ts(type = "number")]
    pub slice_ps: i64,
    /// From the start to the end of the collective.
    #[ts(type = "number")]
    pub duration_ps: i64,
    /// Own arrival − last arrival, on aligned clocks; 0 for the last.
    #[ts(type = "number")]
    pub offset_ps: i64,
    /// Time waited for the last arrival.
    #[ts(type = "number")]
    pub wait_ps: i64,
    /// The rest.
    #[ts(type = "number")]
    pub transfer_ps: i64,
    /// Whether it arrived last.
    pub is_last: bool,
    /// Whether the slice asked for is part of it.
    pub is_this: bool,
}

/// What leads to a slice and what follows from it, along recorded arrows.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct ChainReport {
    /// Slices by hops and start: negative hops lead to the slice, 0 is the slice itself.
    pub slices: Vec<ChainSlice>,
    /// Hops that are followed at most, in each direction.
    pub most_hops: u32,
    /// Slices that are listed at most, in each direction.
    pub most_slices: usize,
    /// Whether arrows beyond these limits were left out before the slice.
    pub is_cut_before: bool,
    /// Whether arrows beyond these limits were left out after it.
    pub is_cut_after: bool,
}

/// A slice of a chain.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct ChainSlice {
    /// Position of the slice.
    pub slice: SliceRefReport,
    /// Name.
    pub name: String,
    /// Color class.
    pub class: String,
    /// Group and track.
    pub track_name: String,
    /// Start, since the session started.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Length.
    #[ts(type = "number")]
    pub duration_ps: i64,
    /// Arrows between it and the slice asked for; negative before it.
    pub hop: i32,
    /// The slice at the other end of its arrow, one hop nearer, by its position in the list; none for
    /// the slice asked for.
    pub toward: Option<u32>,
    /// The slice at which that arrow begins or ends, if it is not the one of `toward` but lies within
    /// it or around it.
    pub through: Option<ChainEnd>,
    /// `launch` or `producer_consumer`; empty for the slice asked for.
    pub kind: String,
}

/// The end of an arrow of a chain.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct ChainEnd {
    /// Position of the slice.
    pub slice: SliceRefReport,
    /// Name.
    pub name: String,
    /// Start, since the session started.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Length.
    #[ts(type = "number")]
    pub duration_ps: i64,
}

/// All slices of one name.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct OccurrencesReport {
    /// Slices with this name, on all tracks.
    #[ts(type = "number")]
    pub slice_count: i64,
    /// Median duration (nearest rank).
    #[ts(type = "number")]
    pub median_ps: i64,
    /// 95th percentile of the durations (nearest rank).
    #[ts(type = "number")]
    pub p95_ps: i64,
    /// How many are shorter than the duration that was asked about.
    #[ts(type = "number")]
    pub shorter_count: i64,
    /// Histogram of all durations; empty without slices.
    pub bars: Vec<OccurrenceBar>,
    /// Position of the first listed slice among all, in time order, from 0.
    #[ts(type = "number")]
    pub first_position: i64,
    /// Slices around the moment that was asked about, in time order (bounded by the limit).
    pub slices: Vec<SearchSlice>,
}

/// A bar of a histogram of durations.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct OccurrenceBar {
    /// Shortest duration.
    pub from_ps: f64,
    /// The bar ends before this duration; the last one with it.
    pub to_ps: f64,
    /// Slices.
    #[ts(type = "number")]
    pub slice_count: i64,
}
