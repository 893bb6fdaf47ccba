//! The tokens of a description: times, names, groups of stats, and repeated blocks.

use super::problem::{Checked, DrawError};

/// One line after repetition: its text, its location, and its time shift.
pub(super) struct SourceLine {
    pub(super) number: usize,
    pub(super) text: String,
    pub(super) shift_ps: i128,
}

impl SourceLine {
    pub(super) fn error(&self, problem: String) -> DrawError {
        DrawError {
            line: self.number,
            problem,
            text: self.text.clone(),
        }
    }
}

/// A bracketed list of stats: `[]` belongs to the event, `{}` to its metadata or plane.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Group {
    pub(super) of_metadata: bool,
    pub(super) stats: Vec<(String, Value)>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Signed(i64),
    Unsigned(u64),
    Double(f64),
    Bytes(Vec<u8>),
    Gzip(String),
    /// In place or by reference, as usual for its location.
    Text(String),
    InPlace(String),
    Reference(String),
    EventName,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    At { start_ps: i128, duration_ps: i128 },
    Aggregated { occurrences: i64, total_ps: i128 },
}

pub(super) struct Event {
    pub(super) when: When,
    pub(super) name: String,
    pub(super) groups: Vec<Group>,
}

/// Drops blank lines and comments and expands `repeat` blocks.
pub(super) fn expand(text: &str) -> Result<Vec<SourceLine>, DrawError> {
    let lines: Vec<SourceLine> = text
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty() && *line != "#" && !line.starts_with("# "))
        .map(|(number, line)| SourceLine {
            number,
            text: line.into(),
            shift_ps: 0,
        })
        .collect();
    expand_blocks(&lines)
}

fn expand_blocks(lines: &[SourceLine]) -> Result<Vec<SourceLine>, DrawError> {
    let mut out = Vec::new();
    let mut rest = lines;
    while let [line, after @ ..] = rest {
        rest = after;
        let (word, arguments) = split_word(&line.text);
        if word == "end" {
            return Err(line.error("`end` without `repeat`".into()));
        }
        if word != "repeat" {
            let SourceLine {
                number,
                text,
                shift_ps,
            } = line;
            out.push(SourceLine {
                number: *number,
                text: text.clone(),
                shift_ps: *shift_ps,
            });
            continue;
        }
        let (count, period_ps) = parse_repeat(arguments).map_err(|problem| line.error(problem))?;
        let length =
            block_length(after).ok_or_else(|| line.error("`repeat` without its `end`".into()))?;
        rest = &after[length + 1..];
        for round in 0..count {
            // The inner block is expanded first: its `$i` is the inner count.
            for inner in expand_blocks(&after[..length])? {
                out.push(SourceLine {
                    text: inner.text.replace("$i", &round.to_string()),
                    shift_ps: inner.shift_ps + period_ps * i128::from(round),
                    ..inner
                });
            }
        }
    }
    Ok(out)
}

/// How many lines are before the `end` that closes the block.
fn block_length(lines: &[SourceLine]) -> Option<usize> {
    let mut depth = 1_usize;
    lines.iter().position(|line| {
        match split_word(&line.text).0 {
            "repeat" => depth += 1,
            "end" => depth -= 1,
            _ => {}
        }
        depth == 0
    })
}

/// `3 every 100us`
fn parse_repeat(arguments: &str) -> Checked<(u32, i128)> {
    let problem = || format!("`{arguments}` should read like `3 every 100us`");
    let (count, rest) = split_word(arguments);
    let ("every", period) = split_word(rest) else {
        return Err(problem());
    };
    Ok((
        count.parse().map_err(|_| problem())?,
        parse_time(period, None)?,
    ))
}

/// The first word, and the rest without the blanks between.
pub(super) fn split_word(text: &str) -> (&str, &str) {
    let text = text.trim();
    text.split_once(char::is_whitespace)
        .map_or((text, ""), |(word, rest)| (word, rest.trim()))
}

