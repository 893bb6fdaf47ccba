//! Notes: what a figure does not cover, what was repaired, what to record next time.

use serde::Serialize;
use ts_rs::TS;

/// One sentence beside a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export)]
pub struct Note {
    /// How grave.
    pub kind: NoteKind,
    /// A full sentence.
    pub text: String,
    /// What to do about it: an option, a line of code; empty if nothing.
    pub hint: String,
}

/// How grave a note is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum NoteKind {
    /// The figures are incomplete or doubtful.
    Warning,
    /// How a figure was obtained or what it covers.
    Info,
}

impl Note {
    /// A note on how a figure was obtained or what it covers.
    pub fn info(text: impl Into<String>) -> Self {
        Self {
            kind: NoteKind::Info,
            text: text.into(),
            hint: String::new(),
        }
    }

    /// A note that figures are incomplete or doubtful.
    pub fn warning(text: impl Into<String>) -> Self {
        Self {
            kind: NoteKind::Warning,
            text: text.into(),
            hint: String::new(),
        }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }
}
