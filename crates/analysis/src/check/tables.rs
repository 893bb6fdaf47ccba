//! The `check` report as tables.

use super::chart;
use super::report::{CheckReport, CheckVerdict, CheckedBudget};
use super::words::{figure, signed};
use crate::cell::{Cell, Column, Table, Unit};
use crate::compare::Evidence;
use crate::note::Note;
use crate::registry::Report;

/// Figures of budgets have different units: as people read them, with why, then as numbers in base
/// units.
const BUDGETS: &[Column] = &[
    Column::new("budget", "Budget", Unit::Text),
    Column::new("verdict", "Verdict", Unit::Text),
    Column::new("baseline_text", "Baseline", Unit::Text),
    Column::new("limit_text", "Limit", Unit::Text),
    Column::new("value_text", "Value", Unit::Text),
    Column::new("difference_text", "Difference", Unit::Text),
    Column::new("ratio", "Change", Unit::Ratio),
    Column::new("interval_text", "Interval", Unit::Text),
    Column::wide("text", "Why", Unit::Text),
    Column::wide("source", "Source", Unit::Text),
    Column::wide("metric", "Figure", Unit::Text),
    Column::wide("unit", "Unit", Unit::Text),
    Column::wide("baseline", "Baseline, number", Unit::Count).fractional(),
    Column::wide("limit", "Limit, number", Unit::Count).fractional(),
    Column::wide("value", "Value, number", Unit::Count).fractional(),
    Column::wide("difference", "Difference, number", Unit::Count).fractional(),
    Column::wide("low", "Low, number", Unit::Count).fractional(),
    Column::wide("high", "High, number", Unit::Count).fractional(),
];

const CAUSES: &[Column] = &[
    Column::wide("kind", "Kind", Unit::Text),
    Column::new("difference_ps", "Per step", Unit::Picos).fractional(),
    Column::wide("evidence", "Noise", Unit::Text),
    Column::wide("source", "Source", Unit::Text),
    Column::new("text", "Why the session differs", Unit::Text),
];

const ENVIRONMENT: &[Column] = &[
    Column::new("name", "Fact", Unit::Text),
    Column::new("baseline", "Baseline", Unit::Text),
    Column::new("other", "Session", Unit::Text),
];

const FIGURES: &[Column] = &[
    Column::new("metric", "Figure", Unit::Text),
    Column::wide("title", "In words", Unit::Text),
    Column::new("value_text", "Value", Unit::Text),
    Column::wide("unit", "Unit", Unit::Text),
    Column::wide("value", "Number", Unit::Count).fractional(),
];

impl Report for CheckReport {
    fn tables(&self) -> Vec<Table> {
        vec![
            budgets(self),
            causes(self),
            environment(self),
            figures(self),
        ]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
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
            let verdict = row.verdict.name();
            let first = verdict
                .chars()
                .next()
                .map(|first| first.to_ascii_uppercase());
            let verdict: String = first.into_iter().chain(verdict.chars().skip(1)).collect();
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
        // Where nothing is checked, the figures are all there is to see.
        if self.rows.is_empty() {
            &[]
        } else {
            &["figures"]
        }
    }
}

/// Causes that stand above the tables.
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

fn budgets(report: &CheckReport) -> Table {
    let rows = report.rows.iter().map(|row| {
        let text = |value: Option<f64>| Cell::from(value.map(|value| figure(value, row.unit)));
        vec![
            row.budget.as_str().into(),
            row.verdict.name().into(),
            text(row.baseline),
            text(row.limit),
            text(row.value),
            row.difference.map(|change| signed(change, row.unit)).into(),
            row.ratio.into(),
            interval(row).into(),
            row.text.as_str().into(),
            row.source.as_str().into(),
            row.metric.as_str().into(),
            row.unit.name().into(),
            row.baseline.into(),
            row.limit.into(),
            row.value.into(),
            row.difference.into(),
            row.low.into(),
            row.high.into(),
        ]
    });
    Table::new("rows", "Budgets", BUDGETS, rows)
}

fn interval(row: &CheckedBudget) -> Option<String> {
    let text = |value: f64| figure(value, row.unit);
    match (row.low, row.high) {
        (Some(low), Some(high)) if low == high => Some("exact".to_owned()),
        (Some(low), Some(high)) => Some(format!("{} to {}", text(low), text(high))),
        (Some(low), None) => Some(format!("{} or more", text(low))),
        (None, Some(high)) => Some(format!("{} or less", text(high))),
        (None, None) => None,
    }
}

fn causes(report: &CheckReport) -> Table {
    let rows = report.causes.iter().map(|cause| {
        vec![
            cause.kind.as_str().into(),
            cause.difference_ps.into(),
            cause.evidence.map(Evidence::name).into(),
            cause.source.as_str().into(),
            cause.text.as_str().into(),
        ]
    });
    Table::new("causes", "Why", CAUSES, rows)
}

fn environment(report: &CheckReport) -> Table {
    let rows = report.environment.iter().map(|fact| {
        vec![
            fact.name.as_str().into(),
            fact.baseline.as_str().into(),
            fact.other.as_str().into(),
        ]
    });
    Table::new("environment", "Environment", ENVIRONMENT, rows)
}

fn figures(report: &CheckReport) -> Table {
    let rows = report.figures.iter().map(|row| {
        vec![
            row.metric.as_str().into(),
            row.title.as_str().into(),
            figure(row.value, row.unit).into(),
            row.unit.name().into(),
            row.value.into(),
        ]
    });
    Table::new("figures", "All figures of the session", FIGURES, rows)
}
