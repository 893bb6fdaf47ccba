//! What `heap` answers: what was alive on the devices, and who allocated it.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::telling::Note;

/// The answer of the `heap` analysis. Figures describe live allocations at one moment. Changes are
/// differences from another snapshot, and null if none was requested.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct HeapReport {
    /// The snapshot shown; empty when the session has none.
    pub snapshot: String,
    /// The snapshot it is compared with; null for none.
    pub against: Option<String>,
    /// What rows are ranked by and shares refer to: `bytes` or `allocations`.
    pub by: String,
    /// Whether frames of JAX, libraries and Python are shown.
    pub has_internal: bool,
    /// Live bytes of everything selected.
    #[ts(type = "number")]
    pub total_bytes: i64,
    /// Number of live allocations of everything selected.
    #[ts(type = "number")]
    pub total_allocations: i64,
    /// Change of `total_bytes`.
    #[ts(type = "number | null")]
    pub change_bytes: Option<i64>,
    /// Change of `total_allocations`.
    #[ts(type = "number | null")]
    pub change_allocations: Option<i64>,
    /// One row per stack and kind: largest first, or largest growth first in a comparison.
    pub rows: Vec<HeapStackRow>,
    /// Number of rows before the limit.
    pub row_count: usize,
    /// One row per function, largest cumulative figure first.
    pub functions: Vec<HeapFunctionRow>,
    /// Number of functions before the limit.
    pub function_count: usize,
    /// Totals per device, in device order. Allocations without a device, such as executables, come last.
    pub devices: Vec<HeapGroup>,
    /// Totals per kind: `buffer`, `executable`.
    pub kinds: Vec<HeapGroup>,
    /// All stacks merged from the outermost frame inward, flattened depth first, larger siblings
    /// first. Frames of the same function form one node, whatever their lines.
    pub tree: Vec<HeapFrameRow>,
    /// Number of nodes in the tree before the smallest were left out of a very large tree.
    pub tree_count: usize,
    /// All snapshots of the session, oldest first, each over everything selected.
    pub snapshots: Vec<HeapSnapshotRow>,
    /// Number of distinct frames in the selected stacks that are folded away.
    pub folded_frame_count: usize,
    /// What was folded, and what the figures do not cover.
    pub notes: Vec<Note>,
}

/// How a stack changed since the other snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum HeapChange {
    /// It had nothing alive in the other snapshot.
    New,
    /// It has more alive now.
    Grown,
    /// It has as much alive now.
    Same,
    /// It has less alive now.
    Shrunk,
    /// It has nothing alive now.
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
    /// Innermost frame of the stack that is shown, as `function (file.py:12)`.
    pub site: String,
    /// File, as recorded, and line of the innermost frame that is shown.
    pub source: String,
    /// Kind of the allocations: one of `buffer`, `executable`. Empty if not recorded.
    pub kind: String,
    /// Devices that hold the allocations of the stack, comma separated. Empty if not recorded.
    pub devices: String,
    /// Live bytes of the stack.
    #[ts(type = "number")]
    pub bytes: i64,
    /// Number of live allocations of the stack.
    #[ts(type = "number")]
    pub allocations: i64,
    /// Share of the total live bytes or allocations, whichever the report ranks by, 0..1. Null if
    /// that total is 0.
    pub ratio: Option<f64>,
    /// Change in the live bytes of the stack, compared with the other snapshot.
    #[ts(type = "number | null")]
    pub change_bytes: Option<i64>,
    /// Change in the live allocations of the stack, compared with the other snapshot.
    #[ts(type = "number | null")]
    pub change_allocations: Option<i64>,
    /// How the stack changed since the other snapshot, by bytes or allocations, whichever the
    /// report ranks by: `new`, `grown`, `same`, `shrunk` or `gone`.
    pub change: Option<HeapChange>,
    /// Frames of the stack, as `function (file.py:12)`, outermost first.
    pub stack: Vec<String>,
    /// The same frames by number. They become text once it is known which rows are shown.
    #[serde(skip)]
    pub(super) frames: Vec<u32>,
}

