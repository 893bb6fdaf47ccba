//! Columns of the tables of `hosts`: titles, units, behavior, and how each is read from its row.
//! The meaning of each column is documented at the field of its row.

use super::report::{BlameRow, ClockRow, HostDeviceRow, HostRow, HostStepRow};
use crate::telling::{Column, Declared, Field, Identity, Unit};

pub(super) const ROWS: &[Field<HostRow>] = &[
    Column::new("host", "Host", Unit::Text)
        .identifies(Identity::Order)
        .of(|row| row.host.as_str().into()),
    Column::wide("device_count", "Devices", Unit::Count).of(|row| row.device_count.into()),
    Column::wide("working_count", "Working", Unit::Count).of(|row| row.working_count.into()),
    Column::wide("step_count", "Steps", Unit::Count)
        .sums()
        .of(|row| row.step_count.into()),
    Column::new("step_ps", "Step", Unit::Picos)
        .fractional()
        .of(|row| row.step_ps.into()),
    Column::new("busy_ps", "Busy", Unit::Picos)
        .fractional()
        .of(|row| row.busy_ps.into()),
    Column::new("device_compute_ps", "Compute", Unit::Picos)
        .fractional()
        .of(|row| row.device_compute_ps.into()),
    Column::new("collectives_ps", "Collectives", Unit::Picos)
        .fractional()
        .of(|row| row.collectives_ps.into()),
    Column::wide("copies_ps", "Copies", Unit::Picos)
        .fractional()
        .of(|row| row.copies_ps.into()),
    Column::wide("python_callbacks_ps", "Python callbacks", Unit::Picos)
        .fractional()
        .of(|row| row.python_callbacks_ps.into()),
    Column::new("input_wait_ps", "Input wait", Unit::Picos)
        .fractional()
        .of(|row| row.input_wait_ps.into()),
    Column::wide("compilation_ps", "Compilation", Unit::Picos)
        .fractional()
        .of(|row| row.compilation_ps.into()),
    Column::wide("host_overhead_ps", "Host overhead", Unit::Picos)
        .fractional()
        .of(|row| row.host_overhead_ps.into()),
    Column::wide("idle_ps", "Idle", Unit::Picos)
        .fractional()
        .of(|row| row.idle_ps.into()),
    Column::new("lateness_ps", "Lateness", Unit::Picos)
        .fractional()
        .formula("own arrival − median arrival, on aligned clocks")
        .of(|row| row.lateness_ps.into()),
    Column::wide("lateness_score", "Score", Unit::Count)
        .fractional()
        .formula("0.6745 · (x − median) ÷ MAD, the MAD at least 0.1 ms")
        .of(|row| row.lateness_score.into()),
    Column::new("last_count", "Last in steps", Unit::Count)
        .sums()
        .of(|row| row.last_count.into()),
    Column::new("caused_ps", "Others waited", Unit::Picos)
        .formula("Σ mean of (last arrival − arrival of the others), without what they computed")
        .sums()
        .of(|row| row.caused_ps.into()),
    Column::wide("wait_ps", "Waited", Unit::Picos)
        .formula("Σ (last arrival − own arrival), without what it computed")
        .sums()
        .of(|row| row.wait_ps.into()),
    Column::new("is_straggler", "Straggler", Unit::Flag)
        .formula("binomial tail, p = 1 ÷ number of hosts")
        .of(|row| row.is_straggler.into()),
    Column::wide("problem", "Problem", Unit::Text).of(|row| row.problem.as_str().into()),
];

pub(super) const BLAME: &[Field<BlameRow>] = &[
    Column::new("host", "Host", Unit::Text).of(|row| row.host.as_str().into()),
    Column::wide("device", "Device", Unit::Text).of(|row| row.device.as_str().into()),
    Column::new("activity", "Activity", Unit::Text).of(|row| row.activity.as_str().into()),
    Column::wide("activity_on", "Recorded on", Unit::Text)
        .of(|row| row.activity_on.as_str().into()),
    Column::new("step_count", "Steps", Unit::Count)
        .sums()
        .of(|row| row.step_count.into()),
    Column::wide("step_ratio", "Of steps", Unit::Ratio).of(|row| row.step_ratio.into()),
    Column::new("caused_ps", "Others waited", Unit::Picos)
        .sums()
        .of(|row| row.caused_ps.into()),
    Column::new("lateness_ps", "Mean lateness", Unit::Picos)
        .fractional()
        .of(|row| row.lateness_ps.into()),
    Column::new("activity_ps", "Mean activity", Unit::Picos)
        .fractional()
        .of(|row| row.activity_ps.into()),
    Column::wide("step", "Worst step", Unit::Count)
        .position()
        .of(|row| row.step.into()),
    Column::wide("from_ps", "From", Unit::Picos)
        .position()
        .of(|row| row.from_ps.into()),
    Column::wide("until_ps", "Arrival", Unit::Picos)
        .position()
        .of(|row| row.until_ps.into()),
];

