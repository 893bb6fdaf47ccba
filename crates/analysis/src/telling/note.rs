//! Notes: what a figure does not cover, what was repaired, what to record next time.

use serde::Serialize;
use ts_rs::TS;

/// A sentence shown with a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[ts(export)]
pub struct Note {
    /// What the note is about, for programs: the same id always means the same, whatever the text
    /// says. In kebab case, such as `steps-missing`.
    pub id: &'static str,
    /// Kind of the note.
    pub kind: NoteKind,
    /// A full sentence.
    pub text: String,
    /// What to do about it; empty if nothing. Code, commands and options are in backquotes:
    /// `` `--limit 0` lists all ``, `` `stepscope heap PATH` shows who holds it ``.
    pub hint: String,
}

/// How serious a note is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum NoteKind {
    /// The figures are incomplete or unreliable.
    Warning,
    /// How a figure was obtained or what it covers.
    Info,
}

impl Note {
    /// A note on how a figure was obtained or what it covers.
    pub fn info(id: &'static str, text: impl Into<String>) -> Self {
        Self {
            id,
            kind: NoteKind::Info,
            text: text.into(),
            hint: String::new(),
        }
    }

    /// A note that figures are incomplete or unreliable.
    pub fn warning(id: &'static str, text: impl Into<String>) -> Self {
        Self {
            id,
            kind: NoteKind::Warning,
            text: text.into(),
            hint: String::new(),
        }
    }

    /// Adds a line of code or a command as the hint; an empty one adds nothing.
    #[must_use]
    pub fn with_code(self, code: impl AsRef<str>) -> Self {
        match code.as_ref() {
            "" => self,
            code => self.with_hint(format!("`{code}`")),
        }
    }

    /// Adds a hint; see [`Note::hint`] for its form.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }
}
