//! The `counters` report as tables.

use super::report::{CounterRow, CountersReport};
use crate::cell::{Column, Table, Unit};
use crate::note::Note;
use crate::order::{SortColumn, SortValue};
use crate::registry::Report;

/// Columns that `--sort` knows.
pub(super) const SORT_COLUMNS: &[SortColumn<CounterRow>] = &[
    ("name", |row| SortValue::Text(&row.name)),
    ("device", |row| SortValue::Text(&row.device)),
    ("sample_count", |row| SortValue::Int(row.sample_count)),
    ("min", |row| SortValue::Float(Some(row.min))),
    ("mean", |row| SortValue::Float(Some(row.mean))),
    ("max", |row| SortValue::Float(Some(row.max))),
    ("last", |row| SortValue::Float(Some(row.last))),
    ("line", |row| SortValue::Text(&row.line)),
];

const COLUMNS: &[Column] = &[
    Column::new("name", "Counter", Unit::Text),
    Column::new("device", "Device", Unit::Text),
    Column::new("unit", "Unit", Unit::Text),
    Column::new("sample_count", "Samples", Unit::Count),
    Column::new("min", "Least", Unit::Count).fractional(),
    Column::new("mean", "Mean", Unit::Count).fractional(),
    Column::new("max", "Most", Unit::Count).fractional(),
    Column::wide("last", "Last", Unit::Count).fractional(),
    Column::wide("line", "Line", Unit::Text),
    Column::wide("register", "Register", Unit::Text),
    Column::wide("last_exact", "Last, exact", Unit::Text),
    Column::wide("min_exact", "Least, exact", Unit::Text),
    Column::wide("max_exact", "Most, exact", Unit::Text),
    Column::wide("sets", "Sets", Unit::Text),
    Column::wide("description", "Description", Unit::Text),
    Column::wide("max_at_ps", "Most at", Unit::Picos),
    Column::wide("start_ps", "First", Unit::Picos),
    Column::wide("end_ps", "Last at", Unit::Picos),
    Column::wide("host", "Host", Unit::Text),
];

const RATIO_COLUMNS: &[Column] = &[
    Column::new("name", "Use of", Unit::Text),
    Column::new("unit", "Unit", Unit::Text),
    Column::new("ratio", "Use", Unit::Ratio),
    Column::new("achieved", "Counted", Unit::Count).fractional(),
    Column::new("peak", "At most", Unit::Count).fractional(),
    Column::new("measure", "In", Unit::Text),
    Column::wide("device", "Device", Unit::Text),
    Column::wide("line", "Line", Unit::Text),
    Column::wide("sample", "Sample", Unit::Count),
    Column::wide("at_ps", "At", Unit::Picos),
    Column::wide("peak_source", "Limit from", Unit::Text),
];

impl Report for CountersReport {
    fn tables(&self) -> Vec<Table> {
        let counters = self.rows.iter().map(|row| {
            vec![
                row.name.as_str().into(),
                row.device.as_str().into(),
                row.unit.as_str().into(),
                row.sample_count.into(),
                row.min.into(),
                row.mean.into(),
                row.max.into(),
                row.last.into(),
                row.line.as_str().into(),
                row.register.as_str().into(),
                row.last_exact.as_str().into(),
                row.min_exact.as_str().into(),
                row.max_exact.as_str().into(),
                row.sets.as_str().into(),
                row.description.as_str().into(),
                row.max_at_ps.into(),
                row.start_ps.into(),
                row.end_ps.into(),
                row.host.as_str().into(),
            ]
        });
        let ratios = self.utilisation.iter().map(|row| {
            vec![
                row.name.as_str().into(),
                row.unit.as_str().into(),
                row.ratio.into(),
                row.achieved.into(),
                row.peak.into(),
                row.measure.as_str().into(),
                row.device.as_str().into(),
                row.line.as_str().into(),
                row.sample.into(),
                row.at_ps.into(),
                row.peak_source.as_str().into(),
            ]
        });
        vec![
            Table::new("rows", "Counters", COLUMNS, counters).with_row_count(self.row_count),
            Table::new("utilisation", "Use of units", RATIO_COLUMNS, ratios),
        ]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn headline(&self) -> Vec<(String, String)> {
        vec![("Counters".to_owned(), self.row_count.to_string())]
    }
}
