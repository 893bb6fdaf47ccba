//! How the lines of a program divide: lists, brackets and attributes.

use crate::drawing::problem::Checked;

/// What stands within the braces around it.
pub(super) fn inside(value: &str) -> &str {
    let inner = value.strip_prefix('{');
    inner
        .and_then(|value| value.strip_suffix('}'))
        .unwrap_or(value)
}

/// `{1,0}` or `1,0`
pub(super) fn numbers(text: &str) -> Checked<Vec<i64>> {
    let inner = text.trim().trim_start_matches('{').trim_end_matches('}');
    let parts = inner
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty());
    parts
        .map(|part| {
            part.parse()
                .map_err(|_| format!("`{part}` is not a number"))
        })
        .collect()
}

/// The text before the bracket that closes an already opened one, and after it.
pub(super) fn split_closing(text: &str) -> Checked<(&str, &str)> {
    let mut depth = 1_usize;
    for (index, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Ok((&text[..index], &text[index + 1..]));
        }
    }
    Err(format!("`({text}` is not closed"))
}

/// The non-empty parts between commas that are outside every bracket and quote.
pub(super) fn split_top_level(text: &str) -> Vec<&str> {
    let (mut depth, mut quoted, mut begin, mut parts) = (0_i32, false, 0, Vec::new());
    for (index, character) in text.char_indices() {
        match character {
            '"' => quoted = !quoted,
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth -= 1,
            ',' if depth == 0 && !quoted => {
                parts.push(&text[begin..index]);
                begin = index + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[begin..]);
    parts
        .into_iter()
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect()
}

/// `, kind=kLoop, calls=fused` or the same without commas; values may be quoted or braced.
pub(super) fn parse_attributes(text: &str) -> Checked<Vec<(&str, &str)>> {
    let mut attributes = Vec::new();
    let mut rest = text.trim_start_matches([',', ' ']);
    while !rest.is_empty() {
        let (key, after) = rest
            .split_once('=')
            .ok_or_else(|| format!("`{rest}` has no value"))?;
        let (mut depth, mut quoted, mut is_raw) = (0_i32, false, false);
        let end = after.find(|character| {
            match character {
                '"' if !is_raw => quoted = !quoted,
                '\'' => is_raw = !is_raw,
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            matches!(character, ',' | ' ') && depth == 0 && !quoted && !is_raw
        });
        let (value, after) = after.split_at(end.unwrap_or(after.len()));
        attributes.push((key.trim(), value.trim_matches('"')));
        rest = after.trim_start_matches([',', ' ']);
    }
    Ok(attributes)
}
