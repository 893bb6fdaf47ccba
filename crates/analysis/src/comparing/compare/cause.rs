//! One cause of a difference.

use super::report::ComparedCause;

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

/// The last two parts of a path, which are enough to recognize the file.
pub(super) fn short_source(source: &str) -> &str {
    let cut = source.rmatch_indices('/').nth(1).map(|(at, _)| at + 1);
    cut.and_then(|at| source.get(at..)).unwrap_or(source)
}
