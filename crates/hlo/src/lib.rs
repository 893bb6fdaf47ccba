//! XLA programs: instructions, shapes, categories and cost, decoded from HloProto.
//!
//! A profile names the op that ran; the program it carries says what the op is: its shape, the
//! line of the user's program it came from, and what one execution costs.
//!
//! ```
//! # fn main() -> Result<(), stepscope_hlo::HloError> {
//! # let bytes = b"\x0a\x12\x0a\x05jit_f\x1a\x09\x12\x07\x0a\x01p\x12\x02id";
//! let program = stepscope_hlo::Program::decode(bytes)?;
//! for instruction in program.instructions() {
//!     let cost = program.cost(instruction);
//!     let line = format!("{} {} {}", instruction.name, instruction.category(), cost.flops);
//! #   assert_eq!(line, "p id 0");
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Constraints: no I/O, no clocks. Decoding never panics and needs time and memory in proportion
//! to the bytes. What is missing or contradictory in a program yields empty or zero, not an
//! error, as half a program still explains half a profile. What is large and rarely asked for
//! (constants, configurations, the memory plan) is not kept: it is read again from the same bytes,
//! see [`Outline`] and [`BufferAssignment`].

mod aliases;
mod attributes;
mod backend_config;
mod buffers;
mod callees;
mod category;
mod class;
mod collective;
mod cost;
mod decode;
mod details;
mod device_sets;
mod difference;
mod error;
mod fingerprint;
mod flow;
mod groups_text;
#[cfg(test)]
mod hostile_tests;
mod kernel;
mod literal;
mod loops;
mod mlir;
mod module_text;
pub mod name_stack;
mod op_class;
mod opcode;
mod outline;
mod placement;
mod primitive_type;
mod program;
mod remat;
mod replica_groups;
mod rewrite;
mod schedule;
mod shape;
mod sharding;
mod source;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod text;
mod updates;
mod wire;

pub use aliases::Alias;
pub use attributes::{
    AttentionDimensions, Attributes, ConvolutionDimensions, CostEstimate, DotDimensions,
    PaddingDimension, Precision, SliceDimension, WindowDimension,
};
pub use buffers::{
    Allocation, BufferAssignment, HeapEvent, HeapEventKind, HeapTrace, LogicalBuffer, Placement,
};
pub use category::inferred_category;
pub use collective::{Collective, CollectiveKind};
pub use cost::{Cost, CostBasis, Needed, ProductType, Products};
pub use details::Details;
pub use difference::{ChangedValue, Difference, Side, difference};
pub use error::HloError;
pub use fingerprint::{Fingerprints, listing};
pub use kernel::{Kernel, KernelBlock, KernelBody, KernelBuffer};
pub use loops::{InLoop, Loop, Loops};
pub use module_text::TextForm;
pub use op_class::OpClass;
pub use outline::Outline;
pub use placement::PlacedDimension;
pub use primitive_type::PrimitiveType;
pub use program::{Computation, ComputationIndex, Instruction, InstructionIndex, Program};
pub use replica_groups::{MeshAxis, MeshAxisPart, ReplicaGroups};
pub use rewrite::{ProgramText, rewrite};
pub use schedule::Schedule;
pub use shape::{HOST_MEMORY_SPACE, Layout, Shape};
pub use sharding::{Division, ShardedValue, Sharding};
pub use source::{Frame, SourceFunction, SourceLocation};
pub use updates::{Argument, Signature};
