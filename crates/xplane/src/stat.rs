//! XStat: a named value on an event, a metadata or a plane.

use stepscope_wire::{Cursor, Value};

/// A named value. The name is in the plane's stat metadata under `metadata_id`.
/// The value is decoded when asked for: most stats of most events are never looked at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stat<'a> {
    /// Key in the plane's stat metadata.
    pub metadata_id: i64,
    message: &'a [u8],
}

/// The value of a stat as recorded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StatValue<'a> {
    /// No value was recorded.
    None,
    /// A double.
    Double(f64),
    /// An unsigned integer.
    Uint(u64),
    /// A signed integer.
    Int(i64),
    /// Text, possibly not UTF-8.
    Text(&'a [u8]),
    /// Opaque bytes.
    Bytes(&'a [u8]),
    /// The *name* of the stat metadata with this id is the value.
    Ref(u64),
    /// Gzip-compressed text.
    CompressedText(&'a [u8]),
}

impl StatValue<'_> {
    /// As an integer, whatever integer or whole double it was recorded as. Unsigned values above
    /// 2^63 wrap, as program fingerprints do.
    pub fn as_int(self) -> Option<i64> {
        match self {
            Self::Int(value) => Some(value),
            Self::Uint(value) | Self::Ref(value) => Some(value.cast_signed()),
            #[expect(clippy::cast_possible_truncation, reason = "range checked")]
            Self::Double(value) if value.abs() < 9.0e18 => Some(value as i64),
            _ => None,
        }
    }

    /// As a double, whatever number it was recorded as.
    pub fn as_double(self) -> Option<f64> {
        match self {
            Self::Double(value) => Some(value),
            Self::Int(value) => Some(value as f64),
            Self::Uint(value) => Some(value as f64),
            _ => None,
        }
    }
}

impl<'a> Stat<'a> {
    /// Reads the key. Writers put it first, in one byte as long as ids are small.
    #[inline]
    pub(crate) fn new(message: &'a [u8]) -> Self {
        if let [0x08, id @ (..0x80), ..] = message {
            return Self {
                metadata_id: i64::from(*id),
                message,
            };
        }
        Self {
            metadata_id: find_key(message),
            message,
        }
    }

    /// The value. Of several the last counts; unknown fields are skipped, damage ends the stat.
    #[inline]
    pub fn value(&self) -> StatValue<'a> {
        // The usual shape: a one-byte key, one number, nothing else.
        if let [0x08, (..0x80), tag @ (0x18 | 0x20 | 0x38), number @ ..] = self.message {
            let mut cursor = Cursor::new(number);
            if let Ok(value) = cursor.varint()
                && cursor.is_at_end()
            {
                return match tag {
                    0x18 => StatValue::Uint(value),
                    0x20 => StatValue::Int(value.cast_signed()),
                    _ => StatValue::Ref(value),
                };
            }
        }
        self.any_value()
    }

    fn any_value(&self) -> StatValue<'a> {
        let mut decoded = StatValue::None;
        let mut cursor = Cursor::new(self.message);
        while let Ok(Some(field)) = cursor.field() {
            decoded = match (field.number, field.value) {
                (2, Value::Fixed64(bits)) => StatValue::Double(f64::from_bits(bits)),
                (3, Value::Varint(value)) => StatValue::Uint(value),
                (4, Value::Varint(value)) => StatValue::Int(value.cast_signed()),
                (5, Value::Bytes(text)) => StatValue::Text(text),
                (6, Value::Bytes(bytes)) => StatValue::Bytes(bytes),
                (7, Value::Varint(id)) => StatValue::Ref(id),
                (8, Value::Bytes(bytes)) => StatValue::CompressedText(bytes),
                _ => decoded,
            };
        }
        decoded
    }
}

fn find_key(message: &[u8]) -> i64 {
    let mut key = 0;
    let mut cursor = Cursor::new(message);
    while let Ok(Some(field)) = cursor.field() {
        if let (1, Value::Varint(id)) = (field.number, field.value) {
            key = id.cast_signed();
        }
    }
    key
}

/// The stats of an event or a metadata, in file order.
#[derive(Debug, Clone)]
pub struct Stats<'a> {
    cursor: Cursor<'a>,
    field_number: u32,
}

impl<'a> Stats<'a> {
    pub(crate) const fn new(message: &'a [u8], field_number: u32) -> Self {
        Self {
            cursor: Cursor::new(message),
            field_number,
        }
    }
}

impl<'a> Iterator for Stats<'a> {
    type Item = Stat<'a>;

    #[inline]
    fn next(&mut self) -> Option<Stat<'a>> {
        while let Ok(Some(field)) = self.cursor.field() {
            if field.number == self.field_number
                && let Value::Bytes(bytes) = field.value
            {
                return Some(Stat::new(bytes));
            }
        }
        None
    }
}
