//! Columns of the tables of `overview`: titles, units, behavior, and how each is read from its row.
//! The meaning of each column is documented at the field of its row.

use documented::DocumentedFields;

use super::report::Verdict;
use crate::measuring::busy::DeviceBusy;
use crate::measuring::environment::Fact;
use crate::measuring::steps::parts::PARTS;
use crate::measuring::steps::{PartKind, StepBar, StepPart};
use crate::telling::thresholds::DEFAULTS;
use crate::telling::{Cell, Column, Declared, Field, Unit};
use crate::views::ops::columns::ROWS as OPS;

pub(super) const STEP_PARTS: &[Field<StepPart>] = &[
    Column::new("part", "Part", Unit::Text).of(|part| part.part.title().into()),
    Column::new("mean_ps", "Mean", Unit::Picos)
        .fractional()
        .of(|part| part.mean_ps.into()),
    Column::new("ratio", "Share", Unit::Ratio).of(|part| part.ratio.into()),
];

/// A line of the balance of host and devices in the mean step.
#[derive(DocumentedFields)]
pub(super) struct BalanceLine {
    /// Figure of the mean step: host step time, device step time, device idle time, or a cause of
    /// the idle time.
    pub figure: String,
    /// Mean of the figure over steps. Absent for the host step time if no host annotated its steps.
    pub mean_ps: Option<f64>,
    /// Share of the device step time. Absent for the host and device step times.
    pub ratio: Option<f64>,
    /// What the host does in most of the idle time without a separate cause (all others). Empty for
    /// the other figures.
    pub mostly: String,
}

pub(super) const STEP_BALANCE: &[Field<BalanceLine>] = &[
    Column::new("figure", "Figure", Unit::Text).of(|line| line.figure.as_str().into()),
    Column::new("mean_ps", "Mean", Unit::Picos)
        .fractional()
        .of(|line| line.mean_ps.into()),
    Column::new("ratio", "Of device step", Unit::Ratio).of(|line| line.ratio.into()),
    Column::new("mostly", "Main cause", Unit::Text).of(|line| line.mostly.as_str().into()),
];

pub(super) const VERDICTS: &[Field<Verdict>] = &[
    Column::new("title", "Figure", Unit::Text).of(|verdict| verdict.title.as_str().into()),
    Column::wide("key", "Key", Unit::Text).of(|verdict| verdict.key.as_str().into()),
    Column::new("figure", "Value", Unit::Text)
        .means("Value of the figure, with its unit, and the value that the thresholds are of if it is another.")
        .of(|verdict| figure(verdict).into()),
    Column::new("verdict", "Verdict", Unit::Text).of(|verdict| verdict.verdict.name().into()),
    Column::new("thresholds", "Judged by", Unit::Text)
        .means("Thresholds of the verdict, as text: good > 80 %, bad < 50 %. If the verdict is neutral, what decides instead: bound by memory.")
        .of(|verdict| verdict.judged_by().into()),
    Column::wide("explanation", "Explanation", Unit::Text)
        .of(|verdict| verdict.explanation.as_str().into()),
    Column::wide("value", "Numeric value", Unit::Count)
        .fractional()
        .of(|verdict| verdict.value.into()),
];

pub(super) const DEVICES: &[Field<DeviceBusy>] = &[
    Column::new("device", "Device", Unit::Text).of(|device| device.device.as_str().into()),
    Column::new("busy_ps", "Busy", Unit::Picos)
        .sums()
        .of(|device| device.busy_ps.into()),
    Column::new("window_ps", "Window", Unit::Picos)
        .sums()
        .neutral()
        .of(|device| device.window_ps.into()),
    Column::new("busy_ratio", "Busy share", Unit::Ratio).of(|device| device.busy_ratio.into()),
];

