//! What `requests` answers: latency, phases, batches.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::telling::{Note, Word};

/// Phases of a request in their usual order, with what happens in them.
pub(crate) const PHASES: [Word; 10] = [
    Word::new("prepare", "Prepare", "the host prepares the request"),
    Word::new("queue", "Queue", "the request waits for its batch"),
    Word::new("formation", "Batch formation", "the batch is formed"),
    Word::new(
        "compilation",
        "Compilation",
        "the host traces and compiles a program",
    ),
    Word::new(
        "runtime",
        "Runtime",
        "the host dispatches, or works between device work",
    ),
    Word::new("to_device", "To device", "data is copied to the device"),
    Word::new("device", "Device", "the device works"),
    Word::new("to_host", "To host", "data is copied to the host"),
    Word::new("finish", "Finish", "the host finishes the request"),
    Word::new("idle", "Not recorded", "no activity was recorded"),
];

/// The answer of the `requests` analysis.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct RequestsReport {
    /// Mean latency. Absent without requests.
    pub mean_ps: Option<f64>,
    /// Requests per second, from the first start to the last end.
    pub throughput: Option<f64>,
    /// Requests that had started and not ended, on average.
    pub concurrency_mean: Option<f64>,
    /// The most requests open at once.
    pub concurrency_max: usize,
    /// Share of the elements of batches that no request asked for, 0..1; absent where batches do not
    /// say.
    pub padding_ratio: Option<f64>,
    /// Latencies by percentile.
    pub percentiles: Vec<PercentileRow>,
    /// Where latency goes.
    pub phases: Vec<PhaseRow>,
    /// Requests, slowest first unless sorted otherwise.
    pub rows: Vec<RequestRow>,
    /// Number of rows before the limit.
    pub row_count: usize,
    /// Batches, by host and start.
    pub batches: Vec<BatchRow>,
    /// What the figures do not cover.
    pub notes: Vec<Note>,
}

/// A latency percentile.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct PercentileRow {
    /// Percentile of the latency, 50 to 99.9.
    pub percentile: f64,
    /// Latency of the request at this percentile (nearest rank).
    #[ts(type = "number")]
    pub latency_ps: i64,
    /// ID of the request at this percentile, as recorded. Empty if none.
    pub request_id: String,
    /// Start of the request at this percentile, since the session started.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Time by phase of the request at this percentile.
    #[ts(type = "number[]")]
    pub phases_ps: Vec<i64>,
}

/// A phase over all requests.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct PhaseRow {
    /// One of `prepare`, `queue`, `formation`, `compilation`, `runtime`, `to_device`, `device`, `to_host`, `finish`, `idle`.
    pub phase: String,
    /// What happens during the phase, in words.
    pub meaning: String,
    /// Mean time in the phase, over requests.
    pub mean_ps: f64,
    /// Median time in the phase, over requests.
    #[ts(type = "number")]
    pub median_ps: i64,
    /// 90th percentile of the time in the phase, over requests.
    #[ts(type = "number")]
    pub high_ps: i64,
    /// Time in the phase as a share of the latency of all requests, 0..1: Σ phase ÷ Σ latencies.
    pub latency_ratio: Option<f64>,
}

/// One request.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct RequestRow {
    /// Name of the request as recorded.
    pub name: String,
    /// ID of the request as recorded. Empty if none.
    pub request_id: String,
    /// Name of the host that handled the request.
    pub host: String,
    /// Start of the request, since the session started.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Latency: the duration of the request as annotated. The phases sum to it.
    #[ts(type = "number")]
    pub latency_ps: i64,
    /// Position of the request's batch in `batches`. Absent if none was found.
    #[ts(type = "number | null")]
    pub batch_id: Option<i64>,
    /// Time by phase: prepare, queue, formation, compilation, runtime, `to_device`, device,
    /// `to_host`, finish, idle.
    #[ts(type = "number[]")]
    pub phases_ps: Vec<i64>,
}

/// One batch.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct BatchRow {
    /// Name of the batch as recorded.
    pub name: String,
    /// ID of the batch as recorded. Empty if none.
    pub batch_id: String,
    /// Name of the host that ran the batch.
    pub host: String,
    /// Start of the batch, since the session started.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Duration of the batch.
    #[ts(type = "number")]
    pub duration_ps: i64,
    /// Number of requests that waited for the batch.
    pub request_count: usize,
    /// Number of elements in the batch, including padding. Absent if not recorded.
    #[ts(type = "number | null")]
    pub size: Option<i64>,
    /// Number of padding elements in the batch. Absent if not recorded.
    #[ts(type = "number | null")]
    pub padding: Option<i64>,
    /// Share of the batch that is not padding, 0..1: 1 − padding ÷ size. Absent if not recorded.
    pub efficiency_ratio: Option<f64>,
    /// Time in which the device works within the batch.
    #[ts(type = "number")]
    pub device_ps: i64,
    /// Time from the start of the first request of the batch to the start of the batch. Absent
    /// without requests.
    #[ts(type = "number | null")]
    pub delay_ps: Option<i64>,
}
