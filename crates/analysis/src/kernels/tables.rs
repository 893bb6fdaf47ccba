//! The `kernels` report as tables.

use super::report::{KernelRow, KernelsReport};
use crate::cell::{Column, Table, Unit};
use crate::format;
use crate::note::Note;
use crate::order::{SortColumn, SortValue};
use crate::registry::Report;

/// Columns that `--sort` knows.
pub(super) const SORT_COLUMNS: &[SortColumn<KernelRow>] = &[
    ("total_ps", |row| SortValue::Int(row.total_ps)),
    ("occurrences", |row| SortValue::Int(row.occurrences)),
    ("mean_ps", |row| SortValue::Float(Some(row.mean_ps))),
    ("min_ps", |row| SortValue::Int(row.min_ps)),
    ("max_ps", |row| SortValue::Int(row.max_ps)),
    ("registers", |row| {
        SortValue::Float(row.registers.map(|value| value as f64))
    }),
    ("shared_bytes", |row| {
        SortValue::Float(row.shared_bytes.map(|value| value as f64))
    }),
    ("occupancy", |row| SortValue::Float(row.occupancy)),
    ("name", |row| SortValue::Text(&row.name)),
    ("op", |row| SortValue::Text(&row.op)),
    ("program", |row| SortValue::Text(&row.program)),
    ("stream", |row| SortValue::Text(&row.stream)),
    ("device", |row| SortValue::Text(&row.device)),
];

const COLUMNS: &[Column] = &[
    Column::new("name", "Kernel", Unit::Text),
    Column::new("occurrences", "Launches", Unit::Count),
    Column::new("total_ps", "Total", Unit::Picos),
    Column::new("mean_ps", "Mean", Unit::Picos).fractional(),
    Column::wide("min_ps", "Shortest", Unit::Picos),
    Column::wide("max_ps", "Longest", Unit::Picos),
    Column::wide("registers", "Registers", Unit::Count),
    Column::wide("shared_bytes", "Shared memory", Unit::Bytes),
    Column::wide("grid", "Grid", Unit::Text),
    Column::wide("block", "Block", Unit::Text),
    Column::wide("occupancy", "Occupancy", Unit::Ratio),
    Column::new("op", "Op", Unit::Text),
    Column::wide("program", "Program", Unit::Text),
    Column::wide("stream", "Stream", Unit::Text),
    Column::wide("device", "Device", Unit::Text),
];

const TRANSFER_COLUMNS: &[Column] = &[
    Column::new("direction", "Direction", Unit::Text),
    Column::new("occurrences", "Count", Unit::Count),
    Column::new("bytes", "Bytes", Unit::Bytes),
    Column::new("total_ps", "Total", Unit::Picos),
    Column::new("bandwidth", "Bandwidth", Unit::ByteRate),
];

impl Report for KernelsReport {
    fn tables(&self) -> Vec<Table> {
        let kernels = self.rows.iter().map(|row| {
            vec![
                row.name.as_str().into(),
                row.occurrences.into(),
                row.total_ps.into(),
                row.mean_ps.into(),
                row.min_ps.into(),
                row.max_ps.into(),
                row.registers.into(),
                row.shared_bytes.into(),
                row.grid.as_str().into(),
                row.block.as_str().into(),
                row.occupancy.into(),
                row.op.as_str().into(),
                row.program.as_str().into(),
                row.stream.as_str().into(),
                row.device.as_str().into(),
            ]
        });
        let transfers = self.transfers.iter().map(|row| {
            vec![
                row.direction.as_str().into(),
                row.occurrences.into(),
                row.bytes.into(),
                row.total_ps.into(),
                row.bandwidth.into(),
            ]
        });
        vec![
            Table {
                key: "rows",
                title: "Kernels".to_owned(),
                columns: COLUMNS.to_vec(),
                rows: kernels.collect(),
                row_count: self.row_count,
            },
            Table {
                key: "transfers",
                title: "Copies".to_owned(),
                columns: TRANSFER_COLUMNS.to_vec(),
                rows: transfers.collect(),
                row_count: self.transfers.len(),
            },
        ]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn headline(&self) -> Vec<(String, String)> {
        let mut lines = vec![
            ("Kernels".to_owned(), self.row_count.to_string()),
            (
                "Σ kernel time".to_owned(),
                format::duration_ps(self.total_ps as f64),
            ),
        ];
        if let Some(ratio) = self.attributed_ratio {
            lines.push(("Carries an HLO op".to_owned(), format::percent(ratio)));
        }
        lines
    }
}
