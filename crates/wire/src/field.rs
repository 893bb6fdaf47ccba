//! Fields, their values, and what can be wrong with them.

use std::fmt;

use crate::Cursor;

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

    /// The numbers of a repeated field in base 128, of which writers put one into each field, or all
    /// of them into one, packed.
    #[inline]
    pub fn numbers(self) -> Numbers<'a> {
        let (single, packed) = match self {
            Self::Bytes(packed) => (None, packed),
            other => (Some(other.number()), &[][..]),
        };
        Numbers {
            single,
            packed: Cursor::new(packed),
        }
    }

    /// The numbers of a repeated field of eight bytes each, one or packed. Bytes behind the last
    /// whole one are passed over.
    pub fn fixed64_numbers(self) -> impl Iterator<Item = u64> + use<'a> {
        let (single, packed) = match self {
            Self::Bytes(packed) => (None, packed),
            other => (Some(other.number()), &[][..]),
        };
        let chunks = packed.as_chunks::<8>().0.iter();
        let packed = chunks.map(|chunk| u64::from_le_bytes(*chunk));
        single.into_iter().chain(packed)
    }
}

/// The numbers of a repeated field. Damage among them is the last item.
#[derive(Debug, Clone)]
pub struct Numbers<'a> {
    single: Option<u64>,
    packed: Cursor<'a>,
}

impl Iterator for Numbers<'_> {
    type Item = Result<u64, WireError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if let Some(number) = self.single.take() {
            return Some(Ok(number));
        }
        if self.packed.is_at_end() {
            return None;
        }
        let number = self.packed.varint();
        if number.is_err() {
            self.packed.skip_to(usize::MAX);
        }
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_numbers_are_read_in_both_forms() {
        let of = |value: Value<'_>| value.numbers().collect::<Vec<_>>();
        assert_eq!(of(Value::Varint(7)), [Ok(7)]);
        assert_eq!(of(Value::Bytes(&[1, 0xac, 2])), [Ok(1), Ok(300)]);
        assert_eq!(of(Value::Bytes(&[])), []);
        let cut = of(Value::Bytes(&[1, 0x80]));
        assert_eq!(cut, [Ok(1), Err(WireError::Truncated)]);
        let packed = [7_u64.to_le_bytes(), 8_u64.to_le_bytes()].concat();
        let of = |value: Value<'_>| value.fixed64_numbers().collect::<Vec<_>>();
        assert_eq!(of(Value::Bytes(&packed)), [7, 8]);
        assert_eq!(of(Value::Bytes(&packed[..15])), [7]);
        assert_eq!(of(Value::Fixed64(9)), [9]);
    }
}