/// `gpu:0`
pub(super) fn kind_and_number(text: &str) -> Checked<(&str, i64)> {
    text.split_once(':')
        .and_then(|(kind, number)| Some((kind, number.parse().ok()?)))
        .ok_or_else(|| format!("`{text}` should read like `gpu:0`"))
}

/// Whether a line that starts with this word is an event.
pub(super) fn begins_event(word: &str) -> bool {
    let word = word.strip_prefix(['x', '-']).unwrap_or(word);
    word.starts_with(|c: char| c.is_ascii_digit())
}

/// `10..30us name [..] {..} #..#`
pub(super) fn parse_event(text: &str) -> Checked<Event> {
    let (time, mut rest) = split_word(text);
    let when = if let Some(count) = time.strip_prefix('x') {
        let occurrences = count
            .parse()
            .map_err(|_| format!("`{count}` is no count"))?;
        let (total, name) = split_word(rest);
        rest = name;
        When::Aggregated {
            occurrences,
            total_ps: parse_time(total, None)?,
        }
    } else {
        parse_when(time)?
    };
    let (name, groups) = split_groups(rest)?;
    Ok(Event { when, name, groups })
}

/// `10..30us`, `10us..1ms`, `10us+500ns`, `10us`
fn parse_when(text: &str) -> Checked<When> {
    if let Some((start, end)) = text.split_once("..") {
        let start_ps = parse_time(start, Some(unit_of(end)))?;
        let end_ps = parse_time(end, None)?;
        if end_ps < start_ps {
            return Err(format!("`{text}` ends before it begins"));
        }
        return Ok(When::At {
            start_ps,
            duration_ps: end_ps - start_ps,
        });
    }
    if let Some((start, duration)) = text.split_once('+') {
        let start_ps = parse_time(start, Some(unit_of(duration)))?;
        return Ok(When::At {
            start_ps,
            duration_ps: parse_time(duration, None)?,
        });
    }
    Ok(When::At {
        start_ps: parse_time(text, None)?,
        duration_ps: 0,
    })
}

fn unit_of(time: &str) -> &str {
    time.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'))
}

/// A time in picoseconds. Exact: decimals are shifted, not multiplied as floats.
pub(super) fn parse_time(text: &str, default_unit: Option<&str>) -> Checked<i128> {
    let unit = unit_of(text);
    let number = &text[..text.len() - unit.len()];
    let unit = if unit.is_empty() {
        default_unit.unwrap_or("")
    } else {
        unit
    };
    let digits = match unit {
        "s" => 12,
        "ms" => 9,
        "us" => 6,
        "ns" => 3,
        "ps" => 0,
        _ => return Err(format!("`{text}` needs a unit: ps, ns, us, ms or s")),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if fraction.len() > digits {
        return Err(format!("`{text}` is finer than a picosecond"));
    }
    format!("{whole}{fraction:0<digits$}")
        .parse()
        .map_err(|_| format!("`{text}` is no time"))
}

/// A name and the groups behind it. The name ends where a blank is followed by an opening
/// bracket with `key=` or nothing in it, so `f32[8]{0}` or `[1] Execute` can be in a name.
pub(super) fn split_groups(text: &str) -> Checked<(String, Vec<Group>)> {
    let (name, mut rest) = if text.starts_with('"') {
        take_word(text, &[])?
    } else {
        let blanks = text.match_indices(char::is_whitespace);
        let starts = blanks.map(|(index, blank)| index + blank.len());
        let mut starts = std::iter::once(0).chain(starts);
        let end = starts
            .find(|&start| begins_group(&text[start..]))
            .unwrap_or(text.len());
        (text[..end].trim().into(), text[end..].trim())
    };
    let mut groups = Vec::new();
    rest = rest.trim();
    while !rest.is_empty() {
        let (group, after) = parse_group(rest)?;
        groups.push(group);
        rest = after.trim();
    }
    Ok((name, groups))
}

fn begins_group(text: &str) -> bool {
    let Some(inside) = text.strip_prefix(['[', '{', '#']) else {
        return false;
    };
    if inside.starts_with('"') || (!text.starts_with('#') && inside.starts_with([']', '}'])) {
        return true;
    }
    let key_end = inside.find(|c: char| !(c.is_alphanumeric() || c == '_'));
    key_end.is_some_and(|end| end > 0 && inside[end..].starts_with('='))
}

fn parse_group(text: &str) -> Checked<(Group, &str)> {
    let (close, of_metadata) = match text.as_bytes().first() {
        Some(b'[') => (']', false),
        Some(b'{') => ('}', true),
        Some(b'#') => ('#', false),
        _ => return Err(format!("`{text}` stands where stats should be")),
    };
    let mut group = Group {
        of_metadata,
        stats: Vec::new(),
    };
    let mut rest = &text[1..];
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        if let Some(after) = rest.strip_prefix(close) {
            return Ok((group, after));
        }
        let (key, after) = take_word(rest, &['=', close])?;
        rest = after
            .strip_prefix('=')
            .ok_or_else(|| format!("`{key}` has no value"))?;
        // Commas are separators inside `#…#` only; elsewhere `grid:1,1,1` may be unquoted.
        let ends: &[char] = if close == '#' {
            &[',', '#']
        } else {
            &[close, ' ', '\t']
        };
        let (value, after) = take_value(rest, ends)?;
        group.stats.push((key, value));
        rest = after;
    }
}

