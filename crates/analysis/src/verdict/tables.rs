//! The `verdict` report as tables.

use super::report::VerdictReport;
use crate::cell::{Column, Table, Unit};
use crate::note::Note;
use crate::registry::Report;

const FINDINGS: &[Column] = &[
    Column::new("id", "Finding", Unit::Text),
    Column::new("severity", "Severity", Unit::Text),
    Column::new("what", "What", Unit::Text),
    Column::wide("why", "Why", Unit::Text),
    Column::new("fix", "Fix", Unit::Text),
];

const OPS: &[Column] = &[
    Column::new("name", "Op", Unit::Text),
    Column::new("self_ratio", "Share of self time", Unit::Ratio),
];

const LAYERS: &[Column] = &[
    Column::new("title", "Layer", Unit::Text),
    Column::wide("key", "Key", Unit::Text),
    Column::new("is_recorded", "Recorded", Unit::Flag),
    Column::new("name_count", "Names", Unit::Count),
    Column::new("examples", "Such as", Unit::Text),
];

impl Report for VerdictReport {
    fn tables(&self) -> Vec<Table> {
        let findings = self.findings.iter().map(|finding| {
            vec![
                finding.id.as_str().into(),
                finding.severity.word().into(),
                finding.what.as_str().into(),
                finding.why.as_str().into(),
                finding.fix.as_str().into(),
            ]
        });
        let layers = self.layers.iter().map(|layer| {
            vec![
                layer.title.as_str().into(),
                layer.key.as_str().into(),
                layer.is_recorded.into(),
                layer.name_count.into(),
                layer.examples.as_str().into(),
            ]
        });
        let ops = self
            .top_ops
            .iter()
            .map(|op| vec![op.name.as_str().into(), op.self_ratio.into()]);
        vec![
            Table {
                key: "findings",
                title: "Findings".to_owned(),
                columns: FINDINGS.to_vec(),
                rows: findings.collect(),
                row_count: self.findings.len(),
            },
            Table {
                key: "top_ops",
                title: "Top ops".to_owned(),
                columns: OPS.to_vec(),
                rows: ops.collect(),
                row_count: self.top_ops.len(),
            },
            Table::new("layers", "What was recorded", LAYERS, layers),
        ]
    }

    fn notes(&self) -> &[Note] {
        // What there is to say is a finding.
        &[]
    }

    fn sentences(&self) -> &[String] {
        &self.lines
    }
}
