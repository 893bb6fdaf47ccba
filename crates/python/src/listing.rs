//! What sessions there are at a path.

use std::path::{Path, PathBuf};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use stepscope_analysis::Note;
use stepscope_server::{SessionState, SessionSummary, SessionsReport};
use stepscope_storage::{NoteKind, SessionFiles, StorageError, find};

use crate::errors;
use crate::session::{Refused, open_files};
use crate::table::Table;

/// The sessions at a path, captured last first, as JSON and as a table. Each is opened for its
/// devices, duration and steps unless it has to be quick; one far away only where it was fetched
/// before, or has to be now.
#[pyfunction]
#[pyo3(signature = (path, quick=false, fetch=false))]
pub(crate) fn sessions(
    py: Python<'_>,
    path: PathBuf,
    quick: bool,
    fetch: bool,
) -> PyResult<(String, Table)> {
    let is_opened = |files: &SessionFiles| !quick && (fetch || files.is_here());
    let (report, times) = py
        .detach(|| list(&path, is_opened))
        .map_err(|error| errors::storage(py, &error))?;
    let table = stepscope_cli::sessions_table(&report.sessions, &times);
    let json = serde_json::to_string(&report)
        .map_err(|error| PyRuntimeError::new_err(format!("the list is no JSON: {error}")))?;
    Ok((json, Table::new(table)))
}

fn list(
    path: &Path,
    is_opened: impl Fn(&SessionFiles) -> bool,
) -> Result<(SessionsReport, Vec<Option<u64>>), StorageError> {
    let found = find(path)?;
    let mut sessions = Vec::new();
    let mut times = Vec::new();
    for (number, files) in (0..).zip(found.newest_first()) {
        let location = found.path_of(files).display().to_string();
        let mut summary = SessionSummary::closed(number, &location, Some(files));
        let mut time = None;
        if is_opened(files) {
            match open_files(files) {
                Ok(session) => {
                    summary.describe(&session);
                    time = session.epoch_ns;
                }
                Err(refused) => {
                    summary.state = SessionState::Failed;
                    summary.error = refused.to_string();
                }
            }
        }
        sessions.push(summary);
        times.push(time);
    }
    let notes = found.notes.iter().map(|note| {
        let text = format!("{}: {}", note.message, note.path.display());
        match note.kind {
            NoteKind::Unreadable | NoteKind::Limit | NoteKind::Offline => Note::warning(text),
            NoteKind::Ignored | NoteKind::Joined => Note::info(text),
        }
    });
    let report = SessionsReport {
        root: path.display().to_string(),
        sessions,
        histories: stepscope_storage::histories_at(path),
        notes: notes.collect(),
    };
    Ok((report, times))
}

impl std::fmt::Display for Refused {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Storage(error) => error.fmt(formatter),
            Self::NoSuchSession(message) => formatter.write_str(message),
            Self::Ingest(error, path) => write!(formatter, "{error}: {}", path.display()),
        }
    }
}
