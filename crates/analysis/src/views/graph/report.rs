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
    /// Instructions around the op, nearest first; instructions within opened fusions come last.
    pub nodes: Vec<GraphNode>,
    /// Edges from the producer of each value to its users.
    pub edges: Vec<GraphEdge>,
    /// Opened fusions.
    pub clusters: Vec<GraphCluster>,
    /// Number of instructions within the radius that are not shown.
    pub hidden_count: usize,
    /// Program, as `module(program id)`. Empty if the capture contains no HLO.
    pub program: String,
    /// Id of the program.
    pub program_id: String,
    /// Number of instructions in the program.
    pub instruction_count: usize,
    /// Number of computations in the program.
    pub computation_count: usize,
    /// Instruction in the center of the graph. Empty if only a search was requested.
    pub op: String,
    /// Maximum number of hops from the op to an instruction shown.
    pub radius: usize,
    /// Details of the op.
    pub details: Option<GraphDetails>,
    /// Kernels that custom calls of the program contain (Pallas, Triton): that of the op first, then
    /// by descending self time.
    pub kernels: Vec<GraphKernel>,
    /// Number of custom calls of the program that contain a kernel, shown or not.
    pub kernel_count: usize,
    /// Instructions that match the search: an exact name first, then by descending self time; those
    /// within fusions last.
    pub matches: Vec<GraphMatch>,
    /// Number of instructions that match the search, shown or not.
    pub match_count: usize,
    /// HLO text, if requested; otherwise empty.
    pub text: String,
    /// The graph in DOT (Graphviz), if requested; otherwise empty.
    pub dot: String,
    /// Programs with HLO, most time first.
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
    /// Shape of the value over all devices, followed from the shardings of the program's inputs; `?` for
    /// dimensions that cannot be followed. Empty if nothing is known, and for a program of one device.
    pub global_shape: String,
    /// How the devices divide the value, as in JAX: `P(data, None)`; `?` as in the global shape. Axes
    /// without a name are numbered.
    pub partition: String,
    /// Computation that the instruction belongs to.
    pub computation: String,
    /// Number of hops from the op to the instruction, over operands and users. Instructions within
    /// an opened fusion have the distance of the fusion.
    pub distance: usize,
    /// Whether the instruction is the op in the center of the graph.
    pub is_center: bool,
    /// Whether the instruction is the root of its computation.
    pub is_root: bool,
    /// Id of the opened fusion that contains the instruction. Absent outside of opened fusions.
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
    /// The paths of a name stack that combines several, one for each op that XLA merged; else empty.
    pub scope_paths: Vec<String>,
    /// Source line of the instruction, as `file:line`. Empty if unknown.
    pub source: String,
    /// How the program itself says that the value is divided over devices, which it does of inputs.
    /// Empty for most others.
    pub sharding: String,
    /// Small constants among the instruction's operands, as `position: shape value`.
    pub constants: Vec<String>,
    /// Computations that the instruction calls.
    pub calls: Vec<String>,
    /// Number of the instruction's operands that are not shown.
    pub hidden_operands: usize,
    /// Number of the instruction's users that are not shown.
    pub hidden_users: usize,
    /// Longest slice of the instruction, for a link to the timeline. Absent if it was not executed.
    pub slice: Option<SliceRefReport>,
    /// Start of that slice.
    #[ts(type = "number | null")]
    pub slice_start_ps: Option<i64>,
    /// Duration of that slice.
    #[ts(type = "number | null")]
    pub slice_duration_ps: Option<i64>,
}

/// An edge from the producer of a value to a user of it.
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
    /// Whether the edge is only a control dependency, without a value.
    pub is_control: bool,
}

/// An opened fusion.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct GraphCluster {
    /// Id of the fusion's node.
    pub id: u32,
    /// Name of the fusion.
    pub name: String,
    /// Name of the computation of the fusion.
    pub computation: String,
    /// Number of instructions in that computation.
    pub instruction_count: usize,
}

