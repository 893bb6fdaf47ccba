//! Figures as text in tables: one unit per column, and names that fit.
//!
//! Single figures are formatted by [`stepscope_analysis::telling::format`], so that headlines, notes, and
//! pages of the command line agree.

use stepscope_analysis::Unit;
use stepscope_analysis::telling::escape;
pub(crate) use stepscope_analysis::telling::format::date;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Characters that may be used for our own words and lines. Text from the profile is never changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Charset {
    /// Nothing beyond ASCII: pipes, files, old terminals.
    Ascii,
    /// Block characters, `µ` and `…`.
    Unicode,
}

impl Charset {
    /// Marks where something was left out.
    pub(crate) const fn ellipsis(self) -> &'static str {
        match self {
            Self::Ascii => "...",
            Self::Unicode => "…",
        }
    }

    /// Shown for an unknown figure.
    pub(crate) const fn missing(self) -> &'static str {
        match self {
            Self::Ascii => "-",
            Self::Unicode => "–",
        }
    }

    /// Our own text in this character set.
    pub(crate) fn text(self, text: &str) -> String {
        if self == Self::Unicode || text.is_ascii() {
            return text.to_owned();
        }
        let mut plain = String::with_capacity(text.len());
        for character in text.chars() {
            match ascii_of(character) {
                Some(ascii) => plain.push_str(ascii),
                None => plain.push(character),
            }
        }
        plain
    }
}

/// ASCII replacements for the characters that our own sentences use.
fn ascii_of(character: char) -> Option<&'static str> {
    Some(match character {
        'µ' => "u",
        '×' => "x",
        '÷' => "/",
        '…' => "...",
        '·' | '–' | '—' | '−' | '▃' => "-",
        '→' => "->",
        '≤' => "<=",
        '≥' => ">=",
        'Σ' => "sum of",
        'σ' => "sd",
        '▁' => "_",
        '▂' => ".",
        '▄' | '▅' => "=",
        '▆' | '▇' => "*",
        '█' => "#",
        '“' | '”' => "\"",
        '‘' | '’' => "'",
        '\u{a0}' | '\u{202f}' => " ",
        _ => return None,
    })
}

/// How the numbers of one column are shown: all in one unit, with the same number of decimals.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scale {
    /// Values are divided by it.
    size: f64,
    /// The unit for the header; empty for counts.
    pub(crate) unit: String,
    decimals: usize,
}

