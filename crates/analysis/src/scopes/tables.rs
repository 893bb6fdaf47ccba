//! The `scopes` report as tables.

use super::report::{ScopeRow, ScopesReport};
use crate::cell::{Column, Table, Unit};
use crate::format;
use crate::note::Note;
use crate::order::{SortColumn, SortValue};
use crate::registry::Report;

/// Columns that `--sort` orders siblings by.
pub(super) const SORT_COLUMNS: &[SortColumn<ScopeRow>] = &[
    ("total_ps", |row| SortValue::Int(row.total_ps)),
    ("self_ps", |row| SortValue::Int(row.self_ps)),
    ("occurrences", |row| SortValue::Int(row.occurrences)),
    ("forward_ps", |row| SortValue::Int(row.forward_ps)),
    ("backward_ps", |row| SortValue::Int(row.backward_ps)),
    ("rematerialised_ps", |row| {
        SortValue::Int(row.rematerialised_ps)
    }),
    ("flops", |row| SortValue::Float(row.flops)),
    ("bytes", |row| SortValue::Float(row.bytes)),
    ("name", |row| SortValue::Text(&row.name)),
];

const COLUMNS: &[Column] = &[
    Column::new("name", "Scope", Unit::Text),
    Column::new("total_ps", "Total", Unit::Picos),
    Column::new("ratio", "Share", Unit::Ratio),
    Column::new("forward_ps", "Forward", Unit::Picos),
    Column::new("backward_ps", "Backward", Unit::Picos),
    Column::new("rematerialised_ps", "Recomputed", Unit::Picos),
    Column::wide("self_ps", "Self", Unit::Picos),
    Column::wide("occurrences", "Count", Unit::Count),
    Column::wide("flops", "Work", Unit::Flops).fractional(),
    Column::wide("bytes", "Bytes", Unit::Bytes).fractional(),
    Column::wide("depth", "Level", Unit::Count),
    Column::wide("child_count", "Children", Unit::Count),
    Column::wide("path", "Path", Unit::Text),
    Column::wide("estimated_ps", "Estimated", Unit::Picos),
    Column::wide("paths", "Serves", Unit::Text),
];

impl Report for ScopesReport {
    fn tables(&self) -> Vec<Table> {
        let rows = self.rows.iter().map(|row| {
            let indent = "  ".repeat(row.depth as usize);
            vec![
                format!("{indent}{}", row.name).into(),
                row.total_ps.into(),
                row.ratio.into(),
                row.forward_ps.into(),
                row.backward_ps.into(),
                row.rematerialised_ps.into(),
                row.self_ps.into(),
                row.occurrences.into(),
                row.flops.into(),
                row.bytes.into(),
                i64::from(row.depth).into(),
                i64::from(row.child_count).into(),
                row.path.as_str().into(),
                row.estimated_ps.into(),
                row.paths.join("; ").into(),
            ]
        });
        vec![Table {
            key: "rows",
            title: "Scopes".to_owned(),
            columns: COLUMNS.to_vec(),
            rows: rows.collect(),
            row_count: self.row_count,
        }]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn headline(&self) -> Vec<(String, String)> {
        let mut lines = vec![(
            "Σ self time".to_owned(),
            format::duration_ps(self.total_self_ps as f64),
        )];
        if let Some(ratio) = self.attributed_ratio {
            lines.push(("Attributed".to_owned(), format::percent(ratio)));
        }
        lines
    }
}
