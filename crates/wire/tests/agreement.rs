//! What prost writes we read, what prost reads we read the same, and prost reads what we write.

use proptest::collection::vec;
use proptest::prelude::*;
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};
use stepscope_wire::{
    Cursor, Field, Value, WireError, push_bytes, push_fixed64, push_message, push_number,
    push_signed, varint_len,
};

/// A field to be written.
#[derive(Debug, Clone)]
enum Written {
    Number(u64),
    Signed(i64),
    Fixed64(u64),
    Fixed32(u32),
    Bytes(Vec<u8>),
    Message(Vec<(u32, Self)>),
}

fn field() -> impl Strategy<Value = (u32, Written)> {
    let value = prop_oneof![
        (any::<u64>(), 0..64).prop_map(|(value, shift)| Written::Number(value >> shift)),
        any::<i64>().prop_map(Written::Signed),
        any::<u64>().prop_map(Written::Fixed64),
        any::<u32>().prop_map(Written::Fixed32),
        vec(any::<u8>(), 0..200).prop_map(Written::Bytes),
    ];
    let value = value.prop_recursive(3, 40, 5, |inner| {
        vec((number(), inner), 0..5).prop_map(Written::Message)
    });
    (number(), value)
}

fn number() -> impl Strategy<Value = u32> {
    prop_oneof![1..20_u32, 1..1_u32 << 29]
}

fn by_prost(fields: &[(u32, Written)]) -> Vec<u8> {
    use prost::encoding;
    let mut out = Vec::new();
    for (number, value) in fields {
        match value {
            Written::Number(value) => encoding::uint64::encode(*number, value, &mut out),
            Written::Signed(value) => encoding::int64::encode(*number, value, &mut out),
            Written::Fixed64(value) => encoding::fixed64::encode(*number, value, &mut out),
            Written::Fixed32(value) => encoding::fixed32::encode(*number, value, &mut out),
            Written::Bytes(value) => encoding::bytes::encode(*number, value, &mut out),
            Written::Message(fields) => {
                encoding::bytes::encode(*number, &by_prost(fields), &mut out);
            }
        }
    }
    out
}

fn by_us(fields: &[(u32, Written)], out: &mut Vec<u8>) {
    for (number, value) in fields {
        match value {
            Written::Number(value) => push_number(out, *number, *value),
            Written::Signed(value) => push_signed(out, *number, *value),
            Written::Fixed64(value) => push_fixed64(out, *number, *value),
            // Nothing that we write has such a field.
            Written::Fixed32(value) => prost::encoding::fixed32::encode(*number, value, out),
            Written::Bytes(value) => push_bytes(out, *number, value),
            Written::Message(fields) => push_message(out, *number, |out| by_us(fields, out)),
        }
    }
}

fn check_read(fields: &[(u32, Written)], bytes: &[u8]) {
    let mut cursor = Cursor::new(bytes);
    for (number, value) in fields {
        let found = cursor.field().expect("readable").expect("another field");
        assert_eq!(found.number, *number);
        match (value, found.value) {
            (Written::Number(value), found) => assert_eq!(found, Value::Varint(*value)),
            (Written::Signed(value), found) => {
                assert_eq!(found, Value::Varint(value.cast_unsigned()));
            }
            (Written::Fixed64(value), found) => assert_eq!(found, Value::Fixed64(*value)),
            (Written::Fixed32(value), found) => assert_eq!(found, Value::Fixed32(*value)),
            (Written::Bytes(value), found) => assert_eq!(found, Value::Bytes(value)),
            (Written::Message(fields), Value::Bytes(message)) => check_read(fields, message),
            (written, found) => panic!("{written:?} was read as {found:?}"),
        }
    }
    assert_eq!(cursor.field(), Ok(None));
}

/// The next field as prost reads it, and how many bytes it takes.
fn prost_field(bytes: &[u8]) -> Option<(Field<'_>, usize)> {
    let mut rest = bytes;
    let (number, wire_type) = decode_key(&mut rest).ok()?;
    let value = rest;
    skip_field(wire_type, number, &mut rest, DecodeContext::default()).ok()?;
    let mut value = &value[..value.len() - rest.len()];
    let value = match wire_type {
        WireType::Varint => Value::Varint(decode_varint(&mut value).ok()?),
        WireType::SixtyFourBit => Value::Fixed64(u64::from_le_bytes(value.try_into().ok()?)),
        WireType::ThirtyTwoBit => Value::Fixed32(u32::from_le_bytes(value.try_into().ok()?)),
        WireType::LengthDelimited => {
            decode_varint(&mut value).ok()?;
            Value::Bytes(value)
        }
        _ => Value::Group,
    };
    Some((Field { number, value }, bytes.len() - rest.len()))
}

proptest! {
    #[test]
    fn what_prost_writes_is_read(fields in vec(field(), 0..12)) {
        check_read(&fields, &by_prost(&fields));
    }

    #[test]
    fn prost_writes_the_same(fields in vec(field(), 0..12)) {
        let mut out = Vec::new();
        by_us(&fields, &mut out);
        prop_assert_eq!(out, by_prost(&fields));
    }

    #[test]
    fn what_prost_reads_of_any_bytes_is_read_the_same(
        bytes in vec(prop_oneof![any::<u8>(), 0..40_u8], 0..60)
    ) {
        let mut cursor = Cursor::new(&bytes);
        while let Some((theirs, length)) = prost_field(cursor.rest()) {
            let before = cursor.position();
            prop_assert_eq!(cursor.whole_field(), Ok(Some(theirs)));
            prop_assert_eq!(cursor.position() - before, length);
            prop_assert_eq!(cursor.read_since(before).len(), length);
        }
    }

    #[test]
    fn any_bytes_are_read_to_their_end_or_to_damage(bytes in vec(any::<u8>(), 0..200)) {
        let mut cursor = Cursor::new(&bytes);
        let mut before = 0;
        while let Ok(Some(field)) = cursor.field() {
            prop_assert!(cursor.position() > before && cursor.position() <= bytes.len());
            before = cursor.position();
            field.value.numbers().for_each(drop);
            prop_assert!(field.value.fixed64_numbers().count() <= bytes.len());
        }
    }

    #[test]
    fn a_message_that_is_cut_off_says_so(fields in vec(field(), 1..6), at in any::<prop::sample::Index>()) {
        let bytes = by_prost(&fields);
        let cut = &bytes[..at.index(bytes.len())];
        let mut cursor = Cursor::new(cut);
        let damage = loop {
            match cursor.whole_field() {
                Ok(Some(_)) => {}
                Ok(None) => break None,
                Err(error) => break Some(error),
            }
        };
        prop_assert!(matches!(damage, None | Some(WireError::Truncated)));
        prop_assert_eq!(damage.is_none(), ends_of(&bytes).contains(&cut.len()));
    }

    #[test]
    fn lengths_of_varints_are_known(value in any::<u64>(), shift in 0..64) {
        let value = value >> shift;
        prop_assert_eq!(varint_len(value), prost::encoding::encoded_len_varint(value));
    }
}

/// Where the fields of a message end, and its beginning.
fn ends_of(bytes: &[u8]) -> Vec<usize> {
    let mut ends = vec![0];
    while let Some((_, length)) = prost_field(&bytes[ends[ends.len() - 1]..]) {
        ends.push(ends[ends.len() - 1] + length);
    }
    ends
}
