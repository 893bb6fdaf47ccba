//! The `history` report as tables.

use super::chart;
use super::columns::{self, CHANGES, GROUPS, ROWS, RUNS, RunFigure, VALUES};
use super::report::HistoryReport;
use crate::asking::Report;
use crate::telling::Note;
use crate::telling::{Declared, Table};

impl Report for HistoryReport {
    fn declared() -> Vec<Declared> {
        columns::tables()
    }

    fn tables(&self) -> Vec<Table> {
        let groups = self.groups.as_slice();
        let rows = self.rows.iter().map(|row| (row, groups));
        let changes = self.changes.iter().map(|change| (change, groups));
        let runs = self.runs.iter().map(|run| (run, groups));
        vec![
            Table::of("groups", "Workloads", GROUPS, groups),
            Table::within("rows", "Figures", ROWS, rows),
            Table::within("changes", "Change points", CHANGES, changes),
            Table::within("runs", "Runs", RUNS, runs),
            Table::of("values", "Values", VALUES, &values(self)),
        ]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn conclusion(&self) -> Option<&str> {
        Some(&self.conclusion)
    }

    fn headline(&self) -> Vec<(String, String)> {
        const SHOWN: usize = 6;
        let mut lines = vec![("Result".to_owned(), self.conclusion.clone())];
        let several = self.groups.len() > 1;
        let changes = self.changes.iter().take(SHOWN);
        lines.extend(changes.map(|change| {
            let of = self.groups.get(change.group).filter(|_| several);
            let of = of.map_or_else(String::new, |group| format!("{}: ", group.name));
            ("Change".to_owned(), format!("{of}{}", change.text))
        }));
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
            let group = report.groups.get(run.group);
            Some(RunFigure {
                workload: group.map_or_else(String::new, |group| group.name.clone()),
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
