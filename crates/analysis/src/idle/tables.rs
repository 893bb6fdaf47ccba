//! The `idle` report as tables.

use super::report::{GapRow, IdleReport};
use crate::activity::CAUSES;
use crate::cell::{Cell, Column, Table, Unit};
use crate::format;
use crate::note::Note;
use crate::order::{SortColumn, SortValue};
use crate::registry::Report;

/// Columns that `--sort` knows.
pub(super) const SORT_COLUMNS: &[SortColumn<GapRow>] = &[
    ("duration_ps", |row| SortValue::Int(row.duration_ps)),
    ("start_ps", |row| SortValue::Int(row.start_ps)),
    ("cause_ps", |row| SortValue::Int(row.cause_ps)),
    ("step", |row| {
        SortValue::Float(row.step.map(|step| step as f64))
    }),
    ("cause", |row| SortValue::Text(row.cause.name())),
    ("what", |row| SortValue::Text(&row.what)),
    ("annotation", |row| SortValue::Text(&row.annotation)),
    ("python", |row| SortValue::Text(&row.python)),
    ("device", |row| SortValue::Text(&row.device)),
];

const GAPS: &[Column] = &[
    Column::new("duration_ps", "Gap", Unit::Picos),
    Column::new("cause", "Cause", Unit::Text),
    Column::new("what", "What the host did", Unit::Text),
    Column::wide("python", "Python", Unit::Text),
    Column::wide("annotation", "Annotation", Unit::Text),
    Column::new("device", "Device", Unit::Text),
    Column::new("step", "Step", Unit::Count),
    Column::new("start_ps", "Start", Unit::Picos),
    Column::wide("cause_ps", "Of the cause", Unit::Picos),
];

const CAUSE_COLUMNS: &[Column] = &[
    Column::new("cause", "Cause", Unit::Text),
    Column::new("total_ps", "Idle time", Unit::Picos),
    Column::new("window_ratio", "Of window", Unit::Ratio),
    Column::new("count", "Gaps", Unit::Count),
    Column::new("longest_ps", "Longest", Unit::Picos),
    Column::new("meaning", "The host is", Unit::Text),
];

const DEVICES: &[Column] = &[
    Column::new("device", "Device", Unit::Text),
    Column::new("window_ps", "Window", Unit::Picos),
    Column::new("busy_ps", "Busy", Unit::Picos),
    Column::new("idle_ps", "Idle", Unit::Picos),
    Column::new("idle_ratio", "Idle share", Unit::Ratio),
    Column::new("gap_count", "Gaps", Unit::Count),
    Column::new("longest_ps", "Longest", Unit::Picos),
    Column::wide("short_count", "Shorter", Unit::Count),
    Column::wide("short_ps", "Σ shorter", Unit::Picos),
];

const BUCKETS: &[Column] = &[
    Column::new("from_ps", "From", Unit::Picos),
    Column::new("to_ps", "To", Unit::Picos),
    Column::new("count", "Gaps", Unit::Count),
    Column::new("total_ps", "Total", Unit::Picos),
];

const STEPS: &[Column] = &[
    Column::new("step", "Step", Unit::Count),
    Column::new("device", "Device", Unit::Text),
    Column::new("duration_ps", "Duration", Unit::Picos),
    Column::new("gap_count", "Gaps", Unit::Count),
    Column::new("gaps_ps", "Σ gaps", Unit::Picos),
    Column::new("cause", "Mostly", Unit::Text),
];

/// The cause with most of the time.
fn mostly(causes_ps: &[i64]) -> Cell {
    let largest = CAUSES
        .iter()
        .zip(causes_ps)
        .rev()
        .max_by_key(|(_, time)| **time);
    let known = largest.filter(|(_, time)| **time > 0);
    known.map(|(cause, _)| cause.name().to_owned()).into()
}

impl Report for IdleReport {
    fn tables(&self) -> Vec<Table> {
        let causes = self.causes.iter().map(|row| {
            vec![
                row.cause.name().into(),
                row.total_ps.into(),
                row.window_ratio.into(),
                row.count.into(),
                row.longest_ps.into(),
                row.meaning.as_str().into(),
            ]
        });
        let gaps = self.rows.iter().map(|row| {
            vec![
                row.duration_ps.into(),
                row.cause.name().into(),
                row.what.as_str().into(),
                row.python.as_str().into(),
                row.annotation.as_str().into(),
                row.device.as_str().into(),
                row.step.into(),
                row.start_ps.into(),
                row.cause_ps.into(),
            ]
        });
        let devices = self.devices.iter().map(|row| {
            vec![
                row.device.as_str().into(),
                row.window_ps.into(),
                row.busy_ps.into(),
                row.idle_ps.into(),
                row.idle_ratio.into(),
                row.gap_count.into(),
                row.longest_ps.into(),
                row.short_count.into(),
                row.short_ps.into(),
            ]
        });
        let buckets = self.buckets.iter().map(|row| {
            vec![
                row.from_ps.into(),
                row.to_ps.into(),
                row.count.into(),
                row.total_ps.into(),
            ]
        });
        let steps = self.steps.iter().map(|row| {
            vec![
                row.step.into(),
                row.device.as_str().into(),
                row.duration_ps.into(),
                row.gap_count.into(),
                row.gaps_ps.into(),
                mostly(&row.causes_ps),
            ]
        });
        vec![
            Table::new("causes", "Why devices wait", CAUSE_COLUMNS, causes),
            Table::new("rows", "Longest gaps", GAPS, gaps).with_row_count(self.row_count),
            Table::new("devices", "Devices", DEVICES, devices),
            Table::new("buckets", "Gaps by length", BUCKETS, buckets),
            Table::new("steps", "Steps", STEPS, steps),
        ]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn headline(&self) -> Vec<(String, String)> {
        let window: i64 = self.devices.iter().map(|row| row.window_ps).sum();
        let idle: i64 = self.devices.iter().map(|row| row.idle_ps).sum();
        let gaps: usize = self.devices.iter().map(|row| row.gap_count).sum();
        if window == 0 {
            return Vec::new();
        }
        let mut lines = vec![(
            "Idle".to_owned(),
            format!(
                "{} of {} on {}, in {}",
                format::percent(idle as f64 / window as f64),
                format::duration_ps(window as f64),
                format::counted(self.devices.len(), "device"),
                format::counted(gaps, "gap"),
            ),
        )];
        if let Some(first) = self.causes.first() {
            lines.push((
                "Mostly".to_owned(),
                format!(
                    "{}: {}",
                    first.meaning,
                    format::percent(first.window_ratio.unwrap_or(0.0))
                ),
            ));
        }
        lines
    }
}
