//! Times as text: durations such as `10us`, and ranges `1.2s..1.5s`, `300ms..`, `..2s`, or a list of
//! ranges.

use stepscope_model::{Picos, Session, Span};

use super::SelectionError;
use crate::measuring::interval::Intervals;

/// Units in picoseconds. A unit precedes any other that is a suffix of it: `ms` before `s`.
const UNITS: &[(&str, f64)] = &[
    ("ps", 1.0),
    ("ns", 1e3),
    ("us", 1e6),
    ("µs", 1e6),
    ("ms", 1e9),
    ("s", 1e12),
];

/// Longest accepted duration: 11.6 days.
const LONGEST_PS: i64 = 1_000_000_000_000_000_000;

/// The selected times. It is an error if nothing was recorded in them.
pub(super) fn select_time(
    session: &Session,
    wanted: Option<&str>,
) -> Result<Option<Intervals>, SelectionError> {
    let Some(wanted) = wanted else {
        return Ok(None);
    };
    let spans: Vec<Span> = wanted
        .split(',')
        .map(parse_time)
        .collect::<Result<_, _>>()?;
    let times = Intervals::union_of(spans);
    let extent = session
        .extent()
        .unwrap_or(Span::new(Picos::ZERO, Picos::ZERO));
    // Include an instant at the very end of the recording.
    let extent = Span::new(extent.start, extent.end + Picos(1));
    if times.clip(extent).spans().is_empty() {
        return Err(SelectionError::NoTime {
            what: format!("--time {wanted}"),
            recorded: extent,
        });
    }
    Ok(Some(times))
}

fn parse_time(text: &str) -> Result<Span, SelectionError> {
    let wrong = || {
        SelectionError::Invalid(format!(
            "invalid value for --time: {text:?}; expected 1.2s..1.5s, 300ms.., ..2s or a list of \
             these (units: ps, ns, us, ms, s)"
        ))
    };
    let (start, end) = text.split_once("..").ok_or_else(wrong)?;
    // `300..500ms`: a unit on only one side applies to both.
    let unit = unit_of(end.trim()).or_else(|| unit_of(start.trim()));
    let instant = |text: &str, missing: Picos| match text.trim() {
        "" => Some(missing),
        text => parse_instant(text, unit),
    };
    let start = instant(start, Picos(i64::MIN)).ok_or_else(wrong)?;
    let end = instant(end, Picos::MAX).ok_or_else(wrong)?;
    if start < end {
        Ok(Span { start, end })
    } else {
        Err(SelectionError::Invalid(format!(
            "invalid value for --time: {}: the end must be after the start",
            text.trim()
        )))
    }
}

/// Parses a duration in picoseconds: `10us`, `0.5ms`, `3s`, `0`.
pub(crate) fn parse_length(text: &str) -> Result<i64, SelectionError> {
    let picos = parse_instant(text.trim(), (text.trim() == "0").then_some(UNITS[0]));
    let length = picos.filter(|picos| (0..=LONGEST_PS).contains(&picos.0));
    length.map(|picos| picos.0).ok_or_else(|| {
        SelectionError::Invalid(format!(
            "invalid duration: {text:?}; expected 10us, 0.5ms or 0"
        ))
    })
}

/// Parses a moment since the start of the session: `1.2s`, `300ms`, `0`.
pub(crate) fn parse_moment(text: &str) -> Result<Picos, SelectionError> {
    let text = text.trim();
    let usual = (text == "0").then_some(UNITS[0]);
    parse_instant(text, usual).ok_or_else(|| {
        SelectionError::Invalid(format!(
            "invalid time: {text:?}; expected 1.2s, 300ms or 0 (units: ps, ns, us, ms, s)"
        ))
    })
}

fn unit_of(text: &str) -> Option<(&'static str, f64)> {
    UNITS.iter().copied().find(|(name, _)| text.ends_with(name))
}

fn parse_instant(text: &str, usual: Option<(&str, f64)>) -> Option<Picos> {
    let (digits, scale) = match unit_of(text) {
        Some((name, scale)) => (text.strip_suffix(name)?, scale),
        None => (text, usual?.1),
    };
    let digits = digits.trim();
    // Whole picoseconds stay exact beyond the precision of a double.
    if scale == 1.0
        && let Ok(whole) = digits.parse::<i64>()
    {
        return Some(Picos(whole));
    }
    let number: f64 = digits.parse().ok()?;
    let picos = number * scale;
    #[expect(clippy::cast_possible_truncation, reason = "saturation is intended")]
    picos.is_finite().then_some(Picos(picos.round() as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Option<(i64, i64)> {
        parse_time(text).ok().map(|span| (span.start.0, span.end.0))
    }

    #[test]
    fn times_have_units_and_open_ends() {
        assert_eq!(
            parsed("1.2s..1500ms"),
            Some((1_200_000_000_000, 1_500_000_000_000))
        );
        assert_eq!(parsed("3..5us"), Some((3_000_000, 5_000_000)));
        assert_eq!(parsed("..7ns"), Some((i64::MIN, 7_000)));
        assert_eq!(parsed("2µs.."), Some((2_000_000, i64::MAX)));
        assert_eq!(
            parsed("9007199254740993ps..9007199254740995ps"),
            Some((9_007_199_254_740_993, 9_007_199_254_740_995))
        );
    }

    #[test]
    fn lengths_have_units() {
        assert_eq!(parse_length("10us").ok(), Some(10_000_000));
        assert_eq!(parse_length("0.5 ms").ok(), Some(500_000_000));
        assert_eq!(parse_length("0").ok(), Some(0));
        for wrong in ["10", "-1us", "us", "1e30s", "nan", "3 weeks", "", "1e400s"] {
            assert!(parse_length(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn moments_have_units() {
        let moment = |text: &str| parse_moment(text).ok().map(|picos| picos.0);
        assert_eq!(moment("300ms"), Some(300_000_000_000));
        assert_eq!(moment("9007199254740993ps"), Some(9_007_199_254_740_993));
        assert_eq!(moment("0"), Some(0));
        assert_eq!(moment("12"), None);
        assert_eq!(moment("soon"), None);
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "",
            "5ms",
            "5..6",
            "6ms..5ms",
            "a..bms",
            "nan s..1s",
            "1..1ms",
        ] {
            assert_eq!(parsed(text), None, "{text:?}");
        }
    }
}
