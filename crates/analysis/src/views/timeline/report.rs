//! What `timeline` answers as a report: the tracks and their contents. Slices themselves are sent as
//! tiles (`docs/internals/wire.md`).

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::telling::places::SliceRefReport;

use crate::telling::Note;

/// The structure of the timeline: groups of tracks in display order.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct TimelineReport {
    /// Time 0 of the session, in nanoseconds since the Unix epoch; a string because of its size.
    /// Absent in captures that do not record it.
    pub start_epoch_ns: Option<String>,
    /// Start of the first slice, since the session started.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// End of the last slice.
    #[ts(type = "number")]
    pub end_ps: i64,
    /// Number of slices in the selection.
    #[ts(type = "number")]
    pub slice_count: i64,
    /// Groups (one per device and host) in display order.
    pub groups: Vec<TrackGroup>,
    /// Steps for the minimap and the step ruler: for each host, as annotated, then on each of its
    /// devices.
    pub steps: Vec<TimelineStep>,
    /// What was adjusted: overlapping slices in separate lanes, events recorded only as sums.
    pub notes: Vec<Note>,
    /// The tracks as rows of a table, sorted and limited as requested; `groups` has all of them.
    #[serde(skip)]
    pub rows: Vec<TimelineRow>,
}

/// One track as a row of a table.
#[derive(Debug, Clone, DocumentedFields)]
pub struct TimelineRow {
    /// Number that identifies the track in tile requests.
    pub track: u32,
    /// Group that the track belongs to, such as a device or the threads of a host.
    pub group: String,
    /// Name of the track, such as `XLA Ops` or `python`.
    pub name: String,
    /// What the track shows: `steps`, `programs`, `ops`, `async_ops`, `stream`, `kernel_regions`,
    /// `derived`, `counter`, `python`, `host_thread`, or `other`.
    pub role: String,
    /// Number of slices on the track, or of samples for a counter.
    pub slice_count: i64,
    /// Number of lanes that the track needs, as overlapping slices are drawn below each other.
    pub lanes: u32,
    /// Largest sample of a counter track. Absent for other tracks.
    pub counter_max: Option<f64>,
}

/// Tracks of one device or host.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct TrackGroup {
    /// Name such as `host-0 / TPU:0` or `host-0 / threads`; without the host if there is only one.
    pub name: String,
    /// `device` or `host`.
    pub kind: String,
    /// Device index in the session, for devices.
    pub device_index: Option<u32>,
    /// Tracks in display order.
    pub tracks: Vec<TrackReport>,
}

/// One track.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct TrackReport {
    /// Number that identifies the track in tile requests.
    pub track: u32,
    /// Name, such as `XLA Ops` or `python`.
    pub name: String,
    /// `steps`, `programs`, `ops`, `async_ops`, `stream`, `kernel_regions`, `derived`, `counter`,
    /// `python`, `host_thread`, `other`.
    pub role: String,
    /// Number of lanes over all nests; 1 for counters.
    pub lanes: u32,
    /// Whether the track is initially folded to one lane, as host threads are.
    pub folded: bool,
    /// Number of slices or samples.
    #[ts(type = "number")]
    pub slice_count: i64,
    /// Smallest sample, for counters.
    pub counter_min: Option<f64>,
    /// Largest sample, for counters.
    pub counter_max: Option<f64>,
    /// Unit of the samples, for counters, if the counter's name or description contains one;
    /// otherwise empty.
    pub counter_unit: String,
}

/// A step on the ruler, on one host or device.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct TimelineStep {
    /// Step number.
    #[ts(type = "number")]
    pub step: i64,
    /// Host name.
    pub host: String,
    /// Device name; empty for the span that the host annotated.
    pub device: String,
    /// Start.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Length.
    #[ts(type = "number")]
    pub duration_ps: i64,
}

