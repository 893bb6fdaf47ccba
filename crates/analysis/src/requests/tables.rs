//! The `requests` report as tables.

use super::report::{PHASES, RequestRow, RequestsReport};
use crate::cell::{Cell, Column, Table, Unit};
use crate::format;
use crate::note::Note;
use crate::order::{SortColumn, SortValue};
use crate::registry::Report;

/// Columns that `--sort` knows.
pub(super) const SORT_COLUMNS: &[SortColumn<RequestRow>] = &[
    ("latency_ps", |row| SortValue::Int(row.latency_ps)),
    ("start_ps", |row| SortValue::Int(row.start_ps)),
    ("prepare_ps", |row| SortValue::Int(row.phases_ps[0])),
    ("queue_ps", |row| SortValue::Int(row.phases_ps[1])),
    ("formation_ps", |row| SortValue::Int(row.phases_ps[2])),
    ("runtime_ps", |row| SortValue::Int(row.phases_ps[3])),
    ("to_device_ps", |row| SortValue::Int(row.phases_ps[4])),
    ("device_ps", |row| SortValue::Int(row.phases_ps[5])),
    ("to_host_ps", |row| SortValue::Int(row.phases_ps[6])),
    ("finish_ps", |row| SortValue::Int(row.phases_ps[7])),
    ("idle_ps", |row| SortValue::Int(row.phases_ps[8])),
    ("name", |row| SortValue::Text(&row.name)),
    ("request_id", |row| SortValue::Text(&row.request_id)),
    ("host", |row| SortValue::Text(&row.host)),
];

const ROWS: &[Column] = &[
    Column::new("name", "Request", Unit::Text),
    Column::new("request_id", "Id", Unit::Text),
    Column::new("latency_ps", "Latency", Unit::Picos),
    Column::wide("start_ps", "Start", Unit::Picos),
    Column::new("prepare_ps", "Prepare", Unit::Picos),
    Column::new("queue_ps", "Queue", Unit::Picos),
    Column::wide("formation_ps", "Formation", Unit::Picos),
    Column::wide("runtime_ps", "Runtime", Unit::Picos),
    Column::wide("to_device_ps", "To device", Unit::Picos),
    Column::new("device_ps", "Device", Unit::Picos),
    Column::wide("to_host_ps", "To host", Unit::Picos),
    Column::wide("finish_ps", "Finish", Unit::Picos),
    Column::wide("idle_ps", "Idle", Unit::Picos),
    Column::wide("batch_id", "Batch", Unit::Count),
    Column::wide("host", "Host", Unit::Text),
];

const PERCENTILES: &[Column] = &[
    Column::new("percentile", "Percentile", Unit::Count).fractional(),
    Column::new("latency_ps", "Latency", Unit::Picos),
    Column::new("request_id", "Request", Unit::Text),
    Column::wide("start_ps", "Start", Unit::Picos),
];

const PHASE_COLUMNS: &[Column] = &[
    Column::new("phase", "Phase", Unit::Text),
    Column::new("mean_ps", "Mean", Unit::Picos).fractional(),
    Column::new("latency_ratio", "Of latency", Unit::Ratio),
    Column::new("median_ps", "Median", Unit::Picos),
    Column::new("high_ps", "90 %", Unit::Picos),
    Column::new("meaning", "Meanwhile", Unit::Text),
];

const BATCHES: &[Column] = &[
    Column::new("name", "Batch", Unit::Text),
    Column::new("batch_id", "Id", Unit::Text),
    Column::new("duration_ps", "Duration", Unit::Picos),
    Column::wide("start_ps", "Start", Unit::Picos),
    Column::new("request_count", "Requests", Unit::Count),
    Column::new("size", "Size", Unit::Count),
    Column::new("padding", "Padding", Unit::Count),
    Column::new("efficiency_ratio", "Efficiency", Unit::Ratio),
    Column::new("device_ps", "Device", Unit::Picos),
    Column::wide("delay_ps", "Delay", Unit::Picos),
    Column::wide("host", "Host", Unit::Text),
];

impl Report for RequestsReport {
    fn tables(&self) -> Vec<Table> {
        let rows = self.rows.iter().map(|row| {
            let mut cells: Vec<Cell> = vec![
                row.name.as_str().into(),
                row.request_id.as_str().into(),
                row.latency_ps.into(),
                row.start_ps.into(),
            ];
            cells.extend(
                row.phases_ps
                    .iter()
                    .take(PHASES.len())
                    .map(|&time| Cell::from(time)),
            );
            cells.push(row.batch_id.into());
            cells.push(row.host.as_str().into());
            cells
        });
        let percentiles = self.percentiles.iter().map(|row| {
            vec![
                row.percentile.into(),
                row.latency_ps.into(),
                row.request_id.as_str().into(),
                row.start_ps.into(),
            ]
        });
        let phases = self.phases.iter().map(|row| {
            vec![
                row.phase.as_str().into(),
                row.mean_ps.into(),
                row.latency_ratio.into(),
                row.median_ps.into(),
                row.high_ps.into(),
                row.meaning.as_str().into(),
            ]
        });
        let batches = self.batches.iter().map(|row| {
            vec![
                row.name.as_str().into(),
                row.batch_id.as_str().into(),
                row.duration_ps.into(),
                row.start_ps.into(),
                row.request_count.into(),
                row.size.into(),
                row.padding.into(),
                row.efficiency_ratio.into(),
                row.device_ps.into(),
                row.delay_ps.into(),
                row.host.as_str().into(),
            ]
        });
        vec![
            Table::new("rows", "Slowest requests", ROWS, rows).with_row_count(self.row_count),
            Table::new("percentiles", "Latency", PERCENTILES, percentiles),
            Table::new("phases", "Where latency goes", PHASE_COLUMNS, phases),
            Table::new("batches", "Batches", BATCHES, batches),
        ]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn headline(&self) -> Vec<(String, String)> {
        let Some(mean) = self.mean_ps else {
            return Vec::new();
        };
        let at = |percent: f64| {
            let found = self
                .percentiles
                .iter()
                .find(|row| (row.percentile - percent).abs() < 0.01);
            found.map_or(0.0, |row| row.latency_ps as f64)
        };
        let mut lines = vec![(
            "Latency".to_owned(),
            format!(
                "{} mean, median {}, 90 % {}, 99 % {}",
                format::duration_ps(mean),
                format::duration_ps(at(50.0)),
                format::duration_ps(at(90.0)),
                format::duration_ps(at(99.0))
            ),
        )];
        if let Some(throughput) = self.throughput {
            lines.push((
                "Throughput".to_owned(),
                format!(
                    "{throughput:.1} requests/s, {:.1} open at once (at most {})",
                    self.concurrency_mean.unwrap_or(0.0),
                    self.concurrency_max
                ),
            ));
        }
        if let Some(padding) = self.padding_ratio {
            lines.push((
                "Padding".to_owned(),
                format!("{} of all batches", format::percent(padding)),
            ));
        }
        lines
    }
}
