//! Columns of the tables of `input`: titles, units, behavior, and how each is read from its row.
//! The meaning of each column is documented at the field of its row.

use super::collect::KINDS;
use super::report::{Bound, InputCause, InputHost, InputRow, StageRow};
use crate::telling::{Cell, Column, Declared, Field, Identity, Unit};

pub(super) const ROWS: &[Field<InputRow>] = &[
    Column::new("step", "Step", Unit::Count)
        .identifies(Identity::Step)
        .position()
        .of(|row| row.step.into()),
    Column::new("host", "Host", Unit::Text).of(|row| row.host.as_str().into()),
    Column::new("device", "Device", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.device.as_str().into()),
    Column::wide("start_ps", "Start", Unit::Picos)
        .position()
        .of(|row| row.start_ps.into()),
    Column::new("duration_ps", "Step time", Unit::Picos).of(|row| row.duration_ps.into()),
    Column::new("input_ps", "Input", Unit::Picos)
        .formula("waiting + copies in")
        .of(|row| row.input_ps.into()),
    Column::new("input_ratio", "Of step", Unit::Ratio)
        .formula("input ÷ step time")
        .of(|row| row.input_ratio.into()),
    Column::new("waiting_ps", "Waiting", Unit::Picos).of(|row| row.waiting_ps.into()),
    Column::wide("copies_ps", "Copies in", Unit::Picos).of(|row| row.copies_ps.into()),
    Column::wide("loading_ps", "Host loads", Unit::Picos).of(|row| row.loading_ps.into()),
    Column::wide("cause", "Main cause", Unit::Text)
        .means(
            "Cause with the most waiting in the step. Each instant counts for the first \
             of `transfer` (copies to the device), `read` (reads files), `preprocess`, \
             `enqueue` (feeds the infeed), `prefetch`, `wait` (waits for the iterator) \
             and `load` (anything else).",
        )
        .of(|row| mostly(&row.causes_ps)),
];

pub(super) const HOSTS: &[Field<InputHost>] = &[
    Column::new("host", "Host", Unit::Text).of(|row| row.host.as_str().into()),
    Column::new("input_median_ps", "Median input", Unit::Picos)
        .fractional()
        .of(|row| row.input_median_ps.into()),
    Column::new("input_mean_ps", "Mean", Unit::Picos)
        .fractional()
        .of(|row| row.input_mean_ps.into()),
    Column::new("input_ratio", "Of step", Unit::Ratio).of(|row| row.input_ratio.into()),
    Column::new("loading_mean_ps", "Host loads, mean", Unit::Picos)
        .fractional()
        .of(|row| row.loading_mean_ps.into()),
    Column::new("duration_mean_ps", "Mean step", Unit::Picos)
        .fractional()
        .of(|row| row.duration_mean_ps.into()),
    Column::new("longest_ps", "Worst", Unit::Picos).of(|row| row.longest_ps.into()),
    Column::new("longest_step", "In step", Unit::Count)
        .position()
        .of(|row| row.longest_step.into()),
];

pub(super) const BOUNDS: &[Field<Bound>] = &[
    Column::new("title", "Part", Unit::Text).of(|row| row.title.as_str().into()),
    Column::new("mean_ps", "Mean", Unit::Picos)
        .fractional()
        .of(|row| row.mean_ps.into()),
    Column::new("ratio", "Of step", Unit::Ratio)
        .less_is_better()
        .of(|row| row.ratio.into()),
    Column::new("verdict", "Verdict", Unit::Text).of(|row| row.verdict.name().into()),
    Column::new("low_ratio", "Good below", Unit::Ratio)
        .position()
        .of(|row| row.low_ratio.into()),
    Column::new("high_ratio", "Bad from", Unit::Ratio)
        .position()
        .of(|row| row.high_ratio.into()),
];

pub(super) const CAUSES: &[Field<InputCause>] = &[
    Column::new("cause", "Cause", Unit::Text).of(|row| row.cause.as_str().into()),
    Column::new("total_ps", "Waiting", Unit::Picos)
        .sums()
        .of(|row| row.total_ps.into()),
    Column::new("mean_ps", "Per step", Unit::Picos)
        .fractional()
        .of(|row| row.mean_ps.into()),
    Column::new("step_ratio", "Of step", Unit::Ratio).of(|row| row.step_ratio.into()),
    Column::new("meaning", "The input is", Unit::Text).of(|row| row.meaning.as_str().into()),
];

pub(super) const STAGES: &[Field<StageRow>] = &[
    Column::new("name", "Stage", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.name.as_str().into()),
    Column::new("stage", "Task", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.stage.as_str().into()),
    Column::wide("source", "Source", Unit::Text).of(|row| row.source.as_str().into()),
    Column::new("count", "Count", Unit::Count)
        .sums()
        .of(|row| row.count.into()),
    Column::new("self_ps", "Self", Unit::Picos)
        .sums()
        .of(|row| row.self_ps.into()),
    Column::new("total_ps", "Total", Unit::Picos)
        .sums()
        .of(|row| row.total_ps.into()),
    Column::wide("mean_ps", "Mean", Unit::Picos)
        .fractional()
        .of(|row| row.mean_ps.into()),
    Column::wide("longest_ps", "Longest", Unit::Picos).of(|row| row.longest_ps.into()),
    Column::wide("background_ps", "Background", Unit::Picos)
        .sums()
        .of(|row| row.background_ps.into()),
    Column::new("is_bottleneck", "Slowest", Unit::Flag).of(|row| row.is_bottleneck.into()),
];

/// The tables of the report with their columns.
pub(super) fn tables() -> Vec<Declared> {
    vec![
        Declared::of("rows", ROWS),
        Declared::of("hosts", HOSTS),
        Declared::of("bounds", BOUNDS),
        Declared::of("causes", CAUSES),
        Declared::of("stages", STAGES),
    ]
}

/// The cause with the most waiting.
fn mostly(causes_ps: &[i64]) -> Cell {
    let kinds = KINDS.iter().zip(causes_ps).rev();
    let largest = kinds.max_by_key(|(_, time)| **time);
    let known = largest.filter(|(_, time)| **time > 0);
    known.map(|((word, _), _)| word.key.to_owned()).into()
}
