//! What `hosts` answers: hosts and devices side by side, who is late, and why.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::note::Note;
use crate::overview::StepTime;

/// The answer of the `hosts` analysis.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct HostsReport {
    /// Statistics over the step durations; absent without steps.
    pub step_time_ps: Option<StepTime>,
    /// Every selected host, also those without steps; in their order unless sorted otherwise.
    pub rows: Vec<HostRow>,
    /// Rows before the limit.
    pub row_count: usize,
    /// Who is late and what it does then, most waiting caused first.
    pub blame: Vec<BlameRow>,
    /// Every selected device, and hosts whose devices recorded no work.
    pub devices: Vec<HostDeviceRow>,
    /// Every selected step over all places.
    pub steps: Vec<HostStepRow>,
    /// Each step on each place; `place` counts in `devices`.
    pub cells: Vec<HostCell>,
    /// Cells before they were cut.
    pub cell_count: usize,
    /// Clocks of the hosts.
    pub clocks: Vec<ClockRow>,
    /// How figures were obtained and what they do not cover.
    pub notes: Vec<Note>,
}

/// One host.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct HostRow {
    /// Host name.
    pub host: String,
    /// Devices it has.
    pub device_count: usize,
    /// Those that recorded work in the observed time, as in `overview`.
    pub working_count: usize,
    /// Steps it took part in.
    pub step_count: usize,
    /// Mean length of the host’s steps, over its devices. Absent without steps.
    pub step_ps: Option<f64>,
    /// Mean time its devices were busy in a step.
    pub busy_ps: Option<f64>,
    /// Mean time its devices computed in a step.
    pub device_compute_ps: Option<f64>,
    /// Mean exposed communication in a step.
    pub collectives_ps: Option<f64>,
    /// Mean time in a step in which nothing ran but copies, in whatever direction.
    pub copies_ps: Option<f64>,
    /// Mean time that devices wait for Python that programs call, in a step.
    pub python_callbacks_ps: Option<f64>,
    /// Mean wait for input in a step.
    pub input_wait_ps: Option<f64>,
    /// Mean compilation in a step.
    pub compilation_ps: Option<f64>,
    /// Mean host overhead in a step.
    pub host_overhead_ps: Option<f64>,
    /// Mean time nothing was recorded in a step.
    pub idle_ps: Option<f64>,
    /// How much later than the median participant it arrives at matched collectives: the median
    /// over all of them; in the heat map at the one of the step that cost most waiting. Absent
    /// where none was matched.
    pub lateness_ps: Option<f64>,
    /// Lateness as robust deviations among the hosts. Absent with fewer than three hosts.
    pub lateness_score: Option<f64>,
    /// Steps in which the others waited for it most.
    pub last_count: usize,
    /// Time the others waited for it, mean over the others, summed over steps.
    #[ts(type = "number")]
    pub caused_ps: i64,
    /// Time it waited for others, mean over its devices.
    #[ts(type = "number")]
    pub wait_ps: i64,
    /// Last in at least half of the steps, which chance explains with less than 1 %, and the others
    /// wait at least 1 % of a step for it. With few steps: last in every one of five or more, each
    /// wait at least 0.6 times the median one, and 5 % of a step on average.
    pub is_straggler: bool,
    /// What is wrong with the recording of this host.
    pub problem: String,
}

/// One device, or a host whose devices recorded no work.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct HostDeviceRow {
    /// Host name.
    pub host: String,
    /// Device name; empty for a host without working devices.
    pub device: String,
    /// Number of the device in the session; absent for a host.
    #[ts(type = "number | null")]
    pub device_index: Option<i64>,
    /// Steps it took part in.
    pub step_count: usize,
    /// Mean length of its steps; absent without steps.
    pub step_ps: Option<f64>,
    /// Mean time it was busy in a step.
    pub busy_ps: Option<f64>,
    /// Median of how much later than the median participant it arrives.
    pub lateness_ps: Option<f64>,
    /// Steps in which the others waited for it most.
    pub last_count: usize,
    /// Σ time it waited for others.
    #[ts(type = "number")]
    pub wait_ps: i64,
}

