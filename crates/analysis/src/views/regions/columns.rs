//! Columns of the tables of `regions`: titles, units, behavior, and how each is read from its row.
//! The meaning of each column is documented at the field of its row.

use super::report::{RegionRow, RegionThread};
use crate::telling::{Column, Declared, Field, Identity, Unit, indented};

pub(super) const ROWS: &[Field<RegionRow>] = &[
    Column::new("name", "Region", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| indented(row.depth, &row.name).into()),
    Column::new("kind", "Kind", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.kind.as_str().into()),
    Column::new("count", "Count", Unit::Count)
        .sums()
        .of(|row| row.count.into()),
    Column::new("total_ps", "Total", Unit::Picos)
        .formula("Σ duration")
        .sums()
        .of(|row| row.total_ps.into()),
    Column::new("self_ps", "Self", Unit::Picos)
        .formula("Σ (duration − regions directly within)")
        .sums()
        .of(|row| row.self_ps.into()),
    Column::new("mean_ps", "Mean", Unit::Picos)
        .fractional()
        .formula("Σ duration ÷ count")
        .of(|row| row.mean_ps.into()),
    Column::new("p95_ps", "p95", Unit::Picos)
        .formula("nearest rank")
        .of(|row| row.p95_ps.into()),
    Column::new("step_ps", "Per step", Unit::Picos)
        .fractional()
        .formula("Σ duration ÷ steps")
        .of(|row| row.step_ps.into()),
    Column::new("device_ps", "Device time", Unit::Picos)
        .formula(
            "Σ durations of kernels and copies on GPUs, busy time of program runs \
             elsewhere",
        )
        .sums()
        .of(|row| row.device_ps.into()),
    Column::wide("source", "Source", Unit::Text)
        .identifies(Identity::Unnumbered)
        .of(|row| row.source.as_str().into()),
    Column::wide("ratio", "Self share", Unit::Ratio)
        .formula("self ÷ time within regions")
        .of(|row| row.ratio.into()),
    Column::wide("step_count", "Count per step", Unit::Count)
        .fractional()
        .formula("occurrences ÷ steps")
        .of(|row| row.step_count.into()),
    Column::wide("thread", "Thread", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.thread.as_str().into()),
    Column::wide("thread_count", "Threads", Unit::Count)
        .of(|row| i64::from(row.thread_count).into()),
    Column::wide("longest_ps", "Longest", Unit::Picos)
        .means("Duration of the longest occurrence of the region.")
        .of(|row| row.longest.as_ref().map(|place| place.duration_ps).into()),
    Column::wide("longest_start_ps", "Longest at", Unit::Picos)
        .means("Start of the longest occurrence of the region, since the session started.")
        .position()
        .of(|row| row.longest.as_ref().map(|place| place.start_ps).into()),
    Column::wide("first_start_ps", "First at", Unit::Picos)
        .means("Start of the first occurrence of the region, since the session started.")
        .position()
        .of(|row| row.first.as_ref().map(|place| place.start_ps).into()),
    Column::wide("name_count", "Names", Unit::Count).of(|row| i64::from(row.name_count).into()),
    Column::wide("depth", "Level", Unit::Count)
        .position()
        .of(|row| i64::from(row.depth).into()),
    Column::wide("child_count", "Children", Unit::Count)
        .of(|row| i64::from(row.child_count).into()),
];

pub(super) const THREADS: &[Field<RegionThread>] = &[
    Column::new("thread", "Thread", Unit::Text).of(|row| row.thread.as_str().into()),
    Column::new("region_count", "Regions", Unit::Count).of(|row| row.region_count.into()),
    Column::new("slice_count", "Slices", Unit::Count)
        .sums()
        .of(|row| row.slice_count.into()),
    Column::new("covered_ps", "In regions", Unit::Picos)
        .sums()
        .of(|row| row.covered_ps.into()),
    Column::new("device_ps", "Device time", Unit::Picos)
        .sums()
        .of(|row| row.device_ps.into()),
    Column::wide("host", "Host", Unit::Text).of(|row| row.host.as_str().into()),
];

/// The key figures of the report.
pub(super) const FIGURES: &[Column] = &[
    Column::new("covered_ps", "Time in regions", Unit::Picos)
        .sums()
        .neutral(),
    Column::new("device_ratio", "Launches found", Unit::Ratio).more_is_better(),
];

/// The tables of the report with their columns.
pub(super) fn tables() -> Vec<Declared> {
    vec![Declared::of("rows", ROWS), Declared::of("threads", THREADS)]
}
