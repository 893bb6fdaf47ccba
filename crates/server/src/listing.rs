//! The list of sessions without a server: for the terminal and for Python.

use std::path::Path;

use stepscope_catalog::Summaries;
use stepscope_model::Session;
use stepscope_recorder::incident_count_at;
use stepscope_storage::{Found, SessionFiles, histories_at, shown};

use crate::library;
use crate::reports::{SessionState, SessionSummary, SessionsReport};

/// The sessions that were found at a path.
pub struct SessionList {
    /// Sorted by capture time, latest first, as everywhere.
    pub report: SessionsReport,
    /// Times of their captures, in nanoseconds since the Unix epoch, if recorded.
    pub times_ns: Vec<Option<u64>>,
}

/// Lists what was found, with what `known` says of sessions that were indexed. `open` returns the
/// session, by its number in the list, whose devices, duration, and steps are listed, or why it
/// cannot be opened; none if it should not be opened. Sessions are dropped one by one.
pub fn list_sessions(
    root: &Path,
    found: &Found,
    known: &Summaries,
    mut open: impl FnMut(u32, &SessionFiles) -> Option<Result<Session, String>>,
) -> SessionList {
    let (mut sessions, mut times_ns) = (Vec::new(), Vec::new());
    for (number, files) in (0..).zip(found.newest_first()) {
        let location = shown(&found.path_of(files));
        let mut summary = SessionSummary::closed(number, &location, Some(files));
        if let Some(entry) = known.entry(files) {
            summary.add_roll_up(&entry.summary);
            sessions.push(summary);
            times_ns.push(entry.summary.facts.captured_epoch_ns);
            continue;
        }
        let mut epoch_ns = None;
        match open(number, files) {
            None => {}
            Some(Ok(session)) => {
                summary.describe(&session);
                epoch_ns = session.epoch_ns;
            }
            Some(Err(message)) => {
                summary.state = SessionState::Failed;
                summary.error = message;
            }
        }
        sessions.push(summary);
        times_ns.push(epoch_ns);
    }
    let report = SessionsReport {
        root: shown(root),
        sessions,
        histories: histories_at(root),
        incident_count: incident_count_at(root),
        notes: found.notes.iter().map(library::note).collect(),
    };
    SessionList { report, times_ns }
}
