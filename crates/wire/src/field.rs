//! Fields, their values, and what can be wrong with them.

use std::fmt;

/// One field of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field<'a> {
    /// Its number, 1 to 2^29 - 1.
    pub number: u32,
    /// Its value.
    pub value: Value<'a>,
}

/// The value of a field as it stands on the wire. What it means, signed or a double, text or a
/// message, only the reader of the message knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value<'a> {
    /// A number in base 128.
    Varint(u64),
    /// Eight bytes, little-endian.
    Fixed64(u64),
    /// Four bytes, little-endian.
    Fixed32(u32),
    /// What has a length: text, bytes, a message, packed numbers.
    Bytes(&'a [u8]),
    /// The beginning of what has a length but ends before it: the input was cut off.
    Cut(&'a [u8]),
    /// A group, which was passed over: nothing that we read has one.
    Group,
}

/// Why a message could not be read further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WireError {
    /// The input ends within a field.
    Truncated,
    /// The bytes are not protobuf: a varint of more than ten bytes, a field number or a wire type
    /// that does not exist, the end of a group that did not begin.
    Malformed,
}

impl fmt::Display for WireError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Truncated => "the message ends within a field",
            Self::Malformed => "the bytes are not a protobuf message",
        })
    }
}

impl std::error::Error for WireError {}

impl<'a> Value<'a> {
    /// The number, in whichever of the three forms; 0 for anything else, as for an absent field.
    #[inline]
    pub const fn number(self) -> u64 {
        match self {
            Self::Varint(number) | Self::Fixed64(number) => number,
            Self::Fixed32(number) => number as u64,
            Self::Bytes(_) | Self::Cut(_) | Self::Group => 0,
        }
    }

    /// The bytes of a whole value that has a length; none for anything else, as for an absent field.
    #[inline]
    pub const fn bytes(self) -> &'a [u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            _ => &[],
        }
    }
}
