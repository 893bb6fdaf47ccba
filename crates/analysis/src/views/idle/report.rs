//! What `idle` answers: gaps and their causes.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::measuring::activity::Cause;
use crate::telling::Note;
use crate::telling::format;
use crate::telling::places::SliceRefReport;

/// The answer of the `idle` analysis.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct IdleReport {
    /// Time in listed gaps by cause, over all selected devices, largest first.
    pub causes: Vec<CauseRow>,
    /// Each device that recorded work.
    pub devices: Vec<IdleDevice>,
    /// All gaps by length, also those too short to be listed: from the shortest bucket that has gaps to the
    /// longest.
    pub buckets: Vec<GapBucket>,
    /// Each selected step on each device.
    pub steps: Vec<IdleStep>,
    /// Gaps, longest first unless sorted otherwise.
    pub rows: Vec<GapRow>,
    /// Number of gaps before the limit.
    pub row_count: usize,
    /// What the figures do not cover.
    pub notes: Vec<Note>,
}

/// One cause.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct CauseRow {
    /// What the host did while devices were idle.
    pub cause: Cause,
    /// What the host did while devices were idle, in words.
    pub meaning: String,
    /// Σ time within listed gaps in which the host did this.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Number of listed gaps in which this cause has the most time.
    #[ts(type = "number")]
    pub count: i64,
    /// Longest of the gaps in which this cause has the most time.
    #[ts(type = "number")]
    pub longest_ps: i64,
    /// Idle time of the cause ÷ Σ windows of the devices, 0..1.
    pub window_ratio: Option<f64>,
    /// What to do about it.
    pub remedy: String,
}

/// One device.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct IdleDevice {
    /// Name of the device.
    pub device: String,
    /// Number of the device in the session.
    pub device_index: u32,
    /// Observed time of the device. Its busy and idle time sum to it.
    #[ts(type = "number")]
    pub window_ps: i64,
    /// Time in which the device ran any work, overlapping work counted once.
    #[ts(type = "number")]
    pub busy_ps: i64,
    /// Σ length of all gaps on the device, including those too short to be listed.
    #[ts(type = "number")]
    pub idle_ps: i64,
    /// Idle ÷ window of the device, 0..1.
    pub idle_ratio: Option<f64>,
    /// Minimum length of a listed gap.
    #[ts(type = "number")]
    pub min_gap_ps: i64,
    /// Number of listed gaps on the device.
    pub gap_count: usize,
    /// Longest listed gap on the device.
    #[ts(type = "number")]
    pub longest_ps: i64,
    /// Number of gaps on the device that are too short to be listed.
    #[ts(type = "number")]
    pub short_count: i64,
    /// Σ length of the gaps on the device that are too short to be listed.
    #[ts(type = "number")]
    pub short_ps: i64,
    /// Σ listed gaps by cause, in priority order of the causes.
    #[ts(type = "number[]")]
    pub causes_ps: Vec<i64>,
}

/// Gaps of similar length.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct GapBucket {
    /// Shortest gap length of the bucket, inclusive.
    #[ts(type = "number")]
    pub from_ps: i64,
    /// Longest gap length of the bucket, exclusive. Absent for the last bucket.
    #[ts(type = "number | null")]
    pub to_ps: Option<i64>,
    /// Number of gaps in the bucket, also those too short to be listed.
    #[ts(type = "number")]
    pub count: i64,
    /// Σ length of the gaps in the bucket.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// The same by cause, in priority order of the causes. Gaps too short to be listed have none.
    #[ts(type = "number[]")]
    pub causes_ps: Vec<i64>,
}

/// One step on one device.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct IdleStep {
    /// Number of the step, as recorded.
    #[ts(type = "number")]
    pub step: i64,
    /// Name of the device.
    pub device: String,
    /// Number of the device in the session.
    pub device_index: u32,
    /// Start of the step, measured from the start of the session.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Duration of the step on the device.
    #[ts(type = "number")]
    pub duration_ps: i64,
    /// Number of listed gaps that overlap the step.
    pub gap_count: usize,
    /// Σ parts of the listed gaps that lie within the step.
    #[ts(type = "number")]
    pub gaps_ps: i64,
    /// The same by cause, in priority order of the causes.
    #[ts(type = "number[]")]
    pub causes_ps: Vec<i64>,
}

/// One gap.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct GapRow {
    /// Name of the device that was idle.
    pub device: String,
    /// Number of the device in the session.
    pub device_index: u32,
    /// Step that contains the middle of the gap. Absent outside of steps.
    #[ts(type = "number | null")]
    pub step: Option<i64>,
    /// Start of the gap, measured from the start of the session.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Length of the gap.
    #[ts(type = "number")]
    pub duration_ps: i64,
    /// What the threads that drive the device did during the gap. Each instant counts for the first
    /// cause in the order callback, device, compilation, data loading, garbage collection,
    /// checkpoint, profiler, transfer, dispatch, sleep, Python, runtime, annotation, blocked. A gap
    /// has the cause with the most of its time.
    pub cause: Cause,
    /// Time within the gap that belongs to the cause of the gap.
    #[ts(type = "number")]
    pub cause_ps: i64,
    /// Innermost call that covers at least half of the cause's time in the gap, or the longest call
    /// if none does.
    pub what: String,
    /// Where that call is on the timeline. Absent where nothing was recorded.
    pub slice: Option<SliceRefReport>,
    /// Outermost annotation of the program that covers at least half of the gap.
    pub annotation: String,
    /// Innermost Python frame of the program's own files that covers at least half of the gap, else
    /// the outermost one of a library, which the program calls.
    pub python: String,
}

impl IdleReport {
    /// Minimum lengths of listed gaps, as text.
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
