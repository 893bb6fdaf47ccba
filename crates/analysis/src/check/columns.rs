//! Columns of the tables of `check`: titles, units, behavior, and how each is read from its row.
//! What each means is said beside the field of its row.

use super::report::{CheckedBudget, CheckedCause, CheckedFigure};
use super::words::{figure, signed};
use crate::cell::{Cell, Column, Declared, Field, Unit};
use crate::compare::{ComparedFact, Evidence};

pub(super) const ROWS: &[Field<CheckedBudget>] = &[
    Column::new("budget", "Budget", Unit::Text).of(|row| row.budget.as_str().into()),
    Column::new("verdict", "Verdict", Unit::Text)
        .means(
            "Passed: the value keeps to the limit. Within noise: it does not, but its \
             interval reaches back over it. Broken: neither does any end of the \
             interval. Unknown: the figure or its baseline is missing.",
        )
        .of(|row| row.verdict.name().into()),
    Column::new("baseline_text", "Baseline", Unit::Text)
        .means("Figure of the baseline, in its unit.")
        .of(|row| shown(row, row.baseline)),
    Column::new("limit_text", "Limit", Unit::Text)
        .means("The figure that still passes, in its unit.")
        .of(|row| shown(row, row.limit)),
    Column::new("value_text", "Value", Unit::Text)
        .means("Figure of this session, in its unit.")
        .of(|row| shown(row, row.value)),
    Column::new("difference_text", "Difference", Unit::Text)
        .means("Value − baseline, in the unit of the figure.")
        .of(|row| row.difference.map(|change| signed(change, row.unit)).into()),
    Column::new("ratio", "Change", Unit::Ratio).of(|row| row.ratio.into()),
    Column::new("interval_text", "Interval", Unit::Text)
        .means("Where the value lies, noise within and between runs included.")
        .of(|row| interval(row).into()),
    Column::wide("text", "Why", Unit::Text).of(|row| row.text.as_str().into()),
    Column::wide("source", "Source", Unit::Text).of(|row| row.source.as_str().into()),
    Column::wide("metric", "Figure", Unit::Text).of(|row| row.metric.as_str().into()),
    Column::wide("unit", "Unit", Unit::Text).of(|row| row.unit.name().into()),
    Column::wide("baseline", "Baseline, number", Unit::Count)
        .fractional()
        .means("Figure of the baseline.")
        .of(|row| row.baseline.into()),
    Column::wide("limit", "Limit, number", Unit::Count)
        .fractional()
        .means(
            "The baseline’s figure with the change that the budget allows, or the bound \
             that it gives.",
        )
        .of(|row| row.limit.into()),
    Column::wide("value", "Value, number", Unit::Count)
        .fractional()
        .means(
            "Figure of this session; the line through it is its interval, noise within \
             and between runs included.",
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
    Column::wide("title", "In words", Unit::Text).of(|row| row.title.as_str().into()),
    Column::new("value_text", "Value", Unit::Text)
        .means("The figure.")
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
