//! Columns of the tables of `roofline`: titles, units, behavior, and how each is read from its row.
//! The meaning of each column is documented at the field of its row.

use super::report::{RooflinePeak, RooflineRow};
use crate::telling::{Column, Declared, Field, Identity, Unit};

pub(super) const ROWS: &[Field<RooflineRow>] = &[
    Column::new("name", "Op", Unit::Text)
        .identifies(Identity::Op)
        .of(|row| row.name.as_str().into()),
    Column::new("self_ps", "Self", Unit::Picos)
        .sums()
        .of(|row| row.self_ps.into()),
    Column::new("flop_rate", "FLOP rate", Unit::FlopRate).of(|row| row.flop_rate.into()),
    Column::new("bandwidth", "Bandwidth", Unit::ByteRate).of(|row| row.bandwidth.into()),
    Column::wide("intensity", "FLOP per byte", Unit::Count)
        .fractional()
        .formula("flops ÷ bytes")
        .of(|row| row.intensity.into()),
    Column::new("bound_by", "Bound by", Unit::Text).of(|row| row.bound_by.as_str().into()),
    Column::new("roofline_ratio", "Of roofline", Unit::Ratio).of(|row| row.roofline_ratio.into()),
    Column::wide("self_ratio", "Of ops", Unit::Ratio).of(|row| row.self_ratio.into()),
    Column::wide("category", "Category", Unit::Text).of(|row| row.category.as_str().into()),
    Column::wide("occurrences", "Count", Unit::Count)
        .sums()
        .of(|row| row.occurrences.into()),
    Column::wide("optimal_flop_rate", "Rate at the roof", Unit::FlopRate)
        .formula("flop rate ÷ share of the roof")
        .of(|row| row.optimal_flop_rate.into()),
    Column::wide("compute_ratio", "Of compute peak", Unit::Ratio)
        .formula("Σ (FLOPs of a type ÷ its peak) ÷ time")
        .of(|row| row.compute_ratio.into()),
    Column::wide("operand_type", "Operand type", Unit::Text)
        .of(|row| row.operand_type.as_str().into()),
    Column::wide("expected_ps", "Expected", Unit::Picos)
        .fractional()
        .sums()
        .of(|row| row.expected_ps.into()),
    Column::wide("times_expected", "Times expected", Unit::Count)
        .fractional()
        .formula("total ÷ expected")
        .of(|row| row.times_expected.into()),
    Column::wide("expectation", "Derivation", Unit::Text).of(|row| row.expectation.as_str().into()),
    Column::wide("total_ps", "Total", Unit::Picos)
        .sums()
        .of(|row| row.total_ps.into()),
    Column::wide("flops", "FLOPs", Unit::Flops)
        .fractional()
        .sums()
        .of(|row| row.flops.into()),
    Column::wide("bytes", "Bytes", Unit::Bytes)
        .fractional()
        .sums()
        .of(|row| row.bytes.into()),
    Column::wide("is_over_peak", "Over peak", Unit::Flag).of(|row| row.is_over_peak.into()),
    Column::wide("scope", "Scope", Unit::Text).of(|row| row.scope.as_str().into()),
    Column::wide("source", "Source", Unit::Text).of(|row| row.source.as_str().into()),
    Column::wide("program", "Program", Unit::Text).of(|row| row.program.as_str().into()),
    Column::wide("cost_source", "Work source", Unit::Text)
        .of(|row| row.cost_source.as_str().into()),
];

