//! Columns of the tables of `scopes`: titles, units, behavior, and how each is read from its row.
//! The meaning of each column is documented at the field of its row.

use super::report::ScopeRow;
use crate::telling::{Column, Declared, Field, Identity, Unit, indented};

pub(super) const ROWS: &[Field<ScopeRow>] = &[
    Column::new("name", "Scope", Unit::Text).of(|row| indented(row.depth, &row.name).into()),
    Column::new("total_ps", "Total", Unit::Picos)
        .formula("Σ self")
        .sums()
        .of(|row| row.total_ps.into()),
    Column::new("ratio", "Share", Unit::Ratio)
        .formula("total ÷ Σ self")
        .of(|row| row.ratio.into()),
    Column::new("forward_ps", "Forward", Unit::Picos)
        .sums()
        .of(|row| row.forward_ps.into()),
    Column::new("backward_ps", "Backward", Unit::Picos)
        .sums()
        .of(|row| row.backward_ps.into()),
    Column::new("rematerialised_ps", "Rematerialized", Unit::Picos)
        .sums()
        .of(|row| row.rematerialised_ps.into()),
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

/// The tables of the report with their columns.
pub(super) fn tables() -> Vec<Declared> {
    vec![Declared::of("rows", ROWS)]
}
