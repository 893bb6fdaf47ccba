//! One cause of a difference.

use super::report::ComparedCause;
use crate::telling::format;
use crate::telling::format::duration_ps;

/// What is at least this share of a whole is most of it.
pub(super) const MOST: f64 = 0.5;

pub(super) fn cause(kind: &str, text: String, difference_ps: Option<f64>) -> ComparedCause {
    ComparedCause {
        kind: kind.to_owned(),
        text,
        difference_ps,
        difference_bytes: None,
        op: None,
        evidence: None,
        source: String::new(),
    }
}

/// Whether a part is most of a whole, in the same direction.
pub(super) fn is_most_of(part: f64, whole: f64) -> bool {
    part * whole > 0.0 && part.abs() >= MOST * whole.abs()
}

/// `+1.9 ms`, `−12 µs`.
pub(super) fn signed(picos: f64) -> String {
    format::signed(picos, duration_ps)
}

/// `more` or `less`, of a difference.
pub(super) const fn more_or_less(difference: f64) -> &'static str {
    if difference > 0.0 { "more" } else { "less" }
}

/// The last two parts of a path, which are enough to recognize the file.
pub(super) fn short_source(source: &str) -> &str {
    let cut = source.rmatch_indices('/').nth(1).map(|(at, _)| at + 1);
    cut.and_then(|at| source.get(at..)).unwrap_or(source)
}
