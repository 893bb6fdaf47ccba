//! A check: its name, its status, what was found, what to do.

use serde_json::{Value, json};

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Status {
    /// Nothing to do.
    Ok,
    /// Captures work, but contain less or are slower.
    Warning,
    /// Captures fail, or lack what they are taken for.
    Bad,
}

impl Status {
    /// The word before a line.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Bad => "bad",
        }
    }
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Check {
    /// Stable name, such as `log_directory`.
    pub(crate) id: &'static str,
    pub(crate) status: Status,
    /// What was found.
    pub(crate) what: String,
    /// What to do; empty if nothing needs to be done.
    pub(crate) fix: String,
}

impl Check {
    pub(crate) fn ok(id: &'static str, what: impl Into<String>) -> Self {
        Self::of(id, Status::Ok, what, "")
    }

    pub(crate) fn warning(
        id: &'static str,
        what: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self::of(id, Status::Warning, what, fix)
    }

    pub(crate) fn bad(id: &'static str, what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::of(id, Status::Bad, what, fix)
    }

    fn of(
        id: &'static str,
        status: Status,
        what: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self {
            id,
            status,
            what: what.into(),
            fix: fix.into(),
        }
    }

    /// The line for people: `warning: log_directory: … Fix: …`
    pub(crate) fn line(&self) -> String {
        let fix = match self.fix.as_str() {
            "" => String::new(),
            fix => format!(" Fix: {fix}"),
        };
        format!("{}: {}: {}{fix}", self.status.word(), self.id, self.what)
    }

    /// The check as JSON.
    pub(crate) fn json(&self) -> Value {
        json!({
            "id": self.id,
            "status": self.status.word(),
            "what": self.what,
            "fix": self.fix,
        })
    }
}
