//! Columns of the tables of `check`: titles, units, behavior, and how each is read from its row.
//! The meaning of each column is documented at the field of its row.

use super::report::{CheckedBudget, CheckedCause, CheckedFigure};
use super::words::{figure, signed};
use crate::comparing::compare::{ComparedFact, Evidence};
use crate::telling::{Cell, Column, Declared, Field, Unit};

pub(super) const ROWS: &[Field<CheckedBudget>] = &[
    Column::new("budget", "Budget", Unit::Text).of(|row| row.budget.as_str().into()),
    Column::new("verdict", "Verdict", Unit::Text)
        .means(
            "Passed: the value is within the limit. Within noise: the value is beyond \
             the limit, but its interval reaches back across it. Broken: the value and \
             its whole interval are beyond the limit. Unknown: the figure or its \
             baseline is missing or cannot be compared.",
        )
        .of(|row| row.verdict.name().into()),
    Column::new("baseline_text", "Baseline", Unit::Text)
        .means(
            "Figure of the baseline, formatted with its unit; with several baselines, \
             their median.",
        )
        .of(|row| shown(row, row.baseline)),
    Column::new("limit_text", "Limit", Unit::Text)
        .means("Last value that still passes the budget, formatted with its unit.")
        .of(|row| shown(row, row.limit)),
    Column::new("value_text", "Value", Unit::Text)
        .means("Figure of the checked session, formatted with its unit.")
        .of(|row| shown(row, row.value)),
    Column::new("difference_text", "Difference", Unit::Text)
        .means("Value − baseline, formatted with the unit of the figure.")
        .of(|row| row.difference.map(|change| signed(change, row.unit)).into()),
    Column::new("ratio", "Change", Unit::Ratio).of(|row| row.ratio.into()),
    Column::new("interval_text", "Interval", Unit::Text)
        .means(
            "Confidence interval of the value, including noise within and between \
             runs.",
        )
        .of(|row| interval(row).into()),
    Column::wide("text", "Why", Unit::Text).of(|row| row.text.as_str().into()),
    Column::wide("source", "Source", Unit::Text).of(|row| row.source.as_str().into()),
    Column::wide("metric", "Figure", Unit::Text).of(|row| row.metric.as_str().into()),
    Column::wide("unit", "Unit", Unit::Text).of(|row| row.unit.name().into()),
    Column::wide("baseline", "Baseline, number", Unit::Count)
        .fractional()
        .means(
            "Figure of the baseline, as a number; with several baselines, their median. \
             Absent if there is no baseline.",
        )
        .of(|row| row.baseline.into()),
    Column::wide("limit", "Limit, number", Unit::Count)
        .fractional()
        .means(
            "Figure of the baseline plus the change that the budget allows, or the \
             bound that the budget sets, as a number.",
        )
        .of(|row| row.limit.into()),
    Column::wide("value", "Value, number", Unit::Count)
        .fractional()
        .means(
            "Figure of the checked session, as a number. The line drawn through it is \
             its confidence interval, including noise within and between runs.",
        )
        .of(|row| row.value.into()),
    Column::wide("difference", "Difference, number", Unit::Count)
        .fractional()
        .of(|row| row.difference.into()),
    Column::wide("low", "Low, number", Unit::Count)
        .fractional()
        .of(|row| row.low.into()),
    Column::wide("high", "High, number", Unit::Count)
        .fractional()
        .of(|row| row.high.into()),
];

pub(super) const CAUSES: &[Field<CheckedCause>] = &[
    Column::wide("kind", "Kind", Unit::Text).of(|cause| cause.kind.as_str().into()),
    Column::new("difference_ps", "Per step", Unit::Picos)
        .fractional()
        .of(|cause| cause.difference_ps.into()),
    Column::wide("evidence", "Noise", Unit::Text)
        .of(|cause| cause.evidence.map(Evidence::name).into()),
    Column::wide("source", "Source", Unit::Text).of(|cause| cause.source.as_str().into()),
    Column::new("text", "Why the session differs", Unit::Text)
        .of(|cause| cause.text.as_str().into()),
];

pub(super) const ENVIRONMENT: &[Field<ComparedFact>] = &[
    Column::new("name", "Fact", Unit::Text).of(|fact| fact.name.as_str().into()),
    Column::new("baseline", "Baseline", Unit::Text).of(|fact| fact.baseline.as_str().into()),
    Column::new("other", "Session", Unit::Text).of(|fact| fact.other.as_str().into()),
];

pub(super) const FIGURES: &[Field<CheckedFigure>] = &[
    Column::new("metric", "Figure", Unit::Text).of(|row| row.metric.as_str().into()),
    Column::wide("title", "Name", Unit::Text).of(|row| row.title.as_str().into()),
    Column::new("value_text", "Value", Unit::Text)
        .means("Figure of the checked session, formatted with its unit.")
        .of(|row| figure(row.value, row.unit).into()),
    Column::wide("unit", "Unit", Unit::Text).of(|row| row.unit.name().into()),
    Column::wide("value", "Number", Unit::Count)
        .fractional()
        .of(|row| row.value.into()),
];

/// The tables of the report with their columns.
pub(super) fn tables() -> Vec<Declared> {
    vec![
        Declared::of("rows", ROWS),
        Declared::of("causes", CAUSES),
        Declared::of("environment", ENVIRONMENT),
        Declared::of("figures", FIGURES),
    ]
}

/// A figure in the unit of its budget.
fn shown(row: &CheckedBudget, value: Option<f64>) -> Cell {
    value.map(|value| figure(value, row.unit)).into()
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
