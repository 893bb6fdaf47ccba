//! What `requests` answers: latency, phases, batches.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::note::Note;

/// Phases of a request in the order in which they usually come, and what they are.
pub(crate) const PHASES: [(&str, &str); 9] = [
    ("prepare", "the host prepares the request"),
    ("queue", "it waits for its batch"),
    ("formation", "the batch is put together"),
    (
        "runtime",
        "the host dispatches, or works between device work",
    ),
    ("to_device", "data is copied to the device"),
    ("device", "the device works"),
    ("to_host", "data is copied to the host"),
    ("finish", "the host finishes the request"),
    ("idle", "nothing of it was recorded"),
];

/// The answer of the `requests` analysis.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct RequestsReport {
    /// Mean latency; absent without requests.
    pub mean_ps: Option<f64>,
    /// Requests per second, from the first start to the last end.
    pub throughput: Option<f64>,
    /// Requests open at once, mean: Σ latencies ÷ (last end − first start).
    pub concurrency_mean: Option<f64>,
    /// The most at once.
    pub concurrency_max: usize,
    /// Σ padding ÷ Σ batch sizes, 0..1; absent where batches do not say.
    pub padding_ratio: Option<f64>,
    /// Latencies by percentile.
    pub percentiles: Vec<PercentileRow>,
    /// Where latency goes.
    pub phases: Vec<PhaseRow>,
    /// Requests, slowest first unless sorted otherwise.
    pub rows: Vec<RequestRow>,
    /// Rows before the limit.
    pub row_count: usize,
    /// Batches, by host and start.
    pub batches: Vec<BatchRow>,
    /// What the figures do not cover.
    pub notes: Vec<Note>,
}

/// The latency that a share of the requests does not exceed.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct PercentileRow {
    /// 50 to 99.9.
    pub percentile: f64,
    /// Latency of the request that stands there.
    #[ts(type = "number")]
    pub latency_ps: i64,
    /// Its id as recorded; empty if none.
    pub request_id: String,
    /// Its start since the session began.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Its phases.
    #[ts(type = "number[]")]
    pub phases_ps: Vec<i64>,
}

/// A phase over all requests.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct PhaseRow {
    /// One of `prepare`, `queue`, `formation`, `runtime`, `to_device`, `device`, `to_host`, `finish`, `idle`.
    pub phase: String,
    /// In words.
    pub meaning: String,
    /// Mean over requests.
    pub mean_ps: f64,
    /// Median.
    #[ts(type = "number")]
    pub median_ps: i64,
    /// 90th percentile.
    #[ts(type = "number")]
    pub high_ps: i64,
    /// Σ phase ÷ Σ latencies, 0..1.
    pub latency_ratio: Option<f64>,
}

/// One request.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct RequestRow {
    /// Name as recorded.
    pub name: String,
    /// Id as recorded; empty if none.
    pub request_id: String,
    /// Host name.
    pub host: String,
    /// Start since the session began.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Duration of the request as annotated; the phases sum to it.
    #[ts(type = "number")]
    pub latency_ps: i64,
    /// Position of its batch in `batches`; absent if none was found.
    #[ts(type = "number | null")]
    pub batch_id: Option<i64>,
    /// Time by phase: prepare, queue, formation, runtime, `to_device`, device, `to_host`, finish, idle.
    #[ts(type = "number[]")]
    pub phases_ps: Vec<i64>,
}

/// One batch.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct BatchRow {
    /// Name as recorded.
    pub name: String,
    /// Id as recorded; empty if none.
    pub batch_id: String,
    /// Host name.
    pub host: String,
    /// Start since the session began.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Length.
    #[ts(type = "number")]
    pub duration_ps: i64,
    /// Requests that waited for it.
    pub request_count: usize,
    /// Elements, padding included; absent if not recorded.
    #[ts(type = "number | null")]
    pub size: Option<i64>,
    /// Elements that are padding; absent if not recorded.
    #[ts(type = "number | null")]
    pub padding: Option<i64>,
    /// 1 − padding ÷ size, 0..1.
    pub efficiency_ratio: Option<f64>,
    /// Device work within it.
    #[ts(type = "number")]
    pub device_ps: i64,
    /// From the start of its first request to its own; absent without requests.
    #[ts(type = "number | null")]
    pub delay_ps: Option<i64>,
}
