//! What `critical_path` answers: what a step waited for, and how much room other work has.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::telling::Note;
use crate::telling::places::SliceRefReport;
use crate::views::replay::path::WaitKind;

/// The answer of the `critical_path` analysis.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct CriticalPathReport {
    /// Whether the replay gives every selected step within 0.5 %. If not, the tables are empty.
    pub is_admitted: bool,
    /// Why the replay is not believed. Empty if it is.
    pub refusal: String,
    /// Largest difference between a replayed and a recorded step ÷ the recorded step, 0..1.
    pub error_ratio: f64,
    /// Mean length of the paths: of each step on the device that finishes last. Absent without
    /// steps.
    pub path_ps: Option<f64>,
    /// Number of steps whose paths are in the figures.
    pub step_count: usize,
    /// Number of the step whose path is listed: the one of median length. Absent without steps.
    #[ts(type = "number | null")]
    pub shown_step: Option<i64>,
    /// Device on which the listed step ends.
    pub shown_device: String,
    /// The path of the listed step, or of all selected steps, in order; neighbors of the same kind
    /// are one row, and so are all gaps of a step that are shorter than 1 us.
    pub rows: Vec<PathRow>,
    /// Rows before the limit.
    pub row_count: usize,
    /// The paths of all selected steps by kind.
    pub kinds: Vec<PathKindRow>,
    /// Ops, most time on the paths first; then those with the least slack.
    pub ops: Vec<PathOpRow>,
    /// Ops before the limit.
    pub op_count: usize,
    /// The paths by scope and by what hosts did, most time first.
    pub scopes: Vec<PathScopeRow>,
    /// Each selected step.
    pub steps: Vec<PathStepRow>,
    /// Why the slice of `--slice` started when it did, as sentences. Empty without one.
    pub why: String,
    /// What the slice of `--slice` waited for, the last of it first.
    pub waits: Vec<WaitRow>,
    /// How figures were obtained and what they do not cover.
    pub notes: Vec<Note>,
}

/// Something that a slice waited for.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct WaitRow {
    /// Why the slice waited for it, in words.
    pub reason: String,
    /// The op, kernel or call that the slice waited for.
    pub what: String,
    /// The device or host thread of what the slice waited for.
    pub place: String,
    /// How long before the start of the slice it was over.
    #[ts(type = "number")]
    pub before_ps: i64,
    /// Least time between the two, such as the latency of a launch or a transfer.
    #[ts(type = "number")]
    pub lag_ps: i64,
    /// Whether it is what the slice waited for last.
    pub is_last: bool,
    /// Its slice; absent for calls and instants.
    pub slice: Option<SliceRefReport>,
}

/// A stretch of a step's critical path.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct PathRow {
    /// Step that the stretch belongs to. Absent for a recording without steps.
    #[ts(type = "number | null")]
    pub step: Option<i64>,
    /// Start of the stretch, from the start of the step.
    #[ts(type = "number")]
    pub offset_ps: i64,
    /// How long the step waits for this.
    #[ts(type = "number")]
    pub duration_ps: i64,
    /// Duration ÷ length of the step, 0..1.
    pub ratio: f64,
    /// Kind of what the step waits for.
    pub kind: WaitKind,
    /// The op or cause that takes most of the stretch.
    pub what: String,
    /// Number of pieces in the stretch, such as ops one after another, or gaps shorter than 1 us.
    #[ts(type = "number")]
    pub count: i64,
    /// The device, or the host thread. Empty for a collective between its participants.
    pub place: String,
    /// Whether the pieces are not next to each other: short gaps of the whole step, whose start is
    /// that of the first.
    pub is_scattered: bool,
    /// Start of the stretch, measured from the start of the session.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// The slice that takes most of the stretch; absent for gaps and host time.
    pub slice: Option<SliceRefReport>,
}

/// One kind of what steps wait for.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct PathKindRow {
    /// Kind of what steps wait for.
    pub kind: WaitKind,
    /// Mean time per step on the critical path.
    pub mean_ps: f64,
    /// Mean time ÷ mean length of the paths, 0..1.
    pub ratio: f64,
    /// What it means, in words.
    pub meaning: String,
}

/// One op, or one cause of waiting.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct PathOpRow {
    /// Name of the op, kernel or copy.
    pub name: String,
    /// Kind of the op.
    pub kind: WaitKind,
    /// Program of the op, as `module(program id)`. Empty if unknown.
    pub program: String,
    /// JAX name stack of the op. Empty if unknown.
    pub scope: String,
    /// Source line of the op, as `file:line`. Empty if unknown.
    pub source: String,
    /// Mean time of the op on the critical path of a step.
    pub mean_ps: f64,
    /// Mean time on the critical path ÷ mean length of the paths, 0..1.
    pub ratio: f64,
    /// Number of executions of the op in the selected steps, on all selected devices.
    #[ts(type = "number")]
    pub occurrences: i64,
    /// Least slack of an execution: how much longer it could take without any selected step
    /// ending later, if everything else stays. Absent if no step depends on it.
    #[ts(type = "number | null")]
    pub min_slack_ps: Option<i64>,
    /// Mean slack over the executions on which a step depends.
    pub mean_slack_ps: Option<f64>,
}

/// One scope, or one thing that hosts do.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct PathScopeRow {
    /// JAX name stack, without the op; the cause for gaps and host time.
    pub scope: String,
    /// Mean time per step on the critical path.
    pub mean_ps: f64,
    /// Mean time ÷ mean length of the paths, 0..1.
    pub ratio: f64,
}

/// One step: its path by kind.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct PathStepRow {
    /// Number of the step, as recorded. Absent for a recording without steps.
    #[ts(type = "number | null")]
    pub step: Option<i64>,
    /// The device on which the step ends last.
    pub device: String,
    /// Start of the step there, measured from the start of the session.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Recorded length of the step there.
    #[ts(type = "number")]
    pub duration_ps: i64,
    /// Length of the step in the replay, from dependencies alone.
    #[ts(type = "number")]
    pub replayed_ps: i64,
    /// Time on the critical path in which a device computes.
    #[ts(type = "number")]
    pub compute_ps: i64,
    /// Time on the critical path in which devices communicate.
    #[ts(type = "number")]
    pub collective_ps: i64,
    /// Time on the critical path in which a device copies.
    #[ts(type = "number")]
    pub copy_ps: i64,
    /// Time on the critical path in which a host works.
    #[ts(type = "number")]
    pub host_ps: i64,
    /// Time on the critical path in which a launch is on its way.
    #[ts(type = "number")]
    pub launch_ps: i64,
    /// Time on the critical path that nothing recorded explains.
    #[ts(type = "number")]
    pub idle_ps: i64,
}
