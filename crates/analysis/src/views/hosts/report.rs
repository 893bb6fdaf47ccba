//! What `hosts` answers: hosts and devices side by side, which ones are late, and why.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::measuring::steps::StepTime;
use crate::telling::Note;

/// The answer of the `hosts` analysis.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct HostsReport {
    /// Statistics over the step durations; absent without steps.
    pub step_time_ps: Option<StepTime>,
    /// Every selected host, including those without steps, in host order unless sorted otherwise.
    pub rows: Vec<HostRow>,
    /// Number of rows before the limit.
    pub row_count: usize,
    /// Who was late and what it did before it arrived, most waiting caused first.
    pub blame: Vec<BlameRow>,
    /// Every selected device, and hosts whose devices recorded no work.
    pub devices: Vec<HostDeviceRow>,
    /// Every selected step over all places.
    pub steps: Vec<HostStepRow>,
    /// Each step on each place; `place` is a position in `devices`.
    pub cells: Vec<HostCell>,
    /// Number of cells before the limit on cells.
    pub cell_count: usize,
    /// The clock of each host.
    pub clocks: Vec<ClockRow>,
    /// How figures were obtained and what they do not cover.
    pub notes: Vec<Note>,
}

/// One host.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct HostRow {
    /// Name of the host.
    pub host: String,
    /// Number of devices of the host.
    pub device_count: usize,
    /// Number of the host's devices that recorded work in the observed window, as in `overview`.
    pub working_count: usize,
    /// Number of steps the host took part in.
    pub step_count: usize,
    /// Mean duration of the host's steps, over its devices. Absent without steps.
    pub step_ps: Option<f64>,
    /// Mean time per step in which the host's devices were busy.
    pub busy_ps: Option<f64>,
    /// Mean time per step in which the host's devices computed.
    pub device_compute_ps: Option<f64>,
    /// Mean exposed communication per step, over the host's devices.
    pub collectives_ps: Option<f64>,
    /// Mean time per step in which nothing ran but copies, in any direction.
    pub copies_ps: Option<f64>,
    /// Mean time per step in which the devices wait for Python callbacks of the program.
    pub python_callbacks_ps: Option<f64>,
    /// Mean input wait per step: the host prepares input, waits for it, or copies to the device while its devices are idle.
    pub input_wait_ps: Option<f64>,
    /// Mean compilation time per step: the host compiles while its devices are idle.
    pub compilation_ps: Option<f64>,
    /// Mean host overhead per step: the host does other recorded work while its devices are idle.
    pub host_overhead_ps: Option<f64>,
    /// Mean idle time per step: the devices are idle and the host waits or recorded nothing.
    pub idle_ps: Option<f64>,
    /// How much later than the median participant the host arrives at matched collectives: the
    /// median over all of them. In the heat map, at the collective that cost the most waiting in
    /// the step. Absent if none was matched.
    pub lateness_ps: Option<f64>,
    /// Lateness of the host as a robust deviation among the hosts. Absent with fewer than three
    /// hosts.
    pub lateness_score: Option<f64>,
    /// Number of steps in which the others waited most for this host.
    pub last_count: usize,
    /// Time the others waited for this host and computed nothing meanwhile, mean over the others, summed
    /// over steps.
    #[ts(type = "number")]
    pub caused_ps: i64,
    /// Time the host's devices waited for others and computed nothing meanwhile, mean over them.
    #[ts(type = "number")]
    pub wait_ps: i64,
    /// Whether the host is a straggler: last in at least half of the steps, in those in which clocks tell
    /// with a probability below 1 % by chance alone, and the others wait at least 1 % of a step for it
    /// on average. Also if it is last in all of at least five steps, with each wait at least 0.6 times the median wait
    /// and a mean wait of at least 5 % of a step.
    pub is_straggler: bool,
    /// Problem with the host's recording. Empty if there is none.
    pub problem: String,
}

/// One device, or a host whose devices recorded no work.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct HostDeviceRow {
    /// Name of the host.
    pub host: String,
    /// Name of the device. Empty for a host without working devices.
    pub device: String,
    /// Number of the device in the session. Absent for a host.
    #[ts(type = "number | null")]
    pub device_index: Option<i64>,
    /// Number of steps the device took part in.
    pub step_count: usize,
    /// Mean duration of the device's steps. Absent without steps.
    pub step_ps: Option<f64>,
    /// Mean time per step in which the device was busy.
    pub busy_ps: Option<f64>,
    /// Median over matched collectives of how much later than the median participant the device
    /// arrives.
    pub lateness_ps: Option<f64>,
    /// Number of steps in which the others waited most for this device.
    pub last_count: usize,
    /// Σ time the device waited for others at matched collectives and computed nothing meanwhile.
    #[ts(type = "number")]
    pub wait_ps: i64,
}

