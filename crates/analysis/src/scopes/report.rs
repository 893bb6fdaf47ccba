//! What `scopes` answers: time by JAX name stack and by source line.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::note::Note;

/// The answer of the `scopes` analysis. Trees are flattened depth first; `depth` gives the level.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct ScopesReport {
    /// Tree by name stack (`--by scope`, the default) or by source file and line (`--by source`).
    pub rows: Vec<ScopeRow>,
    /// Rows before the limit.
    pub row_count: usize,
    /// Σ self time the ratios refer to.
    #[ts(type = "number")]
    pub total_self_ps: i64,
    /// Share of device work time that carries a name stack (or source line), 0..1.
    pub attributed_ratio: Option<f64>,
    /// What the figures do not cover.
    pub notes: Vec<Note>,
}

/// One node of the tree.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct ScopeRow {
    /// Full path; of ops that serve several, that of the nearest scope that holds all, and their
    /// number. Such as `jit(step)/layer_0/attn`.
    pub path: String,
    /// Last component of the name stack, or the file and line.
    pub name: String,
    /// Level, 0 for the roots.
    pub depth: u32,
    /// Number of direct children.
    pub child_count: u32,
    /// Slices of work at or below this node, as `ops` counts them.
    #[ts(type = "number")]
    pub occurrences: i64,
    /// Self time of all ops at or below this node.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Self time of the ops exactly at this node.
    #[ts(type = "number")]
    pub self_ps: i64,
    /// Share of the self time of everything selected.
    pub ratio: f64,
    /// Part of the total in the forward pass.
    #[ts(type = "number")]
    pub forward_ps: i64,
    /// Part of the total in the backward pass: the name stack contains transpose(.
    #[ts(type = "number")]
    pub backward_ps: i64,
    /// Part of the total that computes again what the forward pass already had: checkpoint,
    /// rematted_computation, .remat.
    #[ts(type = "number")]
    pub rematerialised_ps: i64,
    /// Floating point operations of all executions at or below. Absent if no op there has a cost.
    pub flops: Option<f64>,
    /// Bytes read and written by all executions at or below.
    pub bytes: Option<f64>,
    /// Part of the total that is a share of combined ops, divided over what they serve.
    #[ts(type = "number")]
    pub estimated_ps: i64,
    /// The paths that a combined op serves, one for each op that XLA merged.
    pub paths: Vec<String>,
}