/// One step over all places.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct HostStepRow {
    /// Step number as recorded.
    #[ts(type = "number")]
    pub step: i64,
    /// First start, as recorded.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Last end − first start, as recorded.
    #[ts(type = "number")]
    pub duration_ps: i64,
    /// Places that took part.
    pub place_count: usize,
    /// Shortest on a place.
    #[ts(type = "number")]
    pub min_ps: i64,
    /// Mean over places.
    pub mean_ps: f64,
    /// Longest on a place.
    #[ts(type = "number")]
    pub max_ps: i64,
    /// Longest busy time ÷ mean busy time: 1 is even; absent where nothing was busy.
    pub busy_balance: Option<f64>,
    /// Device that others waited for most; empty where no collective was matched.
    pub last_device: String,
    /// Its host.
    pub last_host: String,
    /// The collective they waited at.
    pub collective: String,
    /// Program id of the collective.
    pub program_id: String,
    /// Its last arrival − its median arrival; absent where none was matched.
    #[ts(type = "number | null")]
    pub lateness_ps: Option<i64>,
    /// Σ time others waited for that device in the step, mean over the others.
    #[ts(type = "number | null")]
    pub caused_ps: Option<i64>,
    /// What it did before it arrived.
    pub activity: String,
    /// Time of that activity before the arrival.
    #[ts(type = "number | null")]
    pub activity_ps: Option<i64>,
    /// When it left the collective before, as recorded.
    #[ts(type = "number | null")]
    pub from_ps: Option<i64>,
    /// When it arrived, as recorded.
    #[ts(type = "number | null")]
    pub until_ps: Option<i64>,
}

/// A step on a place.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct HostCell {
    /// Position in `steps`.
    pub step: usize,
    /// Position in `devices`.
    pub place: usize,
    /// Start, as recorded.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Length of the step there; the parts sum to it.
    #[ts(type = "number")]
    pub duration_ps: i64,
    /// How much later than the median participant it arrived at the collective of the step that cost
    /// most waiting; negative if earlier; absent where none was matched.
    #[ts(type = "number | null")]
    pub lateness_ps: Option<i64>,
    /// Device computes.
    #[ts(type = "number")]
    pub device_compute_ps: i64,
    /// Exposed communication.
    #[ts(type = "number")]
    pub collectives_ps: i64,
    /// Exposed copies in all directions.
    #[ts(type = "number")]
    pub copies_ps: i64,
    /// The device waits for Python that the program calls.
    #[ts(type = "number")]
    pub python_callbacks_ps: i64,
    /// Device idle, host waits for or prepares input.
    #[ts(type = "number")]
    pub input_wait_ps: i64,
    /// Device idle, host compiles.
    #[ts(type = "number")]
    pub compilation_ps: i64,
    /// Device idle, host does other recorded work.
    #[ts(type = "number")]
    pub host_overhead_ps: i64,
    /// Device idle, host waits or recorded nothing.
    #[ts(type = "number")]
    pub idle_ps: i64,
}

/// Who was late, and what it did before.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct BlameRow {
    /// Host that arrived last.
    pub host: String,
    /// Its devices that did, comma separated.
    pub device: String,
    /// What it did longest between leaving the collective before and arriving: slices, outermost
    /// first, joined by ` › `. Empty where nothing that was recorded explains a third of its lateness.
    pub activity: String,
    /// One of `host` or `device`: where that was recorded; empty without an activity.
    pub activity_on: String,
    /// Steps in which it was blamed.
    pub step_count: usize,
    /// Share of the steps with a matched collective, 0..1.
    pub step_ratio: f64,
    /// Σ time the others waited, mean over the others.
    #[ts(type = "number")]
    pub caused_ps: i64,
    /// Mean lateness: last arrival − median arrival.
    pub lateness_ps: f64,
    /// Mean time of the activity before an arrival.
    pub activity_ps: f64,
    /// Step in which it cost most.
    #[ts(type = "number")]
    pub step: i64,
    /// When it left the collective before, in that step, as recorded.
    #[ts(type = "number")]
    pub from_ps: i64,
    /// When it arrived, in that step, as recorded.
    #[ts(type = "number")]
    pub until_ps: i64,
    /// Track on which the activity was recorded.
    #[ts(type = "number | null")]
    pub track: Option<u32>,
}

/// Clock of one host.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct ClockRow {
    /// Host name.
    pub host: String,
    /// Host it is compared with; empty if no collective is common with any.
    pub reference: String,
    /// How far its clock is ahead, after the recorded start times are taken into account; absent if it
    /// was not compared.
    pub offset_ps: Option<f64>,
    /// By how much it gains, parts of a million; absent if it was not compared.
    pub drift_ppm: Option<f64>,
    /// Median distance of single comparisons from offset and drift.
    pub residual_ps: Option<f64>,
    /// Largest distance.
    pub max_residual_ps: Option<f64>,
    /// Collectives compared.
    pub matched_count: usize,
    /// Where its time 0 lies in the session, by its recorded start.
    #[ts(type = "number")]
    pub recorded_ps: i64,
}
