//! Numbers as traces write them, kept exactly: microseconds with up to any number of decimals.

/// A time: whole microseconds and picoseconds beyond, 0 to 999,999.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Micros {
    pub(super) whole: i64,
    pub(super) picos: i64,
}

impl Micros {
    /// Picoseconds since another instant; none where they do not fit.
    #[inline]
    pub(super) fn since(self, base: i64) -> Option<i64> {
        let whole = self.whole.checked_sub(base)?.checked_mul(1_000_000)?;
        whole.checked_add(self.picos)
    }

    /// Reads `123.456`; the seventh decimal rounds.
    #[inline]
    pub(super) fn parse(text: &[u8]) -> Option<Self> {
        let (is_negative, digits) = match text {
            [b'-', rest @ ..] => (true, rest),
            _ => (false, text),
        };
        let mut whole = 0_i64;
        let mut at = 0;
        while let Some(digit @ b'0'..=b'9') = digits.get(at) {
            whole = whole
                .checked_mul(10)?
                .checked_add(i64::from(digit - b'0'))?;
            at += 1;
        }
        let mut picos = 0_i64;
        if digits.get(at) == Some(&b'.') {
            at += 1;
            let mut scale = 100_000;
            while let Some(digit @ b'0'..=b'9') = digits.get(at) {
                let digit = i64::from(digit - b'0');
                picos += digit * scale;
                if scale == 0 {
                    break;
                }
                scale /= 10;
                at += 1;
            }
            if scale == 0 && digits.get(at).is_some_and(|&digit| digit >= b'5') {
                picos += 1;
            }
            while matches!(digits.get(at), Some(b'0'..=b'9')) {
                at += 1;
            }
        }
        if at < digits.len() || digits.is_empty() {
            return Self::parse_the_general_way(text);
        }
        if picos == 1_000_000 {
            (whole, picos) = (whole.checked_add(1)?, 0);
        }
        Some(if is_negative && picos > 0 {
            Self {
                whole: -whole - 1,
                picos: 1_000_000 - picos,
            }
        } else if is_negative {
            Self {
                whole: -whole,
                picos,
            }
        } else {
            Self { whole, picos }
        })
    }

    #[cold]
    #[expect(clippy::cast_possible_truncation, reason = "range checked")]
    fn parse_the_general_way(text: &[u8]) -> Option<Self> {
        let value: f64 = std::str::from_utf8(text).ok()?.trim().parse().ok()?;
        if !value.is_finite() || value.abs() > 9e18 {
            return None;
        }
        let whole = value.floor();
        let picos = ((value - whole) * 1e6).round() as i64;
        let whole = whole as i64;
        Some(if picos >= 1_000_000 {
            Self {
                whole: whole + 1,
                picos: 0,
            }
        } else {
            Self { whole, picos }
        })
    }
}

/// A whole number in its shortest form, so that it reads the same when printed again.
#[inline]
pub(super) fn whole(text: &[u8]) -> Option<i128> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let is_shortest = match digits {
        [b'0'] => digits.len() == text.len(),
        [b'1'..=b'9', ..] => digits.len() <= 20,
        _ => false,
    };
    if !is_shortest || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value = digits
        .iter()
        .fold(0_i128, |value, digit| value * 10 + i128::from(digit - b'0'));
    Some(if digits.len() < text.len() {
        -value
    } else {
        value
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_exact_to_the_picosecond() {
        for (text, whole, picos) in [
            ("0", 0, 0),
            ("32.024999999999999", 32, 25_000),
            ("9.9999999999999995e-07", 0, 1),
            ("1e-06", 0, 1),
            ("1743521598000000.123456", 1_743_521_598_000_000, 123_456),
            ("198093488368.463", 198_093_488_368, 463_000),
            ("0.9999999", 1, 0),
            ("-0.25", -1, 750_000),
            ("-3", -3, 0),
            ("5.", 5, 0),
        ] {
            let found = Micros::parse(text.as_bytes());
            assert_eq!(found, Some(Micros { whole, picos }), "{text}");
        }
        for text in ["", "abc", "1e300", "--1", "99999999999999999999"] {
            assert_eq!(Micros::parse(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn whole_numbers_read_as_they_are_printed() {
        for text in [
            "0",
            "-1",
            "42",
            "18446744073709551615",
            "-9223372036854775808",
        ] {
            assert_eq!(whole(text.as_bytes()).unwrap().to_string(), text);
        }
        for text in [
            "",
            "-",
            "-0",
            "007",
            "1.0",
            "+1",
            "1e3",
            "0x10",
            "123456789012345678901",
        ] {
            assert_eq!(whole(text.as_bytes()), None, "{text}");
        }
    }
}
