//! What `idle` answers: gaps, and why.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::activity::Cause;
use crate::format;
use crate::note::Note;

/// The answer of the `idle` analysis.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct IdleReport {
    /// Time of listed gaps by cause over all selected devices, largest first.
    pub causes: Vec<CauseRow>,
    /// Each device that recorded work.
    pub devices: Vec<IdleDevice>,
    /// Listed gaps by length.
    pub buckets: Vec<GapBucket>,
    /// Each selected step on each device.
    pub steps: Vec<IdleStep>,
    /// Gaps, longest first unless sorted otherwise.
    pub rows: Vec<GapRow>,
    /// Gaps before the limit.
    pub row_count: usize,
    /// What the figures do not cover.
    pub notes: Vec<Note>,
}

/// One cause.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct CauseRow {
    /// What the host did.
    pub cause: Cause,
    /// The same in words.
    pub meaning: String,
    /// Σ time of listed gaps in which it did.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Gaps of which it has most.
    #[ts(type = "number")]
    pub count: i64,
    /// The longest of those.
    #[ts(type = "number")]
    pub longest_ps: i64,
    /// Total ÷ Σ windows of the devices, 0..1.
    pub window_ratio: Option<f64>,
    /// What to do about it.
    pub remedy: String,
}

/// One device.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct IdleDevice {
    /// Device name.
    pub device: String,
    /// Number of the device in the session.
    pub device_index: u32,
    /// What was looked at; busy and idle sum to it.
    #[ts(type = "number")]
    pub window_ps: i64,
    /// Union of its work.
    #[ts(type = "number")]
    pub busy_ps: i64,
    /// Σ gaps, short ones included.
    #[ts(type = "number")]
    pub idle_ps: i64,
    /// Idle ÷ window, 0..1.
    pub idle_ratio: Option<f64>,
    /// Gaps from this length on are listed.
    #[ts(type = "number")]
    pub min_gap_ps: i64,
    /// Listed gaps.
    pub gap_count: usize,
    /// The longest gap.
    #[ts(type = "number")]
    pub longest_ps: i64,
    /// Shorter gaps.
    #[ts(type = "number")]
    pub short_count: i64,
    /// Σ shorter gaps.
    #[ts(type = "number")]
    pub short_ps: i64,
    /// Σ listed gaps by cause, in the order of the causes' priority.
    #[ts(type = "number[]")]
    pub causes_ps: Vec<i64>,
}

/// Gaps of similar length.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct GapBucket {
    /// Shortest length, included.
    #[ts(type = "number")]
    pub from_ps: i64,
    /// Longest length, excluded; absent for the last.
    #[ts(type = "number | null")]
    pub to_ps: Option<i64>,
    /// How many.
    #[ts(type = "number")]
    pub count: i64,
    /// Σ length.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// The same by cause, in the order of the causes' priority.
    #[ts(type = "number[]")]
    pub causes_ps: Vec<i64>,
}

/// One step on one device.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct IdleStep {
    /// Step number as recorded.
    #[ts(type = "number")]
    pub step: i64,
    /// Device name.
    pub device: String,
    /// Number of the device in the session.
    pub device_index: u32,
    /// Start since the session began.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Length of the step on the device.
    #[ts(type = "number")]
    pub duration_ps: i64,
    /// Listed gaps that reach into it.
    pub gap_count: usize,
    /// Σ of their parts within it.
    #[ts(type = "number")]
    pub gaps_ps: i64,
    /// The same by cause, in the order of the causes' priority.
    #[ts(type = "number[]")]
    pub causes_ps: Vec<i64>,
}

/// One gap.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct GapRow {
    /// Device name.
    pub device: String,
    /// Number of the device in the session.
    pub device_index: u32,
    /// Step in which its middle lies; absent outside of steps.
    #[ts(type = "number | null")]
    pub step: Option<i64>,
    /// Start since the session began.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Length.
    #[ts(type = "number")]
    pub duration_ps: i64,
    /// What the threads that drive the device did meanwhile. An instant counts for the first cause
    /// in the order compilation, data loading, garbage collection, checkpoint, profiler, transfer,
    /// dispatch, sleep, Python, runtime, annotation, blocked; a gap has the cause with most of its
    /// time.
    pub cause: Cause,
    /// How much of the gap its cause took.
    #[ts(type = "number")]
    pub cause_ps: i64,
    /// The innermost call with at least half of the cause’s time in the gap.
    pub what: String,
    /// The outermost annotation of the program around at least half of the gap.
    pub annotation: String,
    /// The innermost frame of Python with at least half of the gap.
    pub python: String,
}

impl IdleReport {
    /// Shortest lengths that are listed, in words.
    pub(super) fn min_gaps(&self) -> Vec<String> {
        let mut lengths: Vec<i64> = self.devices.iter().map(|row| row.min_gap_ps).collect();
        lengths.sort_unstable();
        lengths.dedup();
        lengths
            .into_iter()
            .map(|length| format::duration_ps(length as f64))
            .collect()
    }
}
