//! Figures as text: the only formatter for headlines, notes and everything else that analyses print.
//!
//! The pages follow the same rule (`ui/src/format/numbers.ts`), and both are tested on the examples of
//! `format_examples.txt`, so a figure reads the same in a sentence and on a page:
//!
//! - a figure is shown in the largest unit in which it is at least 1, with four significant digits;
//! - a whole number of the smallest unit has no decimals, and zero picoseconds are `0 s`;
//! - a share has one decimal of a percent, below 0.1 % two; what would read as zero is `<0.01 %`;
//! - a half is rounded away from zero, thousands are separated by commas, minus is `−`.

use std::fmt::Display;

use jiff::Timestamp;

/// A duration in the largest unit that fits, with four significant digits: `412 ps`, `7.815 ms`,
/// `2.041 s`, and `0 s`.
pub fn duration_ps(picos: f64) -> String {
    if picos == 0.0 {
        return "0 s".to_owned();
    }
    let units = [
        (1e12, "s"),
        (1e9, "ms"),
        (1e6, "µs"),
        (1e3, "ns"),
        (1.0, "ps"),
    ];
    scaled(picos, &units)
}

/// A number of bytes in binary units: `512 B`, `1.250 GiB`.
pub fn bytes(bytes: f64) -> String {
    let units = [
        (f64::from(1u32 << 30) * 1024.0 * 1024.0, "PiB"),
        (f64::from(1u32 << 30) * 1024.0, "TiB"),
        (f64::from(1u32 << 30), "GiB"),
        (f64::from(1u32 << 20), "MiB"),
        (1024.0, "KiB"),
        (1.0, "B"),
    ];
    scaled(bytes, &units)
}

/// A change with its sign, formatted by `text`: `signed(-12e6, duration_ps)` is `−12.00 µs`.
pub fn signed(change: f64, text: impl Fn(f64) -> String) -> String {
    let sign = if change < 0.0 { "−" } else { "+" };
    format!("{sign}{}", text(change.abs()))
}

/// A rate per second in decimal units: `rate(9.18e14, "FLOP/s")` is `918.0 TFLOP/s`.
pub fn rate(per_second: f64, unit: &str) -> String {
    let units = [
        (1e18, "E"),
        (1e15, "P"),
        (1e12, "T"),
        (1e9, "G"),
        (1e6, "M"),
        (1e3, "k"),
        (1.0, ""),
    ];
    format!("{}{unit}", scaled(per_second, &units))
}

/// A ratio as percent: `83.1 %`, `0.04 %`, `<0.01 %`.
pub fn percent(ratio: f64) -> String {
    if !ratio.is_finite() {
        return UNKNOWN.to_owned();
    }
    let percent = ratio.abs() * 100.0;
    let sign = if ratio < 0.0 { "−" } else { "" };
    let hundredths = (percent * 100.0).round();
    if hundredths >= 10.0 || percent == 0.0 {
        return format!("{} %", fixed(ratio * 100.0, 1));
    }
    if hundredths == 0.0 {
        return format!("{sign}<0.01 %");
    }
    format!("{sign}{} %", fixed(percent, 2))
}

/// The same beside others that may be tiny: nothing at all is `0 %`, not a rounded `0.0 %`.
pub fn exact_percent(ratio: f64) -> String {
    if ratio == 0.0 {
        return "0 %".to_owned();
    }
    percent(ratio)
}

/// A number of things, or a mean of such numbers: `3,600`, `0.50`.
pub fn count(count: f64) -> String {
    let is_whole = count.fract() == 0.0 || count.abs() >= 1000.0;
    fixed(count, if is_whole { 0 } else { 2 })
}

/// A text that begins a sentence: its first letter in upper case.
pub fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters.clone()).collect()
}

