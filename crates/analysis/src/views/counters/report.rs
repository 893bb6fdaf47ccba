//! What `counters` answers: samples over time and ratios of registers.

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
    /// Counters before the limit.
    pub row_count: usize,
    /// First sample of the rows.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Last sample of the rows.
    #[ts(type = "number")]
    pub end_ps: i64,
    /// What the registers of a TPU say of the use of its units, sample by sample.
    pub utilisation: Vec<UtilisationRow>,
    /// What the figures do not cover; how to record counters where there are none.
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
    /// Its track on the timeline; of several the first.
    pub track: u32,
    /// Number of the hardware register that the counter reads.
    pub register: String,
    /// What the counter counts, in the recorder's words.
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
    /// Value of the smallest sample, exact to the last bit.
    pub min_exact: String,
    /// Value of the largest sample, exact to the last bit.
    pub max_exact: String,
    /// Value of the latest sample, exact to the last bit.
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
    /// Its course.
    pub points: Vec<CounterPoint>,
}

/// A sample, or the samples of a part of the time.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct CounterPoint {
    /// When.
    #[ts(type = "number")]
    pub at_ps: i64,
    /// Mean.
    pub mean: f64,
    /// Least.
    pub min: f64,
    /// Most.
    pub max: f64,
}

/// Use of one unit of a chip in one sample.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct UtilisationRow {
    /// Name of the device that the sample is from.
    pub device: String,
    /// Host name.
    pub host: String,
    /// Number of the sample: that of the line it was recorded on.
    #[ts(type = "number")]
    pub sample: i64,
    /// Name of the line that the sample was recorded on, such as the kernel's.
    pub line: String,
    /// Time of the sample.
    #[ts(type = "number")]
    pub at_ps: i64,
    /// Part of the chip that the registers belong to, such as `TensorCore 0`.
    pub unit: String,
    /// What the registers count.
    pub name: String,
    /// Count of the unit in the sample, as the sum of its registers.
    pub achieved: f64,
    /// Upper limit of the count: cycles of the unit × what it can do per cycle, or a peak rate ×
    /// the time.
    pub peak: f64,
    /// What the registers count in: one of `cycles`, `instructions` or `bytes`.
    pub measure: String,
    /// Utilization of the unit: its count ÷ the most that was possible in the time of the sample.
    pub ratio: Option<f64>,
    /// Where the upper limit of the count comes from.
    pub peak_source: String,
}
