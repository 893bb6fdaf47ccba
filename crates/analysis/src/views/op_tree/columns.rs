//! Columns of the tables of `op_tree`: titles, units, behavior, and how each is read from its row.
//! The meaning of each column is documented at the field of its row.

use super::report::{OpTreeRow, OpTreeWaste};
use crate::telling::{Column, Declared, Field, Identity, Unit, indented};

pub(super) const ROWS: &[Field<OpTreeRow>] = &[
    Column::new("name", "Node", Unit::Text).of(|row| node(row).into()),
    Column::new("self_ps", "Self", Unit::Picos)
        .formula("Σ (duration − slices nested within)")
        .sums()
        .of(|row| is_timed(row).then_some(row.self_ps).into()),
    Column::new("ratio", "Of ops and idle", Unit::Ratio)
        .formula("self ÷ (Σ self + idle)")
        .of(|row| is_timed(row).then_some(row.ratio).into()),
    Column::new("wasted_ps", "Wasted", Unit::Picos)
        .formula("self × (1 − min(best use, 1))")
        .sums()
        .of(|row| row.wasted_ps.into()),
    Column::new("best_ratio", "Best use", Unit::Ratio)
        .formula("largest of rate ÷ peak")
        .of(|row| row.best_ratio.into()),
    Column::wide("bound_by", "Bound by", Unit::Text).of(|row| row.bound_by.as_str().into()),
    Column::wide("occurrences", "Count", Unit::Count)
        .sums()
        .of(|row| row.occurrences.into()),
    Column::wide("flop_rate", "FLOP rate", Unit::FlopRate).of(|row| row.flop_rate.into()),
    Column::wide("bandwidth", "Bandwidth", Unit::ByteRate).of(|row| row.bandwidth.into()),
    Column::wide("compute_ratio", "Of compute", Unit::Ratio).of(|row| row.compute_ratio.into()),
    Column::wide("flops", "FLOPs", Unit::Flops)
        .fractional()
        .sums()
        .of(|row| row.flops.into()),
    Column::wide("bytes", "Bytes", Unit::Bytes)
        .fractional()
        .sums()
        .of(|row| row.bytes.into()),
    Column::wide("total_ps", "Total", Unit::Picos)
        .formula("Σ duration")
        .sums()
        .of(|row| is_timed(row).then_some(row.total_ps).into()),
    Column::wide("duplicate_count", "Duplicates", Unit::Count)
        .of(|row| i64::from(row.duplicate_count).into()),
    Column::wide("kind", "Kind", Unit::Text).of(|row| row.kind.as_str().into()),
    Column::wide("category", "Category", Unit::Text).of(|row| row.category.as_str().into()),
    Column::wide("depth", "Level", Unit::Count)
        .position()
        .of(|row| i64::from(row.depth).into()),
    Column::wide("child_count", "Children", Unit::Count)
        .of(|row| i64::from(row.child_count).into()),
    Column::wide("source", "Source", Unit::Text).of(|row| row.source.as_str().into()),
    Column::wide("path", "Path", Unit::Text).of(|row| row.path.as_str().into()),
    Column::wide("cost_source", "Work source", Unit::Text)
        .of(|row| row.cost_source.as_str().into()),
];

pub(super) const WASTED: &[Field<OpTreeWaste>] = &[
    Column::new("name", "Op", Unit::Text)
        .identifies(Identity::Op)
        .of(|row| row.name.as_str().into()),
    Column::new("wasted_ps", "Wasted", Unit::Picos)
        .sums()
        .of(|row| row.wasted_ps.into()),
    Column::new("ratio", "Of ops and idle", Unit::Ratio).of(|row| row.ratio.into()),
    Column::new("self_ps", "Self", Unit::Picos)
        .sums()
        .of(|row| row.self_ps.into()),
    Column::new("best_ratio", "Best use", Unit::Ratio).of(|row| row.best_ratio.into()),
    Column::new("bound_by", "Bound by", Unit::Text).of(|row| row.bound_by.as_str().into()),
    Column::wide("duplicate_count", "Duplicates", Unit::Count)
        .of(|row| i64::from(row.duplicate_count).into()),
    Column::wide("category", "Category", Unit::Text).of(|row| row.category.as_str().into()),
    Column::wide("source", "Source", Unit::Text).of(|row| row.source.as_str().into()),
    Column::wide("program_id", "Program id", Unit::Text).of(|row| row.program_id.as_str().into()),
];

/// The key figures of the report.
pub(super) const FIGURES: &[Column] = &[
    Column::new("self_ps", "Self time", Unit::Picos).sums(),
    Column::new("idle_ps", "Idle", Unit::Picos)
        .sums()
        .formula("Σ over devices of (elapsed − busy)"),
    Column::new("wasted_ps", "Wasted", Unit::Picos)
        .sums()
        .formula("Σ self × (1 − best use)"),
];

/// The tables of the report with their columns.
pub(super) fn tables() -> Vec<Declared> {
    vec![Declared::of("rows", ROWS), Declared::of("wasted", WASTED)]
}

/// The name, indented by level, with the number of duplicate ops it represents.
fn node(row: &OpTreeRow) -> String {
    let name = indented(row.depth.min(40), &row.name);
    match row.duplicate_count {
        0 | 1 => name,
        count => format!("{name} x{count}"),
    }
}

/// Instructions within fusions have no separate time.
fn is_timed(row: &OpTreeRow) -> bool {
    row.kind != "instruction"
}
