//! The `history` report as tables.

use super::chart;
use super::columns::{self, CHANGES, ROWS, RUNS, RunFigure, VALUES};
use super::report::HistoryReport;
use crate::asking::Report;
use crate::telling::Note;
use crate::telling::{Declared, Table};

impl Report for HistoryReport {
    fn declared() -> Vec<Declared> {
        columns::tables()
    }

    fn tables(&self) -> Vec<Table> {
        vec![
            Table::of("rows", "Figures", ROWS, &self.rows),
            Table::of("changes", "Change points", CHANGES, &self.changes),
            Table::of("runs", "Runs", RUNS, &self.runs),
            Table::of("values", "Values", VALUES, &values(self)),
        ]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn headline(&self) -> Vec<(String, String)> {
        const SHOWN: usize = 6;
        let mut lines = vec![("Result".to_owned(), self.conclusion.clone())];
        let changes = self.changes.iter().take(SHOWN);
        lines.extend(changes.map(|change| ("Change".to_owned(), change.text.clone())));
        lines
    }

    fn chart(&self) -> Vec<String> {
        chart::lines(self)
    }

    fn unprinted(&self) -> &'static [&'static str] {
        &["values"]
    }
}

/// Every figure of every run.
fn values(report: &HistoryReport) -> Vec<RunFigure> {
    let values = report.rows.iter().flat_map(|series| {
        let known = series.values.iter().zip(&report.runs).enumerate();
        known.filter_map(|(position, (value, run))| {
            Some(RunFigure {
                metric: series.metric.clone(),
                run: position,
                run_name: run.name.clone(),
                value: (*value)?,
                unit: series.unit.name(),
            })
        })
    });
    values.collect()
}
