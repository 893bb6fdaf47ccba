//! Figures as text: the only formatter for headlines, notes and everything else that analyses print.

use std::fmt::Display;

use jiff::Timestamp;

/// A duration in the largest unit that fits, with four significant digits: `412 ps`, `7.815 ms`,
/// `2.041 s`.
pub fn duration_ps(picos: f64) -> String {
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
        (1e15, "P"),
        (1e12, "T"),
        (1e9, "G"),
        (1e6, "M"),
        (1e3, "k"),
        (1.0, ""),
    ];
    format!("{}{unit}", scaled(per_second, &units))
}

/// A ratio as percent: `83.1 %`.
pub fn percent(ratio: f64) -> String {
    let percent = ratio * 100.0;
    if percent != 0.0 && percent.abs() < 0.1 {
        return format!("{percent:.2} %");
    }
    format!("{percent:.1} %")
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

fn scaled(value: f64, units: &[(f64, &str)]) -> String {
    let found = units.iter().find(|(size, _)| value.abs() >= *size);
    let Some(&(size, name)) = found.or(units.last()) else {
        return value.to_string();
    };
    let is_base_unit = size < 1.5;
    let value = value / size;
    let decimals = match value.abs() {
        v if v >= 1000.0 || v == 0.0 || (is_base_unit && v.fract() == 0.0) => 0,
        v if v >= 100.0 => 1,
        v if v >= 10.0 => 2,
        _ => 3,
    };
    format!("{value:.decimals$} {name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_grow_with_the_value() {
        assert_eq!(duration_ps(412.0), "412 ps");
        assert_eq!(duration_ps(7_815_400_000.0), "7.815 ms");
        assert_eq!(duration_ps(0.0), "0 ps");
        assert_eq!(duration_ps(3_600e12), "3600 s");
        assert_eq!(bytes(1536.0), "1.500 KiB");
        assert_eq!(rate(9.18e14, "FLOP/s"), "918.0 TFLOP/s");
        assert_eq!(percent(0.8312), "83.1 %");
        assert_eq!(percent(0.0004), "0.04 %");
        assert_eq!(counted(1, "step"), "1 step");
    }
}