/// A value and what follows it.
fn take_value<'a>(text: &'a str, ends: &[char]) -> Checked<(Value, &'a str)> {
    let prefixed = |prefix| text.strip_prefix(prefix);
    if text.starts_with('"') {
        return take_word(text, ends).map(|(text, rest)| (Value::Text(text), rest));
    }
    if text.starts_with('\'') {
        return take_word(text, ends).map(|(text, rest)| (Value::InPlace(text), rest));
    }
    if let Some(text) = prefixed("@") {
        return take_word(text, ends).map(|(text, rest)| (Value::Reference(text), rest));
    }
    if let Some(text) = prefixed("gzip:") {
        return take_word(text, ends).map(|(text, rest)| (Value::Gzip(text), rest));
    }
    let (word, rest) = take_word(text, ends)?;
    Ok((bare_value(word)?, rest))
}

fn bare_value(word: String) -> Checked<Value> {
    if word == "$name" {
        return Ok(Value::EventName);
    }
    if let Some(digits) = word.strip_prefix("hex:") {
        return parse_hex(digits)
            .map(Value::Bytes)
            .ok_or(format!("`{word}` is no hexadecimal"));
    }
    if let Ok(number) = word.parse() {
        return Ok(Value::Signed(number));
    }
    if let Ok(number) = word.strip_suffix('u').unwrap_or(&word).parse() {
        return Ok(Value::Unsigned(number));
    }
    let numeric = word.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    match word.parse() {
        Ok(number) if numeric => Ok(Value::Double(number)),
        _ => Ok(Value::Text(word)),
    }
}

fn parse_hex(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2);
    pairs
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}

/// A quoted or bare word and what follows it. Inside quotes `\n` is a newline, and any other
/// escaped character represents itself.
fn take_word<'a>(text: &'a str, ends: &[char]) -> Checked<(String, &'a str)> {
    let Some(quote) = text.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
        let end = text
            .find(ends)
            .ok_or_else(|| format!("`{text}` is not closed"))?;
        return Ok((text[..end].into(), &text[end..]));
    };
    let mut word = String::new();
    let mut characters = text.char_indices().skip(1);
    while let Some((index, character)) = characters.next() {
        match character {
            _ if character == quote => return Ok((word, &text[index + 1..])),
            '\\' => match characters.next() {
                Some((_, 'n')) => word.push('\n'),
                Some((_, escaped)) => word.push(escaped),
                None => break,
            },
            _ => word.push(character),
        }
    }
    Err(format!("the quote of `{text}` is not closed"))
}
