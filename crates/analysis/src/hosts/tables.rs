//! The `hosts` report as tables.

use super::report::{BlameRow, ClockRow, HostDeviceRow, HostRow, HostStepRow, HostsReport};
use crate::cell::{Cell, Column, Table, Unit};
use crate::format;
use crate::note::Note;
use crate::order::{SortColumn, SortValue};
use crate::registry::Report;
use crate::steps::step_time_lines;

/// Columns that `--sort` knows.
pub(super) const SORT_COLUMNS: &[SortColumn<HostRow>] = &[
    ("host", |row| SortValue::Text(&row.host)),
    ("step_ps", |row| SortValue::Float(row.step_ps)),
    ("busy_ps", |row| SortValue::Float(row.busy_ps)),
    ("device_compute_ps", |row| {
        SortValue::Float(row.device_compute_ps)
    }),
    ("collectives_ps", |row| SortValue::Float(row.collectives_ps)),
    ("copies_ps", |row| SortValue::Float(row.copies_ps)),
    ("python_callbacks_ps", |row| {
        SortValue::Float(row.python_callbacks_ps)
    }),
    ("input_wait_ps", |row| SortValue::Float(row.input_wait_ps)),
    ("compilation_ps", |row| SortValue::Float(row.compilation_ps)),
    ("host_overhead_ps", |row| {
        SortValue::Float(row.host_overhead_ps)
    }),
    ("idle_ps", |row| SortValue::Float(row.idle_ps)),
    ("lateness_ps", |row| SortValue::Float(row.lateness_ps)),
    ("lateness_score", |row| SortValue::Float(row.lateness_score)),
    ("last_count", |row| {
        SortValue::Float(Some(row.last_count as f64))
    }),
    ("caused_ps", |row| SortValue::Int(row.caused_ps)),
    ("wait_ps", |row| SortValue::Int(row.wait_ps)),
];

const COLUMNS: &[Column] = &[
    Column::new("host", "Host", Unit::Text),
    Column::wide("device_count", "Devices", Unit::Count),
    Column::wide("working_count", "Working", Unit::Count),
    Column::wide("step_count", "Steps", Unit::Count),
    Column::new("step_ps", "Step", Unit::Picos).fractional(),
    Column::new("busy_ps", "Busy", Unit::Picos).fractional(),
    Column::new("device_compute_ps", "Compute", Unit::Picos).fractional(),
    Column::new("collectives_ps", "Collectives", Unit::Picos).fractional(),
    Column::wide("copies_ps", "Copies", Unit::Picos).fractional(),
    Column::wide("python_callbacks_ps", "Python callbacks", Unit::Picos).fractional(),
    Column::new("input_wait_ps", "Input wait", Unit::Picos).fractional(),
    Column::wide("compilation_ps", "Compilation", Unit::Picos).fractional(),
    Column::wide("host_overhead_ps", "Host overhead", Unit::Picos).fractional(),
    Column::wide("idle_ps", "Idle", Unit::Picos).fractional(),
    Column::new("lateness_ps", "Lateness", Unit::Picos).fractional(),
    Column::wide("lateness_score", "Score", Unit::Count).fractional(),
    Column::new("last_count", "Last in steps", Unit::Count),
    Column::new("caused_ps", "Others waited", Unit::Picos),
    Column::wide("wait_ps", "Waited", Unit::Picos),
    Column::new("is_straggler", "Straggler", Unit::Flag),
    Column::wide("problem", "Problem", Unit::Text),
];

fn cells(row: &HostRow) -> Vec<Cell> {
    vec![
        row.host.as_str().into(),
        row.device_count.into(),
        row.working_count.into(),
        row.step_count.into(),
        row.step_ps.into(),
        row.busy_ps.into(),
        row.device_compute_ps.into(),
        row.collectives_ps.into(),
        row.copies_ps.into(),
        row.python_callbacks_ps.into(),
        row.input_wait_ps.into(),
        row.compilation_ps.into(),
        row.host_overhead_ps.into(),
        row.idle_ps.into(),
        row.lateness_ps.into(),
        row.lateness_score.into(),
        row.last_count.into(),
        row.caused_ps.into(),
        row.wait_ps.into(),
        row.is_straggler.into(),
        row.problem.as_str().into(),
    ]
}

const BLAME_COLUMNS: &[Column] = &[
    Column::new("host", "Host", Unit::Text),
    Column::wide("device", "Device", Unit::Text),
    Column::new("activity", "What it did before", Unit::Text),
    Column::wide("activity_on", "On", Unit::Text),
    Column::new("step_count", "Steps", Unit::Count),
    Column::wide("step_ratio", "Of steps", Unit::Ratio),
    Column::new("caused_ps", "Others waited", Unit::Picos),
    Column::new("lateness_ps", "Mean lateness", Unit::Picos).fractional(),
    Column::new("activity_ps", "Mean activity", Unit::Picos).fractional(),
    Column::wide("step", "Worst step", Unit::Count),
    Column::wide("from_ps", "From", Unit::Picos),
    Column::wide("until_ps", "Arrival", Unit::Picos),
];

fn blame_cells(row: &BlameRow) -> Vec<Cell> {
    vec![
        row.host.as_str().into(),
        row.device.as_str().into(),
        row.activity.as_str().into(),
        row.activity_on.as_str().into(),
        row.step_count.into(),
        row.step_ratio.into(),
        row.caused_ps.into(),
        row.lateness_ps.into(),
        row.activity_ps.into(),
        row.step.into(),
        row.from_ps.into(),
        row.until_ps.into(),
    ]
}

