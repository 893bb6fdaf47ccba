//! What `op_tree` answers: a tree of device time.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::telling::Note;

/// The answer of the `op_tree` analysis. The tree is flattened depth first; `depth` gives the level.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct OpTreeReport {
    /// Nodes, each before its children.
    pub rows: Vec<OpTreeRow>,
    /// Number of rows before the limit.
    pub row_count: usize,
    /// Σ self time of all ops.
    #[ts(type = "number")]
    pub self_ps: i64,
    /// Time without work, from the first to the last work of each device, or in the selected steps;
    /// absent where it is left out.
    #[ts(type = "number | null")]
    pub idle_ps: Option<i64>,
    /// Σ wasted time. Absent if unknown.
    #[ts(type = "number | null")]
    pub wasted_ps: Option<i64>,
    /// The ops that waste the most time, with duplicates merged.
    pub wasted: Vec<OpTreeWaste>,
    /// Share of self time in ops that compute but whose FLOPs are unknown, 0..1.
    pub flops_unknown_ratio: f64,
    /// What the figures do not cover.
    pub notes: Vec<Note>,
}

/// One node.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct OpTreeRow {
    /// One of `program`, `category`, `scope`, `duplicates`, `op`, `kernel`, `transfer`,
    /// `instruction`, or `idle`.
    pub kind: String,
    /// Name of the program, category, scope, or op. Ops whose HLO text is identical except for
    /// names, such as those of identical layers, form one node with a count.
    pub name: String,
    /// Names of the nodes from the root down to this one, joined by ` > `.
    pub path: String,
    /// Level of the node in the tree, 0 for the roots.
    pub depth: u32,
    /// Number of direct children of the node, shown or not.
    pub child_count: u32,
    /// Number of ops merged into this node because their HLO text is the same except for names.
    pub duplicate_count: u32,
    /// Program id as a decimal string. Empty if the node contains ops of several programs.
    pub program_id: String,
    /// Instruction name, for links. Empty for nodes above ops.
    pub op: String,
    /// HLO category of the op, or opcode of the instruction. Empty for nodes above ops.
    pub category: String,
    /// Color class of the op with the largest self time at or below this node.
    pub class: String,
    /// Number of slices at or below this node.
    #[ts(type = "number")]
    pub occurrences: i64,
    /// Σ duration of all ops at or below this node. Nested ops count again in the op around them.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Σ self time of all ops at or below this node. The children of a node sum to their parent.
    #[ts(type = "number")]
    pub self_ps: i64,
    /// Self time as a share of the self time of all ops, plus idle time where it is shown.
    pub ratio: f64,
    /// Floating-point operations of all executions at or below this node. Absent if unknown.
    pub flops: Option<f64>,
    /// Bytes read and written by all executions at or below this node.
    pub bytes: Option<f64>,
    /// Achieved FLOP rate at or below this node: FLOPs ÷ time, per second.
    pub flop_rate: Option<f64>,
    /// Achieved memory bandwidth at or below this node: bytes ÷ time, per second.
    pub bandwidth: Option<f64>,
    /// Compute utilization at this node: `flop_rate` ÷ peak.
    pub compute_ratio: Option<f64>,
    /// Utilization of each memory with a peak.
    pub levels: Vec<OpTreeLevel>,
    /// Highest achieved rate relative to its peak: of compute, or of the memory that is utilized
    /// most.
    pub best_ratio: Option<f64>,
    /// Resource that bounds the node: `compute`, `memory`, an on-chip memory, or empty.
    pub bound_by: String,
    /// Time that would be saved if the ops fully utilized what bounds them. Time in halves of
    /// asynchronous ops is waiting, and all of it counts as wasted. Absent if peaks or work are
    /// unknown.
    #[ts(type = "number | null")]
    pub wasted_ps: Option<i64>,
    /// HLO text. Empty if unknown.
    pub expression: String,
    /// JAX name stack.
    pub scope: String,
    /// Source line of the op, as `file:line`.
    pub source: String,
    /// Source of the FLOPs and bytes, as in `ops`. Empty for nodes above ops.
    pub cost_source: String,
}

/// Utilization of one memory.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct OpTreeLevel {
    /// Name of the memory.
    pub level: String,
    /// Bytes moved through the memory at or below this node.
    pub bytes: f64,
    /// Bandwidth ÷ peak.
    pub ratio: f64,
}

/// An op, or several duplicates, and the time wasted.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct OpTreeWaste {
    /// Name of the HLO instruction. For duplicates, the name of the longest one.
    pub name: String,
    /// Number of ops merged into this row because their HLO text is the same except for names.
    pub duplicate_count: u32,
    /// ID of the program that the op belongs to, as a decimal string.
    pub program_id: String,
    /// HLO category of the op.
    pub category: String,
    /// Color class.
    pub class: String,
    /// Σ self time of the op and its duplicates.
    #[ts(type = "number")]
    pub self_ps: i64,
    /// Highest ratio of an achieved rate to its peak. Absent for halves of asynchronous ops, whose
    /// time is waiting.
    pub best_ratio: Option<f64>,
    /// Resource that bounds the op: `compute`, `memory`, an on-chip memory, or `waiting`.
    pub bound_by: String,
    /// Time that would be saved if the op fully utilized what bounds it: self × (1 − best ratio).
    #[ts(type = "number")]
    pub wasted_ps: i64,
    /// Wasted time as a share of all self time and idle time, 0..1: wasted ÷ (Σ self + idle).
    pub ratio: f64,
    /// Source line of the op, as `file:line`.
    pub source: String,
}
