//! Varints, and a cursor over bytes that holds them.

use crate::lost::Cause;

/// Bytes that are read from the front. What is missing is damage.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cursor<'a>(pub(crate) &'a [u8]);

impl<'a> Cursor<'a> {
    pub(crate) fn byte(&mut self) -> Result<u8, Cause> {
        let (&first, rest) = self.0.split_first().ok_or(Cause::Malformed)?;
        self.0 = rest;
        Ok(first)
    }

    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], Cause> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Cause::Malformed)?;
        self.0 = rest;
        Ok(taken)
    }

    pub(crate) fn varint(&mut self) -> Result<u64, Cause> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Cause::Malformed)
    }

    pub(crate) fn size(&mut self) -> Result<usize, Cause> {
        usize::try_from(self.varint()?).map_err(|_| Cause::Malformed)
    }

    pub(crate) fn number(&mut self) -> Result<u32, Cause> {
        u32::try_from(self.varint()?).map_err(|_| Cause::Malformed)
    }
}

/// A varint of up to ten bytes.
pub(crate) struct Varint {
    bytes: [u8; 10],
    length: usize,
}

impl Varint {
    pub(crate) fn of(mut value: u64) -> Self {
        let (mut bytes, mut length) = ([0; 10], 0);
        loop {
            let low = value.to_le_bytes()[0] & 0x7f;
            value >>= 7;
            bytes[length] = if value == 0 { low } else { low | 0x80 };
            length += 1;
            if value == 0 {
                return Self { bytes, length };
            }
        }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_are_read_as_they_are_written() {
        for value in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
            let written = Varint::of(value);
            let mut cursor = Cursor(written.as_bytes());
            assert_eq!(cursor.varint(), Ok(value));
            assert!(cursor.0.is_empty());
        }
        assert_eq!(Cursor(&[0x80; 11]).varint(), Err(Cause::Malformed));
        assert_eq!(Cursor(&[0x80]).varint(), Err(Cause::Malformed));
    }
}
