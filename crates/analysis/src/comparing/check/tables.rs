//! The `check` report as tables.

use super::chart;
use super::columns::{self, CAUSES, ENVIRONMENT, FIGURES, ROWS};
use super::report::{CheckReport, CheckVerdict};
use crate::asking::Report;
use crate::telling::Note;
use crate::telling::format::capitalized;
use crate::telling::{Declared, Table};

impl Report for CheckReport {
    fn declared() -> Vec<Declared> {
        columns::tables()
    }

    fn tables(&self) -> Vec<Table> {
        vec![
            Table::of("rows", "Budgets", ROWS, &self.rows),
            Table::of("causes", "Why", CAUSES, &self.causes),
            Table::of("environment", "Environment", ENVIRONMENT, &self.environment),
            Table::of(
                "figures",
                "All figures of the session",
                FIGURES,
                &self.figures,
            ),
        ]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn conclusion(&self) -> Option<&str> {
        Some(&self.conclusion)
    }

    fn headline(&self) -> Vec<(String, String)> {
        let mut lines = vec![("Result".to_owned(), self.conclusion.clone())];
        if !self.baselines.is_empty() {
            lines.push(("Baseline".to_owned(), named(&self.baselines)));
        }
        if !self.comparison.is_empty() {
            lines.push(("Compared".to_owned(), self.comparison.clone()));
        }
        let failed = self
            .rows
            .iter()
            .filter(|row| row.verdict != CheckVerdict::Passed);
        lines.extend(failed.map(|row| {
            let verdict = capitalized(row.verdict.name());
            (verdict, format!("{}: {}", row.budget, row.text))
        }));
        let causes = self.causes.iter().take(HEADLINE_CAUSES);
        if self.verdict != CheckVerdict::Passed {
            lines.extend(causes.map(|cause| ("Why".to_owned(), cause.text.clone())));
        }
        lines
    }

    fn chart(&self) -> Vec<String> {
        chart::lines(self)
    }

    fn unprinted(&self) -> &'static [&'static str] {
        // Without budgets, the figures are the only result.
        if self.rows.is_empty() {
            &[]
        } else {
            &["figures"]
        }
    }
}

/// Maximum number of causes that are shown above the tables.
const HEADLINE_CAUSES: usize = 5;

/// The first few of the names.
fn named(names: &[String]) -> String {
    const SHOWN: usize = 5;
    let shown = names[..names.len().min(SHOWN)].join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
