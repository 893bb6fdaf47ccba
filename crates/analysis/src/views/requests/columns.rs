//! Columns of the tables of `requests`: titles, units, behavior, and how each is read from its row.
//! The meaning of each column is documented at the field of its row.

use super::report::{BatchRow, PercentileRow, PhaseRow, RequestRow};
use crate::telling::{Column, Declared, Field, Identity, Unit};

pub(super) const ROWS: &[Field<RequestRow>] = &[
    Column::new("name", "Request", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.name.as_str().into()),
    Column::new("request_id", "Id", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.request_id.as_str().into()),
    Column::new("latency_ps", "Latency", Unit::Picos).of(|row| row.latency_ps.into()),
    Column::wide("start_ps", "Start", Unit::Picos)
        .position()
        .of(|row| row.start_ps.into()),
    Column::new("prepare_ps", "Prepare", Unit::Picos)
        .means("Time in which the host prepares the request.")
        .of(|row| row.phases_ps[0].into()),
    Column::new("queue_ps", "Queue", Unit::Picos)
        .means("Time in which the request waits for its batch.")
        .of(|row| row.phases_ps[1].into()),
    Column::wide("formation_ps", "Formation", Unit::Picos)
        .means("Time in which the batch of the request is formed.")
        .of(|row| row.phases_ps[2].into()),
    Column::wide("compilation_ps", "Compilation", Unit::Picos)
        .means("Time of the request in which the host traces and compiles a program.")
        .of(|row| row.phases_ps[3].into()),
    Column::wide("runtime_ps", "Runtime", Unit::Picos)
        .means(
            "Time of the request in which the host dispatches, or works between device \
             work.",
        )
        .of(|row| row.phases_ps[4].into()),
    Column::wide("to_device_ps", "To device", Unit::Picos)
        .means("Time of the request in which data is copied to the device.")
        .of(|row| row.phases_ps[5].into()),
    Column::new("device_ps", "Device", Unit::Picos)
        .means("Time of the request in which the device works.")
        .of(|row| row.phases_ps[6].into()),
    Column::wide("to_host_ps", "To host", Unit::Picos)
        .means("Time of the request in which data is copied to the host.")
        .of(|row| row.phases_ps[7].into()),
    Column::wide("finish_ps", "Finish", Unit::Picos)
        .means("Time in which the host finishes the request.")
        .of(|row| row.phases_ps[8].into()),
    Column::wide("idle_ps", "Idle", Unit::Picos)
        .means("Time of the request in which no activity for it was recorded.")
        .of(|row| row.phases_ps[9].into()),
    Column::wide("batch_id", "Batch", Unit::Count).of(|row| row.batch_id.into()),
    Column::wide("host", "Host", Unit::Text).of(|row| row.host.as_str().into()),
];

pub(super) const PERCENTILES: &[Field<PercentileRow>] = &[
    Column::new("percentile", "Percentile", Unit::Count)
        .fractional()
        .position()
        .of(|row| row.percentile.into()),
    Column::new("latency_ps", "Latency", Unit::Picos).of(|row| row.latency_ps.into()),
    Column::new("request_id", "Request", Unit::Text).of(|row| row.request_id.as_str().into()),
    Column::wide("start_ps", "Start", Unit::Picos)
        .position()
        .of(|row| row.start_ps.into()),
];

pub(super) const PHASES: &[Field<PhaseRow>] = &[
    Column::new("phase", "Phase", Unit::Text).of(|row| row.phase.as_str().into()),
    Column::new("mean_ps", "Mean", Unit::Picos)
        .fractional()
        .of(|row| row.mean_ps.into()),
    Column::new("latency_ratio", "Of latency", Unit::Ratio).of(|row| row.latency_ratio.into()),
    Column::new("median_ps", "Median", Unit::Picos).of(|row| row.median_ps.into()),
    Column::new("high_ps", "p90", Unit::Picos).of(|row| row.high_ps.into()),
    Column::new("meaning", "What happens", Unit::Text).of(|row| row.meaning.as_str().into()),
];

pub(super) const BATCHES: &[Field<BatchRow>] = &[
    Column::new("name", "Batch", Unit::Text).of(|row| row.name.as_str().into()),
    Column::new("batch_id", "Id", Unit::Text).of(|row| row.batch_id.as_str().into()),
    Column::new("duration_ps", "Duration", Unit::Picos).of(|row| row.duration_ps.into()),
    Column::wide("start_ps", "Start", Unit::Picos)
        .position()
        .of(|row| row.start_ps.into()),
    Column::new("request_count", "Requests", Unit::Count).of(|row| row.request_count.into()),
    Column::new("size", "Size", Unit::Count).of(|row| row.size.into()),
    Column::new("padding", "Padding", Unit::Count).of(|row| row.padding.into()),
    Column::new("efficiency_ratio", "Efficiency", Unit::Ratio)
        .of(|row| row.efficiency_ratio.into()),
    Column::new("device_ps", "Device", Unit::Picos).of(|row| row.device_ps.into()),
    Column::wide("delay_ps", "Delay", Unit::Picos).of(|row| row.delay_ps.into()),
    Column::wide("host", "Host", Unit::Text).of(|row| row.host.as_str().into()),
];

/// The key figures of the report.
pub(super) const FIGURES: &[Column] = &[
    Column::new("mean_ps", "Mean latency", Unit::Picos).fractional(),
    Column::new("throughput", "Throughput", Unit::Count)
        .fractional()
        .more_is_better()
        .formula("requests ÷ (last end − first start)"),
    Column::new("concurrency_mean", "Open at once", Unit::Count)
        .fractional()
        .formula("Σ latencies ÷ (last end − first start)"),
    Column::new("concurrency_max", "Most open at once", Unit::Count),
    Column::new("padding_ratio", "Padding", Unit::Ratio)
        .less_is_better()
        .formula("Σ padding ÷ Σ sizes"),
];

/// The tables of the report, with their columns.
pub(super) fn tables() -> Vec<Declared> {
    vec![
        Declared::of("rows", ROWS),
        Declared::of("percentiles", PERCENTILES),
        Declared::of("phases", PHASES),
        Declared::of("batches", BATCHES),
    ]
}
