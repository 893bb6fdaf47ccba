//! The `kernels` report as tables.

use super::report::{KernelRow, KernelsReport};
use crate::attribution;
use crate::cell::{Cell, Column, Table, Unit};
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
    ("latency_mean_ps", |row| {
        SortValue::Float(row.latency_mean_ps)
    }),
    ("latency_p99_ps", |row| {
        SortValue::Float(row.latency_p99_ps.map(|value| value as f64))
    }),
    ("matrix_unit", |row| SortValue::Text(&row.matrix_unit)),
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
    Column::wide("latency_mean_ps", "Latency", Unit::Picos).fractional(),
    Column::wide("matrix_unit", "Matrix unit", Unit::Text),
    Column::wide("registers", "Registers", Unit::Count),
    Column::wide("shared_bytes", "Shared memory", Unit::Bytes),
    Column::wide("grid", "Grid", Unit::Text),
    Column::wide("block", "Block", Unit::Text),
    Column::wide("occupancy", "Occupancy", Unit::Ratio),
    Column::wide("occupancy_limit", "Limited by", Unit::Text),
    Column::new("op", "Op", Unit::Text),
    Column::wide("program", "Program", Unit::Text),
    Column::wide("stream", "Stream", Unit::Text),
    Column::wide("device", "Device", Unit::Text),
    Column::wide("latency_p50_ps", "Latency, median", Unit::Picos),
    Column::wide("latency_p99_ps", "Latency, 99 %", Unit::Picos),
    Column::wide("latency_max_ps", "Latency, longest", Unit::Picos),
    Column::wide("occupancy_source", "Occupancy from", Unit::Text),
    Column::wide("matrix_rule", "Matrix rule", Unit::Text),
    Column::wide("program_id", "Program id", Unit::Text),
    Column::wide("attribution", "Op from", Unit::Text),
];

const TRANSFER_COLUMNS: &[Column] = &[
    Column::new("direction", "Direction", Unit::Text),
    Column::wide("memory", "Host memory", Unit::Text),
    Column::new("occurrences", "Count", Unit::Count),
    Column::new("bytes", "Bytes", Unit::Bytes),
    Column::new("total_ps", "Total", Unit::Picos),
    Column::new("bandwidth", "Bandwidth", Unit::ByteRate),
    Column::wide("bandwidth_ratio", "Of the link", Unit::Ratio),
    Column::wide("peak_bandwidth", "Link", Unit::ByteRate),
    Column::wide("peak_source", "Link from", Unit::Text),
];

const DURATION_COLUMNS: &[Column] = &[
    Column::new("start_ps", "From", Unit::Picos),
    Column::new("end_ps", "To", Unit::Picos),
    Column::new("occurrences", "Launches", Unit::Count),
    Column::new("occurrence_ratio", "Of launches", Unit::Ratio),
    Column::new("total_ps", "Total", Unit::Picos),
    Column::new("time_ratio", "Of time", Unit::Ratio),
    Column::new("verdict", "Verdict", Unit::Text),
];

const LAUNCH_COLUMNS: &[Column] = &[
    Column::new("device", "Device", Unit::Text),
    Column::new("launched", "Launches", Unit::Count),
    Column::wide("launched_ratio", "Recorded", Unit::Ratio),
    Column::new("latency_mean_ps", "Latency", Unit::Picos).fractional(),
    Column::new("latency_p50_ps", "Median", Unit::Picos),
    Column::new("latency_p99_ps", "99 %", Unit::Picos),
    Column::new("latency_max_ps", "Longest", Unit::Picos),
    Column::new("queue_mean", "Queue", Unit::Count).fractional(),
    Column::new("queue_most", "Most", Unit::Count),
    Column::wide("queue_most_at_ps", "Most at", Unit::Picos),
];

