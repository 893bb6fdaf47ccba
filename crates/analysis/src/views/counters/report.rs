//! What `counters` answers: samples over time, and utilization from registers.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::telling::Note;

/// The answer of the `counters` analysis.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct CountersReport {
    /// One row per counter and device, by device and name unless sorted otherwise.
    pub rows: Vec<CounterRow>,
    /// Number of counters before the limit.
    pub row_count: usize,
    /// Time of the first sample of all rows.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Time of the last sample of all rows.
    #[ts(type = "number")]
    pub end_ps: i64,
    /// Utilization of the units of a TPU, from its registers, for each sample.
    pub utilization: Vec<UtilizationRow>,
    /// What the figures do not cover, and how to record counters if there are none.
    pub notes: Vec<Note>,
}

/// One counter of one device.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct CounterRow {
    /// Name of the counter as recorded. A register without a name is shown by its number.
    pub name: String,
    /// Name of the device that the counter belongs to. Empty for counters of a host.
    pub device: String,
    /// Name of the host that recorded the counter.
    pub host: String,
    /// Where the counter was recorded, such as the kernel that it was measured around.
    pub line: String,
    /// Track of the counter on the timeline; the first of several.
    pub track: u32,
    /// Number of the hardware register that the counter reads.
    pub register: String,
    /// Description of the counter, as recorded.
    pub description: String,
    /// Groups that the counter belongs to.
    pub sets: String,
    /// Unit of the counter's values, if its name or description contains one.
    pub unit: String,
    /// Number of samples of the counter in the selection.
    #[ts(type = "number")]
    pub sample_count: i64,
    /// Value of the smallest sample in the selection.
    pub min: f64,
    /// Mean of the samples, each with equal weight.
    pub mean: f64,
    /// Value of the largest sample in the selection.
    pub max: f64,
    /// Value of the latest sample in the selection.
    pub last: f64,
    /// Exact value of the smallest sample.
    pub min_exact: String,
    /// Exact value of the largest sample.
    pub max_exact: String,
    /// Exact value of the latest sample.
    pub last_exact: String,
    /// Time of the first sample in the selection.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Time of the last sample in the selection.
    #[ts(type = "number")]
    pub end_ps: i64,
    /// Time of the sample with the largest value.
    #[ts(type = "number")]
    pub max_at_ps: i64,
    /// Values of the counter over time.
    pub points: Vec<CounterPoint>,
}

/// A sample, or the samples in a time interval.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct CounterPoint {
    /// Time of the sample; for several, of the middle one.
    #[ts(type = "number")]
    pub at_ps: i64,
    /// Mean of the samples.
    pub mean: f64,
    /// Minimum of the samples.
    pub min: f64,
    /// Maximum of the samples.
    pub max: f64,
}

/// Utilization of one unit of a chip in one sample.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct UtilizationRow {
    /// Name of the device that the sample is from.
    pub device: String,
    /// Name of the host.
    pub host: String,
    /// Number of the sample: the number of the line it was recorded on.
    #[ts(type = "number")]
    pub sample: i64,
    /// Name of the line that the sample was recorded on, such as the kernel's.
    pub line: String,
    /// Time of the sample.
    #[ts(type = "number")]
    pub at_ps: i64,
    /// Unit of the chip that the registers belong to, such as `TensorCore 0`.
    pub unit: String,
    /// What the registers count.
    pub name: String,
    /// Count in the sample: the sum of the registers.
    pub achieved: f64,
    /// Upper limit of the count: cycles of the unit × what it can do per cycle, or a peak rate ×
    /// the time.
    pub peak: f64,
    /// Unit of the count: one of `cycles`, `instructions` or `bytes`.
    pub measure: String,
    /// Utilization: count ÷ upper limit of the count in the time of the sample.
    pub ratio: Option<f64>,
    /// Source of the upper limit of the count.
    pub peak_source: String,
}
