//! What `scopes` answers: time by JAX name stack and by source line.

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
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct ScopeRow {
    /// Full path; of ops that serve several, that of the nearest scope that holds all, and their
    /// number. Such as `jit(step)/layer_0/attn`.
    pub path: String,
    /// Last component.
    pub name: String,
    /// Level, 0 for the roots.
    pub depth: u32,
    /// Number of direct children.
    pub child_count: u32,
    /// Slices of work at or below this node, as `ops` counts them.
    #[ts(type = "number")]
    pub occurrences: i64,
    /// Σ self time of ops at or below this node.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Σ self time of ops exactly at this node.
    #[ts(type = "number")]
    pub self_ps: i64,
    /// total ÷ Σ self of everything selected, 0..1.
    pub ratio: f64,
    /// Part of `total_ps` in the forward pass.
    #[ts(type = "number")]
    pub forward_ps: i64,
    /// Part of `total_ps` in the backward pass (name stack contains `transpose(`).
    #[ts(type = "number")]
    pub backward_ps: i64,
    /// Part of `total_ps` that recomputes (name stack contains `rematted_computation`, or XLA
    /// rematerialised the op); counted here even inside the backward pass.
    #[ts(type = "number")]
    pub rematerialised_ps: i64,
    /// Σ flops × executions at or below; absent if no op there has a cost.
    pub flops: Option<f64>,
    /// Σ bytes × executions at or below.
    pub bytes: Option<f64>,
    /// Part of `total_ps` that is an estimate: the share of ops that XLA combined, divided over the
    /// paths they serve (`--split-combined`); 0 otherwise.
    #[ts(type = "number")]
    pub estimated_ps: i64,
    /// Paths that the combined ops of this node serve, one for each op that XLA merged; empty for
    /// other nodes.
    pub paths: Vec<String>,
}
