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
    /// One row per layer: scopes side by side that differ only by a number, such as `layer_0` and
    /// `layer_1`. The outermost such scopes count. Empty with `--by source`.
    pub layers: Vec<LayerRow>,
    /// Layers folded into one: `layer_*` and everything below it. Flattened depth first.
    pub folded: Vec<FoldedRow>,
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
    pub rematerialized_ps: i64,
    /// Floating-point operations of all executions at or below this node. Absent if no op there has
    /// a known cost.
    pub flops: Option<f64>,
    /// Bytes read and written by all executions at or below this node.
    pub bytes: Option<f64>,
    /// Time that the ops at or below this node should take by theory, where it is known; see `ops`.
    pub expected_ps: Option<f64>,
    /// Measured ÷ expected time of the ops at or below this node whose expected time is known.
    pub times_expected: Option<f64>,
    /// Part of the total that is estimated: shares of combined ops, divided over the paths they
    /// serve.
    #[ts(type = "number")]
    pub estimated_ps: i64,
    /// Paths that a combined op serves, one for each op that XLA merged.
    pub paths: Vec<String>,
}

/// One layer: a scope that its siblings repeat under other numbers.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct LayerRow {
    /// Path of the layer and its siblings, with `*` for the number.
    pub family: String,
    /// Name of the layer.
    pub name: String,
    /// Number in the name of the layer.
    #[ts(type = "number")]
    pub number: i64,
    /// Full path of the layer.
    pub path: String,
    /// Self time of all ops of the layer.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Total of the layer ÷ median total of its siblings.
    pub times_median: Option<f64>,
    /// Whether the layer takes much more or less time than most of its siblings.
    pub is_outlier: bool,
    /// Part of the layer's total that is in the forward pass.
    #[ts(type = "number")]
    pub forward_ps: i64,
    /// Part of the layer's total that is in the backward pass.
    #[ts(type = "number")]
    pub backward_ps: i64,
    /// Part of the layer's total that recomputes results of the forward pass.
    #[ts(type = "number")]
    pub rematerialized_ps: i64,
    /// Floating-point operations of all executions in the layer. Absent if no op there has a known
    /// cost.
    pub flops: Option<f64>,
    /// Bytes read and written by all executions in the layer.
    pub bytes: Option<f64>,
    /// Time that the ops of the layer should take by theory, where it is known; see `ops`.
    pub expected_ps: Option<f64>,
    /// Measured ÷ expected time of the ops of the layer whose expected time is known.
    pub times_expected: Option<f64>,
}

/// A node of the folded tree: the same place in every layer.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct FoldedRow {
    /// Full path of the node, with `*` for the numbers of layers.
    pub path: String,
    /// Last component of the folded path.
    pub name: String,
    /// Level of the node below its layer, 0 for the layer itself.
    pub depth: u32,
    /// Number of scopes that are folded into this node.
    #[ts(type = "number")]
    pub layer_count: i64,
    /// Self time of all ops at or below this node, over all layers.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Total over all layers as a share of the self time of everything selected.
    pub ratio: f64,
    /// Mean total over the layers that have this node.
    pub mean_ps: f64,
    /// Least total of a layer at this node.
    #[ts(type = "number")]
    pub min_ps: i64,
    /// Largest total of a layer at this node.
    #[ts(type = "number")]
    pub max_ps: i64,
    /// The layer with the largest total at this node.
    pub max_layer: String,
    /// Largest ÷ least total of a layer at this node.
    pub times_least: Option<f64>,
    /// Part of the total over all layers that is in the forward pass.
    #[ts(type = "number")]
    pub forward_ps: i64,
    /// Part of the total over all layers that is in the backward pass.
    #[ts(type = "number")]
    pub backward_ps: i64,
    /// Part of the total over all layers that recomputes results of the forward pass.
    #[ts(type = "number")]
    pub rematerialized_ps: i64,
    /// Floating-point operations of all executions at or below this node, over all layers.
    pub flops: Option<f64>,
    /// Time that the ops at or below this node should take by theory, over all layers, where it is
    /// known; see `ops`.
    pub expected_ps: Option<f64>,
    /// Measured ÷ expected time of the ops at or below this node whose expected time is known.
    pub times_expected: Option<f64>,
}
