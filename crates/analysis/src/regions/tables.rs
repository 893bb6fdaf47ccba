//! The `regions` report as tables.

use super::report::{RegionRow, RegionThread, RegionsReport};
use crate::cell::{Cell, Column, Table, Unit};
use crate::format;
use crate::note::Note;
use crate::order::{SortColumn, SortValue};
use crate::registry::Report;

/// Columns that `--sort` knows; by stack it orders siblings.
pub(super) const SORT_COLUMNS: &[SortColumn<RegionRow>] = &[
    ("total_ps", |row| SortValue::Int(row.total_ps)),
    ("self_ps", |row| SortValue::Int(row.self_ps)),
    ("count", |row| SortValue::Int(row.count)),
    ("mean_ps", |row| SortValue::Float(row.mean_ps)),
    ("p95_ps", |row| {
        SortValue::Float(row.p95_ps.map(|picos| picos as f64))
    }),
    ("longest_ps", |row| {
        SortValue::Float(row.longest.as_ref().map(|place| place.duration_ps as f64))
    }),
    ("step_ps", |row| SortValue::Float(row.step_ps)),
    ("step_count", |row| SortValue::Float(row.step_count)),
    ("device_ps", |row| {
        SortValue::Float(row.device_ps.map(|picos| picos as f64))
    }),
    ("first_start_ps", |row| {
        SortValue::Float(row.first.as_ref().map(|place| place.start_ps as f64))
    }),
    ("name", |row| SortValue::Text(&row.name)),
    ("kind", |row| SortValue::Text(&row.kind)),
    ("source", |row| SortValue::Text(&row.source)),
    ("thread", |row| SortValue::Text(&row.thread)),
];

const COLUMNS: &[Column] = &[
    Column::new("name", "Region", Unit::Text),
    Column::new("kind", "Kind", Unit::Text),
    Column::new("count", "Count", Unit::Count),
    Column::new("total_ps", "Total", Unit::Picos),
    Column::new("self_ps", "Self", Unit::Picos),
    Column::new("mean_ps", "Mean", Unit::Picos).fractional(),
    Column::new("p95_ps", "p95", Unit::Picos),
    Column::new("step_ps", "Per step", Unit::Picos).fractional(),
    Column::new("device_ps", "Device time", Unit::Picos),
    Column::wide("source", "Source", Unit::Text),
    Column::wide("ratio", "Self share", Unit::Ratio),
    Column::wide("step_count", "Count per step", Unit::Count).fractional(),
    Column::wide("thread", "Thread", Unit::Text),
    Column::wide("thread_count", "Threads", Unit::Count),
    Column::wide("longest_ps", "Longest", Unit::Picos),
    Column::wide("longest_start_ps", "Longest at", Unit::Picos),
    Column::wide("first_start_ps", "First at", Unit::Picos),
    Column::wide("name_count", "Names", Unit::Count),
    Column::wide("depth", "Level", Unit::Count),
    Column::wide("child_count", "Children", Unit::Count),
];

const THREADS: &[Column] = &[
    Column::new("thread", "Thread", Unit::Text),
    Column::new("region_count", "Regions", Unit::Count),
    Column::new("slice_count", "Slices", Unit::Count),
    Column::new("covered_ps", "In regions", Unit::Picos),
    Column::new("device_ps", "Device time", Unit::Picos),
    Column::wide("host", "Host", Unit::Text),
];

fn cells(row: &RegionRow) -> Vec<Cell> {
    let indent = "  ".repeat(row.depth as usize);
    let longest = row.longest.as_ref();
    vec![
        format!("{indent}{}", row.name).into(),
        row.kind.as_str().into(),
        row.count.into(),
        row.total_ps.into(),
        row.self_ps.into(),
        row.mean_ps.into(),
        row.p95_ps.into(),
        row.step_ps.into(),
        row.device_ps.into(),
        row.source.as_str().into(),
        row.ratio.into(),
        row.step_count.into(),
        row.thread.as_str().into(),
        i64::from(row.thread_count).into(),
        longest.map(|place| place.duration_ps).into(),
        longest.map(|place| place.start_ps).into(),
        row.first.as_ref().map(|place| place.start_ps).into(),
        i64::from(row.name_count).into(),
        i64::from(row.depth).into(),
        i64::from(row.child_count).into(),
    ]
}

fn thread_cells(row: &RegionThread) -> Vec<Cell> {
    vec![
        row.thread.as_str().into(),
        row.region_count.into(),
        row.slice_count.into(),
        row.covered_ps.into(),
        row.device_ps.into(),
        row.host.as_str().into(),
    ]
}

impl RegionsReport {
    /// The columns that say something in this grouping lead.
    fn columns(&self) -> Vec<Column> {
        let mut columns = COLUMNS.to_vec();
        if self.by == "thread" {
            for column in &mut columns {
                column.is_essential |= column.key == "thread";
            }
        }
        columns
    }
}

impl Report for RegionsReport {
    fn tables(&self) -> Vec<Table> {
        let title = match self.by.as_str() {
            "stack" => "Regions within regions",
            "thread" => "Regions by thread",
            _ => "Regions",
        };
        vec![
            Table::new("rows", title, &self.columns(), self.rows.iter().map(cells))
                .with_row_count(self.row_count),
            Table::new(
                "threads",
                "Threads",
                THREADS,
                self.threads.iter().map(thread_cells),
            ),
        ]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn headline(&self) -> Vec<(String, String)> {
        let mut lines = vec![(
            "In regions".to_owned(),
            format!(
                "{} on {}",
                format::duration_ps(self.covered_ps as f64),
                format::counted(self.threads.len(), "thread")
            ),
        )];
        if let Some(ratio) = self.device_ratio {
            lines.push((
                "Launches found".to_owned(),
                format!("{} of device time", format::percent(ratio)),
            ));
        }
        lines
    }
}
