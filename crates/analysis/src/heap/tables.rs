//! The `heap` report as tables.

use super::report::{HeapFrameRow, HeapGroup, HeapReport, HeapStackRow};
use crate::cell::{Cell, Column, Table, Unit};
use crate::format;
use crate::note::Note;
use crate::order::{SortColumn, SortValue};
use crate::registry::Report;

/// Columns that `--sort` knows.
pub(super) const SORT_COLUMNS: &[SortColumn<HeapStackRow>] = &[
    ("bytes", |row| SortValue::Int(row.bytes)),
    ("allocations", |row| SortValue::Int(row.allocations)),
    ("change_bytes", |row| {
        SortValue::Float(row.change_bytes.map(|value| value as f64))
    }),
    ("change_allocations", |row| {
        SortValue::Float(row.change_allocations.map(|value| value as f64))
    }),
    ("site", |row| SortValue::Text(&row.site)),
    ("source", |row| SortValue::Text(&row.source)),
    ("kind", |row| SortValue::Text(&row.kind)),
    ("devices", |row| SortValue::Text(&row.devices)),
];

const CHANGE_BYTES: Column = Column::new("change_bytes", "Change", Unit::Bytes);
const CHANGE_ALLOCATIONS: Column =
    Column::wide("change_allocations", "Change of count", Unit::Count);
const BYTES: Column = Column::new("bytes", "Bytes", Unit::Bytes);
const ALLOCATIONS: Column = Column::new("allocations", "Count", Unit::Count);
const RATIO: Column = Column::wide("ratio", "Share", Unit::Ratio);
const TOTAL_BYTES: Column = Column::new("total_bytes", "Bytes", Unit::Bytes);
const SELF_BYTES: Column = Column::new("self_bytes", "Self", Unit::Bytes);
const TOTAL_ALLOCATIONS: Column = Column::wide("total_allocations", "Count", Unit::Count);
const SELF_ALLOCATIONS: Column = Column::wide("self_allocations", "Self count", Unit::Count);

/// A column and its cells, one per row.
type Part = (Column, Vec<Cell>);

fn cells<'a, R, C: Into<Cell>>(rows: &'a [R], cell: impl Fn(&'a R) -> C) -> Vec<Cell> {
    rows.iter().map(|row| cell(row).into()).collect()
}

fn table(key: &'static str, title: String, row_count: usize, parts: Vec<Part>) -> Table {
    let count = parts.first().map_or(0, |(_, cells)| cells.len());
    let columns = parts.iter().map(|(column, _)| *column).collect();
    let mut rows: Vec<Vec<Cell>> = vec![Vec::with_capacity(parts.len()); count];
    for (_, cells) in parts {
        for (row, cell) in rows.iter_mut().zip(cells) {
            row.push(cell);
        }
    }
    Table {
        key,
        title,
        columns,
        rows,
        row_count,
    }
}

impl HeapReport {
    /// The columns of a comparison only where there is one.
    fn with_changes<R>(
        &self,
        mut parts: Vec<Part>,
        rows: &[R],
        bytes: impl Fn(&R) -> Option<i64>,
        allocations: impl Fn(&R) -> Option<i64>,
    ) -> Vec<Part> {
        if self.against.is_some() {
            parts.insert(1, (CHANGE_BYTES, cells(rows, bytes)));
            parts.insert(2, (CHANGE_ALLOCATIONS, cells(rows, allocations)));
        }
        parts
    }

    fn stacks(&self) -> Table {
        let rows = &self.rows;
        let mut parts = vec![
            (
                Column::new("site", "Allocated in", Unit::Text),
                cells(rows, |row| row.site.as_str()),
            ),
            (BYTES, cells(rows, |row| row.bytes)),
            (ALLOCATIONS, cells(rows, |row| row.allocations)),
            (RATIO, cells(rows, |row| row.ratio)),
            (
                Column::new("kind", "Kind", Unit::Text),
                cells(rows, |row| row.kind.as_str()),
            ),
            (
                Column::wide("devices", "Devices", Unit::Text),
                cells(rows, |row| row.devices.as_str()),
            ),
            (
                Column::wide("source", "Source", Unit::Text),
                cells(rows, |row| row.source.as_str()),
            ),
            (
                Column::wide("stack", "Stack", Unit::Text),
                cells(rows, |row| row.stack.join("; ")),
            ),
        ];
        parts = self.with_changes(
            parts,
            rows,
            |row| row.change_bytes,
            |row| row.change_allocations,
        );
        if self.against.is_some() {
            let column = Column::new("change", "State", Unit::Text);
            let state = |row: &HeapStackRow| row.change.map(|change| change.name().to_owned());
            parts.insert(3, (column, cells(rows, state)));
        }
        table("rows", "Stacks".to_owned(), self.row_count, parts)
    }

