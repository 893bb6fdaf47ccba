//! `sessions`: one row per session. Columns that its files tell do not open it.

use std::sync::Arc;

use arrow_schema::ArrowError;
use jiff::Timestamp;
use stepscope_analysis::{Cell, Column, Unit};
use stepscope_catalog::{Facts, Figures, Summary};
use stepscope_export::arrow::TextType;

use super::table::{Opened, Receive, Rows, SqlColumn, SqlTable};
use crate::asking::Ask;
use crate::library::{Library, Source};

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
    Column::new("step_count", "Steps", Unit::Count)
        .means("Steps that statistics count: without those that are cut off."),
    Column::new("slice_count", "Slices", Unit::Count).means("Slices in the profile."),
    Column::new("warning_count", "Warnings", Unit::Count).means("Warnings about its files."),
];

/// Columns of the overview: its key figures.
const OF_OVERVIEW: [Column; 9] = [
    Column::new("duration_ps", "Duration", Unit::Picos).means("From the first to the last slice."),
    Column::new("step_ps", "Step time", Unit::Picos)
        .fractional()
        .means("Mean step time, as in the overview."),
    Column::new("step_max_ps", "Longest step", Unit::Picos).means("Longest step."),
    Column::new("device_busy_ratio", "Device busy", Unit::Ratio)
        .means("Share of the window in which devices worked, as in the overview."),
    Column::new("mfu_ratio", "MFU", Unit::Ratio).means("As in the overview."),
    Column::new("hfu_ratio", "HFU", Unit::Ratio).means("As in the overview."),
    Column::new("verdict", "Verdict", Unit::Text)
        .means("Worst verdict of the overview: bad, warning or good."),
    Column::new("verdict_reason", "Reason", Unit::Text)
        .means("Key figures with that verdict; none if it is good."),
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
        options: Vec::new(),
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
        let session = &opened.session;
        let facts = if needs(&OF_SESSION) {
            Facts::of(session)
        } else {
            Facts::default()
        };
        let figures = if needs(&OF_OVERVIEW) {
            Figures::of(session)
        } else {
            Figures::default()
        };
        let summary = Summary { facts, figures };
        give(ask, row(opened.source, &summary, ask), send)
    }

    fn read_indexed(
        &self,
        _library: &Library,
        source: &Source,
        ask: &Ask,
        send: &mut Receive<'_>,
    ) -> Result<bool, ArrowError> {
        let Some(entry) = &source.indexed else {
            return Ok(false);
        };
        give(ask, row(source, &entry.summary, ask), send)?;
        Ok(true)
    }
}

fn row(source: &Source, summary: &Summary, ask: &Ask) -> Vec<Cell> {
    let cell = |column: &Column| match column.key {
        key if OF_FILES.iter().any(|own| own.key == key) => of_files(source, key),
        key if OF_OVERVIEW.iter().any(|own| own.key == key) => of_overview(&summary.figures, key),
        key => of_session(&summary.facts, key),
    };
    ask.columns.iter().map(cell).collect()
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

fn of_session(facts: &Facts, key: &str) -> Cell {
    match key {
        "captured_at" => {
            let moment = facts.captured_epoch_ns;
            let moment = moment.map(i128::from).map(Timestamp::from_nanosecond);
            text(moment.and_then(Result::ok).map(|moment| moment.to_string()))
        }
        "host_count" => facts.host_count.into(),
        "device_count" => facts.device_count.into(),
        "chip" => text(Some(facts.chip.clone())),
        "program" => text(Some(facts.program.clone())),
        "tags" => text(Some(facts.tags.join(","))),
        "git_commit" => text(facts.git_commit.clone()),
        "step_count" => facts.step_count.into(),
        "slice_count" => facts.slice_count.into(),
        _ => facts.warning_count.into(),
    }
}

/// A text, or nothing if it is empty.
fn text(text: Option<String>) -> Cell {
    text.filter(|text| !text.is_empty()).into()
}

fn of_overview(figures: &Figures, key: &str) -> Cell {
    match key {
        "duration_ps" => figures.duration_ps.into(),
        "step_ps" => figures.step_time_ps.into(),
        "step_max_ps" => figures.step_max_ps.into(),
        "device_busy_ratio" => figures.device_busy_ratio.into(),
        "mfu_ratio" => figures.mfu_ratio.into(),
        "hfu_ratio" => figures.hfu_ratio.into(),
        "verdict" => text(Some(figures.verdict.clone())),
        "verdict_reason" => text(Some(figures.verdict_reason.clone())),
        _ => text(Some(figures.headline.clone())),
    }
}
