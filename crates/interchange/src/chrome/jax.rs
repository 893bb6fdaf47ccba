//! Traces that JAX exports: names and arguments are those of the profile they were made from.

use super::event::Raw;
use super::stats::{add_arguments, with_value};
use super::token::{Part, Token};
use crate::draft::{Line, Tables, Value};

/// JAX exports at most this many events.
pub(super) const MOST_EVENTS: u64 = 1_000_000;

/// Arguments that describe the op, not this execution of it: profiles have them on its metadata.
fn is_constant(name: &[u8]) -> bool {
    matches!(
        name,
        b"long_name"
            | b"hlo_category"
            | b"tf_op"
            | b"source"
            | b"source_stack"
            | b"program_id"
            | b"flops"
            | b"model_flops"
            | b"bytes_accessed"
            | b"raw_bytes_accessed"
            | b"deduplicated_name"
            | b"shape_with_layout"
            | b"symbol_id"
    )
}

/// An event of a TPU.
pub(super) fn device_slice(
    line: &mut Line,
    tables: &mut Tables,
    bytes: &[u8],
    raw: &Raw,
    start: i64,
    duration: i64,
) {
    let name = raw.name.text(bytes);
    let constants: Vec<&(Part, Token)> = raw
        .arguments
        .iter()
        .filter(|(key, _)| is_constant(key.of(bytes)))
        .collect();
    let metadata = if constants.is_empty() {
        tables.event(&name)
    } else {
        let mut key = name.to_vec();
        let mut long_name = None;
        let mut values: Vec<(&[u8], Vec<u8>)> = Vec::new();
        for &&(argument, value) in &constants {
            let text = with_value(bytes, value, |value| match value {
                Value::Text(text) => text.to_vec(),
                Value::Int(number) => number.to_string().into_bytes(),
                Value::Uint(number) => number.to_string().into_bytes(),
                Value::Double(number) => number.to_string().into_bytes(),
            });
            key.push(0);
            key.extend_from_slice(&text);
            match argument.of(bytes) {
                b"long_name" => long_name = Some(text),
                name => values.push((name, text)),
            }
        }
        let stats: Vec<(&[u8], Value<'_>)> = values
            .iter()
            .map(|(name, text)| (*name, number_or_text(text)))
            .collect();
        match &long_name {
            Some(long) => tables.event_with(&key, long, &name, &stats),
            None => tables.event_with(&key, &name, &[], &stats),
        }
    };
    line.event(tables, metadata, start, duration, |stats| {
        add_arguments(stats, bytes, raw, is_constant);
    });
}

fn number_or_text(text: &[u8]) -> Value<'_> {
    let Ok(shown) = std::str::from_utf8(text) else {
        return Value::Text(text);
    };
    match (
        shown.parse::<i64>(),
        shown.parse::<u64>(),
        shown.parse::<f64>(),
    ) {
        (Ok(number), _, _) => Value::Int(number),
        (_, Ok(number), _) => Value::Uint(number),
        (_, _, Ok(number)) if number.is_finite() => Value::Double(number),
        _ => Value::Text(text),
    }
}
