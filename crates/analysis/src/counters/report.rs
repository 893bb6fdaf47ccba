//! What `counters` answers: samples over time and ratios of registers.

use serde::Serialize;
use ts_rs::TS;

use crate::note::Note;

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
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct CounterRow {
    /// Name as recorded, or `counter` and the register's number.
    pub name: String,
    /// Device name; empty for counters of a host.
    pub device: String,
    /// Host name.
    pub host: String,
    /// Line it was recorded on, such as the kernel it was measured around.
    pub line: String,
    /// Its track on the timeline; of several the first.
    pub track: u32,
    /// Number of its register as a decimal string; empty where not recorded.
    pub register: String,
    /// What it counts, in the recorder's words.
    pub description: String,
    /// Groups it belongs to.
    pub sets: String,
    /// What its values are measured in; empty where not known.
    pub unit: String,
    /// Samples.
    #[ts(type = "number")]
    pub sample_count: i64,
    /// Least value.
    pub min: f64,
    /// Mean of the samples.
    pub mean: f64,
    /// Largest value.
    pub max: f64,
    /// Last value.
    pub last: f64,
    /// Least value to the last bit.
    pub min_exact: String,
    /// Largest value to the last bit.
    pub max_exact: String,
    /// Last value to the last bit.
    pub last_exact: String,
    /// First sample.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Last sample.
    #[ts(type = "number")]
    pub end_ps: i64,
    /// Sample with the largest value.
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
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct UtilisationRow {
    /// Device name.
    pub device: String,
    /// Host name.
    pub host: String,
    /// Number of the sample: the line's.
    #[ts(type = "number")]
    pub sample: i64,
    /// Name of the line, such as the kernel's.
    pub line: String,
    /// When it was taken.
    #[ts(type = "number")]
    pub at_ps: i64,
    /// Unit: `TensorCore 0`, `SparseCore 1`, `HBM of TensorCore 0`, `interconnect`.
    pub unit: String,
    /// What is counted.
    pub name: String,
    /// The count, in `measure`.
    pub achieved: f64,
    /// The most it could have been.
    pub peak: f64,
    /// `cycles`, `instructions` or `bytes`.
    pub measure: String,
    /// achieved ÷ peak; may exceed 1.
    pub ratio: Option<f64>,
    /// Where the peak comes from.
    pub peak_source: String,
}