/// Details of the op in the center.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct GraphDetails {
    /// The op as one line of HLO.
    pub text: String,
    /// The same line with sharding, metadata and backend configuration.
    pub long_text: String,
    /// Backend configuration: indented if it is JSON, else as recorded.
    pub backend_config: String,
    /// Attributes that the framework attached, as `name=value`.
    pub frontend_attributes: Vec<String>,
    /// Form of the kernel that the op contains: `MLIR text` or `MLIR bytecode`. Empty without a kernel.
    pub kernel_form: String,
    /// Text of the kernel; for bytecode, the names in it.
    pub kernel_text: String,
    /// Call stack of the source line, `function (file:line)`, innermost first.
    pub stack: Vec<String>,
    /// Instructions that call the computation of the op.
    pub callers: Vec<String>,
    /// Instructions whose values the op uses.
    pub operands: Vec<String>,
    /// Instructions that use the value of the op.
    pub users: Vec<String>,
}

/// A kernel written by hand, as the configuration of its custom call describes it. The compiler sees
/// nothing of what it does.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct GraphKernel {
    /// Custom call that contains the kernel.
    pub op: String,
    /// Name of the kernel's function. Empty if unknown.
    pub kernel: String,
    /// What the kernel was written in: `Mosaic (TPU)`, `Triton` or `Mosaic GPU`.
    pub language: String,
    /// Sizes of the grid, outermost first; `?` for a size known only at run time, `none` for a kernel
    /// without a grid. Empty if unknown.
    pub grid: String,
    /// How each dimension of the grid may run: `parallel` or `arbitrary`. Empty if not stated.
    pub dimension_semantics: Vec<String>,
    /// Blocks of the kernel's operands and results, in the order of its arguments. Empty if unknown.
    pub blocks: Vec<GraphKernelBlock>,
    /// Memory that the kernel uses next to its blocks, as memory and shape.
    pub scratch: Vec<String>,
    /// Σ self time of the call in the selection. Absent if it was not executed.
    #[ts(type = "number | null")]
    pub self_ps: Option<i64>,
    /// Floating-point operations of one execution, by the author's `cost_estimate`. Absent without one.
    pub flops: Option<f64>,
    /// Bytes read and written by one execution, by the author's `cost_estimate`.
    pub bytes: Option<f64>,
    /// Exponentials, logarithms and the like of one execution, by the author's `cost_estimate`.
    pub transcendentals: Option<f64>,
    /// VMEM that the compiler reserved for one execution. Absent if not recorded.
    #[ts(type = "number | null")]
    pub vmem_bytes: Option<i64>,
    /// VMEM that the program allows the kernel. Absent if not stated.
    #[ts(type = "number | null")]
    pub vmem_limit_bytes: Option<i64>,
    /// Warps per block of threads. Absent if not stated.
    #[ts(type = "number | null")]
    pub warps: Option<i64>,
    /// Stages of the kernel's software pipeline. Absent if not stated.
    #[ts(type = "number | null")]
    pub stages: Option<i64>,
    /// Name stack of the call. Empty if unknown.
    pub scope: String,
    /// Source line of the call, as `file:line`. Empty if unknown.
    pub source: String,
    /// What of the kernel is not understood, and why. Empty if nothing.
    pub unknown: String,
}

/// The part of an operand or result that one step of a kernel's grid works on.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct GraphKernelBlock {
    /// Operand or result that the block is a part of, such as `operand 0`.
    pub of: String,
    /// Type and sizes of the whole array. Empty if unknown.
    pub array: String,
    /// Type and sizes of the block.
    pub block: String,
    /// Memory of the block: `vmem`, `smem`, or `any` for an array that stays where it is.
    pub space: String,
    /// Bytes of the block, without padding. Absent if unknown.
    #[ts(type = "number | null")]
    pub bytes: Option<i64>,
    /// Which block a step of the grid works on, in blocks, by the dimensions `i`, `j`, `k` … of the
    /// grid. Empty if the kernel gets the whole array.
    pub index_map: String,
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
    /// Whether the instruction is within a fusion, so that it is never executed on its own.
    pub is_fused: bool,
    /// Σ self time of the instruction in the selection. Absent if it was not executed on its own.
    #[ts(type = "number | null")]
    pub self_ps: Option<i64>,
    /// Which text of the instruction matches the search: `name`, `opcode`, `scope` or `source`.
    pub found_in: String,
}

/// A program with HLO.
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
