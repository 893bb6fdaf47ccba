//! The thresholds of one figure.

/// The thresholds of one figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold {
    /// The figure's key, with its unit suffix.
    pub key: &'static str,
    /// Its title in words.
    pub title: &'static str,
    /// Whether larger is better.
    pub is_larger_better: bool,
    /// Values strictly beyond this are good.
    pub good: f64,
    /// Values strictly beyond this are bad.
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
