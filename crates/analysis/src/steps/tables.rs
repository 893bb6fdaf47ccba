//! The `steps` report as tables.

use super::report::{StepRow, StepsReport};
use crate::cell::{Column, Table, Unit};
use crate::format;
use crate::note::Note;
use crate::order::{SortColumn, SortValue};
use crate::overview::{StepSource, StepTime};
use crate::registry::Report;

/// Columns that `--sort` knows.
pub(super) const SORT_COLUMNS: &[SortColumn<StepRow>] = &[
    ("step", |row| SortValue::Int(row.step)),
    ("start_ps", |row| SortValue::Int(row.start_ps)),
    ("duration_ps", |row| SortValue::Int(row.duration_ps)),
    ("busy_ps", |row| SortValue::Int(row.busy_ps)),
    ("device_compute_ps", |row| {
        SortValue::Int(row.device_compute_ps)
    }),
    ("collectives_ps", |row| SortValue::Int(row.collectives_ps)),
    ("host_to_device_ps", |row| {
        SortValue::Int(row.host_to_device_ps)
    }),
    ("device_to_host_ps", |row| {
        SortValue::Int(row.device_to_host_ps)
    }),
    ("device_to_device_ps", |row| {
        SortValue::Int(row.device_to_device_ps)
    }),
    ("python_callbacks_ps", |row| {
        SortValue::Int(row.python_callbacks_ps)
    }),
    ("input_wait_ps", |row| SortValue::Int(row.input_wait_ps)),
    ("compilation_ps", |row| SortValue::Int(row.compilation_ps)),
    ("host_overhead_ps", |row| {
        SortValue::Int(row.host_overhead_ps)
    }),
    ("idle_ps", |row| SortValue::Int(row.idle_ps)),
    ("host", |row| SortValue::Text(&row.host)),
    ("device", |row| SortValue::Text(&row.device)),
];

const COLUMNS: &[Column] = &[
    Column::new("step", "Step", Unit::Count),
    Column::wide("host", "Host", Unit::Text),
    Column::new("device", "Device", Unit::Text),
    Column::wide("start_ps", "Start", Unit::Picos),
    Column::new("duration_ps", "Duration", Unit::Picos),
    Column::new("busy_ps", "Busy", Unit::Picos),
    Column::new("device_compute_ps", "Compute", Unit::Picos),
    Column::new("collectives_ps", "Collectives", Unit::Picos),
    Column::wide("host_to_device_ps", "Host to device", Unit::Picos),
    Column::wide("device_to_host_ps", "Device to host", Unit::Picos),
    Column::wide("device_to_device_ps", "Device to device", Unit::Picos),
    Column::wide("python_callbacks_ps", "Python callbacks", Unit::Picos),
    Column::new("input_wait_ps", "Input wait", Unit::Picos),
    Column::wide("compilation_ps", "Compilation", Unit::Picos),
    Column::new("host_overhead_ps", "Host overhead", Unit::Picos),
    Column::new("idle_ps", "Idle", Unit::Picos),
    Column::new("is_outlier", "Outlier", Unit::Flag),
];

impl Report for StepsReport {
    fn tables(&self) -> Vec<Table> {
        let rows = self.rows.iter().map(|row| {
            vec![
                row.step.into(),
                row.host.as_str().into(),
                row.device.as_str().into(),
                row.start_ps.into(),
                row.duration_ps.into(),
                row.busy_ps.into(),
                row.device_compute_ps.into(),
                row.collectives_ps.into(),
                row.host_to_device_ps.into(),
                row.device_to_host_ps.into(),
                row.device_to_device_ps.into(),
                row.python_callbacks_ps.into(),
                row.input_wait_ps.into(),
                row.compilation_ps.into(),
                row.host_overhead_ps.into(),
                row.idle_ps.into(),
                row.is_outlier.into(),
            ]
        });
        vec![Table {
            key: "rows",
            title: "Steps".to_owned(),
            columns: COLUMNS.to_vec(),
            rows: rows.collect(),
            row_count: self.row_count,
        }]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn headline(&self) -> Vec<(String, String)> {
        self.step_time_ps.iter().flat_map(step_time_lines).collect()
    }
}

/// Step time in words: mean and spread.
pub(crate) fn step_time_lines(time: &StepTime) -> Vec<(String, String)> {
    let source = match time.source {
        StepSource::StepLine => "recorded by the device",
        StepSource::Annotation => "annotated",
        StepSource::Cadence => "from the device's cadence",
        StepSource::ProgramRuns => "inferred from program runs",
    };
    let duration = format::duration_ps;
    let spread = format!(
        "median {}, {} to {}, σ {}",
        duration(time.median),
        duration(time.min as f64),
        duration(time.max as f64),
        duration(time.stddev),
    );
    if time.count == 1 {
        let one = format!("{} of 1 step ({source})", duration(time.mean));
        return vec![("Step time".to_owned(), one)];
    }
    vec![
        (
            "Step time".to_owned(),
            format!(
                "{} mean of {} ({source})",
                duration(time.mean),
                format::counted(time.count, "step")
            ),
        ),
        ("Spread".to_owned(), spread),
    ]
}
