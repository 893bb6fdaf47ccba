//! What `counters` answers: samples over time and ratios of registers.

use documented::DocumentedFields;
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
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct CounterRow {
    /// Name as recorded; a register without a name is shown by its number.
    pub name: String,
    /// Device name; empty for counters of a host.
    pub device: String,
    /// Host name.
    pub host: String,
    /// Where it was recorded, such as the kernel it was measured around.
    pub line: String,
    /// Its track on the timeline; of several the first.
    pub track: u32,
    /// Number of the hardware's register.
    pub register: String,
    /// What it counts, in the recorder's words.
    pub description: String,
    /// Groups it belongs to.
    pub sets: String,
    /// What values are measured in, where the counter's name or description says it.
    pub unit: String,
    /// Values in the selection.
    #[ts(type = "number")]
    pub sample_count: i64,
    /// Smallest sample.
    pub min: f64,
    /// Mean of the samples, each counting the same.
    pub mean: f64,
    /// Largest sample; leads to its time on the timeline.
    pub max: f64,
    /// Latest sample.
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
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
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
    /// The part of the chip.
    pub unit: String,
    /// What the registers count.
    pub name: String,
    /// Sum of registers.
    pub achieved: f64,
    /// Cycles of the unit times what it can do in one, or a peak rate times the time.
    pub peak: f64,
    /// One of `cycles`, `instructions` or `bytes`.
    pub measure: String,
    /// Counted against the most that could have been in the time of the sample.
    pub ratio: Option<f64>,
    /// Where the peak comes from.
    pub peak_source: String,
}
