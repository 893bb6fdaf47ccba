//! Columns of the tables of `counters`: titles, units, behavior, and how each is read from its row.
//! The meaning of each column is documented at the field of its row.

use super::report::{CounterRow, UtilizationRow};
use crate::telling::{Column, Declared, Field, Identity, Unit};

pub(super) const ROWS: &[Field<CounterRow>] = &[
    Column::new("name", "Counter", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.name.as_str().into()),
    Column::new("device", "Device", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.device.as_str().into()),
    Column::new("unit", "Unit", Unit::Text).of(|row| row.unit.as_str().into()),
    Column::new("sample_count", "Samples", Unit::Count).of(|row| row.sample_count.into()),
    Column::new("min", "Min", Unit::Count)
        .fractional()
        .of(|row| row.min.into()),
    Column::new("mean", "Mean", Unit::Count)
        .fractional()
        .formula("Σ values ÷ samples")
        .of(|row| row.mean.into()),
    Column::new("max", "Max", Unit::Count)
        .fractional()
        .of(|row| row.max.into()),
    Column::wide("last", "Last", Unit::Count)
        .fractional()
        .of(|row| row.last.into()),
    Column::wide("line", "Line", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.line.as_str().into()),
    Column::wide("register", "Register", Unit::Text).of(|row| row.register.as_str().into()),
    Column::wide("last_exact", "Exact last", Unit::Text).of(|row| row.last_exact.as_str().into()),
    Column::wide("min_exact", "Exact minimum", Unit::Text).of(|row| row.min_exact.as_str().into()),
    Column::wide("max_exact", "Exact maximum", Unit::Text).of(|row| row.max_exact.as_str().into()),
    Column::wide("sets", "Sets", Unit::Text).of(|row| row.sets.as_str().into()),
    Column::wide("description", "Description", Unit::Text)
        .of(|row| row.description.as_str().into()),
    Column::wide("max_at_ps", "Time of max", Unit::Picos)
        .position()
        .of(|row| row.max_at_ps.into()),
    Column::wide("start_ps", "First sample", Unit::Picos)
        .position()
        .of(|row| row.start_ps.into()),
    Column::wide("end_ps", "Last sample", Unit::Picos)
        .position()
        .of(|row| row.end_ps.into()),
    Column::wide("host", "Host", Unit::Text).of(|row| row.host.as_str().into()),
];

pub(super) const UTILIZATION: &[Field<UtilizationRow>] = &[
    Column::new("name", "Resource", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.name.as_str().into()),
    Column::new("unit", "Unit", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.unit.as_str().into()),
    Column::new("ratio", "Utilization", Unit::Ratio)
        .formula("counted ÷ limit")
        .of(|row| row.ratio.into()),
    Column::new("achieved", "Counted", Unit::Count)
        .fractional()
        .of(|row| row.achieved.into()),
    Column::new("peak", "Limit", Unit::Count)
        .fractional()
        .of(|row| row.peak.into()),
    Column::new("measure", "Counted in", Unit::Text).of(|row| row.measure.as_str().into()),
    Column::wide("device", "Device", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.device.as_str().into()),
    Column::wide("line", "Line", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.line.as_str().into()),
    Column::wide("sample", "Sample", Unit::Count)
        .position()
        .of(|row| row.sample.into()),
    Column::wide("at_ps", "Time", Unit::Picos)
        .position()
        .of(|row| row.at_ps.into()),
    Column::wide("peak_source", "Source of limit", Unit::Text)
        .of(|row| row.peak_source.as_str().into()),
];

/// The tables of the report with their columns.
pub(super) fn tables() -> Vec<Declared> {
    vec![
        Declared::of("rows", ROWS),
        Declared::of("utilization", UTILIZATION),
    ]
}