const STEP_COLUMNS: &[Column] = &[
    Column::new("step", "Step", Unit::Count),
    Column::wide("host", "Host", Unit::Text),
    Column::new("duration_ps", "Duration", Unit::Picos),
    Column::new("calls", "Launch calls", Unit::Count),
    Column::new("launch_ps", "Launching", Unit::Picos),
    Column::new("ratio", "Share", Unit::Ratio),
    Column::wide("start_ps", "Begin", Unit::Picos),
    Column::wide("end_ps", "End", Unit::Picos),
];

const STREAM_COLUMNS: &[Column] = &[
    Column::new("stream", "Stream", Unit::Text),
    Column::new("device", "Device", Unit::Text),
    Column::new("occurrences", "Count", Unit::Count),
    Column::new("busy_ps", "Busy", Unit::Picos),
    Column::new("gap_count", "Gaps", Unit::Count),
    Column::new("gap_ps", "In gaps", Unit::Picos),
    Column::wide("largest_gap_ps", "Longest gap", Unit::Picos),
    Column::new("overlap_ratio", "Beside others", Unit::Ratio),
    Column::wide("overlap_ps", "Beside others, time", Unit::Picos),
    Column::wide("largest_gap_start_ps", "Longest gap at", Unit::Picos),
    Column::wide("start_ps", "Begin", Unit::Picos),
    Column::wide("end_ps", "End", Unit::Picos),
    Column::wide("number", "Number", Unit::Count),
];

const MATRIX_COLUMNS: &[Column] = &[
    Column::new("op", "Op", Unit::Text),
    Column::new("total_ps", "Total", Unit::Picos),
    Column::new("matrix_ratio", "On matrix units", Unit::Ratio),
    Column::wide("matrix_ps", "On matrix units, time", Unit::Picos),
    Column::wide("plain_ps", "Without", Unit::Picos),
    Column::wide("unknown_ps", "Not known", Unit::Picos),
    Column::new("is_eligible", "Matrix product", Unit::Flag),
    Column::wide("program", "Program", Unit::Text),
];

const SIZE_COLUMNS: &[Column] = &[
    Column::new("direction", "Direction", Unit::Text),
    Column::new("start_bytes", "From", Unit::Bytes),
    Column::new("end_bytes", "To", Unit::Bytes),
    Column::new("occurrences", "Count", Unit::Count),
    Column::new("bytes", "Bytes", Unit::Bytes),
    Column::new("total_ps", "Total", Unit::Picos),
    Column::new("bandwidth", "Bandwidth", Unit::ByteRate),
];

fn kernel_cells(row: &KernelRow) -> Vec<Cell> {
    vec![
        row.name.as_str().into(),
        row.occurrences.into(),
        row.total_ps.into(),
        row.mean_ps.into(),
        row.min_ps.into(),
        row.max_ps.into(),
        row.latency_mean_ps.into(),
        row.matrix_unit.as_str().into(),
        row.registers.into(),
        row.shared_bytes.into(),
        row.grid.as_str().into(),
        row.block.as_str().into(),
        row.occupancy.into(),
        row.occupancy_limit.as_str().into(),
        row.op.as_str().into(),
        row.program.as_str().into(),
        row.stream.as_str().into(),
        row.device.as_str().into(),
        row.latency_p50_ps.into(),
        row.latency_p99_ps.into(),
        row.latency_max_ps.into(),
        row.occupancy_source.as_str().into(),
        row.matrix_rule.as_str().into(),
        row.program_id.as_str().into(),
        row.attribution.as_str().into(),
    ]
}

