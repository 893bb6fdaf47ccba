//! `stepscope sessions`: what there is at a path.

use std::path::Path;

use clap::ArgMatches;
use stepscope_analysis::cell::to_csv;
use stepscope_analysis::format::{bytes, counted};
use stepscope_analysis::{Cell, Column, Note, Table, Unit};
use stepscope_model::Reads;
use stepscope_server::{SessionState, SessionSummary, SessionsReport};
use stepscope_storage::{Found, NoteKind, SessionFiles};

use super::path;
use crate::exit::{Exit, Failure};
use crate::format;
use crate::open;
use crate::output::Output;
use crate::table::{self, View};

/// Lists the sessions; opens each for its devices, duration and steps unless asked to be quick. Those
/// far away are opened where they were fetched before: a bucket may hold more than anybody wants here.
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
    let mut times = vec![None; sessions.len()];
    if !arguments.get_flag("quick") {
        let (mut left_count, mut left_bytes) = (0, 0);
        let files = found.newest_first().into_iter();
        for ((summary, time), files) in sessions.iter_mut().zip(&mut times).zip(files) {
            if arguments.get_flag("fetch") || files.is_here() {
                *time = describe(summary, files, output);
            } else {
                left_count += 1;
                left_bytes += files.size_bytes;
            }
        }
        if left_count > 0 {
            output.remark(&format!(
                "devices, durations and steps of {} are known once fetched: `--fetch` brings {}",
                counted(left_count, "session"),
                bytes(left_bytes as f64)
            ));
        }
    }
    let is_usable = sessions
        .iter()
        .any(|session| session.state != SessionState::Failed);
    if arguments.get_flag("json") {
        output.json(&json(root, sessions, &found)?)?;
    } else {
        let table = table(&sessions, &times);
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
    let numbered = (0..).zip(found.newest_first());
    numbered
        .map(|(number, files)| {
            let location = found.path_of(files).display().to_string();
            SessionSummary::closed(number, &location, Some(files))
        })
        .collect()
}

/// Opens a session, asks it, and lets it go before the next. Gives the time of its capture, in
/// nanoseconds since the Unix epoch, where it is recorded.
fn describe(summary: &mut SessionSummary, files: &SessionFiles, output: &Output) -> Option<u64> {
    match open::open_owned(files, Reads::Everything, output) {
        Ok(session) => {
            summary.describe(&session);
            open::warn(&session, &[], output);
            session.epoch_ns
        }
        Err(failure) => {
            summary.state = SessionState::Failed;
            summary.error = failure.to_string();
            output.warn(&format!("{}: {failure}", files.name), "");
            None
        }
    }
}

fn json(root: &Path, sessions: Vec<SessionSummary>, found: &Found) -> Result<String, Failure> {
    let notes = found.notes.iter().map(|note| {
        let text = format!("{}: {}", note.message, note.path.display());
        match note.kind {
            NoteKind::Unreadable | NoteKind::Limit | NoteKind::Offline => Note::warning(text),
            NoteKind::Ignored | NoteKind::Joined => Note::info(text),
        }
    });
    let report = SessionsReport {
        root: root.display().to_string(),
        sessions,
        histories: stepscope_storage::histories_at(root),
        notes: notes.collect(),
    };
    serde_json::to_string(&report)
        .map_err(|error| Failure::new(Exit::Failure, format!("the list is no JSON: {error}")))
}

const COLUMNS: [Column; 12] = [
    Column::new("id", "#", Unit::Count),
    Column::new("name", "Session", Unit::Text),
    Column::new("kind", "Kind", Unit::Text),
    Column::new("time", "Time (UTC)", Unit::Text),
    Column::wide("host_count", "Hosts", Unit::Count),
    Column::wide("devices", "Devices", Unit::Text),
    Column::wide("size_bytes", "Size", Unit::Bytes),
    Column::wide("duration_ps", "Duration", Unit::Picos),
    Column::wide("step_count", "Steps", Unit::Count),
    Column::wide("warning_count", "Warnings", Unit::Count),
    Column::wide("location", "Location", Unit::Text),
    Column::wide("error", "Error", Unit::Text),
];

/// The sessions as a table. `times` are those of the captures, in nanoseconds since the Unix epoch,
/// where they are recorded.
pub fn table(sessions: &[SessionSummary], times: &[Option<u64>]) -> Table {
    let rows: Vec<Vec<Cell>> = sessions
        .iter()
        .zip(times)
        .map(|(s, time)| row(s, *time))
        .collect();
    Table {
        key: "sessions",
        title: "Sessions".to_owned(),
        columns: COLUMNS.to_vec(),
        row_count: rows.len(),
        rows,
    }
}

/// `epoch_ns` is the recorded time of the capture; when the file was written stands in for it.
fn row(session: &SessionSummary, epoch_ns: Option<u64>) -> Vec<Cell> {
    let is_open = session.state == SessionState::Open;
    let count = |count: usize| Cell::Int(i64::try_from(count).unwrap_or(i64::MAX));
    let written_ns = session
        .modified_epoch_ms
        .map(|ms| ms.saturating_mul(1_000_000));
    let time = epoch_ns.or(written_ns).map(format::date);
    vec![
        i64::from(session.id).into(),
        session.name.as_str().into(),
        session.kind.as_str().into(),
        time.into(),
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
