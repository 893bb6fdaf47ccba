//! What `scaling` answers: throughput by device count for each method, and what limits the next
//! doubling.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::telling::Note;

/// The answer of the `scaling` comparison.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct ScalingReport {
    /// Strong: the work per step stays the same. Weak: it grows with the number of devices.
    pub kind: ScalingKind,
    /// What limits each method: sessions of one method, program and kind of device.
    pub methods: Vec<ScalingMethod>,
    /// One row per method and device count, by position of the method and ascending device count.
    pub rows: Vec<ScalingRow>,
    /// Every session and every benchmark that was counted, in the order of the rows.
    pub samples: Vec<ScalingSample>,
    /// How figures were obtained, and what was skipped.
    pub notes: Vec<Note>,
}

/// What stays the same while devices are added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum ScalingKind {
    /// The work per step: with twice the devices, a step should take half the time.
    Strong,
    /// The work per device: with twice the devices, a step should take the same time.
    Weak,
}

/// One method over all its device counts.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct ScalingMethod {
    /// What differs between the names of sessions besides device count and time. `--method REGEX`
    /// selects it.
    pub method: String,
    /// Program with the most device time in the sessions. Empty if unknown, as for benchmarks.
    pub program: String,
    /// Kind of the devices that worked, such as `TPU v6 Lite`. Empty if unknown, as for benchmarks.
    pub chips: String,
    /// Method, program and kind of devices in words.
    pub name: String,
    /// Why the samples stand apart from sessions of the same method. Empty if program and devices are
    /// known.
    pub apart_because: String,
    /// Source of the measurements: `capture` or `benchmark`.
    pub source: String,
    /// Measured device counts, ascending.
    pub device_counts: Vec<usize>,
    /// Smallest device count of the method, relative to which speedup and efficiency are computed.
    pub base_device_count: usize,
    /// Twice the largest device count of the method.
    pub next_device_count: usize,
    /// Share of the step on the smallest device count that does not shrink with more devices, by
    /// Amdahl's law, 0..1. Absent with one count, with weak scaling, or if the law does not fit.
    pub serial_ratio: Option<f64>,
    /// Largest deviation of a measured step from Amdahl's law ÷ the step. Absent without the law,
    /// and with two counts, which it always fits.
    pub fit_error_ratio: Option<f64>,
    /// Predicted step time on twice the largest device count: by Amdahl's law, or with weak scaling
    /// by the trend of the last doubling.
    pub next_step_ps: Option<f64>,
    /// Predicted speedup over the smallest device count on twice the largest device count.
    pub next_speedup_ratio: Option<f64>,
    /// Upper limit of the speedup over the smallest device count, for any number of devices. Absent if
    /// nothing limits it.
    pub largest_speedup_ratio: Option<f64>,
    /// What limits the next doubling of the largest device count, costliest first.
    pub limits: Vec<ScalingLimit>,
    /// The answer in a few sentences.
    pub conclusion: String,
}

/// One thing that keeps a step from getting faster with more devices.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct ScalingLimit {
    /// `imbalance`, or a part of a step, such as `collectives` (exposed communication).
    pub kind: String,
    /// What limits scaling, in words: a part of the step, or uneven load.
    pub title: String,
    /// Description of the limit in one sentence.
    pub text: String,
    /// Time of the limit in the step on the largest device count.
    pub step_ps: f64,
    /// Time of the limit in the step on the device count before the largest. Absent if there is
    /// none.
    pub before_ps: Option<f64>,
    /// Predicted time of the limit on twice the largest device count, if it changes as from the
    /// count before to the largest.
    pub next_ps: f64,
    /// Excess over perfect scaling on twice the largest device count: `next_ps` − half of `step_ps`; with
    /// weak scaling, `next_ps` − `step_ps`.
    pub cost_ps: f64,
    /// Cost of the limit as a share of the step on the largest device count, 0..1.
    pub cost_ratio: f64,
}

/// A method on one device count.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct ScalingRow {
    /// What differs between the names of sessions besides device count and time. `--method REGEX`
    /// selects it.
    pub method: String,
    /// Position of the row's method in `methods`.
    pub group: usize,
    /// Program with the most device time in the sessions. Empty if unknown, as for benchmarks.
    pub program: String,
    /// Source of the measurements: `capture` or `benchmark`.
    pub source: String,
    /// Number of devices that worked in typical steps.
    pub device_count: usize,
    /// Kinds of devices with their counts, such as `8 × XLA:CPU`. Empty if unknown.
    pub devices: String,
    /// Whether the devices share the cores of one machine, which makes their times unrealistic.
    pub is_virtual: bool,
    /// Number of sessions or benchmarks with this method and device count.
    pub sample_count: usize,
    /// Step time: mean over the samples of the mean of their typical steps, excluding outliers.
    pub step_ps: f64,
    /// Shortest step time of any sample.
    pub step_min_ps: f64,
    /// Longest step time of any sample.
    pub step_max_ps: f64,
    /// Throughput in steps per second. With weak scaling, multiplied by the device count, because
    /// each device adds work.
    pub throughput_per_second: f64,
    /// Examples per second: throughput × the given batch size. Absent without a batch size.
    pub examples_per_second: Option<f64>,
    /// Speedup over the smallest device count of the method.
    pub speedup_ratio: f64,
    /// Speedup with perfect scaling: device count ÷ smallest device count.
    pub ideal_speedup_ratio: f64,
    /// Share of perfect scaling that is achieved.
    pub efficiency_ratio: f64,
    /// Computation in a step, mean over devices. Absent for benchmarks.
    pub compute_ps: Option<f64>,
    /// Union of a device's communication in a step, hidden or exposed, mean over the devices that
    /// communicate. Absent for benchmarks.
    pub communication_ps: Option<f64>,
    /// Communication, hidden or exposed, as a share of the step: communication ÷ step. Absent for
    /// benchmarks.
    pub communication_ratio: Option<f64>,
    /// Exposed communication in a step: communication while the same device computes nothing, mean
    /// over devices. Absent for benchmarks.
    pub exposed_ps: Option<f64>,
    /// Exposed communication as a share of the step: exposed communication ÷ step. Absent for
    /// benchmarks.
    pub exposed_ratio: Option<f64>,
    /// How evenly computation is distributed over the devices: 100 % is even. Absent for
    /// benchmarks.
    pub balance_ratio: Option<f64>,
    /// Parts of a step in the order of `PartKind`; empty for benchmarks.
    pub parts_ps: Vec<f64>,
}

/// One session, or one benchmark in a file.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct ScalingSample {
    /// Name of the session, or names of the file and the benchmark.
    pub name: String,
    /// Method that the sample was assigned to by its name.
    pub method: String,
    /// Position of the sample's method in `methods`.
    pub group: usize,
    /// Program with the most device time. Empty if unknown, as for benchmarks.
    pub program: String,
    /// Source of the sample: `capture` or `benchmark`.
    pub source: String,
    /// Number of devices that worked in the sample.
    pub device_count: usize,
    /// Number of measured steps or calls, excluding outliers.
    pub step_count: usize,
    /// Mean duration of the measured steps or calls, excluding outliers.
    pub step_ps: f64,
    /// Position among the given sessions; absent for benchmarks.
    pub session: Option<usize>,
}
