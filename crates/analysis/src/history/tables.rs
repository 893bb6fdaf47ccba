//! The `history` report as tables.

use super::chart;
use super::report::{HistoryReport, HistoryRun};
use crate::cell::{Cell, Column, Table, Unit};
use crate::check::words::figure;
use crate::format::date;
use crate::note::Note;
use crate::registry::Report;

/// Series have different units: figures as people read them, then as numbers in base units.
const SERIES: &[Column] = &[
    Column::new("metric", "Figure", Unit::Text),
    Column::wide("title", "In words", Unit::Text),
    Column::new("last_text", "Last", Unit::Text),
    Column::new("level_text", "Level", Unit::Text),
    Column::new("spread_ratio", "Runs differ by", Unit::Ratio),
    Column::new("change_count", "Changes", Unit::Count),
    Column::new("level_run_count", "Runs since", Unit::Count),
    Column::new("run_count", "Runs", Unit::Count),
    Column::wide("unit", "Unit", Unit::Text),
    Column::wide("last", "Last, number", Unit::Count).fractional(),
    Column::wide("level", "Level, number", Unit::Count).fractional(),
    Column::wide("spread", "Spread, number", Unit::Count).fractional(),
];

const CHANGES: &[Column] = &[
    Column::new("metric", "Figure", Unit::Text),
    Column::new("before_text", "Before", Unit::Text),
    Column::new("after_text", "After", Unit::Text),
    Column::new("ratio", "Change", Unit::Ratio),
    Column::new("is_worse", "Worse", Unit::Flag),
    Column::new("confidence_ratio", "Confidence", Unit::Ratio),
    Column::new("run_name", "Since run", Unit::Text),
    Column::new("commit", "Commit", Unit::Text),
    Column::wide("previous_commit", "Commit before", Unit::Text),
    Column::wide("unit", "Unit", Unit::Text),
    Column::wide("before", "Before, number", Unit::Count).fractional(),
    Column::wide("after", "After, number", Unit::Count).fractional(),
];

const RUNS: &[Column] = &[
    Column::new("name", "Run", Unit::Text),
    Column::new("recorded", "Recorded (UTC)", Unit::Text),
    Column::new("commit", "Commit", Unit::Text),
    Column::new("verdict", "Verdict", Unit::Text),
    Column::wide("is_accepted", "Accepted", Unit::Flag),
    Column::wide("source", "Source", Unit::Text),
];

impl Report for HistoryReport {
    fn tables(&self) -> Vec<Table> {
        vec![series(self), changes(self), runs(self), values(self)]
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

fn series(report: &HistoryReport) -> Table {
    let rows = report.rows.iter().map(|row| {
        let spread = row.spread.filter(|_| row.level != 0.0);
        vec![
            Cell::from(row.metric.as_str()),
            row.title.as_str().into(),
            figure(row.last, row.unit).into(),
            figure(row.level, row.unit).into(),
            spread.map(|spread| spread / row.level.abs()).into(),
            row.change_count.into(),
            row.level_run_count.into(),
            row.run_count.into(),
            row.unit.name().into(),
            row.last.into(),
            row.level.into(),
            row.spread.into(),
        ]
    });
    Table::new("rows", "Figures", SERIES, rows)
}

fn changes(report: &HistoryReport) -> Table {
    let rows = report.changes.iter().map(|change| {
        vec![
            Cell::from(change.metric.as_str()),
            figure(change.before, change.unit).into(),
            figure(change.after, change.unit).into(),
            change.ratio.into(),
            change.is_worse.into(),
            change.p_value.map_or(1.0, |p| 1.0 - p).into(),
            change.run_name.as_str().into(),
            change.commit.as_str().into(),
            change.previous_commit.as_str().into(),
            change.unit.name().into(),
            change.before.into(),
            change.after.into(),
        ]
    });
    Table::new("changes", "Change points", CHANGES, rows)
}

fn runs(report: &HistoryReport) -> Table {
    let rows = report.runs.iter().map(|run| {
        vec![
            Cell::from(run.name.as_str()),
            recorded(run).into(),
            run.commit.as_str().into(),
            run.verdict.as_str().into(),
            run.is_accepted.into(),
            run.source.as_str().into(),
        ]
    });
    Table::new("runs", "Runs", RUNS, rows)
}

fn recorded(run: &HistoryRun) -> Option<String> {
    let seconds = u64::try_from(run.recorded_unix_s?).ok()?;
    Some(date(seconds.saturating_mul(1_000_000_000)))
}

const VALUES: &[Column] = &[
    Column::new("metric", "Figure", Unit::Text),
    Column::new("run", "Run, from 0", Unit::Count),
    Column::new("run_name", "Run", Unit::Text),
    Column::new("value", "Value", Unit::Count).fractional(),
    Column::wide("unit", "Unit", Unit::Text),
];

/// Every figure of every run: for programs, and for plots.
fn values(report: &HistoryReport) -> Table {
    let rows = report.rows.iter().flat_map(|series| {
        let known = series.values.iter().enumerate();
        let known = known.filter_map(|(run, value)| Some((run, (*value)?)));
        known.map(|(run, value)| {
            vec![
                Cell::from(series.metric.as_str()),
                run.into(),
                report.runs[run].name.as_str().into(),
                value.into(),
                series.unit.name().into(),
            ]
        })
    });
    Table::new("values", "Values", VALUES, rows)
}
