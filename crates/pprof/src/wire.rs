//! The protobuf wire format: varints, tags, fields of a message.

use crate::profile::ProblemKind;

/// A message that is being read, and where it stands in the file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    position: usize,
    /// Offset of the message's first byte in the file.
    base: usize,
}

/// One field.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field<'a> {
    pub(crate) number: u64,
    pub(crate) value: Value<'a>,
}

/// The value of a field as it stands on the wire.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Value<'a> {
    Number(u64),
    /// Length-delimited: the content as a message of its own.
    Bytes(Reader<'a>),
    /// Of a wire type that no field of a profile has.
    Other,
}

impl<'a> Reader<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            position: 0,
            base: 0,
        }
    }

    /// Offset in the file of the next byte.
    pub(crate) const fn offset(&self) -> usize {
        self.base + self.position
    }

    pub(crate) const fn is_at_end(&self) -> bool {
        self.position >= self.bytes.len()
    }

    /// The whole content.
    pub(crate) const fn content(&self) -> &'a [u8] {
        self.bytes
    }

    /// The next field, or none at the end.
    pub(crate) fn field(&mut self) -> Result<Option<Field<'a>>, ProblemKind> {
        if self.is_at_end() {
            return Ok(None);
        }
        let tag = self.varint()?;
        let number = tag >> 3;
        if number == 0 || number > 0x1fff_ffff {
            return Err(ProblemKind::Malformed);
        }
        let value = match tag & 7 {
            0 => Value::Number(self.varint()?),
            1 => self.take(8).map(|_| Value::Other)?,
            2 => {
                let length = self.varint()?;
                let length = usize::try_from(length).map_err(|_| ProblemKind::Truncated)?;
                Value::Bytes(self.take(length)?)
            }
            5 => self.take(4).map(|_| Value::Other)?,
            // Groups: no version of the format ever had one.
            _ => return Err(ProblemKind::Malformed),
        };
        Ok(Some(Field { number, value }))
    }

    /// The next `count` bytes as a message of its own.
    fn take(&mut self, count: usize) -> Result<Self, ProblemKind> {
        let end = self.position.checked_add(count);
        let bytes = end.and_then(|end| self.bytes.get(self.position..end));
        let bytes = bytes.ok_or(ProblemKind::Truncated)?;
        let base = self.offset();
        self.position += count;
        Ok(Self {
            bytes,
            position: 0,
            base,
        })
    }

    /// A varint of at most ten bytes; bits past the 64th are dropped, as protobuf does.
    pub(crate) fn varint(&mut self) -> Result<u64, ProblemKind> {
        let mut value = 0;
        for shift in (0..70).step_by(7) {
            let byte = *self
                .bytes
                .get(self.position)
                .ok_or(ProblemKind::Truncated)?;
            self.position += 1;
            if shift < 64 {
                value |= u64::from(byte & 0x7f) << shift;
            }
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(ProblemKind::Malformed)
    }
}