    fn function_table(&self) -> Table {
        let rows = &self.functions;
        let parts = vec![
            (
                Column::new("name", "Function", Unit::Text),
                cells(rows, |row| row.name.as_str()),
            ),
            (TOTAL_BYTES, cells(rows, |row| row.total_bytes)),
            (SELF_BYTES, cells(rows, |row| row.self_bytes)),
            (RATIO, cells(rows, |row| row.ratio)),
            (TOTAL_ALLOCATIONS, cells(rows, |row| row.total_allocations)),
            (SELF_ALLOCATIONS, cells(rows, |row| row.self_allocations)),
            (
                Column::new("source", "Source", Unit::Text),
                cells(rows, |row| row.source.as_str()),
            ),
        ];
        let parts = self.with_changes(
            parts,
            rows,
            |row| row.change_bytes,
            |row| row.change_allocations,
        );
        table(
            "functions",
            "Functions, with all they call".to_owned(),
            self.function_count,
            parts,
        )
    }

    fn groups(&self, key: &'static str, title: &str, rows: &[HeapGroup]) -> Table {
        let header = if key == "kinds" { "Kind" } else { "Device" };
        let parts = vec![
            (
                Column::new("name", header, Unit::Text),
                cells(rows, |row| match row.name.as_str() {
                    "" => format!("(no {})", header.to_lowercase()),
                    name => name.to_owned(),
                }),
            ),
            (BYTES, cells(rows, |row| row.bytes)),
            (ALLOCATIONS, cells(rows, |row| row.allocations)),
            (RATIO, cells(rows, |row| row.ratio)),
        ];
        let parts = self.with_changes(
            parts,
            rows,
            |row| row.change_bytes,
            |row| row.change_allocations,
        );
        table(key, title.to_owned(), rows.len(), parts)
    }

    fn tree_table(&self) -> Table {
        let rows = &self.tree;
        let name = |row: &HeapFrameRow| {
            let indent = "  ".repeat(row.depth as usize);
            format!("{indent}{}", row.name)
        };
        let parts = vec![
            (Column::new("name", "Frame", Unit::Text), cells(rows, name)),
            (TOTAL_BYTES, cells(rows, |row| row.total_bytes)),
            (SELF_BYTES, cells(rows, |row| row.self_bytes)),
            (TOTAL_ALLOCATIONS, cells(rows, |row| row.total_allocations)),
            (SELF_ALLOCATIONS, cells(rows, |row| row.self_allocations)),
            (
                Column::wide("depth", "Level", Unit::Count),
                cells(rows, |row| i64::from(row.depth)),
            ),
            (
                Column::new("source", "Source", Unit::Text),
                cells(rows, |row| row.source.as_str()),
            ),
        ];
        let parts = self.with_changes(
            parts,
            rows,
            |row| row.change_bytes,
            |row| row.change_allocations,
        );
        table(
            "tree",
            "Stacks merged, outermost frame first".to_owned(),
            self.tree_count,
            parts,
        )
    }

    /// Only where there is more than one.
    fn snapshot_table(&self) -> Table {
        let rows = &self.snapshots;
        let parts = vec![
            (
                Column::new("name", "Snapshot", Unit::Text),
                cells(rows, |row| row.name.as_str()),
            ),
            (BYTES, cells(rows, |row| row.bytes)),
            (ALLOCATIONS, cells(rows, |row| row.allocations)),
            (
                Column::new("change_bytes", "Change to the one before", Unit::Bytes),
                cells(rows, |row| row.change_bytes),
            ),
            (
                Column::wide("change_allocations", "Change of count", Unit::Count),
                cells(rows, |row| row.change_allocations),
            ),
        ];
        table("snapshots", "Snapshots".to_owned(), rows.len(), parts)
    }
}

impl Report for HeapReport {
    fn tables(&self) -> Vec<Table> {
        vec![
            self.stacks(),
            self.function_table(),
            self.groups("devices", "By device", &self.devices),
            self.groups("kinds", "By kind", &self.kinds),
            self.tree_table(),
            self.snapshot_table(),
        ]
    }

    fn unprinted(&self) -> &'static [&'static str] {
        // One snapshot is what the headline says.
        if self.snapshots.len() > 1 {
            &[]
        } else {
            &["snapshots"]
        }
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn headline(&self) -> Vec<(String, String)> {
        if self.snapshots.is_empty() {
            return Vec::new();
        }
        let mut lines = vec![
            ("Snapshot".to_owned(), self.snapshot.clone()),
            (
                "Alive".to_owned(),
                format!(
                    "{} in {}",
                    format::bytes(self.total_bytes as f64),
                    format::counted(self.total_allocations, "allocation")
                ),
            ),
        ];
        if let (Some(against), Some(bytes), Some(count)) =
            (&self.against, self.change_bytes, self.change_allocations)
        {
            lines.push(("Against".to_owned(), against.clone()));
            lines.push((
                "Change".to_owned(),
                format!("{} in {count:+} allocations", signed_bytes(bytes)),
            ));
        }
        lines
    }
}

fn signed_bytes(bytes: i64) -> String {
    let sign = if bytes > 0 { "+" } else { "" };
    format!("{sign}{}", format::bytes(bytes as f64))
}
