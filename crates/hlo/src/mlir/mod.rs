//! Reads MLIR bytecode: enough of a module to say what its functions are and what they compute.
//!
//! ```text
//! "ML" ef "R", version, producer \0, sections
//! section: id (bit 7: aligned), length, [alignment, padding], data
//! 0 strings · 1 dialects and names of ops · 2 attributes and types · 3 their sizes · 4 ops
//! ```
//!
//! The format is described at <https://mlir.llvm.org/docs/BytecodeFormat/>. Versions 0 to 6 are read;
//! in others, and in attributes whose dialect has its own encoding, the content is unknown, not an
//! error. Memory is in proportion to the bytes, and attributes are decoded only on request.

mod attributes;
mod bytes;
mod module;
mod ops;
mod sections;
mod tables;
#[cfg(test)]
mod tests;

pub(crate) use attributes::{Attribute, Type};
pub(crate) use module::{Module, strings};
pub(crate) use ops::Op;
pub(crate) use sections::Refusal;
