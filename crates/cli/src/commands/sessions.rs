//! `stepscope sessions`: lists the sessions at a path.

use std::path::Path;

use clap::ArgMatches;
use stepscope_analysis::telling::csv::to_csv;
use stepscope_analysis::telling::format::{bytes, counted};
use stepscope_analysis::{Cell, Column, Table, Unit};
use stepscope_catalog::Catalog;
use stepscope_model::{Reads, Session};
use stepscope_server::{SessionList, SessionState, SessionSummary, SessionsReport, list_sessions};
use stepscope_storage::{Found, NoteKind, SessionFiles};

use super::path;
use crate::args::DEFAULT_LIMIT;
use crate::exit::{Exit, Failure};
use crate::format;
use crate::open;
use crate::output::Output;
use crate::table::{self, View};

/// So many sessions that are not indexed are worth a remark.
const WORTH_INDEXING: usize = 20;

/// Lists the sessions, with devices, duration, and steps of those that are opened.
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
    let is_table = !arguments.get_flag("json") && !arguments.get_flag("csv");
    let limit = match arguments.get_one::<usize>("limit") {
        Some(0) => None,
        Some(&limit) => Some(limit),
        None => is_table.then_some(DEFAULT_LIMIT),
    };
    let SessionList { report, times_ns } = list(root, &found, limit, arguments, output);
    let is_usable = report
        .sessions
        .iter()
        .any(|session| session.state != SessionState::Failed);
    if arguments.get_flag("json") {
        output.json(&json(&report)?)?;
    } else {
        let mut table = table(&report.sessions, &times_ns);
        if arguments.get_flag("csv") {
            output.data(&to_csv(&table))?;
        } else {
            let view = View {
                width: output.width,
                limit,
                charset: output.charset,
                is_wide: arguments.get_flag("wide"),
            };
            if !report.sessions.iter().any(|session| session.is_indexed) {
                table = without_roll_ups(table);
            }
            output.text(&table::render(&table, &view))?;
        }
    }
    Ok(if is_usable { Exit::Fine } else { Exit::Path })
}

/// Columns that only roll-ups fill: without any, they would take the place of others.
const OF_ROLL_UPS: [&str; 3] = ["step_time_ps", "mfu_ratio", "verdict"];

fn without_roll_ups(table: Table) -> Table {
    let keys = table.columns.iter().map(|column| column.key);
    let kept: Vec<&str> = keys.filter(|key| !OF_ROLL_UPS.contains(key)).collect();
    table::with_columns(table, &kept)
}

/// Opens the newest sessions, as many as the limit says, unless `--quick` is given. Remote sessions are opened only if already
/// fetched: a bucket may contain more than anybody wants here.
fn list(
    root: &Path,
    found: &Found,
    limit: Option<usize>,
    arguments: &ArgMatches,
    output: &Output,
) -> SessionList {
    let (is_quick, is_fetched) = (arguments.get_flag("quick"), arguments.get_flag("fetch"));
    let (mut left_count, mut left_bytes) = (0, 0);
    let catalog = Catalog::of_user();
    let known = catalog.summaries();
    open::warn_of_catalog(&catalog, output);
    let list = list_sessions(root, found, &known, |number, files| {
        let is_shown = limit.is_none_or(|limit| (number as usize) < limit);
        if is_quick || !is_shown {
            return None;
        }
        if !is_fetched && !files.is_here() {
            left_count += 1;
            left_bytes += files.size_bytes;
            return None;
        }
        Some(open_one(files, output))
    });
    if left_count > 0 {
        output.remark(&format!(
            "devices, durations, and steps of {} are not known yet: `--fetch` fetches {}",
            counted(left_count, "session"),
            bytes(left_bytes as f64)
        ));
    }
    let sessions = &list.report.sessions;
    let missing = sessions
        .iter()
        .filter(|session| !session.is_indexed)
        .count();
    if missing >= WORTH_INDEXING {
        let (missing, place) = (counted(missing, "session"), root.display());
        output.remark(&format!(
            "{missing} not indexed: after `stepscope index {place}`, all have step time, MFU and \
             verdict, and none is opened"
        ));
    }
    list
}

fn open_one(files: &SessionFiles, output: &Output) -> Result<Session, String> {
    match open::open_owned(files, Reads::Everything, output) {
        Ok(session) => {
            open::warn(&session, &[], output);
            Ok(session)
        }
        Err(failure) => {
            output.warn(&format!("{}: {failure}", files.name), "");
            Err(failure.to_string())
        }
    }
}

fn json(report: &SessionsReport) -> Result<String, Failure> {
    serde_json::to_string(report).map_err(|error| {
        Failure::new(
            Exit::Failure,
            format!(
                "cannot write the list as JSON: \
            {error}"
            ),
        )
    })
}

const COLUMNS: [Column; 18] = [
    Column::new("id", "#", Unit::Count),
    Column::new("name", "Session", Unit::Text),
    Column::new("kind", "Kind", Unit::Text),
    Column::new("time", "Time (UTC)", Unit::Text),
    Column::new("step_time_ps", "Step time", Unit::Picos).fractional(),
    Column::new("mfu_ratio", "MFU", Unit::Ratio),
    Column::new("verdict", "Verdict", Unit::Text),
    Column::wide("host_count", "Hosts", Unit::Count),
    Column::wide("devices", "Devices", Unit::Text),
    Column::wide("program", "Program", Unit::Text),
    Column::wide("tags", "Tags", Unit::Text),
    Column::wide("git_commit", "Commit", Unit::Text),
    Column::wide("size_bytes", "Size", Unit::Bytes),
    Column::wide("duration_ps", "Duration", Unit::Picos),
    Column::wide("step_count", "Steps", Unit::Count),
    Column::wide("warning_count", "Warnings", Unit::Count),
    Column::wide("location", "Location", Unit::Text),
    Column::wide("error", "Error", Unit::Text),
];

/// The sessions as a table. `times` are the times of the captures, in nanoseconds since the Unix
/// epoch, if recorded.
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

/// `epoch_ns` is the recorded time of the capture; without it, the time when the file was written
/// stands there, marked, because a copy of the file changes it.
fn row(session: &SessionSummary, epoch_ns: Option<u64>) -> Vec<Cell> {
    let is_known = session.state == SessionState::Open || session.is_indexed;
    let count = |count: usize| Cell::Int(i64::try_from(count).unwrap_or(i64::MAX));
    let written_ns = session
        .modified_epoch_ms
        .map(|ms| ms.saturating_mul(1_000_000));
    let captured = epoch_ns.map(format::date);
    let time = captured.or_else(|| written_ns.map(|ns| format!("{} (file)", format::date(ns))));
    vec![
        i64::from(session.id).into(),
        session.name.as_str().into(),
        session.kind.as_str().into(),
        time.into(),
        session.step_time_ps.into(),
        session.mfu_ratio.into(),
        session.is_indexed.then(|| session.verdict.clone()).into(),
        count(session.hosts.len()),
        is_known.then(|| session.devices.clone()).into(),
        is_known.then(|| session.program.clone()).into(),
        is_known.then(|| session.tags.join(", ")).into(),
        session.git_commit.clone().into(),
        i64::try_from(session.size_bytes).ok().into(),
        session.duration_ps.into(),
        session.step_count.map_or(Cell::Missing, count),
        session.warning_count.map_or(Cell::Missing, count),
        session.location.as_str().into(),
        session.error.as_str().into(),
    ]
}