const DEVICE_COLUMNS: &[Column] = &[
    Column::new("host", "Host", Unit::Text),
    Column::new("device", "Device", Unit::Text),
    Column::wide("step_count", "Steps", Unit::Count),
    Column::new("step_ps", "Step", Unit::Picos).fractional(),
    Column::new("busy_ps", "Busy", Unit::Picos).fractional(),
    Column::new("lateness_ps", "Lateness", Unit::Picos).fractional(),
    Column::new("last_count", "Last in steps", Unit::Count),
    Column::new("wait_ps", "Waited", Unit::Picos),
];

fn device_cells(row: &HostDeviceRow) -> Vec<Cell> {
    vec![
        row.host.as_str().into(),
        row.device.as_str().into(),
        row.step_count.into(),
        row.step_ps.into(),
        row.busy_ps.into(),
        row.lateness_ps.into(),
        row.last_count.into(),
        row.wait_ps.into(),
    ]
}

const STEP_COLUMNS: &[Column] = &[
    Column::new("step", "Step", Unit::Count),
    Column::wide("start_ps", "Start", Unit::Picos),
    Column::wide("duration_ps", "Duration", Unit::Picos),
    Column::wide("place_count", "Places", Unit::Count),
    Column::new("min_ps", "Shortest", Unit::Picos),
    Column::wide("mean_ps", "Mean", Unit::Picos).fractional(),
    Column::new("max_ps", "Longest", Unit::Picos),
    Column::new("busy_balance", "Busy, max/mean", Unit::Count).fractional(),
    Column::new("last_host", "Last host", Unit::Text),
    Column::new("last_device", "Last device", Unit::Text),
    Column::wide("collective", "At", Unit::Text),
    Column::new("lateness_ps", "Lateness", Unit::Picos),
    Column::wide("caused_ps", "Others waited", Unit::Picos),
    Column::new("activity", "What it did before", Unit::Text),
    Column::wide("activity_ps", "For", Unit::Picos),
    Column::wide("from_ps", "From", Unit::Picos),
    Column::wide("until_ps", "Arrival", Unit::Picos),
];

fn step_cells(row: &HostStepRow) -> Vec<Cell> {
    vec![
        row.step.into(),
        row.start_ps.into(),
        row.duration_ps.into(),
        row.place_count.into(),
        row.min_ps.into(),
        row.mean_ps.into(),
        row.max_ps.into(),
        row.busy_balance.into(),
        row.last_host.as_str().into(),
        row.last_device.as_str().into(),
        row.collective.as_str().into(),
        row.lateness_ps.into(),
        row.caused_ps.into(),
        row.activity.as_str().into(),
        row.activity_ps.into(),
        row.from_ps.into(),
        row.until_ps.into(),
    ]
}

const CLOCK_COLUMNS: &[Column] = &[
    Column::new("host", "Host", Unit::Text),
    Column::new("reference", "Against", Unit::Text),
    Column::new("offset_ps", "Ahead by", Unit::Picos).fractional(),
    Column::new("drift_ppm", "Drift (ppm)", Unit::Count).fractional(),
    Column::new("residual_ps", "Residual", Unit::Picos).fractional(),
    Column::wide("max_residual_ps", "Largest", Unit::Picos).fractional(),
    Column::new("matched_count", "Compared", Unit::Count),
    Column::wide("recorded_ps", "Recorded start", Unit::Picos),
];

fn clock_cells(row: &ClockRow) -> Vec<Cell> {
    vec![
        row.host.as_str().into(),
        row.reference.as_str().into(),
        row.offset_ps.into(),
        row.drift_ppm.into(),
        row.residual_ps.into(),
        row.max_residual_ps.into(),
        row.matched_count.into(),
        row.recorded_ps.into(),
    ]
}

impl Report for HostsReport {
    fn tables(&self) -> Vec<Table> {
        let mut hosts = Table::new("rows", "Hosts", COLUMNS, self.rows.iter().map(cells));
        hosts.row_count = self.row_count;
        vec![
            hosts,
            Table::new(
                "blame",
                "Who was late, and why",
                BLAME_COLUMNS,
                self.blame.iter().map(blame_cells),
            ),
            Table::new(
                "devices",
                "Devices",
                DEVICE_COLUMNS,
                self.devices.iter().map(device_cells),
            ),
            Table::new(
                "steps",
                "Steps",
                STEP_COLUMNS,
                self.steps.iter().map(step_cells),
            ),
            Table::new(
                "clocks",
                "Clocks",
                CLOCK_COLUMNS,
                self.clocks.iter().map(clock_cells),
            ),
        ]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn unprinted(&self) -> &'static [&'static str] {
        // One clock has nothing to differ from.
        if self.clocks.len() > 1 {
            &[]
        } else {
            &["clocks"]
        }
    }

    fn headline(&self) -> Vec<(String, String)> {
        let mut lines: Vec<(String, String)> =
            self.step_time_ps.iter().flat_map(step_time_lines).collect();
        if let Some(worst) = self.blame.first() {
            lines.push((
                "Waited for most".to_owned(),
                format!(
                    "{} {}, {} in {}: {}",
                    worst.host,
                    worst.device,
                    format::duration_ps(worst.caused_ps as f64),
                    format::counted(worst.step_count, "step"),
                    match worst.activity.as_str() {
                        "" => "cause not recorded",
                        activity => activity,
                    }
                ),
            ));
        }
        lines
    }
}
