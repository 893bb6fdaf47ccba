//! What `what_if` answers: how long steps would take.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::telling::Note;
use crate::views::replay::path::WaitKind;

/// The answer of the `what_if` analysis.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct WhatIfReport {
    /// Whether the replay gives every selected step within 0.5 %. If not, the tables are empty.
    pub is_admitted: bool,
    /// Why the replay is not believed. Empty if it is.
    pub refusal: String,
    /// Largest difference between a replayed and a recorded step ÷ the recorded step, 0..1.
    pub error_ratio: f64,
    /// The changes, as given. Empty: the largest single causes are listed.
    pub changes: Vec<String>,
    /// Mean recorded length of the selected steps. Absent without an answer.
    pub step_ps: Option<f64>,
    /// Mean length of the selected steps with all changes. Absent without changes.
    pub changed_step_ps: Option<f64>,
    /// Recorded time per step: from step to step, with what is between steps. Absent without an answer.
    pub before_ps: Option<f64>,
    /// Time per step with all changes, with what is between steps. Absent without changes.
    pub after_ps: Option<f64>,
    /// Least time per step with all changes that agrees with the recording.
    pub low_ps: Option<f64>,
    /// Longest time per step with all changes that agrees with the recording.
    pub high_ps: Option<f64>,
    /// Without changes, the largest single causes, most gain first. With changes, each on its own,
    /// and several together.
    pub rows: Vec<WhatIfRow>,
    /// Rows before the limit.
    pub row_count: usize,
    /// Each selected step with all changes. Empty without changes.
    pub steps: Vec<WhatIfStepRow>,
    /// The critical path before and with all changes, by kind. Empty without changes.
    pub kinds: Vec<WhatIfKindRow>,
    /// The step of median length before and with all changes, to be drawn. Absent without changes.
    pub picture: Option<WhatIfPicture>,
    /// Changes that concern no op by name and shorten a step by at least 0.1 % each, to try next. Empty
    /// without an answer.
    pub offers: Vec<String>,
    /// How figures were obtained and what they do not cover.
    pub notes: Vec<Note>,
}

/// One change.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct WhatIfRow {
    /// The change, as `--change` takes it.
    pub change: String,
    /// Time per step with the change, with what is between steps.
    pub after_ps: f64,
    /// How much shorter a step gets; negative if it gets longer.
    pub gain_ps: f64,
    /// Gain ÷ recorded time per step.
    pub gain_ratio: f64,
    /// Least gain that agrees with the recording.
    pub low_gain_ps: f64,
    /// Largest gain that agrees with the recording.
    pub high_gain_ps: f64,
    /// Gain if the cause took half its time. Absent where half of it has no meaning.
    pub half_gain_ps: Option<f64>,
}

/// One step, mean over the devices on which it ran.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct WhatIfStepRow {
    /// Number of the step, as recorded. Absent for a recording without steps.
    #[ts(type = "number | null")]
    pub step: Option<i64>,
    /// Recorded length of the step.
    pub duration_ps: f64,
    /// Length of the step with all changes.
    pub after_ps: f64,
    /// Least length of the step that agrees with the recording.
    pub low_ps: f64,
    /// Longest length of the step that agrees with the recording.
    pub high_ps: f64,
    /// How much shorter the step gets; negative if it gets longer.
    pub gain_ps: f64,
}

/// One kind of what steps wait for.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct WhatIfKindRow {
    /// Kind of what steps wait for.
    pub kind: WaitKind,
    /// Mean time per step on the recorded critical path.
    pub before_ps: f64,
    /// Mean time per step on the critical path with all changes.
    pub after_ps: f64,
    /// What takes most of it on the new path.
    pub what: String,
}

/// One step before and with all changes.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct WhatIfPicture {
    /// Number of the step: the one of median length. Absent for a recording without steps.
    #[ts(type = "number | null")]
    pub step: Option<i64>,
    /// Recorded end of the step on the device that ends last, measured from its first start.
    #[ts(type = "number")]
    pub before_ps: i64,
    /// The same with all changes.
    #[ts(type = "number")]
    pub after_ps: i64,
    /// Lanes of the devices, at most eight devices.
    pub lanes: Vec<WhatIfLane>,
    /// Number of devices on which the step ran, drawn or not.
    pub device_count: usize,
}

/// Work, or communication, of one device in the step.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct WhatIfLane {
    /// Device of the lane.
    pub device: String,
    /// Whether the lane shows communication instead of other work.
    pub is_communication: bool,
    /// Recorded end of the step on the device, measured from the first start of the step.
    #[ts(type = "number")]
    pub before_end_ps: i64,
    /// The same end with all changes.
    #[ts(type = "number")]
    pub after_end_ps: i64,
    /// Recorded time in which something of the lane runs.
    #[ts(type = "number")]
    pub before_busy_ps: i64,
    /// Time in which something of the lane runs with all changes.
    #[ts(type = "number")]
    pub after_busy_ps: i64,
    /// Number of pieces of work that are gone.
    pub removed: usize,
    /// Number of pieces of work that get shorter.
    pub shorter: usize,
    /// Number of pieces of work that get longer.
    pub longer: usize,
    /// What is drawn as recorded, by start, without overlap.
    pub before: Vec<WhatIfSlice>,
    /// What is drawn with all changes.
    pub after: Vec<WhatIfSlice>,
}

/// A slice of the picture: one piece of work, or several that are too short to be seen.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct WhatIfSlice {
    /// Start, measured from the first start of the step.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// How long it is.
    #[ts(type = "number")]
    pub duration_ps: i64,
    /// Class of what takes most of it, for its color.
    pub class: String,
    /// The op that takes most of it.
    pub what: String,
    /// Number of pieces of work in it.
    pub count: usize,
    /// What the changes do to it.
    pub change: LaneChange,
}

/// What changes do to a slice of the picture. If it has several pieces: to one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum LaneChange {
    /// Its length stays; it may move.
    Same,
    /// It gets longer.
    Longer,
    /// It gets shorter.
    Shorter,
    /// It is gone.
    Removed,
}

impl LaneChange {
    /// The change of two pieces together: the one that says more.
    pub(super) fn joined(self, other: Self) -> Self {
        self.max(other)
    }
}
