//! What `op_tree` answers: a tree of device time.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::note::Note;

/// The answer of the `op_tree` analysis. The tree is flattened depth first; `depth` gives the level.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct OpTreeReport {
    /// Nodes, each before its children.
    pub rows: Vec<OpTreeRow>,
    /// Rows before the limit.
    pub row_count: usize,
    /// Σ self time of all ops.
    #[ts(type = "number")]
    pub self_ps: i64,
    /// Idle time of the devices; absent where it is left out.
    #[ts(type = "number | null")]
    pub idle_ps: Option<i64>,
    /// Σ wasted time; absent where nothing is known of it.
    #[ts(type = "number | null")]
    pub wasted_ps: Option<i64>,
    /// The ops, duplicates merged, that waste most.
    pub wasted: Vec<OpTreeWaste>,
    /// Share of self time of ops that compute and whose FLOPs are unknown, 0..1.
    pub flops_unknown_ratio: f64,
    /// What the figures do not cover.
    pub notes: Vec<Note>,
}

/// One node.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct OpTreeRow {
    /// One of `program`, `category`, `scope`, `duplicates`, `op`, `kernel`, `transfer`, `instruction` or
    /// `idle`.
    pub kind: String,
    /// A program, category, scope or op. Ops whose HLO text is the same but for names, such as
    /// those of equal layers, are one node with their number.
    pub name: String,
    /// Names from the root down, joined by ` > `.
    pub path: String,
    /// Level, 0 for the roots.
    pub depth: u32,
    /// Direct children, shown or not.
    pub child_count: u32,
    /// Ops with the same HLO text but for names, merged into this node.
    pub duplicate_count: u32,
    /// Program id as a decimal string; empty above ops of several programs.
    pub program_id: String,
    /// Instruction name, for links; empty above ops.
    pub op: String,
    /// HLO category, or the opcode of an instruction; empty above categories.
    pub category: String,
    /// Colour class of the longest op at or below.
    pub class: String,
    /// Slices at or below.
    #[ts(type = "number")]
    pub occurrences: i64,
    /// Durations of all ops at or below; nested ops count again in the op around them.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Self time of all ops at or below this node; children sum to their parent.
    #[ts(type = "number")]
    pub self_ps: i64,
    /// Of all self time, and of idle time where it is shown.
    pub ratio: f64,
    /// Floating point operations at or below; absent if unknown.
    pub flops: Option<f64>,
    /// Bytes at or below.
    pub bytes: Option<f64>,
    /// flops ÷ time, per second.
    pub flop_rate: Option<f64>,
    /// bytes ÷ time, per second.
    pub bandwidth: Option<f64>,
    /// flop_rate ÷ peak.
    pub compute_ratio: Option<f64>,
    /// Memories with a peak: bandwidth ÷ peak.
    pub levels: Vec<OpTreeLevel>,
    /// Rate against peak, of compute or of the memory that is used most.
    pub best_ratio: Option<f64>,
    /// What bounds it: `compute`, `memory`, a memory on the chip, or empty.
    pub bound_by: String,
    /// What would be saved if the op used what bounds it fully. Time in halves of asynchronous ops
    /// is waiting, and all of it wasted. Unknown where peaks or work are. Absent where unknown.
    #[ts(type = "number | null")]
    pub wasted_ps: Option<i64>,
    /// HLO text; empty where unknown.
    pub expression: String,
    /// JAX name stack.
    pub scope: String,
    /// Source line, as `file:line`.
    pub source: String,
    /// Where the work came from, as in `ops`; empty above ops.
    pub cost_source: String,
}

/// Use of one memory.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct OpTreeLevel {
    /// The memory.
    pub level: String,
    /// Bytes through it at or below.
    pub bytes: f64,
    /// Bandwidth ÷ peak.
    pub ratio: f64,
}

/// An op, or several of the same text, and what it wastes.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct OpTreeWaste {
    /// Instruction name; of duplicates that of the longest.
    pub name: String,
    /// How many ops of the same text.
    pub duplicate_count: u32,
    /// Program id as a decimal string.
    pub program_id: String,
    /// HLO category.
    pub category: String,
    /// Colour class.
    pub class: String,
    /// Σ self time.
    #[ts(type = "number")]
    pub self_ps: i64,
    /// The best ratio of rate to peak; absent for halves of asynchronous ops, whose time is waiting.
    pub best_ratio: Option<f64>,
    /// What bounds it: `compute`, `memory`, a memory on the chip, or `waiting`.
    pub bound_by: String,
    /// self × (1 − best ratio).
    #[ts(type = "number")]
    pub wasted_ps: i64,
    /// wasted ÷ (Σ self + idle), 0..1.
    pub ratio: f64,
    /// Source line, as `file:line`.
    pub source: String,
}
