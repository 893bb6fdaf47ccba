//! What `scaling` answers: throughput by device count for each method, and what limits the next
//! doubling.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::note::Note;

/// The answer of the `scaling` comparison.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct ScalingReport {
    /// Strong: the work of a step stays the same. Weak: it grows with the devices.
    pub kind: ScalingKind,
    /// What limits each method.
    pub methods: Vec<ScalingMethod>,
    /// One row per method and device count, methods by name and counts ascending.
    pub rows: Vec<ScalingRow>,
    /// Every session and every benchmark that was counted, in the order of the rows.
    pub samples: Vec<ScalingSample>,
    /// How figures were obtained, and what was left out.
    pub notes: Vec<Note>,
}

/// What stays the same while devices are added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum ScalingKind {
    /// The work of a step: twice the devices should take half the time.
    Strong,
    /// The work of a device: twice the devices should take the same time.
    Weak,
}

/// One method over all its device counts.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct ScalingMethod {
    /// What the names of its sessions have in common besides count and time stamp.
    pub method: String,
    /// One of `capture` or `benchmark`.
    pub source: String,
    /// Counts that were measured, ascending.
    pub device_counts: Vec<usize>,
    /// The least of them: speed-up and efficiency are measured against it.
    pub base_device_count: usize,
    /// Twice the largest of them.
    pub next_device_count: usize,
    /// Share of the base's step that does not shrink with more devices, by Amdahl's law, 0..1; absent
    /// with one count, with weak scaling, and where the law does not fit.
    pub serial_ratio: Option<f64>,
    /// Largest distance of a measured step from that law ÷ the step; absent without the law, and
    /// with two counts, through which it always fits.
    pub fit_error_ratio: Option<f64>,
    /// What the law, or with weak scaling the last doubling, says of a step on the next count.
    pub next_step_ps: Option<f64>,
    /// The same as speed-up over the base.
    pub next_speedup_ratio: Option<f64>,
    /// Speed-up over the base that no number of devices exceeds; absent where nothing limits it.
    pub largest_speedup_ratio: Option<f64>,
    /// What the step on the largest count would lose at the next doubling, costliest first.
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
    /// The same in words.
    pub title: String,
    /// A sentence.
    pub text: String,
    /// Time in the step on the largest count.
    pub step_ps: f64,
    /// The same on the count before it; absent where there is none.
    pub before_ps: Option<f64>,
    /// What it takes on the next count, if it goes on as from the count before to the largest.
    pub next_ps: f64,
    /// That − what perfect scaling leaves of it.
    pub cost_ps: f64,
    /// Cost ÷ the step on the largest count, 0..1.
    pub cost_ratio: f64,
}

/// A method on so many devices.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct ScalingRow {
    /// What differs in the names of sessions besides device count and time. --method REGEX picks
    /// it.
    pub method: String,
    /// One of `capture` or `benchmark`.
    pub source: String,
    /// Devices that worked in typical steps.
    pub device_count: usize,
    /// Kinds of devices with counts, such as `8 × XLA:CPU`; empty if unknown.
    pub devices: String,
    /// They share the cores of one machine, so that times say little.
    pub is_virtual: bool,
    /// Sessions or benchmarks of this method and count.
    pub sample_count: usize,
    /// Mean over the samples of the mean of their typical steps, outliers set aside.
    pub step_ps: f64,
    /// Least of the samples.
    pub step_min_ps: f64,
    /// Largest of the samples.
    pub step_max_ps: f64,
    /// Steps per second; with weak scaling × device count, as each device brings work of its own.
    pub throughput_per_second: f64,
    /// Throughput × the batch that was given.
    pub examples_per_second: Option<f64>,
    /// How many times as fast as on the least device count of the method.
    pub speedup_ratio: f64,
    /// Device count ÷ the least count: what perfect scaling gives.
    pub ideal_speedup_ratio: f64,
    /// Share of perfect scaling that is reached.
    pub efficiency_ratio: f64,
    /// Computation in a step, mean over devices; absent for benchmarks, as the next six are.
    pub compute_ps: Option<f64>,
    /// Union of a device’s communication in a step, hidden or not, mean over devices.
    pub communication_ps: Option<f64>,
    /// Communication ÷ step.
    pub communication_ratio: Option<f64>,
    /// Communication while the same device computes nothing.
    pub exposed_ps: Option<f64>,
    /// Exposed communication ÷ step.
    pub exposed_ratio: Option<f64>,
    /// How evenly devices compute: 100 % is even.
    pub balance_ratio: Option<f64>,
    /// Parts of a step in the order of `PartKind`; empty for benchmarks.
    pub parts_ps: Vec<f64>,
}

/// One session, or one benchmark of a file.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct ScalingSample {
    /// Name of the session, or file and benchmark.
    pub name: String,
    /// Method that its name was taken for.
    pub method: String,
    /// One of `capture` or `benchmark`.
    pub source: String,
    /// Devices that worked.
    pub device_count: usize,
    /// Steps or calls that were measured, outliers set aside.
    pub step_count: usize,
    /// Mean of them.
    pub step_ps: f64,
    /// Position among the sessions that were asked; absent for benchmarks.
    pub session: Option<usize>,
}
