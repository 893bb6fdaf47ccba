//! What `overview` answers: the length of a step, where it goes, and what to look at first.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::note::Note;
use crate::ops::OpRow;

/// The answer of the `overview` analysis.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct OverviewReport {
    /// Name of the session.
    pub session: String,
    /// Wall-clock length of the capture: first to last recorded slice.
    #[ts(type = "number")]
    pub duration_ps: i64,
    /// Start of the capture, nanoseconds since the Unix epoch, as a decimal string; absent in old files.
    pub start_epoch_ns: Option<String>,
    /// Statistics over the selected steps; absent where no step was recorded or inferred.
    pub step_time_ps: Option<StepTime>,
    /// The mean step divided into named parts that sum to it, in display order.
    pub step_parts: Vec<StepPart>,
    /// The mean step of the host and of the devices, and why devices idle within it; absent where no
    /// device worked in a step.
    pub step_balance: Option<StepBalance>,
    /// Every selected step with its parts, for the chart.
    pub step_series: Vec<StepBar>,
    /// Mean over devices of (union of work intervals ÷ observed window); absent without devices.
    pub device_busy_ratio: Option<f64>,
    /// The same per device.
    pub devices: Vec<DeviceBusy>,
    /// The ten ops (or kernels) with the largest self time.
    pub top_ops: Vec<OpRow>,
    /// Verdicts on the key figures.
    pub verdicts: Vec<Verdict>,
    /// Versions, options and chips.
    pub environment: EnvironmentReport,
    /// What the figures do not cover, what was repaired, what to record next time.
    pub notes: Vec<Note>,
}

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, TS)]
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

/// The mean step, as its host has it and as its devices have it.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct StepBalance {
    /// Mean over steps of the mean over hosts of the host's annotation; absent where no host
    /// annotated its steps.
    pub host_step_ps: Option<f64>,
    /// Mean over steps of the mean over hosts of the mean over the host's devices of the step's span
    /// there.
    pub device_step_ps: f64,
    /// Of these, the time in which the device works.
    pub device_busy_ps: f64,
    /// The rest of it.
    pub device_idle_ps: f64,
    /// Idle ÷ device step, 0..1.
    pub device_idle_ratio: f64,
    /// Why devices idle; sums to `device_idle_ps`.
    pub idle: Vec<IdleShare>,
}

/// One cause of a device's idle time within steps.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct IdleShare {
    /// Which cause.
    pub kind: IdleKind,
    /// Its time in the mean step.
    pub mean_ps: f64,
    /// The same ÷ device step, 0..1.
    pub ratio: f64,
    /// Of all others: what the host does in most of it; else empty.
    pub mostly: String,
}

/// Why devices idle within a step, as performance guides sort it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum IdleKind {
    /// The host waits for or prepares input: the part *input wait* of the step.
    Input,
    /// The host compiles: the part *compilation* of the step.
    Compilation,
    /// The host hands work to the device, in gaps that are long enough to have a cause.
    KernelLaunch,
    /// Everything else.
    AllOthers,
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

/// How busy one device was.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct DeviceBusy {
    /// Index of the device in the session.
    pub device_index: u32,
    /// Name of the device, such as `host-0/GPU:0`.
    pub device: String,
    /// Time the device is busy: the union of its work intervals inside the window.
    #[ts(type = "number")]
    pub busy_ps: i64,
    /// Window of the busy share: the selected steps, else from the first to the last step, or
    /// without steps from the first to the last work of any device.
    #[ts(type = "number")]
    pub window_ps: i64,
    /// Device utilization: busy time ÷ window. Absent if the device recorded no work in the window.
    pub busy_ratio: Option<f64>,
}

/// A key figure against its thresholds.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct Verdict {
    /// Stable key of the figure, such as `device_busy_ratio`.
    pub key: String,
    /// Name of the figure in words.
    pub title: String,
    /// Value of the figure, in the unit of the key's suffix. Absent if the profile does not provide
    /// it.
    pub value: Option<f64>,
    /// Verdict on the figure: `good`, `warning`, `bad`, or `unknown` if there is no figure.
    pub verdict: VerdictKind,
    /// Thresholds of the verdict, as text: `good > 80 %, bad < 50 %`.
    pub thresholds: String,
    /// How the figure was obtained, or what is missing and how to record it.
    pub explanation: String,
}

/// Good, warning, bad.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum VerdictKind {
    /// Beyond the good threshold.
    Good,
    /// Between the thresholds, both ends included.
    Warning,
    /// Beyond the bad threshold.
    Bad,
    /// The profile cannot tell.
    Unknown,
}

/// Versions, options, chips.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct EnvironmentReport {
    /// Host names.
    pub hosts: Vec<String>,
    /// Kinds of devices with counts, such as `8 × XLA:CPU`.
    pub devices: String,
    /// Chip with peaks; one row per distinct chip.
    pub chips: Vec<ChipReport>,
    /// Software versions and process facts as recorded, name and value.
    pub facts: Vec<Fact>,
}

/// A name and a value.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct Fact {
    /// Name of the fact as recorded, such as `jax_version`.
    pub name: String,
    /// Value of the fact, as text.
    pub value: String,
}

/// One hardware model and its peaks.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct ChipReport {
    /// Model, such as `TPU v6 Lite` or `NVIDIA H200`.
    pub name: String,
    /// Dense peak, floating point operations per second.
    pub peak_flops_per_second: Option<f64>,
    /// Where the peak came from, in words.
    pub peak_flops_source: String,
    /// Peak bandwidth of device memory.
    pub peak_bytes_per_second: Option<f64>,
    /// Where the peak came from, in words.
    pub peak_bytes_source: String,
    /// Capacity of device memory.
    #[ts(type = "number | null")]
    pub memory_bytes: Option<i64>,
}
