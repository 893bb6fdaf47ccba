//! `tables.json`: describes the files of a folder, column by column, and what is missing.

use serde::Serialize;
use stepscope_analysis::{Column, Unit};
use stepscope_model::Session;

use super::format::Format;
use super::named::NamedTable;
use crate::Pairs;
use crate::about::{About, Redacted, VERSION};
use crate::arrow;
use crate::slices;

/// Description of the files of a folder.
#[derive(Debug, Clone, Serialize)]
pub struct Manifest {
    /// Version of Stepscope that wrote them.
    pub stepscope_version: &'static str,
    /// Name of the session.
    pub session: String,
    /// When they were written, in milliseconds since the Unix epoch.
    pub written_epoch_ms: Option<u64>,
    /// Time 0 of the session, in nanoseconds since the Unix epoch, as a decimal string.
    pub start_epoch_ns: Option<String>,
    /// Options that selected a part of the session, by name.
    pub selection: Vec<(String, String)>,
    /// What was redacted.
    pub redacted: Option<Redacted>,
    /// `csv` or `parquet`.
    pub format: &'static str,
    /// The files, in the order of the analyses; slices last.
    pub tables: Vec<TableEntry>,
    /// Missing tables, with the reason.
    pub left_out: Vec<LeftOut>,
}

/// One file.
#[derive(Debug, Clone, Serialize)]
pub struct TableEntry {
    /// Its name in the folder.
    pub file: String,
    /// Name of the table.
    pub name: String,
    /// Its analysis; `timeline` for slices.
    pub analysis: &'static str,
    /// In words.
    pub title: String,
    /// Rows in the file.
    pub rows: u64,
    /// Total number of rows; more than in the file if the analysis keeps only the largest.
    pub row_count: u64,
    /// Its columns, in order.
    pub columns: Vec<ColumnEntry>,
    /// What the figures do not cover.
    pub notes: Vec<String>,
}

/// One column.
#[derive(Debug, Clone, Serialize)]
pub struct ColumnEntry {
    /// Name in the file, with its unit.
    pub name: &'static str,
    /// In words.
    pub header: &'static str,
    /// The type in Parquet: `string`, `int64`, `double` or `boolean`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The unit of the numbers; empty for text, counts, and booleans.
    pub unit: &'static str,
}

/// A missing table.
#[derive(Debug, Clone, Serialize)]
pub struct LeftOut {
    /// Name of the table, or of the analysis if it has no tables at all.
    pub name: String,
    /// A phrase or a sentence.
    pub reason: String,
}

impl Manifest {
    pub(super) fn new(session: &Session, about: &About, options: &Pairs, format: Format) -> Self {
        Self {
            stepscope_version: VERSION,
            session: session.name.clone(),
            written_epoch_ms: about.written_epoch_ms,
            start_epoch_ns: session.epoch_ns.map(|epoch| epoch.to_string()),
            selection: options.to_vec(),
            redacted: about.redacted.clone(),
            format: format.extension(),
            tables: Vec::new(),
            left_out: Vec::new(),
        }
    }
}

impl TableEntry {
    pub(super) fn of(named: &NamedTable, file: String) -> Self {
        let table = &named.table;
        Self {
            file,
            name: named.name.clone(),
            analysis: named.analysis,
            title: table.title.clone(),
            rows: table.rows.len() as u64,
            row_count: table.row_count.max(table.rows.len()) as u64,
            columns: columns(&table.columns),
            notes: named.notes.iter().map(|note| note.text.clone()).collect(),
        }
    }

    pub(super) fn of_slices(file: String, rows: u64) -> Self {
        Self {
            file,
            name: slices::NAME.to_owned(),
            analysis: "timeline",
            title: slices::TITLE.to_owned(),
            rows,
            row_count: rows,
            columns: columns(slices::COLUMNS),
            notes: Vec::new(),
        }
    }
}

fn columns(columns: &[Column]) -> Vec<ColumnEntry> {
    let entry = |column: &Column| ColumnEntry {
        name: column.key,
        header: column.header,
        kind: match column.unit {
            Unit::Text => "string",
            Unit::Flag => "boolean",
            _ if arrow::data_type(column) == arrow_schema::DataType::Float64 => "double",
            _ => "int64",
        },
        unit: unit(column.unit),
    };
    columns.iter().map(entry).collect()
}

const fn unit(unit: Unit) -> &'static str {
    match unit {
        Unit::Text | Unit::Count | Unit::Flag => "",
        Unit::Picos => "picoseconds",
        Unit::Bytes => "bytes",
        Unit::Ratio => "ratio",
        Unit::Flops => "floating point operations",
        Unit::FlopRate => "floating point operations per second",
        Unit::ByteRate => "bytes per second",
    }
}