pub(super) const DEVICES: &[Field<HostDeviceRow>] = &[
    Column::new("host", "Host", Unit::Text).of(|row| row.host.as_str().into()),
    Column::new("device", "Device", Unit::Text).of(|row| row.device.as_str().into()),
    Column::wide("step_count", "Steps", Unit::Count)
        .sums()
        .of(|row| row.step_count.into()),
    Column::new("step_ps", "Step", Unit::Picos)
        .fractional()
        .of(|row| row.step_ps.into()),
    Column::new("busy_ps", "Busy", Unit::Picos)
        .fractional()
        .of(|row| row.busy_ps.into()),
    Column::new("lateness_ps", "Lateness", Unit::Picos)
        .fractional()
        .of(|row| row.lateness_ps.into()),
    Column::new("last_count", "Last in steps", Unit::Count)
        .sums()
        .of(|row| row.last_count.into()),
    Column::new("wait_ps", "Waited", Unit::Picos)
        .sums()
        .of(|row| row.wait_ps.into()),
];

pub(super) const STEPS: &[Field<HostStepRow>] = &[
    Column::new("step", "Step", Unit::Count)
        .position()
        .of(|row| row.step.into()),
    Column::wide("start_ps", "Start", Unit::Picos)
        .position()
        .of(|row| row.start_ps.into()),
    Column::wide("duration_ps", "First to last", Unit::Picos).of(|row| row.duration_ps.into()),
    Column::wide("place_count", "Places", Unit::Count).of(|row| row.place_count.into()),
    Column::new("min_ps", "Shortest", Unit::Picos).of(|row| row.min_ps.into()),
    Column::wide("mean_ps", "Mean", Unit::Picos)
        .fractional()
        .of(|row| row.mean_ps.into()),
    Column::new("max_ps", "Longest", Unit::Picos).of(|row| row.max_ps.into()),
    Column::new("busy_balance", "Busy max ÷ mean", Unit::Count)
        .fractional()
        .of(|row| row.busy_balance.into()),
    Column::new("last_host", "Last host", Unit::Text).of(|row| row.last_host.as_str().into()),
    Column::new("last_device", "Last device", Unit::Text).of(|row| row.last_device.as_str().into()),
    Column::wide("collective", "Collective", Unit::Text).of(|row| row.collective.as_str().into()),
    Column::new("lateness_ps", "Lateness", Unit::Picos).of(|row| row.lateness_ps.into()),
    Column::wide("caused_ps", "Others waited", Unit::Picos).of(|row| row.caused_ps.into()),
    Column::new("activity", "Activity", Unit::Text).of(|row| row.activity.as_str().into()),
    Column::wide("activity_ps", "Activity time", Unit::Picos).of(|row| row.activity_ps.into()),
    Column::wide("from_ps", "From", Unit::Picos)
        .position()
        .of(|row| row.from_ps.into()),
    Column::wide("until_ps", "Arrival", Unit::Picos)
        .position()
        .of(|row| row.until_ps.into()),
];

pub(super) const CLOCKS: &[Field<ClockRow>] = &[
    Column::new("host", "Host", Unit::Text).of(|row| row.host.as_str().into()),
    Column::new("reference", "Against", Unit::Text).of(|row| row.reference.as_str().into()),
    Column::new("offset_ps", "Ahead by", Unit::Picos)
        .fractional()
        .of(|row| row.offset_ps.into()),
    Column::new("drift_ppm", "Drift (ppm)", Unit::Count)
        .fractional()
        .of(|row| row.drift_ppm.into()),
    Column::new("residual_ps", "Residual", Unit::Picos)
        .fractional()
        .of(|row| row.residual_ps.into()),
    Column::wide("max_residual_ps", "Largest", Unit::Picos)
        .fractional()
        .of(|row| row.max_residual_ps.into()),
    Column::new("matched_count", "Compared", Unit::Count).of(|row| row.matched_count.into()),
    Column::wide("recorded_ps", "Recorded start", Unit::Picos).of(|row| row.recorded_ps.into()),
];

/// The tables of the report with their columns.
pub(super) fn tables() -> Vec<Declared> {
    vec![
        Declared::of("rows", ROWS),
        Declared::of("blame", BLAME),
        Declared::of("devices", DEVICES),
        Declared::of("steps", STEPS),
        Declared::of("clocks", CLOCKS),
    ]
}
