//! What is said of a kernel.

use crate::attributes::CostEstimate;
use crate::program::Instruction;

/// A kernel of a custom call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Kernel {
    /// What it was written in.
    pub language: &'static str,
    /// The name of its function. Empty if unknown.
    pub name: String,
    /// Its grid, outermost dimension first; none where the size is known only at run time. Absent if
    /// the grid is unknown, empty without one.
    pub grid: Option<Vec<Option<u64>>>,
    /// How the dimensions of the grid may run: `parallel` or `arbitrary`.
    pub dimension_semantics: Vec<String>,
    /// Blocks of operands and results, in the order of the kernel's arguments.
    pub blocks: Vec<KernelBlock>,
    /// Memory that it uses besides its blocks.
    pub scratch: Vec<KernelBuffer>,
    /// VMEM that the compiler reserved for one execution.
    pub vmem_bytes: Option<u64>,
    /// VMEM that the program allows the kernel.
    pub vmem_limit_bytes: Option<u64>,
    /// Warps per block of threads.
    pub warps: Option<u64>,
    /// Stages of the software pipeline.
    pub stages: Option<u64>,
    /// What its author says one execution costs.
    pub cost_estimate: Option<CostEstimate>,
    /// What of it is not understood, as a sentence. Empty if nothing.
    pub unknown: String,
}

/// The part of an operand or result that one step of the grid works on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KernelBlock {
    /// Whether it belongs to an operand (`operand 0`) or to a result (`result 0`).
    pub of: String,
    /// The array that it is a part of, as HLO text without a layout. Empty if unknown.
    pub array: String,
    /// Where it is and what it contains.
    pub buffer: KernelBuffer,
    /// Which block a step of the grid works on, in blocks: `(i, k)`, by the dimensions `i`, `j`, `k` …
    /// of the grid. Empty if the kernel gets the whole array.
    pub index_map: String,
}

/// Memory of a kernel.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KernelBuffer {
    /// Type and sizes: `bf16[256,128]`.
    pub shape: String,
    /// The memory: `vmem`, `smem`, `any`, `semaphore_mem`. Empty if unknown.
    pub space: String,
    /// Bytes. Absent if a size or the type is unknown.
    pub byte_count: Option<u64>,
}

impl Kernel {
    /// Whether an instruction calls a kernel that somebody wrote by hand.
    pub fn is_call(instruction: &Instruction) -> bool {
        TARGETS.contains(&instruction.custom_call_target.as_str())
    }
}

/// Targets of calls whose kernels are described.
const TARGETS: [&str; 5] = [
    "tpu_custom_call",
    "__gpu$xla.gpu.triton",
    "triton_kernel_call",
    "mosaic_gpu",
    "mosaic_gpu_v2",
];
