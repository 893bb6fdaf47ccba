//! `sessions`: one row per session. Columns that its files tell do not open it.

use std::sync::Arc;

use arrow_schema::ArrowError;
use jiff::Timestamp;
use stepscope_analysis::measuring::workload::main_program;
use stepscope_analysis::{Cell, Column, Unit, find};
use stepscope_export::arrow::TextType;
use stepscope_model::Session;

use super::table::{Opened, Receive, Rows, SqlColumn, SqlTable};
use crate::asking::Ask;
use crate::library::Source;

/// Columns from the files of a session.
const OF_FILES: [Column; 4] = [
    Column::new("location", "Location", Unit::Text).means("Path or URL of the session."),
    Column::new("size_bytes", "Size", Unit::Bytes).means("Bytes of its files."),
    Column::new("host_file_count", "Host files", Unit::Count)
        .means("Files with a profile, one per host."),
    Column::new("kind", "Kind", Unit::Text)
        .means("What was captured: trace, memory or programs, whichever comes first."),
];

/// Columns that need the session.
const OF_SESSION: [Column; 10] = [
    Column::new("captured_at", "Captured", Unit::Text).means(
        "Start of the capture in UTC, such as 2026-03-11T19:41:39.08Z; a timestamp as text.",
    ),
    Column::new("host_count", "Hosts", Unit::Count).means("Hosts that could be read."),
    Column::new("device_count", "Devices", Unit::Count).means("Devices in the profile."),
    Column::new("chip", "Chip", Unit::Text).means("Chip of the first device."),
    Column::new("program", "Program", Unit::Text)
        .means("Program whose work takes the most time on devices."),
    Column::new("tags", "Tags", Unit::Text).means("Tags of the capture, joined by commas."),
    Column::new("git_commit", "Commit", Unit::Text).means("Commit of the program, if recorded."),
    Column::new("step_count", "Steps", Unit::Count).means("Steps in the profile."),
    Column::new("slice_count", "Slices", Unit::Count).means("Slices in the profile."),
    Column::new("warning_count", "Warnings", Unit::Count).means("Warnings about its files."),
];

/// Columns of the overview: its key figures.
const OF_OVERVIEW: [Column; 6] = [
    Column::new("duration_ps", "Duration", Unit::Picos).means("From the first to the last slice."),
    Column::new("step_ps", "Step time", Unit::Picos)
        .fractional()
        .means("Mean step time, as in the overview."),
    Column::new("device_busy_ratio", "Device busy", Unit::Ratio)
        .means("Share of the window in which devices worked, as in the overview."),
    Column::new("mfu_ratio", "MFU", Unit::Ratio).means("As in the overview."),
    Column::new("hfu_ratio", "HFU", Unit::Ratio).means("As in the overview."),
    Column::new("headline", "Headline", Unit::Text).means("First sentence of the overview."),
];

fn columns() -> impl Iterator<Item = Column> {
    OF_FILES.into_iter().chain(OF_SESSION).chain(OF_OVERVIEW)
}

pub(super) fn table() -> SqlTable {
    SqlTable {
        name: "sessions".to_owned(),
        meaning: "Every session: where it is, what ran, its step time and utilization".to_owned(),
        columns: columns().map(SqlColumn::of).collect(),
        text: TextType::Plain,
        rows: Arc::new(SessionRows),
    }
}

#[derive(Debug)]
struct SessionRows;

impl Rows for SessionRows {
    fn is_of_files(&self, columns: &[Column]) -> bool {
        let is_of_files = |column: &Column| OF_FILES.iter().any(|own| own.key == column.key);
        columns.iter().all(is_of_files)
    }

    fn read_files(
        &self,
        source: &Source,
        ask: &Ask,
        send: &mut Receive<'_>,
    ) -> Result<(), ArrowError> {
        let row = ask
            .columns
            .iter()
            .map(|column| of_files(source, column.key));
        give(ask, row.collect(), send)
    }

    fn read(
        &self,
        opened: &Opened<'_>,
        ask: &Ask,
        send: &mut Receive<'_>,
    ) -> Result<(), ArrowError> {
        let needs = |columns: &[Column]| {
            let mut asked = ask.columns.iter();
            asked.any(|asked| columns.iter().any(|column| column.key == asked.key))
        };
        let overview = if needs(&OF_OVERVIEW) {
            overview(&opened.session)
        } else {
            serde_json::Value::Null
        };
        let cell = |column: &Column| match column.key {
            key if OF_FILES.iter().any(|own| own.key == key) => of_files(opened.source, key),
            key if OF_OVERVIEW.iter().any(|own| own.key == key) => of_overview(&overview, key),
            key => of_session(&opened.session, key),
        };
        give(ask, ask.columns.iter().map(cell).collect(), send)
    }
}

fn give(ask: &Ask, row: Vec<Cell>, send: &mut Receive<'_>) -> Result<(), ArrowError> {
    send(ask.batch(vec![row])?);
    Ok(())
}

fn of_files(source: &Source, key: &str) -> Cell {
    let files = &source.files;
    match key {
        "location" => source.location.as_str().into(),
        "size_bytes" => i64::try_from(files.size_bytes).unwrap_or(i64::MAX).into(),
        "host_file_count" => files.hosts.len().into(),
        _ if !files.hosts.is_empty() => "trace".into(),
        _ if !files.memory.is_empty() => "memory".into(),
        _ => "programs".into(),
    }
}

fn of_session(session: &Session, key: &str) -> Cell {
    match key {
        "captured_at" => {
            let moment = session
                .epoch_ns
                .map(i128::from)
                .map(Timestamp::from_nanosecond);
            text(moment.and_then(Result::ok).map(|moment| moment.to_string()))
        }
        "host_count" => session.hosts.len().into(),
        "device_count" => session.devices.len().into(),
        "chip" => text(
            session
                .devices
                .first()
                .map(|device| device.chip.name.clone()),
        ),
        "program" => text(Some(main_program(session))),
        "tags" => text(Some(session.tags().join(","))),
        "git_commit" => {
            let mut manifests = session
                .hosts
                .iter()
                .filter_map(|host| host.manifest.as_ref());
            text(manifests.find_map(|manifest| manifest.git_commit.clone()))
        }
        "step_count" => session.steps.len().into(),
        "slice_count" => session.slice_count().into(),
        _ => session.warnings.len().into(),
    }
}

/// A text, or nothing if it is empty.
fn text(text: Option<String>) -> Cell {
    text.filter(|text| !text.is_empty()).into()
}

/// The answer of the overview; null if it has none.
fn overview(session: &Session) -> serde_json::Value {
    let answer = find("overview").and_then(|entry| entry.run_pairs(session, []).ok());
    answer
        .and_then(|answer| answer.json().ok())
        .unwrap_or_default()
}

fn of_overview(overview: &serde_json::Value, key: &str) -> Cell {
    match key {
        "duration_ps" => overview[key].as_i64().into(),
        "step_ps" => overview["step_time_ps"]["mean"].as_f64().into(),
        "headline" => text(overview[key].as_str().map(str::to_owned)),
        key => overview[key].as_f64().into(),
    }
}
