//! The `verdict` report as tables.

use super::columns::{self, FINDINGS, LAYERS, TOP_OPS};
use super::report::VerdictReport;
use crate::asking::Report;
use crate::telling::Note;
use crate::telling::{Declared, Table};

impl Report for VerdictReport {
    fn declared() -> Vec<Declared> {
        columns::tables()
    }

    fn tables(&self) -> Vec<Table> {
        vec![
            Table::of("findings", "Findings", FINDINGS, &self.findings),
            Table::of("top_ops", "Top ops", TOP_OPS, &self.top_ops),
            Table::of("layers", "What was recorded", LAYERS, &self.layers),
        ]
    }

    fn notes(&self) -> &[Note] {
        // Everything worth noting is a finding.
        &[]
    }

    fn sentences(&self) -> &[String] {
        &self.lines
    }
}
