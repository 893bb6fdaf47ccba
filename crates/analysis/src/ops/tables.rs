//! The `ops` report as tables.

use super::report::{OpRow, OpsReport};
use super::unknown::beside;
use crate::attribution;
use crate::cell::{Cell, Column, Table, Unit};
use crate::format;
use crate::note::Note;
use crate::order::{SortColumn, SortValue};
use crate::registry::Report;

/// Columns that `--sort` knows.
pub(super) const SORT_COLUMNS: &[SortColumn<OpRow>] = &[
    ("self_ps", |row| SortValue::Int(row.self_ps)),
    ("total_ps", |row| SortValue::Int(row.total_ps)),
    ("occurrences", |row| SortValue::Int(row.occurrences)),
    ("executions", |row| SortValue::Int(row.executions)),
    ("self_ratio", |row| SortValue::Float(Some(row.self_ratio))),
    ("flops", |row| SortValue::Float(row.flops)),
    ("bytes", |row| SortValue::Float(row.bytes)),
    ("flop_rate", |row| SortValue::Float(row.flop_rate)),
    ("bandwidth", |row| SortValue::Float(row.bandwidth)),
    ("roofline_ratio", |row| SortValue::Float(row.roofline_ratio)),
    ("name", |row| SortValue::Text(&row.name)),
    ("program", |row| SortValue::Text(&row.program)),
    ("category", |row| SortValue::Text(&row.category)),
    ("bound_by", |row| SortValue::Text(&row.bound_by)),
    ("scope", |row| SortValue::Text(&row.scope)),
    ("source", |row| SortValue::Text(&row.source)),
    ("device", |row| SortValue::Text(&row.device)),
];

const COLUMNS: &[Column] = &[
    Column::new("name", "Op", Unit::Text),
    Column::new("category", "Category", Unit::Text),
    Column::wide("device", "Device", Unit::Text),
    Column::new("occurrences", "Count", Unit::Count),
    Column::new("self_ps", "Self", Unit::Picos),
    Column::new("self_ratio", "Share", Unit::Ratio),
    Column::wide("scope", "Scope", Unit::Text),
    Column::wide("flop_rate", "FLOP rate", Unit::FlopRate),
    Column::wide("bandwidth", "Bandwidth", Unit::ByteRate),
    Column::wide("bound_by", "Bound by", Unit::Text),
    Column::wide("program", "Program", Unit::Text),
    Column::wide("source", "Source", Unit::Text),
    Column::wide("roofline_ratio", "Of roofline", Unit::Ratio),
    Column::wide("total_ps", "Total", Unit::Picos),
    Column::wide("flops", "Work per execution", Unit::Flops).fractional(),
    Column::wide("bytes", "Bytes per execution", Unit::Bytes).fractional(),
    Column::wide("executions", "Executions", Unit::Count),
    Column::wide("class", "Class", Unit::Text),
    Column::wide("cost_source", "Work from", Unit::Text),
    Column::wide("program_id", "Program id", Unit::Text),
    Column::wide("is_rematerialised", "Recomputed", Unit::Flag),
    Column::wide("category_source", "Category from", Unit::Text),
    Column::wide("attribution", "Op from", Unit::Text),
];

const REGION_COLUMNS: &[Column] = &[
    Column::new("name", "Region", Unit::Text),
    Column::new("op", "Op", Unit::Text),
    Column::new("occurrences", "Count", Unit::Count),
    Column::new("total_ps", "Total", Unit::Picos),
    Column::new("op_ratio", "Of the op", Unit::Ratio),
    Column::wide("is_wait", "Waits", Unit::Flag),
    Column::wide("program_id", "Program id", Unit::Text),
];

const DEVICE_COLUMNS: &[Column] = &[
    Column::new("device", "Device", Unit::Text),
    Column::new("busy_ps", "Busy", Unit::Picos),
    Column::new("self_ps", "Σ self", Unit::Picos),
    Column::new("occurrences", "Count", Unit::Count),
];

/// Ops as a table; `overview` shows its top ops with it too.
pub(crate) fn op_table(key: &'static str, title: &str, rows: &[OpRow], row_count: usize) -> Table {
    Table {
        key,
        title: title.to_owned(),
        columns: COLUMNS.to_vec(),
        rows: rows.iter().map(cells).collect(),
        row_count,
    }
}

fn cells(row: &OpRow) -> Vec<Cell> {
    vec![
        row.name.as_str().into(),
        row.category.as_str().into(),
        row.device.as_str().into(),
        row.occurrences.into(),
        row.self_ps.into(),
        row.self_ratio.into(),
        row.scope.as_str().into(),
        row.flop_rate.into(),
        row.bandwidth.into(),
        row.bound_by.as_str().into(),
        row.program.as_str().into(),
        row.source.as_str().into(),
        row.roofline_ratio.into(),
        row.total_ps.into(),
        row.flops.into(),
        row.bytes.into(),
        row.executions.into(),
        row.class.as_str().into(),
        row.cost_source.as_str().into(),
        row.program_id.as_str().into(),
        row.is_rematerialised.into(),
        row.category_source.as_str().into(),
        row.attribution.as_str().into(),
    ]
}

impl Report for OpsReport {
    fn tables(&self) -> Vec<Table> {
        let devices = self.devices.iter().map(|device| {
            vec![
                device.device.as_str().into(),
                device.busy_ps.into(),
                device.self_ps.into(),
                device.occurrences.into(),
            ]
        });
        let regions = self.regions.iter().map(|region| {
            vec![
                region.name.as_str().into(),
                region.op.as_str().into(),
                region.occurrences.into(),
                region.total_ps.into(),
                region.op_ratio.into(),
                region.is_wait.into(),
                region.program_id.as_str().into(),
            ]
        });
        vec![
            op_table("rows", "Ops", &self.rows, self.row_count),
            Table {
                key: "devices",
                title: "Devices".to_owned(),
                columns: DEVICE_COLUMNS.to_vec(),
                rows: devices.collect(),
                row_count: self.devices.len(),
            },
            Table::new("regions", "Regions within ops", REGION_COLUMNS, regions),
        ]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn headline(&self) -> Vec<(String, String)> {
        let mut lines = vec![
            ("Ops".to_owned(), self.row_count.to_string()),
            (
                "Σ self time".to_owned(),
                format::duration_ps(self.total_self_ps as f64),
            ),
        ];
        let has_flops = self.rows.iter().any(|row| row.flops.is_some());
        let unknown = beside(self.flops_unknown_ratio);
        if let Some(unknown) = unknown.strip_prefix("; ").filter(|_| has_flops) {
            lines.push(("FLOPs".to_owned(), unknown.to_owned()));
        }
        if let Some(covered) = attribution::sentence(&self.attribution) {
            lines.push(("Carries an HLO op".to_owned(), covered));
        }
        lines
    }
}
