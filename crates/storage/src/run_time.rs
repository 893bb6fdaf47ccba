//! The time in the name of a run directory.

use std::time::SystemTime;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// How JAX names runs, and how long such names are.
const NAME_FORMAT: &str = "%Y_%m_%d_%H_%M_%S";
const NAME_FORMAT_BYTES: usize = 19;

/// The time in a run's name, on the clock that named it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RunTime(DateTime);

impl RunTime {
    /// Reads `YYYY_MM_DD_HH_MM_SS`.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        // Alone, the format would also take signs and numbers with fewer digits.
        let is_plain = |byte: u8| byte.is_ascii_digit() || byte == b'_';
        if name.len() != NAME_FORMAT_BYTES || !name.bytes().all(is_plain) {
            return None;
        }
        DateTime::strptime(NAME_FORMAT, name).ok().map(Self)
    }

    /// As a system time, taking the clock that named it for UTC.
    pub(crate) fn as_utc(self) -> Option<SystemTime> {
        let time = self.0.to_zoned(TimeZone::UTC).ok()?;
        Some(time.timestamp().into())
    }

    pub(crate) fn seconds_since(self, earlier: Self) -> i64 {
        self.0.duration_since(earlier.0).as_secs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_names_are_times() {
        let time = |name| RunTime::parse(name).map(|time| time.0.to_string());
        assert_eq!(
            time("2026_11_21_08_46_58").as_deref(),
            Some("2026-11-21T08:46:58")
        );
        assert_eq!(
            time("2024_02_29_23_59_59").as_deref(),
            Some("2024-02-29T23:59:59")
        );
        for name in [
            "run",
            "2026_11_21",
            "2026_13_21_08_46_58",
            "2026_02_29_08_46_58",
            "2026_11_21_08_46_58_1",
            "2026_11_211_8_46_58",
            "+026_11_21_08_46_58",
        ] {
            assert_eq!(time(name), None, "{name}");
        }
    }

    #[test]
    fn seconds_run_on_past_midnight_and_leap_days() {
        let parse = |name| RunTime::parse(name).expect("a time");
        let (before, after) = (parse("2024_02_29_23_59_59"), parse("2024_03_01_00_00_01"));
        assert_eq!(after.seconds_since(before), 2);
    }
}