impl KernelsReport {
    fn launch_tables(&self) -> [Table; 4] {
        let durations = self.durations.iter().map(|bin| {
            vec![
                bin.start_ps.into(),
                bin.end_ps.into(),
                bin.occurrences.into(),
                bin.occurrence_ratio.into(),
                bin.total_ps.into(),
                bin.time_ratio.into(),
                bin.verdict.as_str().into(),
            ]
        });
        let launches = self.launches.iter().map(|row| {
            vec![
                row.device.as_str().into(),
                row.launched.into(),
                row.launched_ratio.into(),
                row.latency_mean_ps.into(),
                row.latency_p50_ps.into(),
                row.latency_p99_ps.into(),
                row.latency_max_ps.into(),
                row.queue_mean.into(),
                row.queue_most.into(),
                row.queue_most_at_ps.into(),
            ]
        });
        let steps = self.steps.iter().map(|row| {
            vec![
                row.step.into(),
                row.host.as_str().into(),
                row.duration_ps.into(),
                row.calls.into(),
                row.launch_ps.into(),
                row.ratio.into(),
                row.start_ps.into(),
                row.end_ps.into(),
            ]
        });
        let streams = self.streams.iter().map(|row| {
            vec![
                row.stream.as_str().into(),
                row.device.as_str().into(),
                row.occurrences.into(),
                row.busy_ps.into(),
                row.gap_count.into(),
                row.gap_ps.into(),
                row.largest_gap_ps.into(),
                row.overlap_ratio.into(),
                row.overlap_ps.into(),
                row.largest_gap_start_ps.into(),
                row.start_ps.into(),
                row.end_ps.into(),
                row.number.into(),
            ]
        });
        [
            Table::new(
                "durations",
                "Kernels by duration",
                DURATION_COLUMNS,
                durations,
            ),
            Table::new("launches", "Launches", LAUNCH_COLUMNS, launches),
            Table::new("steps", "Launching by step", STEP_COLUMNS, steps),
            Table::new("streams", "Streams", STREAM_COLUMNS, streams),
        ]
    }

    fn copy_tables(&self) -> [Table; 3] {
        let matrix = self.matrix_ops.iter().map(|row| {
            vec![
                row.op.as_str().into(),
                row.total_ps.into(),
                row.matrix_ratio.into(),
                row.matrix_ps.into(),
                row.plain_ps.into(),
                row.unknown_ps.into(),
                row.is_eligible.into(),
                row.program.as_str().into(),
            ]
        });
        let transfers = self.transfers.iter().map(|row| {
            vec![
                row.direction.as_str().into(),
                row.memory.as_str().into(),
                row.occurrences.into(),
                row.bytes.into(),
                row.total_ps.into(),
                row.bandwidth.into(),
                row.bandwidth_ratio.into(),
                row.peak_bandwidth.into(),
                row.peak_source.as_str().into(),
            ]
        });
        let sizes = self.transfer_sizes.iter().map(|row| {
            vec![
                row.direction.as_str().into(),
                row.start_bytes.into(),
                row.end_bytes.into(),
                row.occurrences.into(),
                row.bytes.into(),
                row.total_ps.into(),
                row.bandwidth.into(),
            ]
        });
        [
            Table::new("matrix_ops", "Matrix units by op", MATRIX_COLUMNS, matrix),
            Table::new("transfers", "Copies", TRANSFER_COLUMNS, transfers),
            Table::new("transfer_sizes", "Copies by size", SIZE_COLUMNS, sizes),
        ]
    }
}

impl Report for KernelsReport {
    fn tables(&self) -> Vec<Table> {
        let mut kernels = Table::new(
            "rows",
            "Kernels",
            COLUMNS,
            self.rows.iter().map(kernel_cells),
        );
        kernels.row_count = self.row_count;
        let mut tables = vec![kernels];
        tables.extend(self.launch_tables());
        tables.extend(self.copy_tables());
        tables
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
        if let Some(covered) = attribution::sentence(&self.attribution) {
            lines.push(("Carries an HLO op".to_owned(), covered));
        }
        if let Some((ratio, time)) = self.tiny_ratio.zip(self.tiny_time_ratio) {
            let (ratio, time) = (format::percent(ratio), format::percent(time));
            lines.push((
                "Shorter than 0.1 ms".to_owned(),
                format!("{ratio} of launches, {time} of the time"),
            ));
        }
        if let Some(ratio) = self.matrix_ratio.filter(|&ratio| ratio > 0.0) {
            lines.push(("On matrix units".to_owned(), format::percent(ratio)));
        }
        lines
    }
}
