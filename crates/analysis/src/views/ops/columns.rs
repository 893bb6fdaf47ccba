//! Columns of the tables of `ops`: titles, units, behavior, and how each is read from its row.
//! The meaning of each column is documented at the field of its row.

use super::report::{OpRegion, OpRow, OpsDevice};
use crate::telling::{Column, Declared, Field, Identity, Unit};

pub(crate) const ROWS: &[Field<OpRow>] = &[
    Column::new("name", "Op", Unit::Text)
        .identifies(Identity::Op)
        .of(|row| row.name.as_str().into()),
    Column::new("category", "Category", Unit::Text).of(|row| row.category.as_str().into()),
    Column::wide("device", "Device", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.device.as_str().into()),
    Column::new("occurrences", "Count", Unit::Count)
        .sums()
        .of(|row| row.occurrences.into()),
    Column::new("self_ps", "Self", Unit::Picos)
        .formula("Σ (duration − nested children)")
        .sums()
        .of(|row| row.self_ps.into()),
    Column::new("self_ratio", "Of ops", Unit::Ratio)
        .formula("self ÷ Σ self")
        .of(|row| row.self_ratio.into()),
    Column::wide("scope", "Scope", Unit::Text).of(|row| row.scope.as_str().into()),
    Column::wide("flop_rate", "FLOP rate", Unit::FlopRate)
        .formula("flops × count ÷ total")
        .of(|row| row.flop_rate.into()),
    Column::wide("bandwidth", "Bandwidth", Unit::ByteRate)
        .formula("bytes × count ÷ total")
        .of(|row| row.bandwidth.into()),
    Column::wide("bound_by", "Bound by", Unit::Text).of(|row| row.bound_by.as_str().into()),
    Column::wide("program", "Program", Unit::Text).of(|row| row.program.as_str().into()),
    Column::wide("source", "Source", Unit::Text).of(|row| row.source.as_str().into()),
    Column::wide("roofline_ratio", "Of roofline", Unit::Ratio)
        .formula("max(FLOP rate ÷ peak, bandwidth ÷ peak)")
        .of(|row| row.roofline_ratio.into()),
    Column::wide("operand_type", "Operand type", Unit::Text)
        .of(|row| row.operand_type.as_str().into()),
    Column::wide("expected_ps", "Expected", Unit::Picos)
        .formula("max(Σ FLOPs ÷ peak of their type, bytes ÷ bandwidth)")
        .fractional()
        .sums()
        .of(|row| row.expected_ps.into()),
    Column::wide("times_expected", "Times expected", Unit::Count)
        .fractional()
        .formula("total ÷ expected")
        .of(|row| row.times_expected.into()),
    Column::wide("peak_flops_per_second", "Peak of its type", Unit::FlopRate)
        .formula("FLOPs ÷ Σ (FLOPs of a type ÷ its peak)")
        .of(|row| row.peak_flops_per_second.into()),
    Column::wide("expectation", "Derivation", Unit::Text).of(|row| row.expectation.as_str().into()),
    Column::wide("total_ps", "Total", Unit::Picos)
        .formula("Σ duration")
        .sums()
        .of(|row| row.total_ps.into()),
    Column::wide("flops", "FLOPs per execution", Unit::Flops)
        .fractional()
        .of(|row| row.flops.into()),
    Column::wide("bytes", "Bytes per execution", Unit::Bytes)
        .fractional()
        .of(|row| row.bytes.into()),
    Column::wide("executions", "Executions", Unit::Count)
        .sums()
        .of(|row| row.executions.into()),
    Column::wide("class", "Class", Unit::Text).of(|row| row.class.as_str().into()),
    Column::wide("cost_source", "Work source", Unit::Text)
        .of(|row| row.cost_source.as_str().into()),
    Column::wide("program_id", "Program id", Unit::Text).of(|row| row.program_id.as_str().into()),
    Column::wide("is_rematerialized", "Rematerialized", Unit::Flag)
        .of(|row| row.is_rematerialized.into()),
    Column::wide("category_source", "Category from", Unit::Text)
        .of(|row| row.category_source.as_str().into()),
    Column::wide("attribution", "Attribution", Unit::Text)
        .of(|row| row.attribution.as_str().into()),
];

pub(super) const REGIONS: &[Field<OpRegion>] = &[
    Column::new("name", "Region", Unit::Text).of(|region| region.name.as_str().into()),
    Column::new("op", "Op", Unit::Text).of(|region| region.op.as_str().into()),
    Column::new("occurrences", "Count", Unit::Count)
        .sums()
        .of(|region| region.occurrences.into()),
    Column::new("total_ps", "Total", Unit::Picos)
        .sums()
        .of(|region| region.total_ps.into()),
    Column::new("op_ratio", "Of the op", Unit::Ratio).of(|region| region.op_ratio.into()),
    Column::new("row", "Row", Unit::Text).of(|region| region.row.as_str().into()),
    Column::wide("is_wait", "Waits", Unit::Flag).of(|region| region.is_wait.into()),
    Column::wide("program_id", "Program id", Unit::Text)
        .of(|region| region.program_id.as_str().into()),
];

pub(super) const DEVICES: &[Field<OpsDevice>] = &[
    Column::new("device", "Device", Unit::Text).of(|device| device.device.as_str().into()),
    Column::new("busy_ps", "Busy", Unit::Picos)
        .sums()
        .of(|device| device.busy_ps.into()),
    Column::new("self_ps", "Σ self", Unit::Picos)
        .sums()
        .of(|device| device.self_ps.into()),
    Column::new("occurrences", "Count", Unit::Count)
        .sums()
        .of(|device| device.occurrences.into()),
];

/// The key figures of the report.
pub(super) const FIGURES: &[Column] = &[
    Column::new("total_self_ps", "Self time", Unit::Picos).sums(),
    Column::new("attributed_ratio", "Attributed", Unit::Ratio)
        .more_is_better()
        .formula("attributed time ÷ work time"),
    Column::new("flops_unknown_ratio", "FLOPs unknown", Unit::Ratio).less_is_better(),
];

/// The tables of the report with their columns.
pub(super) fn tables() -> Vec<Declared> {
    vec![
        Declared::of("rows", ROWS),
        Declared::of("regions", REGIONS),
        Declared::of("devices", DEVICES),
    ]
}
