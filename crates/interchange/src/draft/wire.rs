//! Writing protobuf: tags, numbers, and messages whose length is known only once they are written.

/// Appends a number in base 128.
#[inline]
pub(crate) fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
}

/// A numbered field that is a number.
#[inline]
pub(crate) fn number(out: &mut Vec<u8>, field: u32, value: u64) {
    varint(out, u64::from(field) << 3);
    varint(out, value);
}

/// A numbered field that is a signed number.
#[inline]
pub(crate) fn signed(out: &mut Vec<u8>, field: u32, value: i64) {
    number(out, field, value.cast_unsigned());
}

/// A numbered field of eight bytes.
#[inline]
pub(crate) fn fixed64(out: &mut Vec<u8>, field: u32, bits: u64) {
    varint(out, u64::from(field) << 3 | 1);
    out.extend_from_slice(&bits.to_le_bytes());
}

/// A numbered field that is text or bytes.
#[inline]
pub(crate) fn bytes(out: &mut Vec<u8>, field: u32, value: &[u8]) {
    varint(out, u64::from(field) << 3 | 2);
    varint(out, value.len() as u64);
    out.extend_from_slice(value);
}

/// A numbered field that is a message, written in place.
#[inline]
pub(crate) fn message(out: &mut Vec<u8>, field: u32, write: impl FnOnce(&mut Vec<u8>)) {
    let body = open(out, field);
    write(out);
    close(out, body);
}

/// Begins a message in place; one byte is set aside for its length.
#[inline]
pub(crate) fn open(out: &mut Vec<u8>, field: u32) -> usize {
    varint(out, u64::from(field) << 3 | 2);
    out.push(0);
    out.len()
}

/// Ends the message whose body began at `body`: longer ones are moved to make room for the length.
#[inline]
pub(crate) fn close(out: &mut Vec<u8>, body: usize) {
    let length = out.len() - body;
    if length < 0x80 {
        out[body - 1] = length.to_le_bytes()[0];
    } else {
        move_for_length(out, body, length);
    }
}

#[cold]
fn move_for_length(out: &mut Vec<u8>, body: usize, length: usize) {
    let more = varint_len(length as u64) - 1;
    out.resize(out.len() + more, 0);
    out.copy_within(body..body + length, body + more);
    let mut value = length as u64;
    for slot in &mut out[body - 1..body + more] {
        let is_last = value < 0x80;
        *slot = (value & 0x7f).to_le_bytes()[0] | if is_last { 0 } else { 0x80 };
        value >>= 7;
    }
}

/// Bytes that a number takes.
pub(crate) fn varint_len(value: u64) -> usize {
    (64 - (value | 1).leading_zeros() as usize).div_ceil(7)
}

/// Reads a number in base 128 and how many bytes it took.
#[inline]
pub(crate) fn read_varint(from: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0_u64;
    for (index, &byte) in from.iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte < 0x80 {
            return Some((value, index + 1));
        }
    }
    None
}

/// The value of a field being read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Field<'a> {
    Number(u64),
    Fixed(u64),
    Bytes(&'a [u8]),
}

impl<'a> Field<'a> {
    /// A number, however it is spelled.
    pub(crate) fn number(self) -> u64 {
        match self {
            Self::Number(value) | Self::Fixed(value) => value,
            Self::Bytes(_) => 0,
        }
    }

    pub(crate) fn bytes(self) -> &'a [u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            _ => &[],
        }
    }

    /// The numbers of a repeated field, packed or not.
    pub(crate) fn numbers(self) -> Vec<u64> {
        let Self::Bytes(mut packed) = self else {
            return vec![self.number()];
        };
        let mut numbers = Vec::new();
        while let Some((value, taken)) = read_varint(packed) {
            numbers.push(value);
            packed = &packed[taken..];
        }
        numbers
    }

    /// The eight-byte numbers of a repeated field, packed or not.
    pub(crate) fn fixed_numbers(self) -> Vec<u64> {
        match self {
            Self::Bytes(packed) => packed
                .chunks_exact(8)
                .map(|bytes| u64::from_le_bytes(bytes.try_into().unwrap_or_default()))
                .collect(),
            _ => vec![self.number()],
        }
    }
}

/// The fields of a message, to its end or to damage.
#[derive(Clone)]
pub(crate) struct Fields<'a>(pub(crate) &'a [u8]);

impl<'a> Iterator for Fields<'a> {
    type Item = (u64, Field<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (tag, taken) = read_varint(self.0)?;
        let rest = &self.0[taken..];
        let (field, taken) = match tag & 7 {
            0 => {
                let (value, taken) = read_varint(rest)?;
                (Field::Number(value), taken)
            }
            1 => {
                let bytes = rest.get(..8)?.try_into().unwrap_or_default();
                (Field::Fixed(u64::from_le_bytes(bytes)), 8)
            }
            2 => {
                let (length, taken) = read_varint(rest)?;
                let end = taken.checked_add(usize::try_from(length).ok()?)?;
                (Field::Bytes(rest.get(taken..end)?), end)
            }
            5 => {
                let bytes = rest.get(..4)?.try_into().unwrap_or_default();
                (Field::Fixed(u64::from(u32::from_le_bytes(bytes))), 4)
            }
            _ => return None,
        };
        self.0 = &rest[taken..];
        Some((tag >> 3, field))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_any_length_carry_it() {
        for length in [0, 1, 127, 128, 129, 16_383, 16_384, 3_000_000] {
            let mut out = vec![9];
            message(&mut out, 4, |out| out.resize(out.len() + length, 7));
            assert_eq!(out[..2], [9, 0x22]);
            let (read, taken) = read_varint(&out[2..]).unwrap();
            assert_eq!(read, length as u64);
            assert_eq!(taken, varint_len(length as u64));
            assert!(out[2 + taken..].iter().all(|&byte| byte == 7));
            assert_eq!(out.len(), 2 + taken + length);
        }
    }
}
