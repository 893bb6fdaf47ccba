//! Columns of the tables of `history`: titles, units, behavior, and how each is read from its row.
//! The meaning of each column is documented at the field of its row.

use documented::DocumentedFields;

use super::report::{HistoryChange, HistoryGroup, HistoryRun, HistorySeries};
use crate::comparing::check::words::figure;
use crate::telling::format::date;
use crate::telling::{Cell, Column, Declared, Field, Unit};

/// Meaning of the column that names the group of a row.
const WORKLOAD: &str =
    "Program and devices that the runs share; figures are compared within them alone.";

pub(super) const GROUPS: &[Field<HistoryGroup>] = &[
    Column::new("name", "Workload", Unit::Text).of(|group| Cell::from(group.name.as_str())),
    Column::wide("program", "Program", Unit::Text).of(|group| group.program.as_str().into()),
    Column::wide("devices", "Devices", Unit::Text).of(|group| group.devices.as_str().into()),
    Column::new("run_count", "Runs", Unit::Count).of(|group| group.run_count.into()),
    Column::new("conclusion", "Answer", Unit::Text).of(|group| group.conclusion.as_str().into()),
    Column::new("apart_because", "Stands apart because", Unit::Text)
        .of(|group| group.apart_because.as_str().into()),
];

pub(super) const ROWS: &[Field<HistorySeries, [HistoryGroup]>] = &[
    Column::new("workload", "Workload", Unit::Text)
        .means(WORKLOAD)
        .within(|row, groups| name(groups, row.group)),
    Column::new("metric", "Figure", Unit::Text).of(|row| Cell::from(row.metric.as_str())),
    Column::wide("title", "Name", Unit::Text).of(|row| row.title.as_str().into()),
    Column::new("last_text", "Last", Unit::Text)
        .means("Value of the latest run that has the figure, in the unit of the figure.")
        .of(|row| figure(row.last, row.unit).into()),
    Column::new("level_text", "Level", Unit::Text)
        .means(
            "Level of the figure: its median over the runs since the last change point, \
             in the unit of the figure.",
        )
        .of(|row| figure(row.level, row.unit).into()),
    Column::new("spread_ratio", "Spread", Unit::Ratio)
        .means(
            "Standard deviation of the runs since the last change point, as a share of \
             the level.",
        )
        .of(|row| spread_ratio(row).into()),
    Column::new("change_count", "Changes", Unit::Count).of(|row| row.change_count.into()),
    Column::new("level_run_count", "Runs since change", Unit::Count)
        .of(|row| row.level_run_count.into()),
    Column::new("run_count", "Runs", Unit::Count).of(|row| row.run_count.into()),
    Column::wide("unit", "Unit", Unit::Text).of(|row| row.unit.name().into()),
    Column::wide("last", "Last, number", Unit::Count)
        .fractional()
        .of(|row| row.last.into()),
    Column::wide("level", "Level, number", Unit::Count)
        .fractional()
        .of(|row| row.level.into()),
    Column::wide("spread", "Spread, number", Unit::Count)
        .fractional()
        .of(|row| row.spread.into()),
];

