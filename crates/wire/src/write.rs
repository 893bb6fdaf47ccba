//! Writing: tags, values, and messages whose length is known only once they are written.

/// Appends a number in base 128.
#[inline]
pub fn push_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.push(value.to_le_bytes()[0]);
}

/// A field that is a number.
#[inline]
pub fn push_number(out: &mut Vec<u8>, field: u32, value: u64) {
    push_varint(out, u64::from(field) << 3);
    push_varint(out, value);
}

/// A field that is a signed number, which takes ten bytes when negative.
#[inline]
pub fn push_signed(out: &mut Vec<u8>, field: u32, value: i64) {
    push_number(out, field, value.cast_unsigned());
}

/// A field of eight bytes.
#[inline]
pub fn push_fixed64(out: &mut Vec<u8>, field: u32, bits: u64) {
    push_varint(out, u64::from(field) << 3 | 1);
    out.extend_from_slice(&bits.to_le_bytes());
}

/// A field that is text, bytes, or a message that has been written elsewhere.
#[inline]
pub fn push_bytes(out: &mut Vec<u8>, field: u32, value: &[u8]) {
    push_varint(out, u64::from(field) << 3 | 2);
    push_varint(out, value.len() as u64);
    out.extend_from_slice(value);
}

/// A field that is a message, written in place.
#[inline]
pub fn push_message(out: &mut Vec<u8>, field: u32, write: impl FnOnce(&mut Vec<u8>)) {
    let body = open_message(out, field);
    write(out);
    close_message(out, body);
}

/// Begins a message in place, for [`close_message`] to end, and returns where its body begins. One
/// byte is set aside for its length.
#[inline]
pub fn open_message(out: &mut Vec<u8>, field: u32) -> usize {
    push_varint(out, u64::from(field) << 3 | 2);
    out.push(0);
    out.len()
}

/// Ends the message whose body began at `body`: longer ones are moved to make room for the length.
#[inline]
pub fn close_message(out: &mut Vec<u8>, body: usize) {
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

/// Bytes that a number in base 128 takes.
#[inline]
pub const fn varint_len(value: u64) -> usize {
    (64 - (value | 1).leading_zeros() as usize).div_ceil(7)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cursor;

    #[test]
    fn messages_of_any_length_carry_it() {
        for length in [0, 1, 127, 128, 129, 16_383, 16_384, 3_000_000] {
            let mut out = vec![9];
            push_message(&mut out, 4, |out| out.resize(out.len() + length, 7));
            assert_eq!(out[..2], [9, 0x22]);
            let mut cursor = Cursor::new(&out[2..]);
            assert_eq!(cursor.varint(), Ok(length as u64));
            assert_eq!(cursor.position(), varint_len(length as u64));
            assert_eq!(cursor.rest().len(), length);
            assert!(cursor.rest().iter().all(|&byte| byte == 7));
        }
    }
}
