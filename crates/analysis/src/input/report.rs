//! What `input` answers: waiting for data, by step, cause and stage.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::note::Note;
use crate::overview::VerdictKind;

/// The answer of the `input` analysis.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct InputReport {
    /// Whether the program is bound by its input.
    pub verdict: VerdictKind,
    /// The same in words.
    pub conclusion: String,
    /// What bounds the step, input first, each with its thresholds.
    pub bounds: Vec<Bound>,
    /// Waiting by cause, largest first.
    pub causes: Vec<InputCause>,
    /// Each host, the one that waits longest first.
    pub hosts: Vec<InputHost>,
    /// Each step on each device.
    pub rows: Vec<InputRow>,
    /// Rows before the limit.
    pub row_count: usize,
    /// Stages of input pipelines, most self time first.
    pub stages: Vec<StageRow>,
    /// What the figures do not cover.
    pub notes: Vec<Note>,
}

/// A part of the step that can bound it.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct Bound {
    /// `input`, `output`, `collectives`, `offload`, `host`, `unknown`.
    pub key: String,
    /// Title.
    pub title: String,
    /// Mean over rows.
    pub mean_ps: f64,
    /// Σ ÷ Σ durations, 0..1; absent without steps.
    pub ratio: Option<f64>,
    /// Good below.
    pub low_ratio: f64,
    /// Bad from here on.
    pub high_ratio: f64,
    /// What to think of it.
    pub verdict: VerdictKind,
}

/// Why devices wait for input.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct InputCause {
    /// One of `transfer`, `read`, `preprocess`, `enqueue`, `prefetch`, `wait`, `load`, `copies`.
    pub cause: String,
    /// In words, after “The input is”.
    pub meaning: String,
    /// Σ time that devices waited.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Mean over rows.
    pub mean_ps: f64,
    /// Total ÷ Σ durations, 0..1.
    pub step_ratio: Option<f64>,
    /// What to do about it.
    pub remedy: String,
}

/// One host over its steps.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct InputHost {
    /// Host name.
    pub host: String,
    /// Steps × devices.
    pub row_count: usize,
    /// Mean step.
    pub duration_mean_ps: f64,
    /// Input of the median step: one odd step does not colour it.
    pub input_median_ps: f64,
    /// Mean input of a step.
    pub input_mean_ps: f64,
    /// Σ input ÷ Σ durations, 0..1.
    pub input_ratio: Option<f64>,
    /// Mean loading of a step, whether the device waits or not.
    pub loading_mean_ps: f64,
    /// Input of the worst step.
    #[ts(type = "number")]
    pub longest_ps: i64,
    /// That step's number.
    #[ts(type = "number | null")]
    pub longest_step: Option<i64>,
    /// Where it begins.
    #[ts(type = "number")]
    pub longest_start_ps: i64,
}

/// One step on one device.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct InputRow {
    /// Step number as recorded.
    #[ts(type = "number")]
    pub step: i64,
    /// Host name.
    pub host: String,
    /// Device name; empty when the host has none.
    pub device: String,
    /// Start since the session began.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Length of the step.
    #[ts(type = "number")]
    pub duration_ps: i64,
    /// Time in which the device has nothing to do because its data is not there.
    #[ts(type = "number")]
    pub input_ps: i64,
    /// Share of the step that input takes.
    pub input_ratio: Option<f64>,
    /// The device is idle, nothing is compiled, and a thread that drives it loads or waits for
    /// input.
    #[ts(type = "number")]
    pub waiting_ps: i64,
    /// Copies to the device that nothing hides, and the host’s transfers while the device is idle.
    #[ts(type = "number")]
    pub copies_ps: i64,
    /// Of these what the host makes while the device waits.
    #[serde(skip)]
    #[ts(skip)]
    pub(crate) host_copies_ps: i64,
    /// A thread that drives the device loads, whether the device waits or not.
    #[ts(type = "number")]
    pub loading_ps: i64,
    /// Waiting by cause: transfer, read, preprocess, enqueue, prefetch, wait, load.
    #[ts(type = "number[]")]
    pub causes_ps: Vec<i64>,
    /// Device computes.
    #[ts(type = "number")]
    pub compute_ps: i64,
    /// Exposed communication.
    #[ts(type = "number")]
    pub collectives_ps: i64,
    /// Exposed copies to the host; on a TPU its outfeeds.
    #[ts(type = "number")]
    pub output_ps: i64,
    /// Exposed copies between a TPU's memory and the host's that its program makes by itself.
    #[ts(type = "number")]
    pub offload_ps: i64,
    /// Compilation and other work of the host while the device is idle.
    #[ts(type = "number")]
    pub host_ps: i64,
    /// Idle without a recorded cause.
    #[ts(type = "number")]
    pub unknown_ps: i64,
}

/// One stage of an input pipeline.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct StageRow {
    /// Name as recorded.
    pub name: String,
    /// One of `wait`, `enqueue`, `read`, `preprocess`, `prefetch`, `load`.
    pub stage: String,
    /// One of `tf.data`, `python` or `annotation`.
    pub source: String,
    /// Slices.
    #[ts(type = "number")]
    pub count: i64,
    /// Σ duration; stages run within stages.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Σ (duration − stages that run within).
    #[ts(type = "number")]
    pub self_ps: i64,
    /// Mean duration.
    pub mean_ps: f64,
    /// Longest.
    #[ts(type = "number")]
    pub longest_ps: i64,
    /// Self time on threads that do not drive devices.
    #[ts(type = "number")]
    pub background_ps: i64,
    /// The stage with most self time of those that do work.
    pub is_bottleneck: bool,
}
