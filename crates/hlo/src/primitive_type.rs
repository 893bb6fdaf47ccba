//! Element types of XLA arrays, their width and their names in HLO text.

use std::fmt;

/// Declares the enum with, per type, its number in the proto, its width in bits and its text.
macro_rules! primitive_types {
    ($($(#[$meta:meta])* $name:ident = $number:literal, $bits:literal, $text:literal;)*) => {
        /// Element type of an array, or the kind of a shape that is not an array.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
        pub enum PrimitiveType {
            /// Absent, or a number this build does not know.
            #[default]
            Invalid,
            $($(#[$meta])* $name,)*
        }

        impl PrimitiveType {
            /// From the number in ShapeProto.
            pub(crate) fn from_number(number: i32) -> Self {
                match number {
                    $($number => Self::$name,)*
                    _ => Self::Invalid,
                }
            }

            /// Width of one element in bits; zero for tuples, tokens and opaque values.
            pub fn bits(self) -> u64 {
                match self {
                    Self::Invalid => 0,
                    $(Self::$name => $bits,)*
                }
            }

            /// As in HLO text: `f32`, `bf16`, `pred`.
            pub fn name(self) -> &'static str {
                match self {
                    Self::Invalid => "invalid",
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

primitive_types! {
    /// Boolean, one byte each.
    Pred = 1, 8, "pred";
    /// Signed 8-bit integer.
    S8 = 2, 8, "s8";
    /// Signed 16-bit integer.
    S16 = 3, 16, "s16";
    /// Signed 32-bit integer.
    S32 = 4, 32, "s32";
    /// Signed 64-bit integer.
    S64 = 5, 64, "s64";
    /// Unsigned 8-bit integer.
    U8 = 6, 8, "u8";
    /// Unsigned 16-bit integer.
    U16 = 7, 16, "u16";
    /// Unsigned 32-bit integer.
    U32 = 8, 32, "u32";
    /// Unsigned 64-bit integer.
    U64 = 9, 64, "u64";
    /// IEEE half precision.
    F16 = 10, 16, "f16";
    /// IEEE single precision.
    F32 = 11, 32, "f32";
    /// IEEE double precision.
    F64 = 12, 64, "f64";
    /// A tuple of shapes.
    Tuple = 13, 0, "tuple";
    /// A handle the compiler cannot look into.
    Opaque = 14, 0, "opaque";
    /// Complex of two `f32`.
    C64 = 15, 64, "c64";
    /// Truncated single precision.
    Bf16 = 16, 16, "bf16";
    /// Ordering only, no data.
    Token = 17, 0, "token";
    /// Complex of two `f64`.
    C128 = 18, 128, "c128";
    /// 8-bit float, 5 exponent and 2 mantissa bits.
    F8E5M2 = 19, 8, "f8e5m2";
    /// 8-bit float, 4 exponent and 3 mantissa bits, finite only.
    F8E4M3Fn = 20, 8, "f8e4m3fn";
    /// Signed 4-bit integer.
    S4 = 21, 4, "s4";
    /// Unsigned 4-bit integer.
    U4 = 22, 4, "u4";
    /// 8-bit float with exponent bias 11.
    F8E4M3B11Fnuz = 23, 8, "f8e4m3b11fnuz";
    /// 8-bit float, no negative zero.
    F8E5M2Fnuz = 24, 8, "f8e5m2fnuz";
    /// 8-bit float, no negative zero.
    F8E4M3Fnuz = 25, 8, "f8e4m3fnuz";
    /// Signed 2-bit integer.
    S2 = 26, 2, "s2";
    /// Unsigned 2-bit integer.
    U2 = 27, 2, "u2";
    /// 8-bit float, IEEE-like.
    F8E4M3 = 28, 8, "f8e4m3";
    /// 8-bit float, 3 exponent and 4 mantissa bits.
    F8E3M4 = 29, 8, "f8e3m4";
    /// Signed 1-bit integer.
    S1 = 30, 1, "s1";
    /// Unsigned 1-bit integer.
    U1 = 31, 1, "u1";
    /// 4-bit float of the microscaling formats.
    F4E2M1Fn = 32, 4, "f4e2m1fn";
    /// 8-bit exponent of the microscaling formats.
    F8E8M0Fnu = 33, 8, "f8e8m0fnu";
    /// A buffer whose contents are typed elsewhere.
    Buffer = 34, 0, "buffer";
}

impl PrimitiveType {
    /// Real numbers, of any width.
    pub fn is_floating_point(self) -> bool {
        self.name().starts_with('f') || self.name().starts_with("bf")
    }
}

impl fmt::Display for PrimitiveType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
