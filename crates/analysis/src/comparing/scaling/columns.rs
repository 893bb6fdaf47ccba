//! Columns of the tables of `scaling`: titles, units, behavior, and how each is read from its row.
//! The meaning of each column is documented at the field of its row.

use super::report::{ScalingLimit, ScalingMethod, ScalingRow, ScalingSample};
use crate::telling::{Column, Declared, Field, Unit};

pub(super) const ROWS: &[Field<ScalingRow>] = &[
    Column::new("method", "Method", Unit::Text).of(|row| row.method.as_str().into()),
    Column::new("program", "Program", Unit::Text).of(|row| row.program.as_str().into()),
    Column::wide("source", "Source", Unit::Text).of(|row| row.source.as_str().into()),
    Column::new("device_count", "Devices", Unit::Count).of(|row| row.device_count.into()),
    Column::wide("devices", "Kind", Unit::Text).of(|row| row.devices.as_str().into()),
    Column::wide("is_virtual", "Virtual", Unit::Flag).of(|row| row.is_virtual.into()),
    Column::wide("sample_count", "Samples", Unit::Count).of(|row| row.sample_count.into()),
    Column::new("step_ps", "Step", Unit::Picos)
        .fractional()
        .of(|row| row.step_ps.into()),
    Column::wide("step_min_ps", "Min", Unit::Picos)
        .fractional()
        .of(|row| row.step_min_ps.into()),
    Column::wide("step_max_ps", "Max", Unit::Picos)
        .fractional()
        .of(|row| row.step_max_ps.into()),
    Column::new("throughput_per_second", "Steps/s", Unit::Count)
        .fractional()
        .formula("1 ÷ step")
        .of(|row| row.throughput_per_second.into()),
    Column::wide("examples_per_second", "Examples/s", Unit::Count)
        .fractional()
        .formula("batch × steps per second")
        .of(|row| row.examples_per_second.into()),
    Column::new("speedup_ratio", "Speedup", Unit::Count)
        .fractional()
        .formula("throughput ÷ throughput on the smallest device count")
        .of(|row| row.speedup_ratio.into()),
    Column::wide("ideal_speedup_ratio", "Ideal", Unit::Count)
        .fractional()
        .of(|row| row.ideal_speedup_ratio.into()),
    Column::new("efficiency_ratio", "Efficiency", Unit::Ratio)
        .formula("speedup ÷ (device count ÷ smallest device count)")
        .of(|row| row.efficiency_ratio.into()),
    Column::wide("compute_ps", "Compute", Unit::Picos)
        .fractional()
        .of(|row| row.compute_ps.into()),
    Column::wide("communication_ps", "Communication", Unit::Picos)
        .fractional()
        .of(|row| row.communication_ps.into()),
    Column::new("communication_ratio", "Comm. share", Unit::Ratio)
        .of(|row| row.communication_ratio.into()),
    Column::wide("exposed_ps", "Exposed", Unit::Picos)
        .fractional()
        .of(|row| row.exposed_ps.into()),
    Column::new("exposed_ratio", "Exposed share", Unit::Ratio).of(|row| row.exposed_ratio.into()),
    Column::new("balance_ratio", "Balance", Unit::Ratio)
        .formula("mean computation per device ÷ computation of the device with most")
        .of(|row| row.balance_ratio.into()),
];

pub(super) const LIMITS: &[Field<ScalingLimit, ScalingMethod>] = &[
    Column::new("method", "Method", Unit::Text)
        .means(
            "What differs between the names of sessions besides device count and time. \
             `--method REGEX` selects it.",
        )
        .within(|_, method| method.method.as_str().into()),
    Column::new("program", "Program", Unit::Text)
        .means("Program with the most device time in the sessions. Empty if unknown, as for benchmarks.")
        .within(|_, method| method.program.as_str().into()),
    Column::new("title", "Limit", Unit::Text).of(|limit| limit.title.as_str().into()),
    Column::new("before_ps", "Before", Unit::Picos)
        .fractional()
        .of(|limit| limit.before_ps.into()),
    Column::new("step_ps", "Largest count", Unit::Picos)
        .fractional()
        .means(
            "Time of the limit in the step on the largest device count: mean over the \
             samples of the mean of their typical steps, excluding outliers.",
        )
        .of(|limit| limit.step_ps.into()),
    Column::new("next_ps", "Next count", Unit::Picos)
        .fractional()
        .of(|limit| limit.next_ps.into()),
    Column::new("cost_ps", "Excess", Unit::Picos)
        .fractional()
        .means(
            "Time that a part of the step takes beyond perfect scaling when the device \
             count doubles once more, if it changes as at the last doubling.",
        )
        .formula(
            "part on twice as many devices − half of the part now; weak scaling: − the \
             part now",
        )
        .of(|limit| limit.cost_ps.into()),
    Column::wide("cost_ratio", "Share of step", Unit::Ratio).of(|limit| limit.cost_ratio.into()),
];

pub(super) const METHODS: &[Field<ScalingMethod>] = &[
    Column::new("method", "Method", Unit::Text).of(|method| method.method.as_str().into()),
    Column::new("program", "Program", Unit::Text).of(|method| method.program.as_str().into()),
    Column::new("chips", "Kind of device", Unit::Text).of(|method| method.chips.as_str().into()),
    Column::wide("apart_because", "Stands apart because", Unit::Text)
        .of(|method| method.apart_because.as_str().into()),
    Column::wide("source", "Source", Unit::Text).of(|method| method.source.as_str().into()),
    Column::wide("base_device_count", "Base", Unit::Count)
        .of(|method| method.base_device_count.into()),
    Column::wide("next_device_count", "Next", Unit::Count)
        .of(|method| method.next_device_count.into()),
    Column::new("serial_ratio", "Serial share", Unit::Ratio)
        .of(|method| method.serial_ratio.into()),
    Column::wide("fit_error_ratio", "Fit error", Unit::Ratio)
        .of(|method| method.fit_error_ratio.into()),
    Column::wide("next_step_ps", "Next step", Unit::Picos)
        .fractional()
        .of(|method| method.next_step_ps.into()),
    Column::new("next_speedup_ratio", "Next speedup", Unit::Count)
        .fractional()
        .of(|method| method.next_speedup_ratio.into()),
    Column::new("largest_speedup_ratio", "Max speedup", Unit::Count)
        .fractional()
        .of(|method| method.largest_speedup_ratio.into()),
];

pub(super) const SAMPLES: &[Field<ScalingSample>] = &[
    Column::new("name", "Sample", Unit::Text).of(|sample| sample.name.as_str().into()),
    Column::new("method", "Method", Unit::Text).of(|sample| sample.method.as_str().into()),
    Column::new("program", "Program", Unit::Text).of(|sample| sample.program.as_str().into()),
    Column::wide("source", "Source", Unit::Text).of(|sample| sample.source.as_str().into()),
    Column::new("device_count", "Devices", Unit::Count).of(|sample| sample.device_count.into()),
    Column::new("step_count", "Steps", Unit::Count).of(|sample| sample.step_count.into()),
    Column::new("step_ps", "Step", Unit::Picos)
        .fractional()
        .of(|sample| sample.step_ps.into()),
];

/// The tables of the report with their columns.
pub(super) fn tables() -> Vec<Declared> {
    vec![
        Declared::of("rows", ROWS),
        Declared::of("limits", LIMITS),
        Declared::of("methods", METHODS),
        Declared::of("samples", SAMPLES),
    ]
}
