//! The numbers of repeated fields, one by one or packed.

use crate::{Cursor, Value, WireError};

impl<'a> Value<'a> {
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
