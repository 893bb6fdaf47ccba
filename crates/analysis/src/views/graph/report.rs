//! What `graph` answers: the instructions around an op.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::telling::Note;
use crate::telling::places::SliceRefReport;

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
    /// Position of the instruction in the program, unique within it.
    pub id: u32,
    /// Name of the instruction.
    pub name: String,
    /// HLO opcode of the instruction.
    pub opcode: String,
    /// Category of the instruction, in XLA's terms.
    pub category: String,
    /// What the instruction does, used for colors: `matmul`, `attention`, `collective`, `copy`,
    /// `formatting`, `control`, `host`, `python`, `reduction`, `update`, `parameter`, `constant`,
    /// `call` or `compute`.
    pub class: String,
    /// Shape of the instruction's value, with its layout.
    pub shape: String,
    /// Computation that the instruction belongs to.
    pub computation: String,
    /// Number of hops from the op to the instruction, over operands and users. Instructions within
    /// an opened fusion have the distance of the fusion.
    pub distance: usize,
    /// Whether the instruction is the op in the middle of the graph.
    pub is_center: bool,
    /// It is what its computation returns.
    pub is_root: bool,
    /// The opened fusion it lies in, by the id of the fusion; absent outside.
    pub cluster: Option<u32>,
    /// Σ self time of the instruction in the selection. Absent if it was not executed on its own.
    #[ts(type = "number | null")]
    pub self_ps: Option<i64>,
    /// Σ total time of the instruction in the selection.
    #[ts(type = "number | null")]
    pub total_ps: Option<i64>,
    /// Number of executions of the instruction; on GPU, the number of kernels it launched.
    #[ts(type = "number | null")]
    pub occurrences: Option<i64>,
    /// Floating-point operations of one execution of the instruction. Absent if a call is opaque.
    pub flops: Option<f64>,
    /// Bytes read and written by one execution of the instruction.
    pub bytes: f64,
    /// Bytes of the instruction's value, including padding.
    #[ts(type = "number")]
    pub output_bytes: i64,
    /// Name stack of the instruction. Empty if unknown.
    pub scope: String,
    /// The paths of a name stack that serves several, one for each op that XLA merged; else empty.
    pub scope_paths: Vec<String>,
    /// Source line of the instruction, as `file:line`. Empty if unknown.
    pub source: String,
    /// How the instruction's value is divided over devices. Empty if unknown.
    pub sharding: String,
    /// Small constants among the instruction's operands, as `position: shape value`.
    pub constants: Vec<String>,
    /// Computations that the instruction calls.
    pub calls: Vec<String>,
    /// Number of the instruction's operands that are not shown.
    pub hidden_operands: usize,
    /// Number of the instruction's users that are not shown.
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
    /// Id of the node that produces the value.
    pub from_id: u32,
    /// Id of the instruction that uses the value.
    pub to_id: u32,
    /// Position of the value among the operands of the node that uses it.
    pub operand: u32,
    /// Shape of the value on the edge, with its layout.
    pub shape: String,
    /// Bytes of the value on the edge, padding included.
    #[ts(type = "number")]
    pub bytes: i64,
    /// Whether the edge carries no value, only an order of execution.
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
    /// Name of the instruction that matches the search.
    pub name: String,
    /// HLO opcode of the matching instruction.
    pub opcode: String,
    /// Shape of the instruction's value, with its layout.
    pub shape: String,
    /// Name stack of the instruction. Empty if unknown.
    pub scope: String,
    /// Source line of the instruction, as `file:line`. Empty if unknown.
    pub source: String,
    /// Computation that the matching instruction belongs to.
    pub computation: String,
    /// Whether the instruction lies within a fusion, so that it is never executed on its own.
    pub is_fused: bool,
    /// Σ self time of the instruction in the selection. Absent if it was not executed on its own.
    #[ts(type = "number | null")]
    pub self_ps: Option<i64>,
    /// Which text of the instruction matches the search: `name`, `opcode`, `scope` or `source`.
    pub found_in: String,
}

/// A program whose HLO there is.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct GraphProgram {
    /// Program, as `module(program id)`.
    pub program: String,
    /// Id of the program.
    pub program_id: String,
    /// Number of instructions in the program.
    pub instruction_count: usize,
    /// Σ self time of the program's ops in the selection.
    #[ts(type = "number")]
    pub self_ps: i64,
}