/// One step, over all places.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct HostStepRow {
    /// Number of the step, as recorded.
    #[ts(type = "number")]
    pub step: i64,
    /// First start of the step on any place, as recorded.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Duration of the step over all places: last end − first start, as recorded.
    #[ts(type = "number")]
    pub duration_ps: i64,
    /// Number of places that took part in the step: devices, or hosts without working devices.
    pub place_count: usize,
    /// Shortest duration of the step on a single place: a device, or a host without working
    /// devices.
    #[ts(type = "number")]
    pub min_ps: i64,
    /// Mean duration of the step over its places: devices, or hosts without working devices.
    pub mean_ps: f64,
    /// Longest duration of the step on a single place: a device, or a host without working devices.
    #[ts(type = "number")]
    pub max_ps: i64,
    /// Longest busy time ÷ mean busy time of the places in the step: 1 means balanced. Absent if
    /// nothing was busy.
    pub busy_balance: Option<f64>,
    /// Device that the others waited for most in the step. Empty if no collective was matched.
    pub last_device: String,
    /// Host of the device that the others waited for most.
    pub last_host: String,
    /// Collective at which the others waited most for the last device.
    pub collective: String,
    /// Program id of the collective.
    pub program_id: String,
    /// Last arrival − median arrival at the collective of the last device. Absent if none was
    /// matched.
    #[ts(type = "number | null")]
    pub lateness_ps: Option<i64>,
    /// Σ time the others waited for the last device in the step, mean over the others.
    #[ts(type = "number | null")]
    pub caused_ps: Option<i64>,
    /// What the last device or its host did before the device arrived at the collective.
    pub activity: String,
    /// Duration of the activity before the last device arrived.
    #[ts(type = "number | null")]
    pub activity_ps: Option<i64>,
    /// Time at which the last device left the previous collective, as recorded.
    #[ts(type = "number | null")]
    pub from_ps: Option<i64>,
    /// Time at which the last device arrived at the collective, as recorded.
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
    /// Duration of the step on the place. The parts sum to it.
    #[ts(type = "number")]
    pub duration_ps: i64,
    /// How much later than the median participant the place arrived at the collective that cost the
    /// most waiting in the step. Negative if earlier, absent if none was matched.
    #[ts(type = "number | null")]
    pub lateness_ps: Option<i64>,
    /// Time in which the device computes.
    #[ts(type = "number")]
    pub device_compute_ps: i64,
    /// Exposed communication.
    #[ts(type = "number")]
    pub collectives_ps: i64,
    /// Exposed copies in all directions.
    #[ts(type = "number")]
    pub copies_ps: i64,
    /// Time in which the device waits for Python callbacks of the program.
    #[ts(type = "number")]
    pub python_callbacks_ps: i64,
    /// Time in which the device is idle while the host prepares input, waits for it, or copies to the device.
    #[ts(type = "number")]
    pub input_wait_ps: i64,
    /// Time in which the device is idle while the host compiles.
    #[ts(type = "number")]
    pub compilation_ps: i64,
    /// Time in which the device is idle while the host does other recorded work.
    #[ts(type = "number")]
    pub host_overhead_ps: i64,
    /// Time in which the device is idle while the host waits or recorded nothing.
    #[ts(type = "number")]
    pub idle_ps: i64,
}

/// Who was late, and what it did before it arrived.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct BlameRow {
    /// Host that arrived last.
    pub host: String,
    /// Devices of the host that arrived last, comma separated.
    pub device: String,
    /// What the device or its host did longest between leaving the previous collective and
    /// arriving: slices, outermost first, joined by `›`. Empty if nothing that was recorded
    /// explains a third of the lateness.
    pub activity: String,
    /// Where the activity was recorded: one of `host` or `device`. Empty without an activity.
    pub activity_on: String,
    /// Number of steps in which the host was blamed with this activity.
    pub step_count: usize,
    /// Share of the steps with a matched collective in which the host was blamed with this
    /// activity, 0..1.
    pub step_ratio: f64,
    /// Σ time the others waited for the late arrivals, mean over the others.
    #[ts(type = "number")]
    pub caused_ps: i64,
    /// Mean lateness over the blamed steps: last arrival − median arrival.
    pub lateness_ps: f64,
    /// Mean duration of the activity before an arrival.
    pub activity_ps: f64,
    /// Step in which the lateness cost the most waiting.
    #[ts(type = "number")]
    pub step: i64,
    /// Time at which the late device left the previous collective in the worst step, as recorded.
    #[ts(type = "number")]
    pub from_ps: i64,
    /// Time at which the late device arrived at the collective in the worst step, as recorded.
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
    /// Name of the host.
    pub host: String,
    /// Host whose clock serves as the reference. Empty if the host has no collective in common with
    /// any other.
    pub reference: String,
    /// How far the host's clock is ahead of the reference clock, after accounting for the recorded
    /// start times. Absent if it was not compared.
    pub offset_ps: Option<f64>,
    /// Rate at which the host's clock gains on the reference clock, in parts per million. Absent if
    /// it was not compared.
    pub drift_ppm: Option<f64>,
    /// Median distance of single comparisons from the fitted offset and drift.
    pub residual_ps: Option<f64>,
    /// Largest distance of a single comparison from the fitted offset and drift.
    pub max_residual_ps: Option<f64>,
    /// Number of collectives over which the clocks were compared.
    pub matched_count: usize,
    /// Position of the host's time 0 in the session, according to its recorded start.
    #[ts(type = "number")]
    pub recorded_ps: i64,
}