/// One function, over all stacks that contain it.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct HeapFunctionRow {
    /// Name of the function.
    pub name: String,
    /// File of the function, as recorded.
    pub source: String,
    /// Live bytes of stacks that end in the function.
    #[ts(type = "number")]
    pub self_bytes: i64,
    /// Live bytes of stacks that contain the function. Each stack counts once, even if the function
    /// recurs in it.
    #[ts(type = "number")]
    pub total_bytes: i64,
    /// Number of live allocations of stacks that end in the function.
    #[ts(type = "number")]
    pub self_allocations: i64,
    /// Number of live allocations of stacks that contain the function.
    #[ts(type = "number")]
    pub total_allocations: i64,
    /// Share of the total live bytes or allocations, whichever the report ranks by, 0..1. Null if
    /// that total is 0.
    pub ratio: Option<f64>,
    /// Change in the live bytes of all stacks that contain the function (`total_bytes`), compared
    /// with the other snapshot.
    #[ts(type = "number | null")]
    pub change_bytes: Option<i64>,
    /// Change in the live allocations of all stacks that contain the function
    /// (`total_allocations`), compared with the other snapshot.
    #[ts(type = "number | null")]
    pub change_allocations: Option<i64>,
}

/// Allocations of one device or kind.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct HeapGroup {
    /// Name of the device or kind. Empty if none is recorded.
    pub name: String,
    /// Live bytes of the device or kind.
    #[ts(type = "number")]
    pub bytes: i64,
    /// Number of live allocations of the device or kind.
    #[ts(type = "number")]
    pub allocations: i64,
    /// Share of the total live bytes or allocations, whichever the report ranks by, 0..1. Null if
    /// that total is 0.
    pub ratio: Option<f64>,
    /// Change in the live bytes of the device or kind, compared with the other snapshot.
    #[ts(type = "number | null")]
    pub change_bytes: Option<i64>,
    /// Change in the live allocations of the device or kind, compared with the other snapshot.
    #[ts(type = "number | null")]
    pub change_allocations: Option<i64>,
}

/// One node of the merged stacks.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct HeapFrameRow {
    /// Function of the frame.
    pub name: String,
    /// File of the frame, as recorded, with the line if all stacks through the frame share one.
    pub source: String,
    /// Level of the frame in the tree, 0 for the outermost frames.
    pub depth: u32,
    /// Number of direct children.
    pub child_count: u32,
    /// Whether the frame belongs to JAX, a library, or Python.
    pub is_internal: bool,
    /// Live bytes of stacks through the frame.
    #[ts(type = "number")]
    pub total_bytes: i64,
    /// Live bytes of stacks that end in the frame.
    #[ts(type = "number")]
    pub self_bytes: i64,
    /// Number of live allocations of stacks through the frame.
    #[ts(type = "number")]
    pub total_allocations: i64,
    /// Number of live allocations of stacks that end in the frame.
    #[ts(type = "number")]
    pub self_allocations: i64,
    /// Change in the live bytes of stacks through the frame (`total_bytes`), compared with the
    /// other snapshot.
    #[ts(type = "number | null")]
    pub change_bytes: Option<i64>,
    /// Change in the live allocations of stacks through the frame (`total_allocations`), compared
    /// with the other snapshot.
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
    /// Name of the snapshot's file, without its suffix.
    pub name: String,
    /// Time at which the snapshot was taken, in nanoseconds since the Unix epoch. A decimal string,
    /// since it exceeds 2^53.
    pub epoch_ns: Option<String>,
    /// Source of the time: `recorded` in the profile, or the time the file was `written`. Empty if
    /// neither is known.
    pub time_source: String,
    /// Live bytes in the snapshot, over everything selected.
    #[ts(type = "number")]
    pub bytes: i64,
    /// Number of live allocations in the snapshot, over everything selected.
    #[ts(type = "number")]
    pub allocations: i64,
    /// Change in live bytes from the previous snapshot. Null for the first.
    #[ts(type = "number | null")]
    pub change_bytes: Option<i64>,
    /// Change in live allocations from the previous snapshot. Null for the first.
    #[ts(type = "number | null")]
    pub change_allocations: Option<i64>,
}
