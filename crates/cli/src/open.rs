//! From a path to a session: find, choose, open the files of its hosts, ingest.

use std::path::Path;

use indicatif::ProgressBar;
use stepscope_catalog::Catalog;
use stepscope_model::{Reads, Session, Warning, WarningKind, alike};
use stepscope_storage::{
    Found, Note, NoteKind, OpenedSession, Progress, SessionFiles, StorageError, open_session, shown,
};

use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Finds the sessions at a path and warns about problems there; files that are merely ignored are
/// listed by `stepscope sessions`.
pub(crate) fn find(path: &Path, output: &Output) -> Result<Found, Failure> {
    let found = stepscope_storage::find(path).inspect_err(|error| {
        if let StorageError::NoProfiles { notes, .. } = error {
            notes.iter().for_each(|note| remark(note, output));
        }
    })?;
    for note in found
        .notes
        .iter()
        .filter(|note| note.kind != NoteKind::Ignored)
    {
        remark(note, output);
    }
    tracing::info!(
        sessions = found.sessions.len(),
        root = shown(&found.root),
        "found"
    );
    Ok(found)
}

/// Tells why a catalog in a bucket did not do what was asked: sessions are then opened as if they were
/// not indexed.
pub(crate) fn warn_of_catalog(catalog: &Catalog, output: &Output) {
    if let Some(problem) = catalog.take_problem() {
        output.warn(&problem.to_string(), problem.hint());
    }
}

/// Prints a note of a search on standard error.
pub(crate) fn remark(note: &Note, output: &Output) {
    let path = shown(&note.path);
    match note.kind {
        NoteKind::Unreadable | NoteKind::Limit | NoteKind::Offline => {
            output.warn(
                &format!("{}: {}: {path}", note.kind.as_str(), note.message),
                "",
            );
        }
        NoteKind::Ignored | NoteKind::Joined => {
            output.note(note.kind.as_str(), &format!("{}: {path}", note.message));
        }
    }
}

/// The requested session, by name, location, number, or a unique part of a name; the newest if none
/// is requested.
pub(crate) fn choose<'a>(
    found: &'a Found,
    wanted: Option<&str>,
    output: &Output,
) -> Result<&'a SessionFiles, Failure> {
    let Some(wanted) = wanted else {
        let newest = found
            .newest()
            .ok_or_else(|| Failure::new(Exit::Path, "no session found"))?;
        if found.sessions.len() > 1 {
            let count = found.sessions.len();
            // Copies of files have other times.
            let which = if newest.named_time().is_some() {
                format!("the newest, {}", newest.name)
            } else {
                format!("{}, whose files were written last", newest.name)
            };
            output.remark(&format!(
                "{count} sessions found; showing {which} (--session NAME for another one)"
            ));
        }
        return Ok(newest);
    };
    let picked = found.pick(wanted);
    picked.ok_or_else(|| not_there(found, &format!("--session {wanted}")))
}

/// The failure for an unknown or ambiguous session, with the available ones.
pub(crate) fn not_there(found: &Found, typed: &str) -> Failure {
    const SHOWN: usize = 12;
    let mut names: Vec<String> = found
        .newest_first()
        .into_iter()
        .enumerate()
        .take(SHOWN)
        .map(|(number, session)| format!("{number} {}", session.name))
        .collect();
    if found.sessions.len() > SHOWN {
        names.push(format!("{} more", found.sessions.len() - SHOWN));
    }
    let message = format!(
        "{typed} does not match exactly one session; available: {}",
        names.join(", ")
    );
    Failure::new(Exit::Usage, message)
        .hint("give a name, a unique part of a name, or a number from `stepscope sessions PATH`")
}

/// Opens all hosts of a session. The session is never freed: the process ends soon, and returning
/// hundreds of megabytes page by page would only delay that.
pub(crate) fn open(
    files: &SessionFiles,
    reads: Reads,
    output: &Output,
) -> Result<&'static Session, Failure> {
    Ok(Box::leak(Box::new(open_owned(files, reads, output)?)))
}

/// Opens all hosts of a session, as far as a question `reads` them. Hosts that cannot be read are
/// skipped with a warning, as long as one can be read.
pub(crate) fn open_owned(
    files: &SessionFiles,
    reads: Reads,
    output: &Output,
) -> Result<Session, Failure> {
    let bar = output.progress(files.size_bytes, &files.name);
    let opened = open_session(files, reads, |_| Advance::new(&bar));
    bar.finish_and_clear();
    let OpenedSession {
        session,
        left_out_bytes,
    } = opened?;
    if left_out_bytes > 0 {
        let read_bytes = files.size_bytes.saturating_sub(left_out_bytes);
        output.remark(&format!(
            "reading {} of {}: host threads are skipped, because this answer does not need them",
            stepscope_analysis::telling::format::bytes(read_bytes as f64),
            stepscope_analysis::telling::format::bytes(files.size_bytes as f64)
        ));
    }
    let is_unread = |warning: &&Warning| warning.kind == WarningKind::Unread;
    for warning in session.warnings.iter().filter(is_unread) {
        output.warn(&warning.message, &warning.hint);
    }
    Ok(session)
}

/// Adds the bytes that one host reads to the progress bar of all.
struct Advance<'a> {
    bar: &'a ProgressBar,
    done: std::sync::atomic::AtomicU64,
}

impl<'a> Advance<'a> {
    fn new(bar: &'a ProgressBar) -> Self {
        Self {
            bar,
            done: std::sync::atomic::AtomicU64::new(0),
        }
    }
}

impl Progress for Advance<'_> {
    fn bytes(&self, done: u64, _total: Option<u64>) {
        let before = self.done.swap(done, std::sync::atomic::Ordering::Relaxed);
        self.bar.inc(done.saturating_sub(before));
    }
}

/// Warns of damage, except for what the report already says. What was merely repaired or not
/// recorded is a note of the overview; elsewhere it is printed with `-v`.
pub(crate) fn warn(session: &Session, told: &[stepscope_analysis::Note], output: &Output) {
    for alike in alike(&session.warnings) {
        let warning = alike.first;
        if told.iter().any(|note| note.text.contains(&warning.message)) {
            continue;
        }
        let text = alike.text();
        match warning.kind {
            WarningKind::Repaired | WarningKind::Missing => output.detail(&text, &warning.hint),
            // Said when the session was opened.
            WarningKind::Unread => {}
            WarningKind::Damaged | WarningKind::Truncated | WarningKind::Recorder => {
                output.warn(&text, &warning.hint);
            }
        }
    }
}
