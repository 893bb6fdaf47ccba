//! The `scaling` report as tables.

use super::chart;
use super::report::{ScalingReport, ScalingRow};
use crate::cell::{Cell, Column, Table, Unit};
use crate::note::Note;
use crate::order::{SortColumn, SortValue};
use crate::registry::Report;

/// Columns that `--sort` knows.
pub(super) const SORT_COLUMNS: &[SortColumn<ScalingRow>] = &[
    ("method", |row| SortValue::Text(&row.method)),
    ("device_count", |row| {
        SortValue::Float(Some(row.device_count as f64))
    }),
    ("step_ps", |row| SortValue::Float(Some(row.step_ps))),
    ("speedup_ratio", |row| {
        SortValue::Float(Some(row.speedup_ratio))
    }),
    ("efficiency_ratio", |row| {
        SortValue::Float(Some(row.efficiency_ratio))
    }),
    ("communication_ps", |row| {
        SortValue::Float(row.communication_ps)
    }),
    ("exposed_ps", |row| SortValue::Float(row.exposed_ps)),
    ("balance_ratio", |row| SortValue::Float(row.balance_ratio)),
];

const COLUMNS: &[Column] = &[
    Column::new("method", "Method", Unit::Text),
    Column::wide("source", "Source", Unit::Text),
    Column::new("device_count", "Devices", Unit::Count),
    Column::wide("devices", "Kind", Unit::Text),
    Column::wide("is_virtual", "Virtual", Unit::Flag),
    Column::wide("sample_count", "Samples", Unit::Count),
    Column::new("step_ps", "Step", Unit::Picos).fractional(),
    Column::wide("step_min_ps", "Least", Unit::Picos).fractional(),
    Column::wide("step_max_ps", "Most", Unit::Picos).fractional(),
    Column::new("throughput_per_second", "Steps/s", Unit::Count).fractional(),
    Column::wide("examples_per_second", "Examples/s", Unit::Count).fractional(),
    Column::new("speedup_ratio", "Speed-up", Unit::Count).fractional(),
    Column::wide("ideal_speedup_ratio", "Ideal", Unit::Count).fractional(),
    Column::new("efficiency_ratio", "Efficiency", Unit::Ratio),
    Column::wide("compute_ps", "Compute", Unit::Picos).fractional(),
    Column::wide("communication_ps", "Communication", Unit::Picos).fractional(),
    Column::new("communication_ratio", "Comm. share", Unit::Ratio),
    Column::wide("exposed_ps", "Exposed", Unit::Picos).fractional(),
    Column::new("exposed_ratio", "Exposed share", Unit::Ratio),
    Column::new("balance_ratio", "Balance", Unit::Ratio),
];

const LIMITS: &[Column] = &[
    Column::new("method", "Method", Unit::Text),
    Column::new("title", "Limit", Unit::Text),
    Column::new("before_ps", "Before", Unit::Picos).fractional(),
    Column::new("step_ps", "Largest count", Unit::Picos).fractional(),
    Column::new("next_ps", "Twice as many", Unit::Picos).fractional(),
    Column::new("cost_ps", "Too much", Unit::Picos).fractional(),
    Column::wide("cost_ratio", "Of the step", Unit::Ratio),
];

const METHODS: &[Column] = &[
    Column::new("method", "Method", Unit::Text),
    Column::wide("source", "Source", Unit::Text),
    Column::wide("base_device_count", "Base", Unit::Count),
    Column::wide("next_device_count", "Next", Unit::Count),
    Column::new("serial_ratio", "Serial share", Unit::Ratio),
    Column::wide("fit_error_ratio", "Error of fit", Unit::Ratio),
    Column::wide("next_step_ps", "Next step", Unit::Picos).fractional(),
    Column::new("next_speedup_ratio", "Next speed-up", Unit::Count).fractional(),
    Column::new("largest_speedup_ratio", "Largest speed-up", Unit::Count).fractional(),
];

const SAMPLES: &[Column] = &[
    Column::new("name", "Sample", Unit::Text),
    Column::new("method", "Method", Unit::Text),
    Column::wide("source", "Source", Unit::Text),
    Column::new("device_count", "Devices", Unit::Count),
    Column::new("step_count", "Steps", Unit::Count),
    Column::new("step_ps", "Step", Unit::Picos).fractional(),
];

impl Report for ScalingReport {
    fn tables(&self) -> Vec<Table> {
        vec![rows(self), limits(self), methods(self), samples(self)]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn chart(&self) -> Vec<String> {
        chart::lines(self)
    }
}

fn rows(report: &ScalingReport) -> Table {
    let rows = report.rows.iter().map(|row| {
        vec![
            Cell::from(row.method.as_str()),
            row.source.as_str().into(),
            row.device_count.into(),
            row.devices.as_str().into(),
            row.is_virtual.into(),
            row.sample_count.into(),
            row.step_ps.into(),
            row.step_min_ps.into(),
            row.step_max_ps.into(),
            row.throughput_per_second.into(),
            row.examples_per_second.into(),
            row.speedup_ratio.into(),
            row.ideal_speedup_ratio.into(),
            row.efficiency_ratio.into(),
            row.compute_ps.into(),
            row.communication_ps.into(),
            row.communication_ratio.into(),
            row.exposed_ps.into(),
            row.exposed_ratio.into(),
            row.balance_ratio.into(),
        ]
    });
    Table::new("rows", "Methods by device count", COLUMNS, rows)
}

fn limits(report: &ScalingReport) -> Table {
    let rows = report.methods.iter().flat_map(|method| {
        method.limits.iter().map(|limit| {
            vec![
                method.method.as_str().into(),
                limit.title.as_str().into(),
                limit.before_ps.into(),
                limit.step_ps.into(),
                limit.next_ps.into(),
                limit.cost_ps.into(),
                limit.cost_ratio.into(),
            ]
        })
    });
    Table::new("limits", "What limits the next doubling", LIMITS, rows)
}

fn methods(report: &ScalingReport) -> Table {
    let rows = report.methods.iter().map(|method| {
        vec![
            method.method.as_str().into(),
            method.source.as_str().into(),
            method.base_device_count.into(),
            method.next_device_count.into(),
            method.serial_ratio.into(),
            method.fit_error_ratio.into(),
            method.next_step_ps.into(),
            method.next_speedup_ratio.into(),
            method.largest_speedup_ratio.into(),
        ]
    });
    Table::new("methods", "Methods", METHODS, rows)
}

fn samples(report: &ScalingReport) -> Table {
    let rows = report.samples.iter().map(|sample| {
        vec![
            sample.name.as_str().into(),
            sample.method.as_str().into(),
            sample.source.as_str().into(),
            sample.device_count.into(),
            sample.step_count.into(),
            sample.step_ps.into(),
        ]
    });
    Table::new("samples", "Samples", SAMPLES, rows)
}