/// A count with its noun, pluralized with `s`: `1 step`, `20 steps`.
pub fn counted<N: Display + PartialEq + From<u8> + Copy>(count: N, noun: &str) -> String {
    let plural = if count == N::from(1) { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// Date and time of day in UTC from nanoseconds since the Unix epoch: `2026-11-21 08:46:58`.
pub fn date(epoch_ns: u64) -> String {
    // A `u64` covers 584 years, all within the range of timestamps.
    let time = Timestamp::from_nanosecond(epoch_ns.into()).unwrap_or_default();
    time.strftime("%F %T").to_string()
}

/// A name cut to 60 characters; C++ kernel names have hundreds.
pub fn shortened(name: &str) -> String {
    const LONGEST: usize = 60;
    shortened_to(name, LONGEST)
}

/// A text cut to at most `longest` characters.
pub fn shortened_to(text: &str, longest: usize) -> String {
    if text.chars().count() <= longest {
        return text.to_owned();
    }
    let head: String = text.chars().take(longest.saturating_sub(1)).collect();
    format!("{head}…")
}

/// A name with each number replaced by `#`, so that all layers of a model get the same name:
/// `layer_12` becomes `layer_#`.
pub fn without_numbers(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for letter in name.chars() {
        if !letter.is_ascii_digit() {
            text.push(letter);
        } else if !text.ends_with('#') {
            text.push('#');
        }
    }
    text
}

/// Shown for figures that are not numbers.
const UNKNOWN: &str = "unknown";

/// A value in the first of these units, the largest first, in which it does not round to less than 1.
fn scaled(value: f64, units: &[(f64, &str)]) -> String {
    if !value.is_finite() {
        return UNKNOWN.to_owned();
    }
    let sizes = units.iter().zip(units.iter().skip(1));
    let fits = |(larger, smaller): &(&(f64, &str), &(f64, &str))| {
        value.abs() / smaller.0 >= rounds_to(larger.0 / smaller.0)
    };
    let found = sizes.clone().find(fits).map(|(larger, _)| larger);
    let Some(&(size, name)) = found.or(units.last()) else {
        return value.to_string();
    };
    let is_base_unit = size < 1.5;
    let value = value / size;
    let decimals = match value.abs() {
        v if is_base_unit && v.fract() == 0.0 => 0,
        v if v >= rounds_to(1000.0) => 0,
        v if v >= 99.995 => 1,
        v if v >= 9.9995 => 2,
        _ => 3,
    };
    format!("{} {name}", fixed(value, decimals))
}

/// The smallest number that rounds to this number of units, which is shown with one decimal below 1000.
fn rounds_to(units: f64) -> f64 {
    units - if units > 1000.0 { 0.5 } else { 0.05 }
}

/// A number with this many decimals, its thousands separated: a half is rounded away from zero.
fn fixed(value: f64, decimals: usize) -> String {
    let factor = [1.0, 10.0, 100.0, 1000.0][decimals.min(3)];
    let rounded = (value.abs() * factor).round() / factor;
    let text = format!("{rounded:.decimals$}");
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut grouped = String::with_capacity(text.len() + 4);
    if value < 0.0 && rounded > 0.0 {
        grouped.push('−');
    }
    for (position, digit) in whole.chars().enumerate() {
        if position > 0 && (whole.len() - position).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One example a line: kind, value, text. Read by the tests of the pages, too.
    const EXAMPLES: &str = include_str!("format_examples.txt");

    #[test]
    fn figures_read_as_in_the_examples() {
        let lines = EXAMPLES.lines().filter(|line| !line.starts_with('#'));
        let mut count = 0;
        for line in lines {
            let parts: Vec<&str> = line.splitn(3, '\t').collect();
            let &[kind, value, expected] = parts.as_slice() else {
                panic!("not an example: {line}");
            };
            let value: f64 = value.parse().expect("a number");
            let text = match kind {
                "duration" => duration_ps(value),
                "bytes" => bytes(value),
                "bandwidth" => rate(value, "B/s"),
                "flops" => rate(value, "FLOP"),
                "flop_rate" => rate(value, "FLOP/s"),
                "ratio" => percent(value),
                "count" => super::count(value),
                other => panic!("unknown kind: {other}"),
            };
            assert_eq!(text, expected, "{line}");
            count += 1;
        }
        assert!(count > 50, "the examples are there");
    }

    #[test]
    fn what_is_not_a_number_is_unknown() {
        assert_eq!(duration_ps(f64::NAN), "unknown");
        assert_eq!(percent(f64::INFINITY), "unknown");
        assert_eq!(counted(1, "step"), "1 step");
        assert_eq!(signed(-12e6, duration_ps), "−12.00 µs");
    }
}
