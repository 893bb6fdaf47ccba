//! Figures about steps: their durations, their parts, and how they were found.

use documented::{DocumentedFields, DocumentedVariants};
use serde::Serialize;
use stepscope_model::StepOrigin;
use ts_rs::TS;

/// Step time over the selected steps.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct StepTime {
    /// Arithmetic mean, in picoseconds.
    pub mean: f64,
    /// Median, in picoseconds.
    pub median: f64,
    /// Shortest step, in picoseconds.
    #[ts(type = "number")]
    pub min: i64,
    /// Longest step, in picoseconds.
    #[ts(type = "number")]
    pub max: i64,
    /// Sample standard deviation (n − 1), in picoseconds; 0 for a single step.
    pub stddev: f64,
    /// Number of steps.
    pub count: usize,
    /// Mean time from the end of a step to the start of the next, in picoseconds, that is in no step;
    /// 0 where steps follow one another, and without two steps that do.
    pub between: f64,
    /// Mean time from the end of a step to the start of the next, in picoseconds, that is in steps of
    /// other series, such as an evaluation.
    pub other_steps: f64,
    /// How the steps were found.
    pub source: StepSource,
    /// What marks a step by name: the annotation; of inferred steps the program whose runs they are, or
    /// the programs of a round. Empty for steps that the device recorded.
    pub marks: Vec<String>,
    /// Numbers of first steps that warm up: they compile, and no figure includes them. Empty if there are
    /// none, or if steps are selected by number.
    #[ts(type = "number[]")]
    pub warm_up: Vec<i64>,
}

impl StepTime {
    /// Mean time from the start of a step to the start of the next.
    pub(crate) fn period_ps(&self) -> f64 {
        self.mean + self.between + self.other_steps
    }

    /// The share of it that passes between steps, in no step.
    pub(crate) fn between_ratio(&self) -> f64 {
        self.between / self.period_ps()
    }

    /// The share of it that passes in steps of other series.
    pub(crate) fn other_steps_ratio(&self) -> f64 {
        self.other_steps / self.period_ps()
    }
}

/// How steps were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum StepSource {
    /// Recorded by the device in its `Steps` line.
    StepLine,
    /// Annotated on a host thread with `StepTraceAnnotation`.
    Annotation,
    /// Annotated, but the work that each annotation launched is unknown. A step is one period of the
    /// device's main program.
    Cadence,
    /// Inferred from repeated runs of the device's main program.
    ProgramRuns,
}

/// One named part of a step.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct StepPart {
    /// Part of the step, such as device compute, collectives, or idle.
    pub part: PartKind,
    /// Mean time of the part: mean over steps of the mean over hosts of the mean over each host's
    /// devices.
    pub mean_ps: f64,
    /// Share of the mean step that the part takes, 0..1.
    pub ratio: f64,
}

/// The parts that every step is divided into, in display order. Where several apply at an instant, one
/// wins, so the parts never overlap and sum to the step. Order of precedence: device compute,
/// collectives, device-to-device, host-to-device, device-to-host, Python callbacks; then, while the
/// device is idle, its own pauses (idle), compilation, input wait, host overhead; then idle.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, TS, DocumentedVariants,
)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum PartKind {
    /// A device runs an op or kernel that is neither communication nor a copy, or a memset.
    DeviceCompute,
    /// A device runs a collective and computes nothing at the same time (exposed communication).
    Collectives,
    /// A host-to-device copy or infeed runs, but no compute, collective or device-to-device copy.
    HostToDevice,
    /// A device-to-host copy or outfeed runs, but no other work on the device.
    DeviceToHost,
    /// A copy between or within devices, or one in an unknown direction, runs, but no compute or
    /// collective.
    DeviceToDevice,
    /// The device waits for Python that its program calls on the host.
    PythonCallbacks,
    /// The device is idle while the thread that drives it prepares input, waits for it, or copies to the
    /// device.
    InputWait,
    /// The device is idle while any thread of the host compiles.
    Compilation,
    /// The device is idle while the thread that drives it does other recorded work, waits excluded.
    HostOverhead,
    /// The device is idle while the thread that drives it waits or recorded nothing, or the device had
    /// work but paused.
    Idle,
}

/// One step of the chart.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct StepBar {
    /// Step number as recorded.
    #[ts(type = "number")]
    pub step: i64,
    /// Start of the step, relative to the start of the session.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Duration of the step: mean over hosts of the mean over each host's devices.
    pub duration_ps: f64,
    /// Lengths of the parts, in the order of `PartKind`. They sum to `duration_ps`.
    pub parts_ps: Vec<f64>,
    /// Whether the step is an outlier, as defined by `steps`.
    pub is_outlier: bool,
}

impl From<StepOrigin> for StepSource {
    fn from(origin: StepOrigin) -> Self {
        match origin {
            StepOrigin::StepLine => Self::StepLine,
            StepOrigin::Annotation => Self::Annotation,
            StepOrigin::Cadence => Self::Cadence,
            StepOrigin::ProgramRuns => Self::ProgramRuns,
        }
    }
}
