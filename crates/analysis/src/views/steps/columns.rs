//! Columns of the tables of `steps`: titles, units, behavior, and how each is read from its row.
//! The meaning of each column is documented at the field of its row.

use super::report::StepRow;
use crate::telling::{Column, Declared, Field, Identity, Unit};

pub(super) const ROWS: &[Field<StepRow>] = &[
    Column::new("step", "Step", Unit::Count)
        .identifies(Identity::Step)
        .position()
        .of(|row| row.step.into()),
    Column::wide("host", "Host", Unit::Text).of(|row| row.host.as_str().into()),
    Column::new("device", "Device", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.device.as_str().into()),
    Column::wide("start_ps", "Start", Unit::Picos)
        .position()
        .of(|row| row.start_ps.into()),
    Column::new("duration_ps", "Duration", Unit::Picos)
        .formula("duration = Σ parts")
        .of(|row| row.duration_ps.into()),
    Column::new("busy_ps", "Busy", Unit::Picos).of(|row| row.busy_ps.into()),
    Column::wide("busy_ratio", "Busy share", Unit::Ratio)
        .more_is_better()
        .means("Share of the step in which the device worked.")
        .formula("busy ÷ duration")
        .of(|row| {
            let busy_ratio = row.busy_ps as f64 / row.duration_ps as f64;
            (row.duration_ps > 0).then_some(busy_ratio).into()
        }),
    Column::new("device_compute_ps", "Compute", Unit::Picos).of(|row| row.device_compute_ps.into()),
    Column::new("collectives_ps", "Collectives", Unit::Picos).of(|row| row.collectives_ps.into()),
    Column::wide("host_to_device_ps", "Host to device", Unit::Picos)
        .of(|row| row.host_to_device_ps.into()),
    Column::wide("device_to_host_ps", "Device to host", Unit::Picos)
        .of(|row| row.device_to_host_ps.into()),
    Column::wide("device_to_device_ps", "Device to device", Unit::Picos)
        .of(|row| row.device_to_device_ps.into()),
    Column::wide("python_callbacks_ps", "Python callbacks", Unit::Picos)
        .of(|row| row.python_callbacks_ps.into()),
    Column::new("input_wait_ps", "Input wait", Unit::Picos).of(|row| row.input_wait_ps.into()),
    Column::wide("compilation_ps", "Compilation", Unit::Picos).of(|row| row.compilation_ps.into()),
    Column::new("host_overhead_ps", "Host overhead", Unit::Picos)
        .of(|row| row.host_overhead_ps.into()),
    Column::new("idle_ps", "Idle", Unit::Picos).of(|row| row.idle_ps.into()),
    Column::new("is_outlier", "Outlier", Unit::Flag)
        .formula("0.6745 · |x − median| ÷ MAD > 3.5")
        .of(|row| row.is_outlier.into()),
];

/// The tables of the report with their columns.
pub(super) fn tables() -> Vec<Declared> {
    vec![Declared::of("rows", ROWS)]
}
