//! Thresholds of one figure.

/// Thresholds of one figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold {
    /// The figure's key, with its unit suffix.
    pub key: &'static str,
    /// Its title in words.
    pub title: &'static str,
    /// Larger is better.
    pub is_larger_better: bool,
    /// Good lies beyond.
    pub good: f64,
    /// Bad lies beyond.
    pub bad: f64,
}

pub(crate) const fn larger(
    key: &'static str,
    title: &'static str,
    good: f64,
    bad: f64,
) -> Threshold {
    Threshold {
        key,
        title,
        is_larger_better: true,
        good,
        bad,
    }
}

pub(crate) const fn smaller(
    key: &'static str,
    title: &'static str,
    good: f64,
    bad: f64,
) -> Threshold {
    Threshold {
        key,
        title,
        is_larger_better: false,
        good,
        bad,
    }
}