/// Sizes of units and their names, the largest first.
type Steps<'a> = &'a [(f64, &'a str)];

const DECIMAL: [(f64, &str); 6] = [
    (1e15, "P"),
    (1e12, "T"),
    (1e9, "G"),
    (1e6, "M"),
    (1e3, "k"),
    (1.0, ""),
];
const PICOS: [(f64, &str); 5] = [
    (1e12, "s"),
    (1e9, "ms"),
    (1e6, "µs"),
    (1e3, "ns"),
    (1.0, "ps"),
];
const BYTES: [(f64, &str); 5] = [
    (1_099_511_627_776.0, "TiB"),
    (1_073_741_824.0, "GiB"),
    (1_048_576.0, "MiB"),
    (1024.0, "KiB"),
    (1.0, "B"),
];

impl Scale {
    /// The scale that suits these values of a unit.
    pub(crate) fn of(unit: Unit, values: impl Iterator<Item = f64>, charset: Charset) -> Self {
        let sizes = sorted_sizes(values);
        let (steps, suffix): (Steps, &str) = match unit {
            Unit::Text | Unit::Flag => return Self::plain(0),
            Unit::Count => {
                let is_whole = sizes.iter().all(|size| size.fract() == 0.0);
                return Self::plain(if is_whole { 0 } else { 2 });
            }
            Unit::Ratio => {
                let largest = sizes.last().copied().unwrap_or(0.0);
                let decimals = if largest >= 0.02 { 1 } else { 3 };
                return Self {
                    size: 0.01,
                    unit: "%".to_owned(),
                    decimals,
                };
            }
            Unit::Picos => (&PICOS, ""),
            Unit::Bytes => (&BYTES, ""),
            Unit::Flops => (&DECIMAL, "FLOP"),
            Unit::FlopRate => (&DECIMAL, "FLOP/s"),
            Unit::ByteRate => (&DECIMAL, "B/s"),
        };
        let (size, prefix) = fitting(steps, &sizes);
        Self::in_unit(size, &charset.text(&format!("{prefix}{suffix}")), &sizes)
    }

    /// The scale for the bounds of ranges: in the unit of the smallest, so that no two look alike.
    pub(crate) fn of_bounds(
        unit: Unit,
        values: impl Iterator<Item = f64>,
        charset: Charset,
    ) -> Self {
        let sizes = sorted_sizes(values);
        let least = Self::of(unit, sizes.first().copied().into_iter(), charset);
        Self::in_unit(least.size, &least.unit, &sizes)
    }

    /// This column in the unit that most columns of its kind have, so that they are easy to
    /// compare, unless half of its own values would lose their digits, or it would have many more.
    pub(crate) fn shared(self, others: &[Self], values: impl Iterator<Item = f64>) -> Self {
        let Some(common) = most_common(others) else {
            return self;
        };
        let sizes = sorted_sizes(values);
        let median = sizes.get(sizes.len() / 2).copied().unwrap_or(f64::MAX);
        let largest = sizes.last().copied().unwrap_or(0.0);
        let is_tiny = self.size < common.size && median / common.size < 0.05;
        let is_huge = self.size > common.size && largest / common.size >= 1e5;
        if is_tiny || is_huge {
            return self;
        }
        Self::in_unit(common.size, &common.unit, &sizes)
    }

    /// The scale of a column without figures, or with nothing but zeros: in the unit of the others of its
    /// kind, or in none.
    pub(crate) fn of_nothing(others: &[Self]) -> Self {
        match most_common(others) {
            Some(common) => Self::in_unit(common.size, &common.unit, &[]),
            None => Self::plain(0),
        }
    }

    /// Whether the column has a nonzero value, and therefore a meaningful unit.
    pub(crate) fn is_meaningful(values: impl Iterator<Item = f64>) -> bool {
        values
            .into_iter()
            .any(|value| value.is_finite() && value != 0.0)
    }

    fn in_unit(size: f64, unit: &str, sizes: &[f64]) -> Self {
        let is_whole = sizes.iter().all(|value| (value / size).fract() == 0.0);
        let digits = |value: f64| match value / size {
            v if v >= 10_000.0 => 0_usize,
            v if v >= 1000.0 => 1,
            v if v >= 100.0 => 2,
            _ => 3,
        };
        let largest = sizes.last().copied().unwrap_or(0.0);
        let median = sizes.get(sizes.len() / 2).copied().unwrap_or(0.0);
        let decimals = match digits(largest) {
            _ if is_whole => 0,
            // A few huge values should not cost all others their digits.
            few => few.max(digits(median).saturating_sub(1)),
        };
        Self {
            size,
            unit: unit.to_owned(),
            decimals,
        }
    }

    const fn plain(decimals: usize) -> Self {
        Self {
            size: 1.0,
            unit: String::new(),
            decimals,
        }
    }

    /// A value in this unit.
    pub(crate) fn of_unit(&self, value: f64) -> f64 {
        value / self.size
    }

    /// A value with thousands separated.
    pub(crate) fn show(&self, value: f64) -> String {
        let text = format!("{:.*}", self.decimals, value / self.size);
        // A negative value that rounds to zero has no sign.
        let is_zero = text
            .trim_start_matches('-')
            .chars()
            .all(|c| c == '0' || c == '.');
        grouped(if is_zero {
            text.trim_start_matches('-')
        } else {
            &text
        })
    }
}

/// The scale with the most common unit; the finer one of two.
fn most_common(scales: &[Scale]) -> Option<&Scale> {
    let votes = |scale: &Scale| {
        scales
            .iter()
            .filter(|other| other.unit == scale.unit)
            .count()
    };
    scales
        .iter()
        .max_by(|a, b| votes(a).cmp(&votes(b)).then(b.size.total_cmp(&a.size)))
}

fn sorted_sizes(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut sizes: Vec<f64> = values
        .map(f64::abs)
        .filter(|size| size.is_finite() && *size > 0.0)
        .collect();
    sizes.sort_by(f64::total_cmp);
    sizes
}

/// The unit of the largest value, or one below it if half of the values would lose their digits.
fn fitting<'a>(steps: &[(f64, &'a str)], sorted: &[f64]) -> (f64, &'a str) {
    let last = steps.len() - 1;
    let largest = sorted.last().copied().unwrap_or(0.0);
    let first = steps
        .iter()
        .position(|(size, _)| largest >= *size)
        .unwrap_or(last);
    let median = sorted.get(sorted.len() / 2).copied().unwrap_or(largest);
    let is_lost = median / steps[first].0 < 0.05;
    steps[if is_lost {
        (first + 1).min(last)
    } else {
        first
    }]
}

