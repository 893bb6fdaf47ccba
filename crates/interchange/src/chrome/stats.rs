//! From the arguments of an event to the stats of a profile.

use super::event::Raw;
use super::number::whole;
use super::token::{Part, Token};
use crate::draft::{EventStats, Value};

/// Calls `give` with a value of JSON as a stat's value. Texts that are whole numbers become numbers:
/// JAX writes all its arguments as text.
#[inline]
pub(super) fn with_value<T>(bytes: &[u8], token: Token, give: impl FnOnce(Value<'_>) -> T) -> T {
    match token {
        Token::Number(part) | Token::Text(part) if let Some(number) = whole(part.of(bytes)) => {
            give(match (i64::try_from(number), u64::try_from(number)) {
                (Ok(number), _) => Value::Int(number),
                (_, Ok(number)) => Value::Uint(number),
                _ => Value::Text(part.of(bytes)),
            })
        }
        Token::Number(part) => {
            give(double(bytes, part).map_or(Value::Text(part.of(bytes)), Value::Double))
        }
        Token::Text(part) => give(Value::Text(&part.text(bytes))),
        Token::Nested(part) => give(Value::Text(part.of(bytes))),
        Token::Bool(true) => give(Value::Text(b"true")),
        Token::Bool(false) => give(Value::Text(b"false")),
        Token::Null => give(Value::Text(b"null")),
    }
}

/// A number with decimals.
pub(super) fn double(bytes: &[u8], part: Part) -> Option<f64> {
    let value: f64 = std::str::from_utf8(part.of(bytes)).ok()?.parse().ok()?;
    value.is_finite().then_some(value)
}

/// The whole number of an argument, whichever way it is written.
pub(super) fn integer(bytes: &[u8], token: Option<Token>) -> Option<i64> {
    match token? {
        Token::Number(part) | Token::Text(part) => i64::try_from(whole(part.of(bytes))?).ok(),
        _ => None,
    }
}

/// Adds the arguments of an event but those `skipped`; the op of a program comes first, because that
/// is where the model looks for it.
#[inline]
pub(super) fn add_arguments(
    stats: &mut EventStats<'_>,
    bytes: &[u8],
    raw: &Raw,
    skipped: impl Fn(&[u8]) -> bool,
) {
    let op = raw.argument(bytes, b"hlo_op");
    if let Some(op) = op {
        with_value(bytes, op, |value| stats.add(b"hlo_op", value));
    }
    for &(key, value) in &raw.arguments {
        let name = key.text(bytes);
        if name.is_empty() || (op.is_some() && *name == *b"hlo_op") || skipped(&name) {
            continue;
        }
        with_value(bytes, value, |value| stats.add(&name, value));
    }
}

/// The category of an event, which JAX does not write.
#[inline]
pub(super) fn add_category(stats: &mut EventStats<'_>, bytes: &[u8], raw: &Raw) {
    if !raw.category.is_empty() {
        stats.add(b"category", Value::Text(&raw.category.text(bytes)));
    }
}
