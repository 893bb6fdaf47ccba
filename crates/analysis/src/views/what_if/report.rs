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
    /// Recorded time per step, with the gaps between steps. Absent without an answer.
    pub before_ps: Option<f64>,
    /// Time per step with all changes, with the gaps between steps. Absent without changes.
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
    /// How figures were obtained and what they do not cover.
    pub notes: Vec<Note>,
}

/// One change.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct WhatIfRow {
    /// The change, as `--change` takes it.
    pub change: String,
    /// Time per step with the change, with the gaps between steps.
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