pub(super) const SCOPES: &[Field<RooflineRow>] = &[
    Column::new("name", "Name", Unit::Text)
        .identifies(Identity::Unnumbered)
        .of(|row| row.name.as_str().into()),
    Column::new("total_ps", "Time", Unit::Picos)
        .sums()
        .of(|row| row.total_ps.into()),
    Column::new("flop_rate", "FLOP rate", Unit::FlopRate).of(|row| row.flop_rate.into()),
    Column::new("bandwidth", "Bandwidth", Unit::ByteRate).of(|row| row.bandwidth.into()),
    Column::wide("intensity", "FLOP per byte", Unit::Count)
        .fractional()
        .of(|row| row.intensity.into()),
    Column::new("bound_by", "Bound by", Unit::Text).of(|row| row.bound_by.as_str().into()),
    Column::new("roofline_ratio", "Of roofline", Unit::Ratio).of(|row| row.roofline_ratio.into()),
    Column::wide("compute_ratio", "HFU", Unit::Ratio)
        .more_is_better()
        .formula("Σ (FLOPs of a type ÷ its peak) ÷ device time")
        .of(|row| row.compute_ratio.into()),
    Column::wide("mfu_ratio", "MFU", Unit::Ratio)
        .more_is_better()
        .formula("Σ (needed FLOPs of a type ÷ its peak) ÷ device time")
        .of(|row| row.mfu_ratio.into()),
    Column::wide("flops", "FLOPs", Unit::Flops)
        .fractional()
        .sums()
        .of(|row| row.flops.into()),
    Column::wide("bytes", "Bytes", Unit::Bytes)
        .fractional()
        .sums()
        .of(|row| row.bytes.into()),
    Column::wide("kind", "Kind", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.kind.as_str().into()),
    // Last, so that a narrow terminal leaves them out first.
    Column::wide("needed_flops", "Model FLOPs", Unit::Flops)
        .fractional()
        .sums()
        .of(|row| row.needed_flops.into()),
    Column::wide("recomputed_flops", "Rematerialized FLOPs", Unit::Flops)
        .fractional()
        .sums()
        .of(|row| row.recomputed_flops.into()),
    Column::wide("masked_flops", "Masked FLOPs", Unit::Flops)
        .fractional()
        .sums()
        .of(|row| row.masked_flops.into()),
    Column::wide("copied_flops", "Copied FLOPs", Unit::Flops)
        .fractional()
        .sums()
        .of(|row| row.copied_flops.into()),
];

pub(super) const PEAKS: &[Field<RooflinePeak>] = &[
    Column::new("chip", "Chip", Unit::Text).of(|peak| peak.chip.as_str().into()),
    Column::new("level", "Peak of", Unit::Text).of(|peak| peak.level.as_str().into()),
    Column::new("operand_type", "Operand type", Unit::Text)
        .of(|peak| peak.operand_type.as_str().into()),
    Column::new("flop_rate", "FLOP rate", Unit::FlopRate)
        .means(
            "Peak FLOP rate of the chip in FLOP per second. Absent for memories and if \
             unknown.",
        )
        .of(|peak| peak.per_second.filter(|_| is_compute(peak)).into()),
    Column::new("bandwidth", "Bandwidth", Unit::ByteRate)
        .means(
            "Peak bandwidth of the memory in bytes per second. Absent for compute and \
             if unknown.",
        )
        .of(|peak| peak.per_second.filter(|_| !is_compute(peak)).into()),
    Column::new("ridge_intensity", "Ridge, FLOP per byte", Unit::Count)
        .fractional()
        .of(|peak| peak.ridge_intensity.into()),
    Column::wide("device_count", "Devices", Unit::Count)
        .of(|peak| i64::try_from(peak.device_count).unwrap_or(i64::MAX).into()),
    Column::wide("source", "Source", Unit::Text).of(|peak| peak.source.as_str().into()),
];

/// The key figures of the report.
pub(super) const FIGURES: &[Column] =
    &[Column::new("flops_unknown_ratio", "FLOPs unknown", Unit::Ratio).less_is_better()];

/// The tables of the report with their columns.
pub(super) fn tables() -> Vec<Declared> {
    vec![
        Declared::of("rows", ROWS),
        Declared::of("scopes", SCOPES),
        Declared::of("peaks", PEAKS),
    ]
}

fn is_compute(peak: &RooflinePeak) -> bool {
    peak.level == "compute"
}