pub(super) const CHANGES: &[Field<HistoryChange, [HistoryGroup]>] = &[
    Column::new("workload", "Workload", Unit::Text)
        .means(WORKLOAD)
        .within(|change, groups| name(groups, change.group)),
    Column::new("metric", "Figure", Unit::Text).of(|change| Cell::from(change.metric.as_str())),
    Column::new("before_text", "Before", Unit::Text)
        .means(
            "Median of the figure over the runs from the previous change point to this \
             one, in the unit of the figure.",
        )
        .of(|change| figure(change.before, change.unit).into()),
    Column::new("after_text", "After", Unit::Text)
        .means(
            "Median of the figure over the runs from this change point to the next one, \
             in the unit of the figure.",
        )
        .of(|change| figure(change.after, change.unit).into()),
    Column::new("ratio", "Change", Unit::Ratio).of(|change| change.ratio.into()),
    Column::new("is_worse", "Worse", Unit::Flag).of(|change| change.is_worse.into()),
    Column::new("confidence_ratio", "Confidence", Unit::Ratio)
        .means(
            "Confidence that the figure changed: 1 − the probability that chance alone \
             produces as large a change.",
        )
        .of(|change| change.p_value.map_or(1.0, |p| 1.0 - p).into()),
    Column::new("run_name", "Since run", Unit::Text).of(|change| change.run_name.as_str().into()),
    Column::new("commit", "Commit", Unit::Text).of(|change| change.commit.as_str().into()),
    Column::wide("previous_commit", "Previous commit", Unit::Text)
        .of(|change| change.previous_commit.as_str().into()),
    Column::wide("unit", "Unit", Unit::Text).of(|change| change.unit.name().into()),
    Column::wide("before", "Before, number", Unit::Count)
        .fractional()
        .of(|change| change.before.into()),
    Column::wide("after", "After, number", Unit::Count)
        .fractional()
        .of(|change| change.after.into()),
];

pub(super) const RUNS: &[Field<HistoryRun, [HistoryGroup]>] = &[
    Column::new("name", "Run", Unit::Text).of(|run| Cell::from(run.name.as_str())),
    Column::new("workload", "Workload", Unit::Text)
        .means(WORKLOAD)
        .within(|run, groups| name(groups, run.group)),
    Column::new("recorded", "Recorded (UTC)", Unit::Text)
        .means(
            "Date and time (UTC) at which the run was captured or recorded. Empty if \
             unknown.",
        )
        .of(|run| recorded(run).into()),
    Column::new("commit", "Commit", Unit::Text).of(|run| run.commit.as_str().into()),
    Column::new("verdict", "Verdict", Unit::Text).of(|run| run.verdict.as_str().into()),
    Column::wide("is_accepted", "Accepted", Unit::Flag).of(|run| run.is_accepted.into()),
    Column::wide("source", "Source", Unit::Text).of(|run| run.source.as_str().into()),
];

/// A figure of a run, one per row, for other programs and for plots.
#[derive(DocumentedFields)]
pub(super) struct RunFigure {
    /// Program and devices of the run.
    pub workload: String,
    /// Key of the figure.
    pub metric: String,
    /// Position of the run in the history, starting at 0 for the oldest.
    pub run: usize,
    /// Name of the run.
    pub run_name: String,
    /// Value of the figure in the run.
    pub value: f64,
    /// Unit of the figure.
    pub unit: &'static str,
}

pub(super) const VALUES: &[Field<RunFigure>] = &[
    Column::new("workload", "Workload", Unit::Text).of(|value| value.workload.as_str().into()),
    Column::new("metric", "Figure", Unit::Text).of(|value| value.metric.as_str().into()),
    Column::new("run", "Run index", Unit::Count)
        .position()
        .of(|value| value.run.into()),
    Column::new("run_name", "Run", Unit::Text).of(|value| value.run_name.as_str().into()),
    Column::new("value", "Value", Unit::Count)
        .fractional()
        .of(|value| value.value.into()),
    Column::wide("unit", "Unit", Unit::Text).of(|value| value.unit.into()),
];

/// The tables of the report with their columns.
pub(super) fn tables() -> Vec<Declared> {
    vec![
        Declared::of("groups", GROUPS),
        Declared::of("rows", ROWS),
        Declared::of("changes", CHANGES),
        Declared::of("runs", RUNS),
        Declared::of("values", VALUES),
    ]
}

fn name(groups: &[HistoryGroup], position: usize) -> Cell {
    groups.get(position).map(|group| group.name.as_str()).into()
}

fn spread_ratio(row: &HistorySeries) -> Option<f64> {
    let spread = row.spread.filter(|_| row.level != 0.0);
    spread.map(|spread| spread / row.level.abs())
}

fn recorded(run: &HistoryRun) -> Option<String> {
    let seconds = u64::try_from(run.recorded_unix_s?).ok()?;
    Some(date(seconds.saturating_mul(1_000_000_000)))
}
