//! Types that matrix units multiply.

/// A type that matrix units multiply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OperandType {
    /// 64-bit floats.
    F64,
    /// 32-bit floats.
    F32,
    /// 32-bit floats of which 19 bits are multiplied.
    Tf32,
    /// Truncated single precision.
    Bf16,
    /// IEEE half precision.
    F16,
    /// 8-bit floats of any kind.
    F8,
    /// 4-bit floats.
    F4,
    /// 8-bit integers.
    Int8,
    /// 4-bit integers.
    Int4,
}

impl OperandType {
    /// All of them, in this order everywhere.
    pub const ALL: [Self; 9] = [
        Self::F64,
        Self::F32,
        Self::Tf32,
        Self::Bf16,
        Self::F16,
        Self::F8,
        Self::F4,
        Self::Int8,
        Self::Int4,
    ];

    /// The word in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F64 => "f64",
            Self::F32 => "f32",
            Self::Tf32 => "tf32",
            Self::Bf16 => "bf16",
            Self::F16 => "f16",
            Self::F8 => "fp8",
            Self::F4 => "fp4",
            Self::Int8 => "int8",
            Self::Int4 => "int4",
        }
    }

    /// Itself, then the types that it is widened to where the chip does not multiply it.
    pub(crate) const fn widened(self) -> &'static [Self] {
        match self {
            Self::F64 => &[Self::F64],
            Self::F32 => &[Self::F32],
            Self::Tf32 => &[Self::Tf32, Self::F32],
            Self::Bf16 => &[Self::Bf16, Self::F32],
            Self::F16 => &[Self::F16, Self::Bf16, Self::F32],
            Self::F8 => &[Self::F8, Self::Bf16, Self::F16, Self::F32],
            Self::F4 => &[Self::F4, Self::F8, Self::Bf16, Self::F16, Self::F32],
            Self::Int8 => &[Self::Int8, Self::Bf16, Self::F16, Self::F32],
            Self::Int4 => &[Self::Int4, Self::Int8, Self::Bf16, Self::F16, Self::F32],
        }
    }
}
