//! Columns of the tables of `verdict`: titles, units, behavior, and how each is read from its row.
//! Meanings are documented at the fields of the rows.

use super::report::{Finding, VerdictLayer, VerdictOp};
use crate::telling::{Column, Declared, Field, Unit};

pub(super) const FINDINGS: &[Field<Finding>] = &[
    Column::new("id", "Finding", Unit::Text).of(|finding| finding.id.as_str().into()),
    Column::new("severity", "Severity", Unit::Text).of(|finding| finding.severity.word().into()),
    Column::new("what", "What", Unit::Text).of(|finding| finding.what.as_str().into()),
    Column::wide("why", "Why", Unit::Text).of(|finding| finding.why.as_str().into()),
    Column::new("fix", "Fix", Unit::Text).of(|finding| finding.fix.as_str().into()),
];

pub(super) const TOP_OPS: &[Field<VerdictOp>] = &[
    Column::new("name", "Op", Unit::Text).of(|op| op.name.as_str().into()),
    Column::wide("program", "Program", Unit::Text).of(|op| op.program.as_str().into()),
    Column::new("self_ratio", "Share of self time", Unit::Ratio).of(|op| op.self_ratio.into()),
];

pub(super) const LAYERS: &[Field<VerdictLayer>] = &[
    Column::new("title", "Layer", Unit::Text).of(|layer| layer.title.as_str().into()),
    Column::wide("key", "Key", Unit::Text).of(|layer| layer.key.as_str().into()),
    Column::new("is_recorded", "Recorded", Unit::Flag).of(|layer| layer.is_recorded.into()),
    Column::new("name_count", "Names", Unit::Count).of(|layer| layer.name_count.into()),
    Column::new("examples", "Examples", Unit::Text).of(|layer| layer.examples.as_str().into()),
];

/// The tables of the report with their columns.
pub(super) fn tables() -> Vec<Declared> {
    vec![
        Declared::of("findings", FINDINGS),
        Declared::of("top_ops", TOP_OPS),
        Declared::of("layers", LAYERS),
    ]
}
