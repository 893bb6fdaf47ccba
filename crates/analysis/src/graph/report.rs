//! What `graph` answers: the instructions around an op.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::note::Note;
use crate::timeline::SliceRefReport;

/// The answer of the `graph` analysis.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct GraphReport {
    /// Instructions around the op, nearest first; those within fusions after all others.
    pub nodes: Vec<GraphNode>,
    /// Which instruction uses the value of which.
    pub edges: Vec<GraphEdge>,
    /// Fusions that are shown opened.
    pub clusters: Vec<GraphCluster>,
    /// Instructions within the radius that were left out.
    pub hidden_count: usize,
    /// Program, as `module(program id)`; empty where the capture carries no HLO.
    pub program: String,
    /// Its id.
    pub program_id: String,
    /// Instructions of the program.
    pub instruction_count: usize,
    /// Computations of the program.
    pub computation_count: usize,
    /// Instruction in the middle; empty where only a search was asked for.
    pub op: String,
    /// Steps from the op to the farthest instruction shown.
    pub radius: usize,
    /// Everything about the op.
    pub details: Option<GraphDetails>,
    /// Instructions that match the search, executed ones first, those with most time before others.
    pub matches: Vec<GraphMatch>,
    /// Instructions that match, shown or not.
    pub match_count: usize,
    /// HLO text that was asked for; empty otherwise.
    pub text: String,
    /// The nodes and edges in Graphviz's language, where asked for; empty otherwise.
    pub dot: String,
    /// Programs with HLO, those with most time first.
    pub programs: Vec<GraphProgram>,
    /// What the figures do not cover.
    pub notes: Vec<Note>,
}

/// One instruction.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct GraphNode {
    /// Position in the program, unique there.
    pub id: u32,
    /// Name.
    pub name: String,
    /// Opcode.
    pub opcode: String,
    /// Category in XLA's words.
    pub category: String,
    /// For colours: `matmul`, `attention`, `collective`, `copy`, `formatting`, `control`, `host`,
    /// `reduction`, `update`, `parameter`, `constant`, `call` or `compute`.
    pub class: String,
    /// Shape with layout.
    pub shape: String,
    /// Computation it belongs to.
    pub computation: String,
    /// Steps from the op, over operands and users; within an opened fusion those of the fusion.
    pub distance: usize,
    /// It is the op in the middle.
    pub is_center: bool,
    /// It is what its computation returns.
    pub is_root: bool,
    /// The opened fusion it lies in, by the id of the fusion; absent outside.
    pub cluster: Option<u32>,
    /// Σ self time in the selection; absent where it was not executed on its own.
    #[ts(type = "number | null")]
    pub self_ps: Option<i64>,
    /// Σ total time.
    #[ts(type = "number | null")]
    pub total_ps: Option<i64>,
    /// How often; on GPU the kernels it launched.
    #[ts(type = "number | null")]
    pub occurrences: Option<i64>,
    /// Floating point operations of one execution; absent where a call is opaque.
    pub flops: Option<f64>,
    /// Bytes read and written by one execution.
    pub bytes: f64,
    /// Bytes of its value, padding included.
    #[ts(type = "number")]
    pub output_bytes: i64,
    /// Name stack; empty if unknown.
    pub scope: String,
    /// The paths of a name stack that serves several, one for each op that XLA merged; else empty.
    pub scope_paths: Vec<String>,
    /// Source line, as `file:line`; empty if unknown.
    pub source: String,
    /// How its value is divided over devices; empty if unknown.
    pub sharding: String,
    /// Small constants among its operands, as `position: shape value`.
    pub constants: Vec<String>,
    /// Computations it calls.
    pub calls: Vec<String>,
    /// Operands that are not shown.
    pub hidden_operands: usize,
    /// Users that are not shown.
    pub hidden_users: usize,
    /// Its longest slice, for a link into the timeline; absent where it was not executed.
    pub slice: Option<SliceRefReport>,
    /// When that slice began.
    #[ts(type = "number | null")]
    pub slice_start_ps: Option<i64>,
    /// How long that slice lasted.
    #[ts(type = "number | null")]
    pub slice_duration_ps: Option<i64>,
}

/// A value from where it is made to where it is used.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct GraphEdge {
    /// Id of the node that makes it.
    pub from_id: u32,
    /// Id of the node that uses it.
    pub to_id: u32,
    /// Which operand it is.
    pub operand: u32,
    /// Shape with layout.
    pub shape: String,
    /// Bytes, padding included.
    #[ts(type = "number")]
    pub bytes: i64,
    /// It carries no value, only order.
    pub is_control: bool,
}

/// A fusion that is shown with what it is made of.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct GraphCluster {
    /// Id of the fusion's node.
    pub id: u32,
    /// Name of the fusion.
    pub name: String,
    /// Name of the computation within.
    pub computation: String,
    /// Instructions within.
    pub instruction_count: usize,
}

/// Everything about the op in the middle.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct GraphDetails {
    /// One line of HLO.
    pub text: String,
    /// The same with sharding, metadata and configuration.
    pub long_text: String,
    /// Configuration of the backend: indented where it is JSON, else as recorded.
    pub backend_config: String,
    /// Attributes that the framework attached, as `name=value`.
    pub frontend_attributes: Vec<String>,
    /// Form of the kernel it carries: `MLIR text`, `MLIR bytecode`; empty if none.
    pub kernel_form: String,
    /// The kernel's text; of bytecode, the names that occur in it.
    pub kernel_text: String,
    /// Call stack of the source line, `function (file:line)`, innermost first.
    pub stack: Vec<String>,
    /// Instructions that call the computation it belongs to.
    pub callers: Vec<String>,
    /// Instructions whose values it uses.
    pub operands: Vec<String>,
    /// Instructions that use its value.
    pub users: Vec<String>,
}

/// An instruction that a search found.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct GraphMatch {
    /// Name.
    pub name: String,
    /// Opcode.
    pub opcode: String,
    /// Shape with layout.
    pub shape: String,
    /// Name stack; empty if unknown.
    pub scope: String,
    /// Source line, as `file:line`; empty if unknown.
    pub source: String,
    /// Computation it belongs to.
    pub computation: String,
    /// It lies within a fusion, so that it is never executed on its own.
    pub is_fused: bool,
    /// Σ self time in the selection; absent where it was not executed on its own.
    #[ts(type = "number | null")]
    pub self_ps: Option<i64>,
    /// Which of the texts matches: `name`, `opcode`, `scope` or `source`.
    pub found_in: String,
}

/// A program whose HLO there is.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct GraphProgram {
    /// Program, as `module(program id)`.
    pub program: String,
    /// Its id.
    pub program_id: String,
    /// Instructions.
    pub instruction_count: usize,
    /// Σ self time of its ops in the selection.
    #[ts(type = "number")]
    pub self_ps: i64,
}
