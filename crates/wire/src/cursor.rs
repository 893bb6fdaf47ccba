//! A place in a message, and what stands there.

use crate::{Field, Value, WireError};

/// A message that is being read, and how far.
#[derive(Debug, Clone, Copy)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    /// Never past the end.
    position: usize,
}

impl<'a> Cursor<'a> {
    /// At the beginning of a message.
    #[inline]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: 0 }
    }

    /// Bytes read so far.
    #[inline]
    pub const fn position(&self) -> usize {
        self.position
    }

    /// Everything has been read.
    #[inline]
    pub const fn is_at_end(&self) -> bool {
        self.position >= self.bytes.len()
    }

    /// What has not been read.
    #[inline]
    pub fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.position..).unwrap_or_default()
    }

    /// What has been read since an earlier position: a field as it is spelled, to be copied.
    #[inline]
    pub fn read_since(&self, position: usize) -> &'a [u8] {
        self.bytes.get(position..self.position).unwrap_or_default()
    }

    /// Moves to a position, at most the end.
    #[inline]
    pub fn skip_to(&mut self, position: usize) {
        self.position = position.min(self.bytes.len());
    }

    /// The next byte, without moving.
    #[inline]
    pub fn peek(&self) -> Option<u8> {
        self.bytes.get(self.position).copied()
    }

    /// The next field, or none at the end. A value that is cut off comes as [`Value::Cut`], and the
    /// end follows it.
    ///
    /// # Errors
    ///
    /// Where the message cannot be read further. The position is then anywhere behind the field's
    /// beginning.
    #[inline]
    pub fn field(&mut self) -> Result<Option<Field<'a>>, WireError> {
        if self.is_at_end() {
            return Ok(None);
        }
        // A tag has 32 bits: 29 for the number.
        let tag = u32::try_from(self.small_varint()?).map_err(|_| WireError::Malformed)?;
        let number = tag >> 3;
        if number == 0 {
            return Err(WireError::Malformed);
        }
        let value = match tag & 7 {
            0 => Value::Varint(self.varint()?),
            1 => Value::Fixed64(u64::from_le_bytes(self.fixed()?)),
            2 => self.delimited()?,
            3 => self.skip_group()?,
            5 => Value::Fixed32(u32::from_le_bytes(self.fixed()?)),
            _ => return Err(WireError::Malformed),
        };
        Ok(Some(Field { number, value }))
    }

    /// Like [`Cursor::field`], but a value that is cut off is an error.
    ///
    /// # Errors
    ///
    /// Where the message cannot be read further.
    #[inline]
    pub fn whole_field(&mut self) -> Result<Option<Field<'a>>, WireError> {
        match self.field()? {
            Some(Field {
                value: Value::Cut(_),
                ..
            }) => Err(WireError::Truncated),
            field => Ok(field),
        }
    }

    /// A varint behind this tag; moves only when both are there.
    #[inline]
    pub fn tagged_number(&mut self, tag: u8) -> Option<i64> {
        if self.peek() != Some(tag) {
            return None;
        }
        let mut ahead = *self;
        ahead.position += 1;
        let value = ahead.varint().ok()?;
        self.position = ahead.position;
        Some(value.cast_signed())
    }

    /// The bytes of a length-delimited value behind this tag; moves only when all are there.
    #[inline]
    pub fn tagged_bytes(&mut self, tag: u8) -> Option<&'a [u8]> {
        // Short values are the rule: their length is one byte.
        if let [found, length @ ..0x80, rest @ ..] = self.rest()
            && *found == tag
        {
            let bytes = rest.get(..usize::from(*length))?;
            self.position += 2 + bytes.len();
            return Some(bytes);
        }
        if self.peek() != Some(tag) {
            return None;
        }
        let mut ahead = *self;
        ahead.position += 1;
        let bytes = ahead.whole_bytes()?;
        self.position = ahead.position;
        Some(bytes)
    }

    /// A length and as many bytes, if they are all there; moves only then.
    #[inline]
    pub fn whole_bytes(&mut self) -> Option<&'a [u8]> {
        let mut ahead = *self;
        let length = usize::try_from(ahead.varint().ok()?).ok()?;
        let end = ahead.position.checked_add(length)?;
        let bytes = self.bytes.get(ahead.position..end)?;
        self.position = end;
        Some(bytes)
    }

    /// A varint of at most ten bytes; bits past the 64th are dropped, as protobuf does. Eight bytes
    /// are looked at together, which covers every value below 2^56.
    ///
    /// # Errors
    ///
    /// Where it is cut off or too long; the position stays.
    #[inline]
    pub fn varint(&mut self) -> Result<u64, WireError> {
        let first = *self.bytes.get(self.position).ok_or(WireError::Truncated)?;
        if first < 0x80 {
            self.position += 1;
            return Ok(u64::from(first));
        }
        if let Some(chunk) = self.bytes.get(self.position..self.position + 8)
            && let Ok(chunk) = <[u8; 8]>::try_from(chunk)
        {
            let word = u64::from_le_bytes(chunk);
            let ends = !word & 0x8080_8080_8080_8080;
            if ends != 0 {
                let bits = ends.trailing_zeros() + 1;
                self.position += (bits / 8) as usize;
                return Ok(compact(word & (u64::MAX >> (64 - bits))));
            }
        }
        self.short_varint()
    }

    /// A varint that usually has one byte or two, as tags and lengths have: with them the processor
    /// goes on before it knows the value, because it guesses the branch.
    #[inline]
    fn small_varint(&mut self) -> Result<u64, WireError> {
        match self.rest() {
            [first @ ..0x80, ..] => {
                self.position += 1;
                Ok(u64::from(*first))
            }
            [first, second @ ..0x80, ..] => {
                self.position += 2;
                Ok(u64::from(first & 0x7f) | u64::from(*second) << 7)
            }
            _ => self.varint(),
        }
    }

    /// A varint in the last eight bytes of a message, which are looked at together.
    #[inline]
    fn short_varint(&mut self) -> Result<u64, WireError> {
        if let Some(chunk) = self.bytes.last_chunk::<8>() {
            let distance = self.bytes.len() - self.position;
            if distance < 8 {
                let word = u64::from_le_bytes(*chunk) >> (64 - 8 * distance);
                let ends = !word & (0x8080_8080_8080_8080 >> (64 - 8 * distance));
                if ends != 0 {
                    let bits = ends.trailing_zeros() + 1;
                    self.position += (bits / 8) as usize;
                    return Ok(compact(word & (u64::MAX >> (64 - bits))));
                }
            }
        }
        self.long_varint()
    }

    /// A varint byte by byte: in a short message, cut off, or of nine and ten bytes.
    #[cold]
    fn long_varint(&mut self) -> Result<u64, WireError> {
        let mut value = 0u64;
        for (count, shift) in (0..70).step_by(7).enumerate() {
            let byte = *self
                .bytes
                .get(self.position + count)
                .ok_or(WireError::Truncated)?;
            if shift < 64 {
                value |= u64::from(byte & 0x7f) << shift;
            }
            if byte < 0x80 {
                self.position += count + 1;
                return Ok(value);
            }
        }
        Err(WireError::Malformed)
    }

    /// So many bytes.
    #[inline]
    fn fixed<const COUNT: usize>(&mut self) -> Result<[u8; COUNT], WireError> {
        let chunk = self.rest().first_chunk().ok_or(WireError::Truncated)?;
        self.position += COUNT;
        Ok(*chunk)
    }

    #[inline]
    fn delimited(&mut self) -> Result<Value<'a>, WireError> {
        let length = usize::try_from(self.small_varint()?).unwrap_or(usize::MAX);
        let rest = self.rest();
        let Some(bytes) = rest.get(..length) else {
            self.position = self.bytes.len();
            return Ok(Value::Cut(rest));
        };
        self.position += length;
        Ok(Value::Bytes(bytes))
    }

    /// Moves behind the end of a group. Groups within are counted, not descended into.
    #[cold]
    fn skip_group(&mut self) -> Result<Value<'a>, WireError> {
        let mut open = 1usize;
        while open > 0 {
            match self.varint()? & 7 {
                0 => _ = self.varint()?,
                1 => _ = self.fixed::<8>()?,
                2 => _ = self.whole_bytes().ok_or(WireError::Truncated)?,
                3 => open += 1,
                4 => open -= 1,
                5 => _ = self.fixed::<4>()?,
                _ => return Err(WireError::Malformed),
            }
        }
        Ok(Value::Group)
    }
}

