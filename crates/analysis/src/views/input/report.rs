//! What `input` answers: waiting for data, by step, cause and stage.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::telling::Note;
use crate::telling::thresholds::VerdictKind;

/// The answer of the `input` analysis.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct InputReport {
    /// Whether the program is bound by its input.
    pub verdict: VerdictKind,
    /// The same as text.
    pub conclusion: String,
    /// What bounds the step, input first, each with its thresholds.
    pub bounds: Vec<Bound>,
    /// Waiting between steps, from 5 % of the time from step to step on; the verdict counts it.
    pub between_steps: Option<InputBetween>,
    /// Waiting by cause, largest first.
    pub causes: Vec<InputCause>,
    /// Each host, the one that waits longest first.
    pub hosts: Vec<InputHost>,
    /// Each step on each device.
    pub rows: Vec<InputRow>,
    /// Number of rows before the limit.
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
    /// Part of the step that can bound it.
    pub title: String,
    /// Mean time of the part per step, over steps and devices.
    pub mean_ps: f64,
    /// Σ time of the part ÷ Σ step durations, 0..1. Absent without steps.
    pub ratio: Option<f64>,
    /// Share of the step below which the part is rated good.
    pub low_ratio: f64,
    /// Share of the step from which the part is rated bad.
    pub high_ratio: f64,
    /// Rating of the part: good below the lower threshold, bad from the upper threshold on, warning
    /// in between, unknown without steps.
    pub verdict: VerdictKind,
}

/// Waiting for input from the end of a step to the start of the next, on the device with the largest
/// share.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct InputBetween {
    /// Mean over pairs of steps that follow each other.
    pub input_ps: f64,
    /// Share of the mean time from the start of a step to the start of the next, 0..1.
    pub ratio: f64,
}

/// Why devices wait for input.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct InputCause {
    /// Why devices wait for input: one of `transfer`, `read`, `preprocess`, `enqueue`, `prefetch`,
    /// `wait`, `load`, `copies`.
    pub cause: String,
    /// The cause in words, to be read after “The input is”.
    pub meaning: String,
    /// Σ time that devices waited because of this cause.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Mean time per step that devices waited because of this cause, over steps and devices.
    pub mean_ps: f64,
    /// Waiting time of the cause ÷ Σ step durations, 0..1.
    pub step_ratio: Option<f64>,
    /// What to do about it.
    pub remedy: String,
}

/// One host over its steps.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct InputHost {
    /// Name of the host.
    pub host: String,
    /// Number of rows of the host: steps × devices.
    pub row_count: usize,
    /// Mean step duration of the host.
    pub duration_mean_ps: f64,
    /// Median input time per step of the host, which a single odd step does not distort.
    pub input_median_ps: f64,
    /// Mean input time per step of the host.
    pub input_mean_ps: f64,
    /// Σ input time ÷ Σ step durations of the host, 0..1.
    pub input_ratio: Option<f64>,
    /// Mean loading time per step of the host, whether the device waits or not.
    pub loading_mean_ps: f64,
    /// Input time of the step in which the host's input took longest.
    #[ts(type = "number")]
    pub longest_ps: i64,
    /// Number of the step in which the host's input took longest.
    #[ts(type = "number | null")]
    pub longest_step: Option<i64>,
    /// Start of the step in which the host's input took longest.
    #[ts(type = "number")]
    pub longest_start_ps: i64,
}

/// One step on one device.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct InputRow {
    /// Number of the step, as recorded.
    #[ts(type = "number")]
    pub step: i64,
    /// Name of the host.
    pub host: String,
    /// Name of the device. Empty if the host has none.
    pub device: String,
    /// Start of the step, measured from the start of the session.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Duration of the step.
    #[ts(type = "number")]
    pub duration_ps: i64,
    /// Time in which the device waits for data: waiting + copies in. The parts *input wait* and *host
    /// to device* of the step.
    #[ts(type = "number")]
    pub input_ps: i64,
    /// Share of the step spent on input.
    pub input_ratio: Option<f64>,
    /// The part *input wait* of the step: the device is idle, nothing is compiled, and a thread that
    /// drives the device loads input, waits for it, or copies to the device.
    #[ts(type = "number")]
    pub waiting_ps: i64,
    /// The part *host to device* of the step: the device copies from the host and does nothing else.
    /// Copies that a program makes itself are offloading.
    #[ts(type = "number")]
    pub copies_ps: i64,
    /// Time in which a thread that drives the device loads input or copies to the device, whether the
    /// device waits or not.
    #[ts(type = "number")]
    pub loading_ps: i64,
    /// Waiting by cause, which sum to it: transfer, read, preprocess, enqueue, prefetch, wait, load.
    #[ts(type = "number[]")]
    pub causes_ps: Vec<i64>,
    /// Time in which the device computes.
    #[ts(type = "number")]
    pub compute_ps: i64,
    /// Exposed communication.
    #[ts(type = "number")]
    pub collectives_ps: i64,
    /// Exposed copies to the host; on a TPU, its outfeeds.
    #[ts(type = "number")]
    pub output_ps: i64,
    /// Exposed copies between device memory and host memory that the program makes itself.
    #[ts(type = "number")]
    pub offload_ps: i64,
    /// Time in which the device is idle while the host compiles or does other work.
    #[ts(type = "number")]
    pub host_ps: i64,
    /// Time in which the device is idle while its host waits or recorded nothing, or although it has
    /// work: the part *idle* of the step.
    #[ts(type = "number")]
    pub idle_ps: i64,
}

/// One stage of an input pipeline.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct StageRow {
    /// Name of the stage, as recorded.
    pub name: String,
    /// What the stage does: one of `wait`, `enqueue`, `read`, `preprocess`, `prefetch`, `load`.
    pub stage: String,
    /// Where the stage comes from: one of `tf.data`, `python` or `annotation`.
    pub source: String,
    /// Number of recorded slices of the stage.
    #[ts(type = "number")]
    pub count: i64,
    /// Σ duration of the stage's slices, including stages that run within them.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Σ (duration − stages that run within) over the slices of the stage.
    #[ts(type = "number")]
    pub self_ps: i64,
    /// Mean duration of a slice of the stage.
    pub mean_ps: f64,
    /// Longest slice of the stage.
    #[ts(type = "number")]
    pub longest_ps: i64,
    /// Self time of the stage on threads that do not drive devices.
    #[ts(type = "number")]
    pub background_ps: i64,
    /// Whether the stage has the most self time of all stages that do work (not `wait`, `enqueue`
    /// or `prefetch`).
    pub is_bottleneck: bool,
}
