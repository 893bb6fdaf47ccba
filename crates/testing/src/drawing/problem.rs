//! What can be wrong with a description.

/// What is wrong with a description, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}, in `{text}`")]
pub struct DrawError {
    /// Line of the text, starting at 1.
    pub line: usize,
    /// A sentence without its period.
    pub problem: String,
    /// The offending line, trimmed.
    pub text: String,
}

/// A problem with the current line; [`draw`](super::draw) adds the location.
pub(super) type Checked<T> = Result<T, String>;
