//! Matching of selection text, and why a selection cannot be resolved.

use stepscope_model::Span;

/// Why a selection cannot be resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SelectionError {
    /// It is malformed. The message says which form is expected.
    Invalid(String),
    /// It matches nothing.
    Nothing {
        /// The option and its value.
        what: String,
        /// What could have been selected.
        available: String,
    },
    /// Nothing was recorded in the selected times.
    NoTime {
        /// The option and its value.
        what: String,
        /// The time range of the recording.
        recorded: Span,
    },
}

pub(super) fn any_part(list: &str, test: impl Fn(&str) -> bool) -> bool {
    list.split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .any(test)
}

pub(super) fn contains(text: &str, part: &str) -> bool {
    text.to_lowercase().contains(&part.to_lowercase())
}

pub(super) fn join(names: impl Iterator<Item = String>) -> String {
    let mut names: Vec<String> = names.take(41).collect();
    if names.is_empty() {
        return "none".to_owned();
    }
    if names.len() > 40 {
        "…".clone_into(&mut names[40]);
    }
    names.join(", ")
}

pub(super) fn nonempty<T>(
    found: Vec<T>,
    what: impl Fn() -> String,
    available: impl Fn() -> String,
) -> Result<Vec<T>, SelectionError> {
    if found.is_empty() {
        return Err(SelectionError::Nothing {
            what: what(),
            available: available(),
        });
    }
    Ok(found)
}