/// Everything known about one slice.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct SliceDetails {
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
    /// Self time: duration without nested slices.
    #[ts(type = "number")]
    pub self_ps: i64,
    /// Color class.
    pub class: String,
    /// Group and track names.
    pub track_name: String,
    /// Step it belongs to, when known.
    #[ts(type = "number | null")]
    pub step: Option<i64>,
    /// Program, as `module(program id)`.
    pub program: Option<String>,
    /// HLO op name.
    pub op: Option<String>,
    /// How the op was found: `recorded`, `exact_name`, `between_anchors` or `by_order`. Absent if no
    /// op is known.
    pub attribution: Option<String>,
    /// HLO category.
    pub category: Option<String>,
    /// Where the category comes from: `recorded`, `hlo`, or `inferred` from the op's name.
    pub category_source: Option<String>,
    /// HLO text of the op.
    pub expression: Option<String>,
    /// JAX name stack.
    pub scope: Option<String>,
    /// Paths that a combined op serves, one for each op that XLA merged. Empty for other ops.
    pub scope_paths: Vec<String>,
    /// Source line, as `file:line`.
    pub source: Option<String>,
    /// Frames `file:line:column function`, leaf first.
    pub source_stack: Vec<String>,
    /// Flops per execution.
    pub flops: Option<f64>,
    /// Bytes per execution.
    pub bytes: Option<f64>,
    /// Source of the FLOPs and bytes: `recorded`, `hlo`, `shapes` or `estimate`.
    pub cost_source: Option<String>,
    /// Recorded stats, name and value, in file order: those of the event, then those of its metadata.
    pub stats: Vec<StatReport>,
    /// Arrows in and out.
    pub flows: Vec<FlowReport>,
    /// Enclosing slice on the same track.
    pub parent: Option<SliceRefReport>,
    /// First nested slice.
    pub first_child: Option<SliceRefReport>,
}

/// One recorded stat.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct StatReport {
    /// Name.
    pub name: String,
    /// Value as text.
    pub value: String,
    /// Whether it is constant for this name (recorded on the metadata) rather than for this slice.
    pub is_constant: bool,
}

/// One arrow.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct FlowReport {
    /// `launch` or `producer_consumer`.
    pub kind: String,
    /// Whether the arrow starts at this slice.
    pub is_outgoing: bool,
    /// The slice at the other end.
    pub other: SliceRefReport,
    /// Name of the other slice.
    pub other_name: String,
    /// Start of the other slice.
    #[ts(type = "number")]
    pub other_start_ps: i64,
    /// Duration of the other slice.
    #[ts(type = "number")]
    pub other_duration_ps: i64,
}

/// Matches of a search over the whole session.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct SearchReport {
    /// Number of matching slices in the whole session.
    #[ts(type = "number")]
    pub match_count: i64,
    /// Matching names with their counts and total time, most time first (bounded).
    pub names: Vec<SearchName>,
    /// Matching slices in time order from the given position (bounded by the limit).
    pub slices: Vec<SearchSlice>,
    /// How the search was read, if something of it was left out or is not known.
    pub remark: Option<String>,
}

/// One matching name.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct SearchName {
    /// Label.
    pub label: u32,
    /// Name.
    pub name: String,
    /// Color class.
    pub class: String,
    /// Slices.
    #[ts(type = "number")]
    pub count: i64,
    /// Σ duration.
    #[ts(type = "number")]
    pub total_ps: i64,
}

/// One matching slice.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct SearchSlice {
    /// Position of the slice.
    pub slice: SliceRefReport,
    /// Name.
    pub name: String,
    /// Group and track.
    pub track_name: String,
    /// Start.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Length.
    #[ts(type = "number")]
    pub duration_ps: i64,
}

/// A label: what slices of one kind share. Fetched by id when a tile contains an unknown one.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct LabelReport {
    /// Number that identifies the label in tiles.
    pub label: u32,
    /// Name to draw.
    pub name: String,
    /// Color class: `matmul`, `attention`, `compute`, `collective`, `copy`, `program`, `step`,
    /// `python`, `host`, `wait`, `input`, `compile`, `marker`.
    pub class: String,
}

/// What else is known about the op of a label, to color slices by it. Empty where unknown.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct LabelFacts {
    /// Number that identifies the label in tiles.
    pub label: u32,
    /// JAX name stack, such as `jit(step)/layer_0/attn`.
    pub scope: String,
    /// Program, as `module(program id)`.
    pub program: String,
    /// `forward`, `backward` or `rematerialized`, by the scope.
    pub pass: String,
}
