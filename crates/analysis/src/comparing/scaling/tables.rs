//! The `scaling` report as tables.

use super::chart;
use super::columns::{self, LIMITS, METHODS, ROWS, SAMPLES};
use super::report::ScalingReport;
use crate::asking::Report;
use crate::telling::Note;
use crate::telling::{Declared, Table};

impl Report for ScalingReport {
    fn declared() -> Vec<Declared> {
        columns::tables()
    }

    fn tables(&self) -> Vec<Table> {
        vec![
            Table::of("rows", "Methods by device count", ROWS, &self.rows),
            limits(self),
            Table::of("methods", "Methods", METHODS, &self.methods),
            Table::of("samples", "Samples", SAMPLES, &self.samples),
        ]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn chart(&self) -> Vec<String> {
        chart::lines(self)
    }
}

fn limits(report: &ScalingReport) -> Table {
    let limits = report.methods.iter().flat_map(|method| {
        let limits = method.limits.iter();
        limits.map(move |limit| (limit, method))
    });
    Table::within("limits", "What limits the next doubling", LIMITS, limits)
}