/// `1234567.5` as `1,234,567.5`.
pub(crate) fn grouped(number: &str) -> String {
    let (whole, rest) = number.split_at(number.find('.').unwrap_or(number.len()));
    let digits = whole.trim_start_matches('-');
    let mut text = String::from(&whole[..whole.len() - digits.len()]);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text.push_str(rest);
    text
}

/// Terminal columns that a text takes.
pub(crate) fn width(text: &str) -> usize {
    if text.is_ascii() {
        text.len()
    } else {
        text.width()
    }
}

/// A text of at most `columns`. Names keep both ends, because they differ there; paths and scopes
/// keep their end, because they all start alike.
pub(crate) fn shortened(text: &str, columns: usize, charset: Charset) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let ellipsis = charset.ellipsis();
    let room = columns.saturating_sub(width(ellipsis));
    let is_path = text.contains('/') && !text.contains(' ');
    let head = if is_path { 0 } else { room.div_ceil(2) };
    let tail = taken(text.chars().rev(), room - head);
    let tail: String = tail.chars().rev().collect();
    format!("{}{ellipsis}{tail}", taken(text.chars(), head))
}

/// A sentence of at most `columns`, cut after a word, or within the word if that would cut more
/// than half.
pub(crate) fn ended(text: &str, columns: usize, charset: Charset) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let ellipsis = charset.ellipsis();
    let head = taken(text.chars(), columns.saturating_sub(width(ellipsis) + 1));
    match head.rfind(' ') {
        Some(end) if 2 * end >= head.len() => format!("{} {ellipsis}", &head[..end]),
        _ => format!("{}{ellipsis}", head.trim_end_matches(['.', '…'])),
    }
}

/// As many of the characters as fit into this many columns.
pub(crate) fn taken(characters: impl Iterator<Item = char>, columns: usize) -> String {
    let mut left = columns;
    characters
        .take_while(|character| {
            let width = character.width().unwrap_or(0);
            let fits = width <= left;
            left = left.saturating_sub(width);
            fits
        })
        .collect()
}

/// A hint without the backquotes around it, if it is all code: people copy it.
pub(crate) fn bare(hint: &str) -> &str {
    let code = hint
        .strip_prefix('`')
        .and_then(|rest| rest.strip_suffix('`'));
    code.filter(|code| !code.contains('`')).unwrap_or(hint)
}

/// A text on one line: control characters in names must not reach a terminal, and nothing in them
/// may reverse the text around it.
pub(crate) fn one_line(text: &str) -> String {
    escape::visible(text).into_owned()
}

