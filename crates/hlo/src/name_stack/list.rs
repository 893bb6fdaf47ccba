//! Separators of name stacks: what is outside brackets, and lists of alternatives.

/// Splits at a separator outside brackets. A stray closing bracket ends nothing; where one never
/// closes, the separators behind it do not split.
pub(super) fn split(text: &str, separator: u8) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (index, byte) in outside_brackets(text) {
        if byte == separator {
            parts.push(&text[start..index]);
            start = index + 1;
        }
    }
    parts.push(&text[start..]);
    parts
}

/// The alternatives of `(a/b:c/d)`; none where it is no list: a list begins and ends with the
/// text's own parentheses and has at least two members.
pub(super) fn alternatives(text: &str) -> Option<Vec<&str>> {
    let inner = text.strip_prefix('(')?.strip_suffix(')')?;
    let starts_with_digit = inner.starts_with(|c: char| c.is_ascii_digit());
    let mut members = Vec::new();
    let (mut start, mut depth_of_stray) = (0, false);
    for (index, byte) in outside_brackets(inner) {
        match byte {
            // `(a)(b)` is closed before its end.
            b')' => depth_of_stray = true,
            b':' if is_separator(inner.as_bytes(), index, starts_with_digit) => {
                members.push(&inner[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    members.push(&inner[start..]);
    (members.len() > 1 && !depth_of_stray).then_some(members)
}

/// Whether the colon at a position stands between two members, and not in a name.
fn is_separator(text: &[u8], index: usize, starts_with_digit: bool) -> bool {
    let before = index.checked_sub(1).and_then(|index| text.get(index));
    let after = text.get(index + 1);
    let is_doubled = before == Some(&b':') || after == Some(&b':');
    let is_number = after.is_some_and(u8::is_ascii_digit) && !starts_with_digit;
    let is_spaced = after == Some(&b' ');
    !(is_doubled || is_number || is_spaced)
}

/// Bytes outside brackets, closing ones without an opening one included.
fn outside_brackets(text: &str) -> impl Iterator<Item = (usize, u8)> {
    let mut depth = 0usize;
    text.bytes().enumerate().filter(move |(_, byte)| {
        match byte {
            b'(' | b'[' | b'{' => {
                depth += 1;
                return false;
            }
            b')' | b']' | b'}' if depth > 0 => {
                depth -= 1;
                return false;
            }
            _ => {}
        }
        depth == 0
    })
}