/// Joins the 7-bit groups of eight bytes.
#[inline]
const fn compact(word: u64) -> u64 {
    let word = word & 0x7f7f_7f7f_7f7f_7f7f;
    let word = ((word & 0x7f00_7f00_7f00_7f00) >> 1) | (word & 0x007f_007f_007f_007f);
    let word = ((word & 0x3fff_0000_3fff_0000) >> 2) | (word & 0x0000_3fff_0000_3fff);
    ((word & 0x0fff_ffff_0000_0000) >> 4) | (word & 0x0000_0000_0fff_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::push_varint;

    #[test]
    fn varints_of_every_length_at_every_distance_from_the_end() {
        for shift in 0..64 {
            for value in [1u64 << shift, (1u64 << shift) - 1, u64::MAX >> shift] {
                for padding in 0..9 {
                    let mut bytes = Vec::new();
                    push_varint(&mut bytes, value);
                    let length = bytes.len();
                    bytes.extend(std::iter::repeat_n(0xff, padding));
                    let mut cursor = Cursor::new(&bytes);
                    assert_eq!(cursor.varint(), Ok(value));
                    assert_eq!(cursor.position(), length);
                }
            }
        }
    }

    #[test]
    fn endless_and_cut_varints_are_errors() {
        assert_eq!(Cursor::new(&[0xff; 11]).varint(), Err(WireError::Malformed));
        assert_eq!(Cursor::new(&[0x80]).varint(), Err(WireError::Truncated));
        assert_eq!(Cursor::new(&[]).varint(), Err(WireError::Truncated));
    }

    #[test]
    fn a_length_past_the_end_gives_what_is_there() {
        let mut cursor = Cursor::new(&[0x0a, 5, 1, 2]);
        let mut strict = cursor;
        let field = cursor.field().unwrap().unwrap();
        assert_eq!(field.value, Value::Cut(&[1, 2]));
        assert_eq!(cursor.field(), Ok(None));
        assert_eq!(strict.whole_field(), Err(WireError::Truncated));
    }

    #[test]
    fn tags_that_cannot_be_are_malformed() {
        // Number 0, wire types 6 and 7, the end of a group that did not begin, a number of 30 bits.
        for bytes in [
            &[0x00, 1][..],
            &[0x0e, 1],
            &[0x0f, 1],
            &[0x0c],
            &[0x80, 0x80, 0x80, 0x80, 0x10, 1],
        ] {
            let field = Cursor::new(bytes).field();
            assert_eq!(field, Err(WireError::Malformed), "{bytes:?}");
        }
        let greatest = &[0xf8, 0xff, 0xff, 0xff, 0x0f, 1];
        let field = Cursor::new(greatest).field().unwrap().unwrap();
        assert_eq!(field.number, (1 << 29) - 1);
    }

    #[test]
    fn groups_are_passed_over_with_what_is_in_them() {
        // 2: {1: 7, 3: {}, 1: four bytes, 1: eight bytes, 1: "a"}, 1: 5
        let bytes = b"\x13\x08\x07\x1b\x1c\x0d1234\x0912345678\x0a\x01a\x14\x08\x05";
        let mut cursor = Cursor::new(bytes);
        let group = cursor.field().unwrap().unwrap();
        assert_eq!((group.number, group.value), (2, Value::Group));
        assert_eq!(cursor.read_since(0).len(), bytes.len() - 2);
        let next = cursor.field().unwrap().unwrap();
        assert_eq!(next.value, Value::Varint(5));
        for length in 1..bytes.len() - 2 {
            let cut = Cursor::new(&bytes[..length]).field();
            assert_eq!(cut, Err(WireError::Truncated), "{length}");
        }
    }
}
