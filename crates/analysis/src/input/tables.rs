//! The `input` report as tables.

use super::collect::KINDS;
use super::report::{InputReport, InputRow};
use crate::cell::{Cell, Column, Table, Unit};
use crate::format;
use crate::note::Note;
use crate::order::{SortColumn, SortValue};
use crate::registry::Report;

/// Columns that `--sort` knows.
pub(super) const SORT_COLUMNS: &[SortColumn<InputRow>] = &[
    ("input_ps", |row| SortValue::Int(row.input_ps)),
    ("input_ratio", |row| SortValue::Float(row.input_ratio)),
    ("waiting_ps", |row| SortValue::Int(row.waiting_ps)),
    ("copies_ps", |row| SortValue::Int(row.copies_ps)),
    ("loading_ps", |row| SortValue::Int(row.loading_ps)),
    ("duration_ps", |row| SortValue::Int(row.duration_ps)),
    ("start_ps", |row| SortValue::Int(row.start_ps)),
    ("step", |row| SortValue::Int(row.step)),
    ("host", |row| SortValue::Text(&row.host)),
    ("device", |row| SortValue::Text(&row.device)),
];

const ROWS: &[Column] = &[
    Column::new("step", "Step", Unit::Count),
    Column::new("host", "Host", Unit::Text),
    Column::new("device", "Device", Unit::Text),
    Column::wide("start_ps", "Start", Unit::Picos),
    Column::new("duration_ps", "Step time", Unit::Picos),
    Column::new("input_ps", "Input", Unit::Picos),
    Column::new("input_ratio", "Of step", Unit::Ratio),
    Column::new("waiting_ps", "Waiting", Unit::Picos),
    Column::wide("copies_ps", "Copies in", Unit::Picos),
    Column::wide("loading_ps", "Loading", Unit::Picos),
    Column::wide("cause", "Mostly", Unit::Text),
];

const HOSTS: &[Column] = &[
    Column::new("host", "Host", Unit::Text),
    Column::new("input_median_ps", "Input, median", Unit::Picos).fractional(),
    Column::new("input_mean_ps", "Mean", Unit::Picos).fractional(),
    Column::new("input_ratio", "Of step", Unit::Ratio),
    Column::new("loading_mean_ps", "Loading, mean", Unit::Picos).fractional(),
    Column::new("duration_mean_ps", "Step, mean", Unit::Picos).fractional(),
    Column::new("longest_ps", "Worst", Unit::Picos),
    Column::new("longest_step", "In step", Unit::Count),
];

const BOUNDS: &[Column] = &[
    Column::new("title", "Part", Unit::Text),
    Column::new("mean_ps", "Mean", Unit::Picos).fractional(),
    Column::new("ratio", "Of step", Unit::Ratio),
    Column::new("verdict", "Verdict", Unit::Text),
    Column::new("low_ratio", "Good below", Unit::Ratio),
    Column::new("high_ratio", "Bad from", Unit::Ratio),
];

const CAUSES: &[Column] = &[
    Column::new("cause", "Cause", Unit::Text),
    Column::new("total_ps", "Waiting", Unit::Picos),
    Column::new("mean_ps", "A step", Unit::Picos).fractional(),
    Column::new("step_ratio", "Of step", Unit::Ratio),
    Column::new("meaning", "The input is", Unit::Text),
];

const STAGES: &[Column] = &[
    Column::new("name", "Stage", Unit::Text),
    Column::new("stage", "Does", Unit::Text),
    Column::wide("source", "From", Unit::Text),
    Column::new("count", "Count", Unit::Count),
    Column::new("self_ps", "Self", Unit::Picos),
    Column::new("total_ps", "Total", Unit::Picos),
    Column::wide("mean_ps", "Mean", Unit::Picos).fractional(),
    Column::wide("longest_ps", "Longest", Unit::Picos),
    Column::wide("background_ps", "Background", Unit::Picos),
    Column::new("is_bottleneck", "Slowest", Unit::Flag),
];

/// The cause with most of the waiting.
fn mostly(causes_ps: &[i64]) -> Cell {
    let kinds = KINDS.iter().zip(causes_ps).rev();
    let largest = kinds.max_by_key(|(_, time)| **time);
    let known = largest.filter(|(_, time)| **time > 0);
    known.map(|((name, ..), _)| (*name).to_owned()).into()
}

impl Report for InputReport {
    fn tables(&self) -> Vec<Table> {
        let bounds = self.bounds.iter().map(|row| {
            vec![
                row.title.as_str().into(),
                row.mean_ps.into(),
                row.ratio.into(),
                row.verdict.name().into(),
                row.low_ratio.into(),
                row.high_ratio.into(),
            ]
        });
        let causes = self.causes.iter().map(|row| {
            vec![
                row.cause.as_str().into(),
                row.total_ps.into(),
                row.mean_ps.into(),
                row.step_ratio.into(),
                row.meaning.as_str().into(),
            ]
        });
        let hosts = self.hosts.iter().map(|row| {
            vec![
                row.host.as_str().into(),
                row.input_median_ps.into(),
                row.input_mean_ps.into(),
                row.input_ratio.into(),
                row.loading_mean_ps.into(),
                row.duration_mean_ps.into(),
                row.longest_ps.into(),
                row.longest_step.into(),
            ]
        });
        let rows = self.rows.iter().map(|row| {
            vec![
                row.step.into(),
                row.host.as_str().into(),
                row.device.as_str().into(),
                row.start_ps.into(),
                row.duration_ps.into(),
                row.input_ps.into(),
                row.input_ratio.into(),
                row.waiting_ps.into(),
                row.copies_ps.into(),
                row.loading_ps.into(),
                mostly(&row.causes_ps),
            ]
        });
        let stages = self.stages.iter().map(|row| {
            vec![
                row.name.as_str().into(),
                row.stage.as_str().into(),
                row.source.as_str().into(),
                row.count.into(),
                row.self_ps.into(),
                row.total_ps.into(),
                row.mean_ps.into(),
                row.longest_ps.into(),
                row.background_ps.into(),
                row.is_bottleneck.into(),
            ]
        });
        let mut tables = vec![
            Table::new("rows", "Steps", ROWS, rows),
            Table::new("bounds", "What bounds the step", BOUNDS, bounds),
            Table::new("causes", "Why devices wait for input", CAUSES, causes),
            Table::new("hosts", "Hosts", HOSTS, hosts),
            Table::new("stages", "Stages", STAGES, stages),
        ];
        tables[0].row_count = self.row_count;
        tables
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn headline(&self) -> Vec<(String, String)> {
        let share = |key: &str| {
            let bound = self.bounds.iter().find(|bound| bound.key == key)?;
            let ratio = bound.ratio?;
            let text = format!(
                "{} of the step ({}; good below {}, bad from {})",
                format::percent(ratio),
                bound.verdict.name(),
                format::percent(bound.low_ratio),
                format::percent(bound.high_ratio)
            );
            Some((bound.title.clone(), text))
        };
        let mut lines: Vec<(String, String)> =
            share("input").into_iter().chain(share("unknown")).collect();
        if let Some(worst) = self.hosts.first().filter(|_| self.hosts.len() > 1) {
            let usual = format::duration_ps(worst.input_median_ps);
            let mean = format::duration_ps(worst.input_mean_ps);
            lines.push((
                "Longest".to_owned(),
                format!(
                    "{}: {usual} of its median step, {mean} in the mean",
                    worst.host
                ),
            ));
        }
        lines
    }
}
