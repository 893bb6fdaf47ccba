//! What `heap` answers: what was alive on the devices, and who allocated it.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::note::Note;

/// The answer of the `heap` analysis. Figures are of live allocations at one moment; changes are
/// differences to another snapshot, and null where none was asked for.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct HeapReport {
    /// The snapshot shown; empty when the session has none.
    pub snapshot: String,
    /// The snapshot it is compared with; null for none.
    pub against: Option<String>,
    /// `bytes` or `allocations`: what ranks and shares are of.
    pub by: String,
    /// Whether frames of JAX and of libraries are shown.
    pub has_internal: bool,
    /// Bytes alive over everything selected.
    #[ts(type = "number")]
    pub total_bytes: i64,
    /// Allocations alive over everything selected.
    #[ts(type = "number")]
    pub total_allocations: i64,
    /// Change of `total_bytes`.
    #[ts(type = "number | null")]
    pub change_bytes: Option<i64>,
    /// Change of `total_allocations`.
    #[ts(type = "number | null")]
    pub change_allocations: Option<i64>,
    /// One row per stack and kind, largest first, or most grown first in a comparison.
    pub rows: Vec<HeapStackRow>,
    /// Rows before the limit.
    pub row_count: usize,
    /// One row per function, largest cumulative figure first.
    pub functions: Vec<HeapFunctionRow>,
    /// Functions before the limit.
    pub function_count: usize,
    /// By device, in their order. Allocations without one, as executables are, come last.
    pub devices: Vec<HeapGroup>,
    /// By kind: `buffer`, `executable`.
    pub kinds: Vec<HeapGroup>,
    /// All stacks merged from the outermost frame inwards, flattened depth first, heavier siblings
    /// first. Frames of one function are one node, whatever their lines.
    pub tree: Vec<HeapFrameRow>,
    /// Nodes of the tree before the lightest were left out of a very large one.
    pub tree_count: usize,
    /// All snapshots of the session, oldest first, each over everything selected.
    pub snapshots: Vec<HeapSnapshotRow>,
    /// Distinct frames of the selected stacks that are folded away.
    pub folded_frame_count: usize,
    /// What was folded and what the figures do not cover.
    pub notes: Vec<Note>,
}

/// What became of a stack, function or frame since the other snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum HeapChange {
    /// Nothing of it was alive then.
    New,
    /// More of it is alive now.
    Grown,
    /// As much.
    Same,
    /// Less of it is alive now.
    Shrunk,
    /// Nothing of it is alive now.
    Gone,
}

impl HeapChange {
    /// The word in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Grown => "grown",
            Self::Same => "same",
            Self::Shrunk => "shrunk",
            Self::Gone => "gone",
        }
    }
}

/// Allocations of one stack and kind.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct HeapStackRow {
    /// Innermost frame that is shown: `function (file.py:12)`.
    pub site: String,
    /// Its file, as recorded, and line.
    pub source: String,
    /// One of `buffer`, `executable`; empty when not recorded.
    pub kind: String,
    /// Devices, comma separated; empty when not recorded.
    pub devices: String,
    /// Bytes alive.
    #[ts(type = "number")]
    pub bytes: i64,
    /// Allocations alive.
    #[ts(type = "number")]
    pub allocations: i64,
    /// Share of the total of what the report is by, 0..1; null where that total is 0.
    pub ratio: Option<f64>,
    /// Bytes now − bytes then.
    #[ts(type = "number | null")]
    pub change_bytes: Option<i64>,
    /// Allocations now − allocations then.
    #[ts(type = "number | null")]
    pub change_allocations: Option<i64>,
    /// What became of it, by what the report is by.
    pub change: Option<HeapChange>,
    /// Its frames as `function (file.py:12)`, outermost first.
    pub stack: Vec<String>,
    /// The same by number; they become texts once it is known which rows are shown.
    #[serde(skip)]
    pub(super) frames: Vec<u32>,
}

/// One function over all stacks it takes part in.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct HeapFunctionRow {
    /// Function.
    pub name: String,
    /// Its file, as recorded.
    pub source: String,
    /// Bytes of stacks that end in it.
    #[ts(type = "number")]
    pub self_bytes: i64,
    /// Bytes of stacks it takes part in; each stack counts once, however often it recurs there.
    #[ts(type = "number")]
    pub total_bytes: i64,
    /// Allocations of stacks that end in it.
    #[ts(type = "number")]
    pub self_allocations: i64,
    /// Allocations of stacks it takes part in.
    #[ts(type = "number")]
    pub total_allocations: i64,
    /// Share of the total of what the report is by, 0..1; null where that total is 0.
    pub ratio: Option<f64>,
    /// Change of `total_bytes`.
    #[ts(type = "number | null")]
    pub change_bytes: Option<i64>,
    /// Change of `total_allocations`.
    #[ts(type = "number | null")]
    pub change_allocations: Option<i64>,
}

/// Allocations of one device or kind.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct HeapGroup {
    /// Device or kind; empty where none is recorded.
    pub name: String,
    /// Bytes alive.
    #[ts(type = "number")]
    pub bytes: i64,
    /// Allocations alive.
    #[ts(type = "number")]
    pub allocations: i64,
    /// Share of the total of what the report is by, 0..1; null where that total is 0.
    pub ratio: Option<f64>,
    /// Bytes now − bytes then.
    #[ts(type = "number | null")]
    pub change_bytes: Option<i64>,
    /// Allocations now − allocations then.
    #[ts(type = "number | null")]
    pub change_allocations: Option<i64>,
}

/// One node of the merged stacks.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct HeapFrameRow {
    /// Function.
    pub name: String,
    /// Its file, as recorded, and the line where all stacks through it share one.
    pub source: String,
    /// Level, 0 for the outermost frames.
    pub depth: u32,
    /// Direct children.
    pub child_count: u32,
    /// The frame is JAX's or a library's.
    pub is_internal: bool,
    /// Bytes of stacks through it.
    #[ts(type = "number")]
    pub total_bytes: i64,
    /// Bytes of stacks that end in it.
    #[ts(type = "number")]
    pub self_bytes: i64,
    /// Allocations of stacks through it.
    #[ts(type = "number")]
    pub total_allocations: i64,
    /// Allocations of stacks that end in it.
    #[ts(type = "number")]
    pub self_allocations: i64,
    /// Change of `total_bytes`.
    #[ts(type = "number | null")]
    pub change_bytes: Option<i64>,
    /// Change of `total_allocations`.
    #[ts(type = "number | null")]
    pub change_allocations: Option<i64>,
    /// Change of `self_bytes`.
    #[ts(type = "number | null")]
    pub change_self_bytes: Option<i64>,
    /// Change of `self_allocations`.
    #[ts(type = "number | null")]
    pub change_self_allocations: Option<i64>,
}

/// One snapshot of the session.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct HeapSnapshotRow {
    /// Name of its file, without suffix.
    pub name: String,
    /// When it was taken, nanoseconds since the Unix epoch; text, since it exceeds 2^53.
    pub epoch_ns: Option<String>,
    /// `recorded` in the profile, or when the file was `written`; empty where neither is known.
    pub time_source: String,
    /// Bytes alive over everything selected.
    #[ts(type = "number")]
    pub bytes: i64,
    /// Allocations alive over everything selected.
    #[ts(type = "number")]
    pub allocations: i64,
    /// Change to the snapshot before; null for the first.
    #[ts(type = "number | null")]
    pub change_bytes: Option<i64>,
    /// Change to the snapshot before; null for the first.
    #[ts(type = "number | null")]
    pub change_allocations: Option<i64>,
}
