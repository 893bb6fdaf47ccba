//! Debug annotations: the arguments of an event, as stats.

use stepscope_wire::{Fields, Value as Wire};

use super::fields::annotation;
use super::sequence::Sequence;
use crate::draft::{EventStats, Value};

/// Values nested deeper are left out.
const DEEPEST: usize = 8;
/// Texts of nested values end here.
const LONGEST: usize = 64 << 10;

/// Adds one annotation.
pub(super) fn add(stats: &mut EventStats<'_>, sequence: &Sequence, message: &[u8]) {
    let Some(found) = Annotation::read(sequence, message) else {
        return;
    };
    match found.value {
        Found::Int(value) => stats.add(found.name, Value::Int(value)),
        Found::Uint(value) => stats.add(found.name, Value::Uint(value)),
        Found::Double(value) => stats.add(found.name, Value::Double(value)),
        Found::Text(text) => stats.add(found.name, Value::Text(text)),
        Found::Nested => {
            let mut text = String::new();
            write_nested(&mut text, sequence, message, 0);
            stats.add(found.name, Value::Text(text.as_bytes()));
        }
    }
}

/// Bytes of texts that an annotation names by their numbers, `counted` each, also in nested ones.
pub(super) fn repeated_bytes(
    sequence: &Sequence,
    message: &[u8],
    counted: &dyn Fn(Option<&[u8]>) -> usize,
) -> usize {
    nested_repeats(sequence, message, counted, 0)
}

fn nested_repeats(
    sequence: &Sequence,
    message: &[u8],
    counted: &dyn Fn(Option<&[u8]>) -> usize,
    depth: usize,
) -> usize {
    if depth > DEEPEST {
        return 0;
    }
    let bytes = Fields::of(message).map(|field| match field.number {
        annotation::NAME_IID => counted(sequence.annotation_names.get(field.value.number())),
        annotation::TEXT_IID => counted(sequence.texts.get(field.value.number())),
        annotation::ENTRIES | annotation::ELEMENTS => {
            nested_repeats(sequence, field.value.bytes(), counted, depth + 1)
        }
        _ => 0,
    });
    bytes.sum()
}

struct Annotation<'a> {
    name: &'a [u8],
    value: Found<'a>,
}

enum Found<'a> {
    Int(i64),
    Uint(u64),
    Double(f64),
    Text(&'a [u8]),
    Nested,
}

impl<'a> Annotation<'a> {
    fn read(sequence: &'a Sequence, message: &'a [u8]) -> Option<Self> {
        let (mut name, mut value): (&[u8], _) = (&[], None);
        for field in Fields::of(message) {
            match (field.number, field.value) {
                (annotation::NAME_IID, _) => {
                    name = sequence
                        .annotation_names
                        .get(field.value.number())
                        .unwrap_or_default();
                }
                (annotation::NAME, _) => name = field.value.bytes(),
                (annotation::BOOL, _) => {
                    let text: &[u8] = if field.value.number() == 0 {
                        b"false"
                    } else {
                        b"true"
                    };
                    value = Some(Found::Text(text));
                }
                (annotation::UINT | annotation::POINTER, _) => {
                    value = Some(Found::Uint(field.value.number()));
                }
                (annotation::INT, _) => {
                    value = Some(Found::Int(field.value.number().cast_signed()));
                }
                (annotation::DOUBLE, Wire::Fixed64(bits)) => {
                    value = Some(Found::Double(f64::from_bits(bits)));
                }
                (annotation::TEXT | annotation::JSON, _) => {
                    value = Some(Found::Text(field.value.bytes()));
                }
                (annotation::TEXT_IID, _) => {
                    value = sequence.texts.get(field.value.number()).map(Found::Text);
                }
                (annotation::ENTRIES | annotation::ELEMENTS, _) => value = Some(Found::Nested),
                _ => {}
            }
        }
        value.map(|value| Self { name, value })
    }
}

/// A nested value as JSON.
fn write_nested(out: &mut String, sequence: &Sequence, message: &[u8], depth: usize) {
    if depth > DEEPEST || out.len() > LONGEST {
        out.push_str("null");
        return;
    }
    let children = |wanted: u32| {
        Fields::of(message)
            .filter(move |field| field.number == wanted)
            .map(|field| field.value.bytes())
    };
    if children(annotation::ENTRIES).next().is_some() {
        out.push('{');
        for (index, entry) in children(annotation::ENTRIES).enumerate() {
            if index > 0 {
                out.push(',');
            }
            let name = Annotation::read(sequence, entry).map_or(&[][..], |found| found.name);
            write_text(out, name);
            out.push(':');
            write_nested(out, sequence, entry, depth + 1);
        }
        out.push('}');
    } else if children(annotation::ELEMENTS).next().is_some() {
        out.push('[');
        for (index, element) in children(annotation::ELEMENTS).enumerate() {
            if index > 0 {
                out.push(',');
            }
            write_nested(out, sequence, element, depth + 1);
        }
        out.push(']');
    } else {
        match Annotation::read(sequence, message).map(|found| found.value) {
            Some(Found::Int(value)) => out.push_str(&value.to_string()),
            Some(Found::Uint(value)) => out.push_str(&value.to_string()),
            Some(Found::Double(value)) => out.push_str(&value.to_string()),
            Some(Found::Text(text)) => write_text(out, text),
            Some(Found::Nested) | None => out.push_str("null"),
        }
    }
}

fn write_text(out: &mut String, text: &[u8]) {
    out.push('"');
    for character in String::from_utf8_lossy(text).chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            control if control.is_control() => out.push(' '),
            other => out.push(other),
        }
    }
    out.push('"');
}
