//! Walks over messages of which it does not matter where their fields stand.

use std::borrow::Cow;

use crate::{Cursor, Field, Value};

/// The whole fields of a message, to its end or to damage. A value that is cut off is damage.
///
/// Use a [`Cursor`] where damage has to be reported, or where what is left of a cut value counts.
#[derive(Debug, Clone)]
pub struct Fields<'a> {
    cursor: Cursor<'a>,
}

impl<'a> Fields<'a> {
    /// The fields of this message.
    #[inline]
    pub const fn of(message: &'a [u8]) -> Self {
        Self {
            cursor: Cursor::new(message),
        }
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Field<'a>;

    #[inline]
    fn next(&mut self) -> Option<Field<'a>> {
        let field = self.cursor.whole_field();
        if field.is_err() {
            self.cursor.skip_to(usize::MAX);
        }
        field.ok().flatten()
    }
}

/// The varint fields of a small message, in file order: for opaque messages, of which only a few
/// numbers matter.
pub fn number_fields(message: &[u8]) -> Vec<(u32, u64)> {
    let numbers = Fields::of(message).filter_map(|field| match field.value {
        Value::Varint(value) => Some((field.number, value)),
        _ => None,
    });
    numbers.collect()
}

/// The sub-messages of one field of a small message, in file order; see [`number_fields`].
pub fn message_fields(message: &[u8], number: u32) -> Vec<&[u8]> {
    let messages = Fields::of(message).filter_map(|field| match field.value {
        Value::Bytes(bytes) if field.number == number => Some(bytes),
        _ => None,
    });
    messages.collect()
}

/// Text as UTF-8; invalid parts become replacement characters.
pub fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1: 300, 2: "ab", 1: 1, 2: "", and a length that is a lie.
    const MESSAGE: &[u8] = &[8, 0xac, 2, 18, 2, b'a', b'b', 8, 1, 18, 0, 18, 9, 1];

    #[test]
    fn numbers_and_messages_are_found_before_damage() {
        assert_eq!(number_fields(MESSAGE), [(1, 300), (1, 1)]);
        assert_eq!(message_fields(MESSAGE, 2), [&b"ab"[..], b""]);
        assert!(message_fields(MESSAGE, 1).is_empty());
    }

    #[test]
    fn damage_ends_the_fields_for_good() {
        let mut fields = Fields::of(&[8, 1, 0x0f, 8, 1]);
        assert!(fields.next().is_some());
        assert_eq!((fields.next(), fields.next()), (None, None));
    }

    #[test]
    fn invalid_text_is_replaced() {
        assert_eq!(lossy(b"a\xffb"), "a\u{fffd}b");
    }
}
