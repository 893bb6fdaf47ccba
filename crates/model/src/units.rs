//! Units as types.

use std::borrow::Borrow;
use std::ops::{Add, AddAssign, Sub};

/// Picoseconds since the start of the session, or a duration in picoseconds. Exact in JavaScript
/// numbers up to 2.5 hours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Picos(pub i64);

impl Picos {
    /// Zero.
    pub const ZERO: Self = Self(0);
    /// Later than everything.
    pub const MAX: Self = Self(i64::MAX);

    /// How far from 0 a time of a session may be, before or after it: 2^60 ps, 13 days. Ingest moves
    /// or refuses what lies beyond, so that the difference of two times always fits.
    pub const FARTHEST: Self = Self(1 << 60);

    /// From nanoseconds, saturating.
    pub const fn from_nanos(nanos: i64) -> Self {
        Self(nanos.saturating_mul(1000))
    }

    /// The nearest time that a session may have: see [`Picos::FARTHEST`].
    #[must_use]
    pub fn within_reach(self) -> Self {
        self.clamp(Self(-Self::FARTHEST.0), Self::FARTHEST)
    }

    /// As seconds.
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 * 1e-12
    }
}

impl Add for Picos {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Picos {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Picos {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

/// Sums of times, bytes or counts that a file may make as large as it likes.
pub trait SaturatingSum {
    /// The sum, or the nearest that fits: 106 days of picoseconds.
    fn saturating_sum(self) -> i64;
}

impl<I> SaturatingSum for I
where
    I: Iterator,
    I::Item: Borrow<i64>,
{
    fn saturating_sum(self) -> i64 {
        self.fold(0_i64, |sum, value| sum.saturating_add(*value.borrow()))
    }
}

/// A half-open interval of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// First instant.
    pub start: Picos,
    /// First instant after it; never before `start`.
    pub end: Picos,
}

impl Span {
    /// From start to end; an end before the start gives an empty span.
    pub fn new(start: Picos, end: Picos) -> Self {
        Self {
            start,
            end: end.max(start),
        }
    }

    /// Duration.
    pub fn duration(self) -> Picos {
        self.end - self.start
    }

    /// Whether `other` is inside, including the ends.
    pub fn contains(self, other: Self) -> bool {
        self.start <= other.start && self.end >= other.end
    }

    /// Whether the instant is inside, excluding the end.
    pub fn contains_instant(self, instant: Picos) -> bool {
        self.start <= instant && instant < self.end
    }

    /// The overlap, if any.
    pub fn intersection(self, other: Self) -> Option<Self> {
        let start = self.start.max(other.start);
        let end = self.end.min(other.end);
        (start < end).then_some(Self { start, end })
    }

    /// The smallest span that contains both.
    #[must_use]
    pub fn hull(self, other: Self) -> Self {
        Self {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_sum_wraps() {
        for extreme in [i64::MIN, i64::MAX] {
            assert_eq!([extreme; 1000].iter().saturating_sum(), extreme);
        }
        assert_eq!((1..=10_i64).saturating_sum(), 55);
    }

    #[test]
    fn times_beyond_reach_become_the_nearest() {
        for (time, nearest) in [
            (i64::MIN, -(1 << 60)),
            (-5, -5),
            (1 << 60, 1 << 60),
            (i64::MAX, 1 << 60),
        ] {
            assert_eq!(Picos(time).within_reach(), Picos(nearest));
        }
    }
}
