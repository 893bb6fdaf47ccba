//! `stepscope sessions`: what there is at a path.

use std::path::Path;

use clap::ArgMatches;
use stepscope_analysis::cell::to_csv;
use stepscope_analysis::{Cell, Column, Note, Table, Unit};
use stepscope_server::{SessionState, SessionSummary, SessionsReport};
use stepscope_storage::{Found, NoteKind, SessionFiles};

use super::path;
use crate::exit::{Exit, Failure};
use crate::format;
use crate::open;
use crate::output::Output;
use crate::table::{self, View};

/// Lists the sessions; opens each for its devices, duration and steps unless asked to be quick.
pub(crate) fn run(arguments: &ArgMatches, output: &Output) -> Result<Exit, Failure> {
    let root = path(arguments, "path")?;
    let found = open::find(root, output)?;
    for note in found
        .notes
        .iter()
        .filter(|note| note.kind == NoteKind::Ignored)
    {
        open::remark(note, output);
    }
    let mut sessions = summaries(&found);
    if !arguments.get_flag("quick") {
        for (summary, files) in sessions.iter_mut().zip(open::newest_first(&found)) {
            describe(summary, files, output);
        }
    }
    let is_usable = sessions
        .iter()
        .any(|session| session.state != SessionState::Failed);
    if arguments.get_flag("json") {
        output.json(&json(root, sessions, &found)?)?;
    } else {
        let table = table(&sessions);
        if arguments.get_flag("csv") {
            output.data(&to_csv(&table))?;
        } else {
            let view = View {
                width: output.width,
                limit: None,
                charset: output.charset,
                is_wide: arguments.get_flag("wide"),
            };
            output.text(&table::render(&table, &view))?;
        }
    }
    Ok(if is_usable { Exit::Fine } else { Exit::Path })
}

fn summaries(found: &Found) -> Vec<SessionSummary> {
    let numbered = (0..).zip(open::newest_first(found));
    numbered
        .map(|(number, files)| {
            let location = match files.location.as_str() {
                "." => found.root.clone(),
                location => found.root.join(location),
            };
            SessionSummary::closed(number, &location.display().to_string(), Some(files))
        })
        .collect()
}

/// Opens a session, asks it, and lets it go before the next.
fn describe(summary: &mut SessionSummary, files: &SessionFiles, output: &Output) {
    match open::open_owned(files, output) {
        Ok(session) => {
            summary.describe(&session);
            open::warn(&session, &[], output);
        }
        Err(failure) => {
            summary.state = SessionState::Failed;
            summary.error = failure.to_string();
            output.warn(&format!("{}: {failure}", files.name), "");
        }
    }
}

fn json(root: &Path, sessions: Vec<SessionSummary>, found: &Found) -> Result<String, Failure> {
    let notes = found.notes.iter().map(|note| {
        let text = format!("{}: {}", note.message, note.path.display());
        match note.kind {
            NoteKind::Unreadable | NoteKind::Limit => Note::warning(text),
            NoteKind::Ignored | NoteKind::Joined => Note::info(text),
        }
    });
    let root = root.display().to_string();
    let report = SessionsReport {
        root,
        sessions,
        notes: notes.collect(),
    };
    serde_json::to_string(&report)
        .map_err(|error| Failure::new(Exit::Failure, format!("the list is no JSON: {error}")))
}

const COLUMNS: [Column; 11] = [
    Column::new("id", "#", Unit::Count),
    Column::new("name", "Session", Unit::Text),
    Column::wide("modified", "Written", Unit::Text),
    Column::new("host_count", "Hosts", Unit::Count),
    Column::new("devices", "Devices", Unit::Text),
    Column::new("size_bytes", "Size", Unit::Bytes),
    Column::new("duration_ps", "Duration", Unit::Picos),
    Column::new("step_count", "Steps", Unit::Count),
    Column::wide("warning_count", "Warnings", Unit::Count),
    Column::wide("location", "Location", Unit::Text),
    Column::wide("error", "Error", Unit::Text),
];

fn table(sessions: &[SessionSummary]) -> Table {
    let rows: Vec<Vec<Cell>> = sessions.iter().map(row).collect();
    Table {
        key: "sessions",
        title: "Sessions".to_owned(),
        columns: COLUMNS.to_vec(),
        row_count: rows.len(),
        rows,
    }
}

fn row(session: &SessionSummary) -> Vec<Cell> {
    let is_open = session.state == SessionState::Open;
    let count = |count: usize| Cell::Int(i64::try_from(count).unwrap_or(i64::MAX));
    let written = session
        .modified_epoch_ms
        .map(|ms| format::date(ms.saturating_mul(1_000_000)));
    vec![
        i64::from(session.id).into(),
        session.name.as_str().into(),
        written.into(),
        count(session.hosts.len()),
        is_open.then(|| session.devices.clone()).into(),
        i64::try_from(session.size_bytes).ok().into(),
        session.duration_ps.into(),
        session.step_count.map_or(Cell::Missing, count),
        if is_open {
            count(session.warnings.len())
        } else {
            Cell::Missing
        },
        session.location.as_str().into(),
        session.error.as_str().into(),
    ]
}