/// Words broken into lines of at most `columns`; a longer word gets its own line, a number stays with
/// its unit, and a command in backquotes stays in one piece, so that it can be pasted.
pub(crate) fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in words_of(text) {
        match words.last_mut() {
            Some(number) if number.ends_with(|c: char| c.is_ascii_digit()) && is_unit(word) => {
                number.push(' ');
                number.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
    }
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if width(line) + 1 + width(&word) <= columns => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines
}

/// The words of a text; a command of ours in backquotes is one.
fn words_of(text: &str) -> impl Iterator<Item = &str> {
    const COMMAND: &str = "`stepscope ";
    let mut rest = text.trim_start();
    std::iter::from_fn(move || {
        let space = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let inside = rest.find(COMMAND).filter(|start| *start < space);
        let closed = inside.and_then(|start| {
            let from = start + COMMAND.len();
            Some(from + rest[from..].find('`')?)
        });
        let end = closed.map_or(space, |closed| {
            let after = rest[closed..].find(char::is_whitespace);
            after.map_or(rest.len(), |after| closed + after)
        });
        let (word, others) = rest.split_at(end);
        rest = others.trim_start();
        (!word.is_empty()).then_some(word)
    })
}

/// Whether the word is a unit of a share, a time, or bytes, with or without punctuation after it.
fn is_unit(word: &str) -> bool {
    const UNITS: [&str; 12] = [
        "%", "ps", "ns", "us", "µs", "ms", "s", "B", "KiB", "MiB", "GiB", "TiB",
    ];
    UNITS.contains(&word.trim_end_matches([',', ';', '.', ':', ')']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale(unit: Unit, values: &[f64]) -> Scale {
        Scale::of(unit, values.iter().copied(), Charset::Unicode)
    }

    #[test]
    fn a_column_has_one_unit() {
        let durations = scale(Unit::Picos, &[7.8154e9, 1.2e8, 0.0]);
        assert_eq!(durations.unit, "ms");
        assert_eq!(durations.show(7.8154e9), "7.815");
        assert_eq!(durations.show(1.2e8), "0.120");
        assert_eq!(durations.show(-1.0), "0.000");
    }

    #[test]
    fn small_values_keep_their_digits() {
        let durations = scale(Unit::Picos, &[2.5e12, 3e6, 2e6, 1e6]);
        assert_eq!(durations.unit, "ms");
        assert_eq!(durations.show(2.5e12), "2,500.00");
    }

    #[test]
    fn columns_of_one_kind_share_a_unit_while_their_digits_last() {
        let others: Vec<Scale> = [&[9e12, 5e11][..], &[2e9, 5e8], &[3e8, 2e8], &[8e9]]
            .iter()
            .map(|values| scale(Unit::Picos, values))
            .collect();
        let shared =
            |values: &[f64]| scale(Unit::Picos, values).shared(&others, values.iter().copied());
        assert_eq!(shared(&[9e12, 5e11]).show(9e12), "9,000");
        assert_eq!(shared(&[3e8, 2e8]).show(3e8), "0.300");
        assert_eq!(shared(&[]).unit, "ms");
        assert_eq!(shared(&[4e6, 2e6]).unit, "µs");
        assert_eq!(shared(&[9e14]).unit, "s");
        assert_eq!(Scale::of_nothing(&others).unit, "ms");
        assert_eq!(Scale::of_nothing(&[]).unit, "");
    }

    #[test]
    fn units_and_decimals_follow_the_values() {
        assert_eq!(scale(Unit::Picos, &[412.0, 20.0]).show(412.0), "412");
        assert_eq!(scale(Unit::Ratio, &[0.831]).show(0.831), "83.1");
        assert_eq!(scale(Unit::Ratio, &[0.001]).show(0.001), "0.100");
        assert_eq!(
            scale(Unit::Count, &[3_600_000.0]).show(3_600_000.0),
            "3,600,000"
        );
        assert_eq!(scale(Unit::Count, &[]).show(-12_345.0), "-12,345");
        let rates = scale(Unit::FlopRate, &[9.18e14, 8.505e14]);
        assert_eq!(
            (rates.unit.as_str(), rates.show(9.18e14).as_str()),
            ("TFLOP/s", "918.00")
        );
        assert_eq!(scale(Unit::Bytes, &[1536.0]).show(1536.0), "1.500");
        assert_eq!(
            Scale::of(Unit::Picos, [2.5e6].into_iter(), Charset::Ascii).unit,
            "us"
        );
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(date(0), "1970-01-01 00:00:00");
        assert_eq!(date(951_782_400_000_000_000), "2000-02-29 00:00:00");
        assert_eq!(date(1_795_250_818_999_999_999), "2026-11-21 08:46:58");
    }

    #[test]
    fn names_lose_their_middle() {
        let name = "loop_convert_fusion_with_a_long_name.42";
        assert_eq!(
            shortened(name, 21, Charset::Unicode),
            "loop_conve…ng_name.42"
        );
        assert_eq!(shortened(name, 13, Charset::Ascii), "loop_...me.42");
        let scope = "jit(step)/layer_1/mlp/dot_general";
        assert_eq!(
            shortened(scope, 20, Charset::Unicode),
            "…r_1/mlp/dot_general"
        );
        assert_eq!(shortened("dot.1", 21, Charset::Ascii), "dot.1");
        assert_eq!(shortened("日本語の名前です", 7, Charset::Unicode), "日…す");
    }

    #[test]
    fn sentences_end_after_a_word_unless_it_is_very_long() {
        let sentence = "One op dominates: it takes 65.9 % of the work.";
        assert_eq!(
            ended(sentence, 30, Charset::Ascii),
            "One op dominates: it ..."
        );
        let name = "One op: sm90_xmma_gemm_f32f32_tf32f32_tn_n_tilesize128 takes 65.9 %.";
        assert_eq!(
            ended(name, 30, Charset::Unicode),
            "One op: sm90_xmma_gemm_f32f3…"
        );
        assert_eq!(ended("short", 30, Charset::Ascii), "short");
    }

    #[test]
    fn bounds_of_ranges_are_told_apart() {
        let shown = |unit, values: &[f64]| {
            let scale = Scale::of_bounds(unit, values.iter().copied(), Charset::Ascii);
            let values: Vec<String> = values.iter().map(|value| scale.show(*value)).collect();
            (scale.unit.clone(), values.join(" "))
        };
        assert_eq!(
            shown(Unit::Picos, &[0.0, 1e6, 1e7, 1e11]),
            ("us".to_owned(), "0 1 10 100,000".to_owned())
        );
        assert_eq!(
            shown(Unit::Bytes, &[65_536.0, 1_048_576.0]),
            ("KiB".to_owned(), "64 1,024".to_owned())
        );
    }

    #[test]
    fn own_words_become_ascii() {
        assert_eq!(
            Charset::Ascii.text("4 × XLA:CPU, 3.2 µs …"),
            "4 x XLA:CPU, 3.2 us ..."
        );
        assert_eq!(Charset::Unicode.text("µs"), "µs");
    }

    #[test]
    fn names_stay_on_one_line_and_sentences_wrap() {
        assert_eq!(one_line("a\nb\u{1b}[2J\u{202e}"), "a b\\u{1b}[2J\\u{202e}");
        assert_eq!(wrapped("one two three", 8), ["one two", "three"]);
        assert_eq!(wrapped("extraordinarily so", 8), ["extraordinarily", "so"]);
        assert_eq!(wrapped("one of 12.5 ms, so", 11), ["one of", "12.5 ms, so"]);
        assert_eq!(wrapped("from 3 % on", 7), ["from", "3 % on"]);
        assert_eq!(
            wrapped("see (a; `stepscope ops 'my  logs'`), and b", 12),
            ["see (a;", "`stepscope ops 'my  logs'`),", "and b"]
        );
    }
}
