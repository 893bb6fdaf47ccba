//! Columns of the tables of `idle`: titles, units, behavior, and how each is read from its row.
//! The meaning of each column is documented at the field of its row.

use super::report::{CauseRow, GapBucket, GapRow, IdleDevice, IdleStep};
use crate::measuring::activity;
use crate::telling::{Cell, Column, Declared, Field, Unit};

pub(super) const ROWS: &[Field<GapRow>] = &[
    Column::new("duration_ps", "Gap", Unit::Picos).of(|row| row.duration_ps.into()),
    Column::new("cause", "Cause", Unit::Text).of(|row| row.cause.name().into()),
    Column::new("what", "What the host did", Unit::Text).of(|row| row.what.as_str().into()),
    Column::wide("python", "Python", Unit::Text).of(|row| row.python.as_str().into()),
    Column::wide("annotation", "Annotation", Unit::Text).of(|row| row.annotation.as_str().into()),
    Column::new("device", "Device", Unit::Text).of(|row| row.device.as_str().into()),
    Column::new("step", "Step", Unit::Count)
        .position()
        .of(|row| row.step.into()),
    Column::new("start_ps", "Start", Unit::Picos)
        .position()
        .of(|row| row.start_ps.into()),
    Column::wide("cause_ps", "Time in cause", Unit::Picos).of(|row| row.cause_ps.into()),
];

pub(super) const CAUSES: &[Field<CauseRow>] = &[
    Column::new("cause", "Cause", Unit::Text).of(|row| row.cause.name().into()),
    Column::new("total_ps", "Idle time", Unit::Picos)
        .sums()
        .of(|row| row.total_ps.into()),
    Column::new("window_ratio", "Of window", Unit::Ratio)
        .less_is_better()
        .of(|row| row.window_ratio.into()),
    Column::new("count", "Gaps", Unit::Count)
        .sums()
        .of(|row| row.count.into()),
    Column::new("longest_ps", "Longest", Unit::Picos).of(|row| row.longest_ps.into()),
    Column::new("meaning", "The host is", Unit::Text).of(|row| row.meaning.as_str().into()),
];

pub(super) const DEVICES: &[Field<IdleDevice>] = &[
    Column::new("device", "Device", Unit::Text).of(|row| row.device.as_str().into()),
    Column::new("window_ps", "Window", Unit::Picos)
        .sums()
        .neutral()
        .of(|row| row.window_ps.into()),
    Column::new("busy_ps", "Busy", Unit::Picos)
        .sums()
        .of(|row| row.busy_ps.into()),
    Column::new("idle_ps", "Idle", Unit::Picos)
        .sums()
        .of(|row| row.idle_ps.into()),
    Column::new("idle_ratio", "Idle share", Unit::Ratio).of(|row| row.idle_ratio.into()),
    Column::new("gap_count", "Gaps", Unit::Count)
        .sums()
        .of(|row| row.gap_count.into()),
    Column::new("longest_ps", "Longest", Unit::Picos).of(|row| row.longest_ps.into()),
    Column::wide("short_count", "Shorter", Unit::Count)
        .sums()
        .of(|row| row.short_count.into()),
    Column::wide("short_ps", "Σ shorter", Unit::Picos)
        .sums()
        .of(|row| row.short_ps.into()),
];

pub(super) const BUCKETS: &[Field<GapBucket>] = &[
    Column::new("from_ps", "From", Unit::Picos)
        .position()
        .of(|row| row.from_ps.into()),
    Column::new("to_ps", "To", Unit::Picos)
        .position()
        .of(|row| row.to_ps.into()),
    Column::new("count", "Gaps", Unit::Count)
        .sums()
        .of(|row| row.count.into()),
    Column::new("total_ps", "Total", Unit::Picos)
        .sums()
        .of(|row| row.total_ps.into()),
];

pub(super) const STEPS: &[Field<IdleStep>] = &[
    Column::new("step", "Step", Unit::Count)
        .position()
        .of(|row| row.step.into()),
    Column::new("device", "Device", Unit::Text).of(|row| row.device.as_str().into()),
    Column::new("duration_ps", "Duration", Unit::Picos).of(|row| row.duration_ps.into()),
    Column::new("gap_count", "Gaps", Unit::Count).of(|row| row.gap_count.into()),
    Column::new("gaps_ps", "Σ gaps", Unit::Picos).of(|row| row.gaps_ps.into()),
    Column::new("cause", "Main cause", Unit::Text)
        .means(
            "Cause with the most time in the listed gaps of the step; on a tie, the \
             first in priority order. Absent without gaps.",
        )
        .of(|row| mostly(&row.causes_ps)),
];

/// The tables of the report with their columns.
pub(super) fn tables() -> Vec<Declared> {
    vec![
        Declared::of("causes", CAUSES),
        Declared::of("rows", ROWS),
        Declared::of("devices", DEVICES),
        Declared::of("buckets", BUCKETS),
        Declared::of("steps", STEPS),
    ]
}

/// The cause with the most time.
fn mostly(causes_ps: &[i64]) -> Cell {
    let largest = activity::CAUSES
        .iter()
        .zip(causes_ps)
        .rev()
        .max_by_key(|(_, time)| **time);
    let known = largest.filter(|(_, time)| **time > 0);
    known.map(|(cause, _)| cause.name().to_owned()).into()
}