pub(super) const STEP_SERIES: &[Field<StepBar>] = &[
    Column::new("step", "Step", Unit::Count)
        .position()
        .of(|bar| bar.step.into()),
    Column::wide("start_ps", "Start", Unit::Picos)
        .position()
        .of(|bar| bar.start_ps.into()),
    Column::new("duration_ps", "Duration", Unit::Picos)
        .fractional()
        .of(|bar| bar.duration_ps.into()),
    Column::wide(
        "device_compute_ps",
        PartKind::DeviceCompute.title(),
        Unit::Picos,
    )
    .fractional()
    .means(
        "Time in which the device computes. Mean over hosts of the mean over the \
             host's devices.",
    )
    .of(|bar| part(bar, PartKind::DeviceCompute)),
    Column::wide("collectives_ps", PartKind::Collectives.title(), Unit::Picos)
        .fractional()
        .means(
            "Exposed communication: time in which the device communicates and computes \
             nothing. Mean over hosts of the mean over the host's devices.",
        )
        .of(|bar| part(bar, PartKind::Collectives)),
    Column::wide(
        "host_to_device_ps",
        PartKind::HostToDevice.title(),
        Unit::Picos,
    )
    .fractional()
    .means(
        "Time of exposed host-to-device copies. Mean over hosts of the mean over \
             the host's devices.",
    )
    .of(|bar| part(bar, PartKind::HostToDevice)),
    Column::wide(
        "device_to_host_ps",
        PartKind::DeviceToHost.title(),
        Unit::Picos,
    )
    .fractional()
    .means(
        "Time of exposed device-to-host copies. Mean over hosts of the mean over \
             the host's devices.",
    )
    .of(|bar| part(bar, PartKind::DeviceToHost)),
    Column::wide(
        "device_to_device_ps",
        PartKind::DeviceToDevice.title(),
        Unit::Picos,
    )
    .fractional()
    .means(
        "Time of exposed device-to-device copies. Mean over hosts of the mean over \
             the host's devices.",
    )
    .of(|bar| part(bar, PartKind::DeviceToDevice)),
    Column::wide(
        "python_callbacks_ps",
        PartKind::PythonCallbacks.title(),
        Unit::Picos,
    )
    .fractional()
    .means(
        "Time in which the program calls Python on the host and the device waits. \
             Mean over hosts of the mean over the host's devices.",
    )
    .of(|bar| part(bar, PartKind::PythonCallbacks)),
    Column::wide("input_wait_ps", PartKind::InputWait.title(), Unit::Picos)
        .fractional()
        .means(
            "Time in which the device is idle while the host prepares input, waits for it, or \
             copies to the device. Mean over hosts of the mean over the host's devices.",
        )
        .of(|bar| part(bar, PartKind::InputWait)),
    Column::wide("compilation_ps", PartKind::Compilation.title(), Unit::Picos)
        .fractional()
        .means(
            "Time in which the device is idle while its host compiles. Mean over hosts \
             of the mean over the host's devices.",
        )
        .of(|bar| part(bar, PartKind::Compilation)),
    Column::wide(
        "host_overhead_ps",
        PartKind::HostOverhead.title(),
        Unit::Picos,
    )
    .fractional()
    .means(
        "Time in which the device is idle while the host does other recorded work. \
             Mean over hosts of the mean over the host's devices.",
    )
    .of(|bar| part(bar, PartKind::HostOverhead)),
    Column::wide("idle_ps", PartKind::Idle.title(), Unit::Picos)
        .fractional()
        .means(
            "Time in which the device is idle while the host waits or recorded nothing. \
             Mean over hosts of the mean over the host's devices.",
        )
        .of(|bar| part(bar, PartKind::Idle)),
    Column::new("is_outlier", "Outlier", Unit::Flag).of(|bar| bar.is_outlier.into()),
];

pub(super) const ENVIRONMENT: &[Field<Fact>] = &[
    Column::new("name", "Fact", Unit::Text).of(|fact| fact.name.as_str().into()),
    Column::new("value", "Value", Unit::Text).of(|fact| fact.value.as_str().into()),
];

/// The key figures of the report.
pub(super) const FIGURES: &[Column] = &[
    Column::new("duration_ps", "Capture", Unit::Picos).neutral(),
    Column::new("device_busy_ratio", "Device busy", Unit::Ratio)
        .more_is_better()
        .formula("union of work intervals ÷ window"),
    Column::new("mfu_ratio", "MFU", Unit::Ratio)
        .more_is_better()
        .formula("Σ (needed FLOPs of a type ÷ its peak) ÷ device time"),
    Column::new("hfu_ratio", "HFU", Unit::Ratio)
        .more_is_better()
        .formula("Σ (FLOPs of a type ÷ its peak) ÷ device time"),
    Column::new("flops_known_ratio", "FLOPs known", Unit::Ratio).more_is_better(),
];

/// The tables of the report with their columns.
pub(super) fn tables() -> Vec<Declared> {
    vec![
        Declared::of("step_parts", STEP_PARTS),
        Declared::of("step_balance", STEP_BALANCE),
        Declared::of("verdicts", VERDICTS),
        Declared::of("top_ops", OPS),
        Declared::of("devices", DEVICES),
        Declared::of("step_series", STEP_SERIES),
        Declared::of("environment", ENVIRONMENT),
    ]
}

fn figure(verdict: &Verdict) -> Option<String> {
    let entry = DEFAULTS.iter().find(|entry| entry.key == verdict.key);
    let (value, entry) = verdict.value.zip(entry)?;
    let figure = entry.figure(value);
    Some(match verdict.judged_beside() {
        "" => figure,
        beside => format!("{figure}, {beside}"),
    })
}

/// A part of the step.
fn part(bar: &StepBar, kind: PartKind) -> Cell {
    let mut parts = PARTS.iter().zip(&bar.parts_ps);
    let found = parts.find(|(part, _)| **part == kind);
    found.map(|(_, time_ps)| *time_ps).into()
}
