//! What can be wrong with a serialized program as a whole.

/// Why bytes could not be read as an HLO program.
///
/// Anything short of this (an unknown opcode, a dangling operand, a missing shape) is tolerated:
/// the program is decoded and the affected figures are zero or empty.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HloError {
    /// The bytes follow neither HloProto nor HloModuleProto.
    #[error("the bytes are not an HLO program")]
    Malformed(#[source] prost::DecodeError),
    /// The message is well formed but holds no computation.
    #[error("the HLO program has no computations")]
    Empty,
}
