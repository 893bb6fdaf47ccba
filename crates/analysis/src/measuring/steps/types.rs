//! Steps in figures: their length, their parts, and how they were found.

use documented::{DocumentedFields, DocumentedVariants};
use serde::Serialize;
use stepscope_model::StepOrigin;
use ts_rs::TS;

/// Step time over the selected steps.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct StepTime {
    /// Arithmetic mean.
    pub mean: f64,
    /// Median.
    pub median: f64,
    /// Shortest step.
    #[ts(type = "number")]
    pub min: i64,
    /// Longest step.
    #[ts(type = "number")]
    pub max: i64,
    /// Sample standard deviation (n − 1); 0 for a single step.
    pub stddev: f64,
    /// Number of steps.
    pub count: usize,
    /// How the steps were found.
    pub source: StepSource,
}

/// How steps were found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum StepSource {
    /// A recorded `Steps` line of the device.
    StepLine,
    /// `StepTraceAnnotation` slices on a host thread.
    Annotation,
    /// Annotated, but which work an annotation launched is not known: the period of the program that
    /// dominates the device.
    Cadence,
    /// Inferred from repeated runs of the program that dominates the device.
    ProgramRuns,
}

/// One named part of a step.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct StepPart {
    /// Part of the step, such as device compute, collectives, or idle.
    pub part: PartKind,
    /// Mean time of the part: mean over steps of the mean over hosts of the mean over the host's
    /// devices.
    pub mean_ps: f64,
    /// Share of the mean step that the part takes, 0..1.
    pub ratio: f64,
}

/// The parts every step is divided into, in display order. Where several apply at one instant one
/// wins, so the parts of a step never overlap and sum to it. The order of who wins: device compute,
/// collectives, device-to-device, host-to-device, device-to-host; then, where the device is idle,
/// compilation, input wait, host overhead; then idle.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, TS, DocumentedVariants,
)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum PartKind {
    /// A device runs an op or kernel that is neither communication nor a copy.
    DeviceCompute,
    /// A device runs a collective and computes nothing meanwhile (exposed communication).
    Collectives,
    /// A host-to-device copy or infeed runs, and no compute, collective or device-to-device copy.
    HostToDevice,
    /// A device-to-host copy or outfeed runs, and no other work of the device.
    DeviceToHost,
    /// A copy between devices or within one, or a memset, runs, and no compute or collective.
    DeviceToDevice,
    /// The program calls Python on the host, and the device waits for it.
    PythonCallbacks,
    /// The device is idle while the thread that drives it waits for or prepares input.
    InputWait,
    /// The device is idle while any thread of the host compiles.
    Compilation,
    /// The device is idle while the thread that drives it does other recorded work, waits excluded.
    HostOverhead,
    /// The device is idle, and the thread that drives it waits or recorded nothing; or the device had
    /// work and paused.
    Idle,
}

/// One step of the chart.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct StepBar {
    /// Step number as recorded.
    #[ts(type = "number")]
    pub step: i64,
    /// Start of the step, since the session started.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Duration of the step: mean over hosts of the mean over the host's devices.
    pub duration_ps: f64,
    /// Parts in the order of `PartKind`, summing to `duration_ps`.
    pub parts_ps: Vec<f64>,
    /// Whether the step is an outlier by the rule of `steps`.
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
