//! Columns of the tables of `scopes`: titles, units, behavior, and how each is read from its row.
//! The meaning of each column is documented at the field of its row.

use super::report::{FoldedRow, LayerRow, ScopeRow};
use crate::telling::{Column, Declared, Field, Identity, Unit, indented};

pub(super) const ROWS: &[Field<ScopeRow>] = &[
    Column::new("name", "Scope", Unit::Text).of(|row| indented(row.depth, &row.name).into()),
    Column::new("total_ps", "Total", Unit::Picos)
        .formula("Σ self")
        .sums()
        .of(|row| row.total_ps.into()),
    Column::new("ratio", "Of ops", Unit::Ratio)
        .formula("total ÷ Σ self")
        .of(|row| row.ratio.into()),
    Column::new("forward_ps", "Forward", Unit::Picos)
        .sums()
        .of(|row| row.forward_ps.into()),
    Column::new("backward_ps", "Backward", Unit::Picos)
        .sums()
        .of(|row| row.backward_ps.into()),
    Column::new("rematerialized_ps", "Rematerialized", Unit::Picos)
        .sums()
        .of(|row| row.rematerialized_ps.into()),
    Column::wide("self_ps", "Self", Unit::Picos)
        .formula("Σ self")
        .sums()
        .of(|row| row.self_ps.into()),
    Column::wide("occurrences", "Count", Unit::Count)
        .sums()
        .of(|row| row.occurrences.into()),
    Column::wide("flops", "FLOPs", Unit::Flops)
        .fractional()
        .formula("Σ flops × count")
        .sums()
        .of(|row| row.flops.into()),
    Column::wide("bytes", "Bytes", Unit::Bytes)
        .fractional()
        .formula("Σ bytes × count")
        .sums()
        .of(|row| row.bytes.into()),
    Column::wide("expected_ps", "Expected", Unit::Picos)
        .fractional()
        .sums()
        .neutral()
        .of(|row| row.expected_ps.into()),
    Column::wide("times_expected", "Times expected", Unit::Count)
        .fractional()
        .of(|row| row.times_expected.into()),
    Column::wide("depth", "Level", Unit::Count)
        .position()
        .of(|row| i64::from(row.depth).into()),
    Column::wide("child_count", "Children", Unit::Count)
        .of(|row| i64::from(row.child_count).into()),
    Column::wide("path", "Path", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.path.as_str().into()),
    Column::wide("estimated_ps", "Estimated", Unit::Picos)
        .formula("Σ self × share of the path")
        .sums()
        .of(|row| row.estimated_ps.into()),
    Column::wide("paths", "Serves", Unit::Text).of(|row| row.paths.join("; ").into()),
];

pub(super) const LAYERS: &[Field<LayerRow>] = &[
    Column::new("family", "Layers", Unit::Text).of(|row| row.family.as_str().into()),
    Column::new("name", "Layer", Unit::Text).of(|row| row.name.as_str().into()),
    Column::wide("number", "Number", Unit::Count)
        .position()
        .of(|row| row.number.into()),
    Column::new("total_ps", "Total", Unit::Picos)
        .formula("Σ self")
        .sums()
        .of(|row| row.total_ps.into()),
    Column::new("times_median", "Times median", Unit::Count)
        .fractional()
        .formula("total ÷ median total of the siblings")
        .of(|row| row.times_median.into()),
    Column::new("is_outlier", "Outlier", Unit::Flag)
        .formula("|total − median| > max(5 % of the median, 3.5 × median deviation ÷ 0.6745)")
        .of(|row| row.is_outlier.into()),
    Column::new("forward_ps", "Forward", Unit::Picos)
        .sums()
        .of(|row| row.forward_ps.into()),
    Column::new("backward_ps", "Backward", Unit::Picos)
        .sums()
        .of(|row| row.backward_ps.into()),
    Column::wide("rematerialized_ps", "Rematerialized", Unit::Picos)
        .sums()
        .of(|row| row.rematerialized_ps.into()),
    Column::wide("flops", "FLOPs", Unit::Flops)
        .fractional()
        .sums()
        .of(|row| row.flops.into()),
    Column::wide("bytes", "Bytes", Unit::Bytes)
        .fractional()
        .sums()
        .of(|row| row.bytes.into()),
    Column::new("expected_ps", "Expected", Unit::Picos)
        .fractional()
        .sums()
        .neutral()
        .of(|row| row.expected_ps.into()),
    Column::new("times_expected", "Times expected", Unit::Count)
        .fractional()
        .of(|row| row.times_expected.into()),
    Column::wide("path", "Path", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.path.as_str().into()),
];

pub(super) const FOLDED: &[Field<FoldedRow>] = &[
    Column::new("name", "Scope", Unit::Text).of(|row| indented(row.depth, &row.name).into()),
    Column::new("layer_count", "Layers", Unit::Count)
        .neutral()
        .of(|row| row.layer_count.into()),
    Column::new("total_ps", "Total", Unit::Picos)
        .formula("Σ self")
        .sums()
        .of(|row| row.total_ps.into()),
    Column::new("ratio", "Of ops", Unit::Ratio)
        .formula("total ÷ Σ self")
        .of(|row| row.ratio.into()),
    Column::new("mean_ps", "Mean of a layer", Unit::Picos)
        .fractional()
        .formula("total ÷ layers")
        .sums()
        .of(|row| row.mean_ps.into()),
    Column::wide("min_ps", "Least", Unit::Picos)
        .sums()
        .of(|row| row.min_ps.into()),
    Column::wide("max_ps", "Largest", Unit::Picos)
        .sums()
        .of(|row| row.max_ps.into()),
    Column::new("times_least", "Spread", Unit::Count)
        .fractional()
        .formula("largest ÷ least")
        .of(|row| row.times_least.into()),
    Column::new("max_layer", "Largest in", Unit::Text).of(|row| row.max_layer.as_str().into()),
    Column::new("forward_ps", "Forward", Unit::Picos)
        .sums()
        .of(|row| row.forward_ps.into()),
    Column::new("backward_ps", "Backward", Unit::Picos)
        .sums()
        .of(|row| row.backward_ps.into()),
    Column::wide("rematerialized_ps", "Rematerialized", Unit::Picos)
        .sums()
        .of(|row| row.rematerialized_ps.into()),
    Column::wide("flops", "FLOPs", Unit::Flops)
        .fractional()
        .sums()
        .of(|row| row.flops.into()),
    Column::wide("expected_ps", "Expected", Unit::Picos)
        .fractional()
        .sums()
        .neutral()
        .of(|row| row.expected_ps.into()),
    Column::wide("times_expected", "Times expected", Unit::Count)
        .fractional()
        .of(|row| row.times_expected.into()),
    Column::wide("depth", "Level", Unit::Count)
        .position()
        .of(|row| i64::from(row.depth).into()),
    Column::wide("path", "Path", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.path.as_str().into()),
];

/// The tables of the report with their columns.
pub(super) fn tables() -> Vec<Declared> {
    vec![
        Declared::of("rows", ROWS),
        Declared::of("layers", LAYERS),
        Declared::of("folded", FOLDED),
    ]
}
