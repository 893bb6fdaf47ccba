//! The protobuf wire format: varints, tags, fields of a message.

use std::borrow::Cow;

/// A message that is being read. `position` never exceeds the length.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    position: usize,
}

/// One field.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field<'a> {
    pub(crate) number: u32,
    pub(crate) value: Value<'a>,
}

/// The value of a field as it stands on the wire.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Value<'a> {
    Varint(u64),
    Fixed64(u64),
    /// Length-delimited; the second is the number of bytes missing at the end of the input.
    Bytes(&'a [u8], usize),
    /// Of a wire type that no field of a profile has: four bytes, or a group.
    Other,
}

/// Why a message could not be read further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WireError {
    /// The input ends within a field.
    Truncated,
    /// A varint of more than ten bytes, field number 0, or an unknown wire type.
    Malformed,
}

impl<'a> Cursor<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: 0 }
    }

    pub(crate) const fn position(&self) -> usize {
        self.position
    }

    pub(crate) const fn is_at_end(&self) -> bool {
        self.position >= self.bytes.len()
    }

    /// What has not been read.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.position..).unwrap_or_default()
    }

    /// Moves to a position, at most the end.
    pub(crate) fn skip_to(&mut self, position: usize) {
        self.position = position.min(self.bytes.len());
    }

    /// A byte that is there, without moving.
    #[inline]
    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.position).copied()
    }

    /// The bytes of a length-delimited value, if they are all there; moves only then.
    #[inline]
    pub(crate) fn whole_bytes(&mut self) -> Option<&'a [u8]> {
        let mut ahead = *self;
        let length = usize::try_from(ahead.varint().ok()?).ok()?;
        let end = ahead.position.checked_add(length)?;
        let bytes = self.bytes.get(ahead.position..end)?;
        self.position = end;
        Some(bytes)
    }

    /// A varint behind this tag; moves only when both are there.
    #[inline]
    pub(crate) fn tagged_number(&mut self, tag: u8) -> Option<i64> {
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
    pub(crate) fn tagged_bytes(&mut self, tag: u8) -> Option<&'a [u8]> {
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

    /// The next field, or none at the end.
    #[inline]
    pub(crate) fn field(&mut self) -> Result<Option<Field<'a>>, WireError> {
        if self.is_at_end() {
            return Ok(None);
        }
        let tag = self.varint()?;
        let number = u32::try_from(tag >> 3).map_err(|_| WireError::Malformed)?;
        if number == 0 {
            return Err(WireError::Malformed);
        }
        let value = match tag & 7 {
            0 => Value::Varint(self.varint()?),
            1 => Value::Fixed64(self.fixed64()?),
            2 => self.delimited()?,
            3 => {
                self.skip_group()?;
                Value::Other
            }
            5 => {
                self.skip(4)?;
                Value::Other
            }
            _ => return Err(WireError::Malformed),
        };
        Ok(Some(Field { number, value }))
    }

    /// A varint. Eight bytes are looked at together, which covers every value below 2^56.
    #[inline]
    pub(crate) fn varint(&mut self) -> Result<u64, WireError> {
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

    fn fixed64(&mut self) -> Result<u64, WireError> {
        let chunk = self.rest().first_chunk::<8>().ok_or(WireError::Truncated)?;
        self.position += 8;
        Ok(u64::from_le_bytes(*chunk))
    }

    fn skip(&mut self, count: usize) -> Result<(), WireError> {
        if self.bytes.len() - self.position < count {
            return Err(WireError::Truncated);
        }
        self.position += count;
        Ok(())
    }

    /// Moves behind the end of a group. Groups within are counted, not descended into.
    #[cold]
    fn skip_group(&mut self) -> Result<(), WireError> {
        let mut open = 1usize;
        while open > 0 {
            match self.varint()? & 7 {
                0 => _ = self.varint()?,
                1 => self.skip(8)?,
                2 => _ = self.whole_bytes().ok_or(WireError::Truncated)?,
                3 => open += 1,
                4 => open -= 1,
                5 => self.skip(4)?,
                _ => return Err(WireError::Malformed),
            }
        }
        Ok(())
    }

    #[inline]
    fn delimited(&mut self) -> Result<Value<'a>, WireError> {
        let length = self.varint()?;
        let rest = self.rest();
        let available = rest.len();
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        if let Some(bytes) = rest.get(..length) {
            self.position += length;
            return Ok(Value::Bytes(bytes, 0));
        }
        self.position = self.bytes.len();
        Ok(Value::Bytes(rest, length - available))
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

/// The varint fields of a small message, in file order: for opaque messages that profiles carry in
/// stats, of which only a few numbers matter.
pub fn number_fields(message: &[u8]) -> Vec<(u32, u64)> {
    let mut fields = Vec::new();
    let mut cursor = Cursor::new(message);
    while let Ok(Some(field)) = cursor.field() {
        if let Value::Varint(value) = field.value {
            fields.push((field.number, value));
        }
    }
    fields
}

/// The sub-messages of one field of a small message, in file order; see [`number_fields`].
pub fn message_fields(message: &[u8], number: u32) -> Vec<&[u8]> {
    let mut found = Vec::new();
    let mut cursor = Cursor::new(message);
    while let Ok(Some(field)) = cursor.field() {
        if let Value::Bytes(bytes, 0) = field.value
            && field.number == number
        {
            found.push(bytes);
        }
    }
    found
}

/// Text as UTF-8; invalid parts become replacement characters.
pub fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// Writes a field that has a length.
pub(crate) fn push_field(out: &mut Vec<u8>, number: u32, value: &[u8]) {
    push_varint(out, u64::from(number) << 3 | 2);
    push_varint(out, value.len() as u64);
    out.extend_from_slice(value);
}

/// Writes a varint.
pub(crate) fn push_varint(out: &mut Vec<u8>, mut value: u64) {
    loop {
        let [low, ..] = value.to_le_bytes();
        value >>= 7;
        if value == 0 {
            return out.push(low & 0x7f);
        }
        out.push(low | 0x80);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encode(mut value: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        loop {
            let low = (value & 0x7f) as u8;
            value >>= 7;
            if value == 0 {
                bytes.push(low);
                return bytes;
            }
            bytes.push(low | 0x80);
        }
    }

    #[test]
    fn varints_of_every_length_at_every_distance_from_the_end() {
        for shift in 0..64 {
            for value in [1u64 << shift, (1u64 << shift) - 1, u64::MAX >> shift] {
                for padding in 0..9 {
                    let mut bytes = encode(value);
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
    fn a_length_past_the_end_says_how_much_is_missing() {
        let mut cursor = Cursor::new(&[0x0a, 5, 1, 2]);
        let field = cursor.field().unwrap().unwrap();
        assert!(matches!(field.value, Value::Bytes(&[1, 2], 3)));
        assert!(cursor.field().unwrap().is_none());
    }
}
