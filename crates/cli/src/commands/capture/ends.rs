//! How captures end, as exit codes.

use std::cell::Cell;

use stepscope_capture::{Outcome, Status};

use crate::exit::Exit;

/// Results of the captures of a series.
#[derive(Default)]
pub(super) struct Ends {
    fine: Cell<usize>,
    partial: Cell<usize>,
    nothing: Cell<usize>,
}

impl Ends {
    pub(super) fn add(&self, exit: Exit) {
        let count = match exit {
            Exit::Fine => &self.fine,
            Exit::Check => &self.partial,
            _ => &self.nothing,
        };
        count.set(count.get() + 1);
    }

    /// Fine if all captures were fine, a failure if none produced anything.
    pub(super) fn exit(&self) -> Exit {
        match (self.fine.get(), self.partial.get(), self.nothing.get()) {
            (_, 0, 0) => Exit::Fine,
            (0, 0, _) => Exit::Failure,
            _ => Exit::Check,
        }
    }
}

/// The exit code for a capture.
pub(super) fn exit(outcome: &Outcome) -> Exit {
    match outcome.status() {
        Status::Complete => Exit::Fine,
        Status::Nothing if outcome.files().next().is_none() => Exit::Failure,
        Status::Partial | Status::Nothing => Exit::Check,
    }
}
