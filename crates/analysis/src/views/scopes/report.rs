//! What `scopes` answers: time by JAX name stack and by source line.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::telling::Note;

/// The answer of the `scopes` analysis. Trees are flattened depth first; `depth` gives the level.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct ScopesReport {
    /// Tree by name stack (`--by scope`, the default) or by source file and line (`--by source`).
    pub rows: Vec<ScopeRow>,
    /// Number of rows before the limit.
    pub row_count: usize,
    /// Σ self time that the ratios refer to.
    #[ts(type = "number")]
    pub total_self_ps: i64,
    /// Share of device work time that has a name stack (or source line), 0..1.
    pub attributed_ratio: Option<f64>,
    /// What the figures do not cover.
    pub notes: Vec<Note>,
}

/// One node of the tree.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct ScopeRow {
    /// Full path of the node, such as `jit(step)/layer_0/attn`. For combined ops, the path of the
    /// nearest scope that contains all paths they serve, and the number of those paths.
    pub path: String,
    /// Last component of the name stack, or the file and line.
    pub name: String,
    /// Level of the node in the tree, 0 for the roots.
    pub depth: u32,
    /// Number of direct children of the node.
    pub child_count: u32,
    /// Number of slices of work at or below this node, counted as in `ops`.
    #[ts(type = "number")]
    pub occurrences: i64,
    /// Self time of all ops at or below this node.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Self time of the ops exactly at this node, excluding nodes below.
    #[ts(type = "number")]
    pub self_ps: i64,
    /// Total of the node as a share of the self time of everything selected.
    pub ratio: f64,
    /// Part of the total that is in the forward pass.
    #[ts(type = "number")]
    pub forward_ps: i64,
    /// Part of the total that is in the backward pass, where the name stack contains `transpose(`.
    #[ts(type = "number")]
    pub backward_ps: i64,
    /// Part of the total that recomputes results of the forward pass: the name stack contains
    /// `rematted_computation`, or the name of the op contains `.remat`.
    #[ts(type = "number")]
    pub rematerialised_ps: i64,
    /// Floating-point operations of all executions at or below this node. Absent if no op there has
    /// a known cost.
    pub flops: Option<f64>,
    /// Bytes read and written by all executions at or below this node.
    pub bytes: Option<f64>,
    /// Part of the total that is estimated: shares of combined ops, divided over the paths they
    /// serve.
    #[ts(type = "number")]
    pub estimated_ps: i64,
    /// Paths that a combined op serves, one for each op that XLA merged.
    pub paths: Vec<String>,
}
