//! Units as types.

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

    /// From nanoseconds, saturating.
    pub const fn from_nanos(nanos: i64) -> Self {
        Self(nanos.saturating_mul(1000))
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
