//! What `collectives` answers: communication, what it cost, and why.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::note::Note;
use crate::timeline::SliceRefReport;

/// The answer of the `collectives` analysis.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(export)]
pub struct CollectivesReport {
    /// One row per collective, most exposed time first unless sorted otherwise.
    pub rows: Vec<CollectiveRow>,
    /// Rows before the limit.
    pub row_count: usize,
    /// Communication of each device.
    pub devices: Vec<CollectiveDeviceRow>,
    /// Communication in each selected step, mean over devices.
    pub steps: Vec<CollectiveStepRow>,
    /// Single occurrences over all participants, those that cost most waiting and transfer first.
    pub instances: Vec<CollectiveInstanceRow>,
    /// Instances before they were cut.
    pub instance_count: usize,
    /// Exchanges with the host or with other slices, by rendezvous.
    pub rendezvous: Vec<RendezvousRow>,
    /// Inputs and outputs of programs that run on several devices, most bytes first.
    pub shardings: Vec<ShardingRow>,
    /// All of them, before `--shardings` cut them.
    pub sharding_count: usize,
    /// Peak of one link to a neighbour, one way, bytes per second; absent where not known.
    pub link_bandwidth: Option<f64>,
    /// Where that peak comes from; empty where not known.
    pub link_source: String,
    /// How figures were obtained and what they do not cover.
    pub notes: Vec<Note>,
}

/// One collective: an op of a program, or a kernel that names none.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct CollectiveRow {
    /// The op that begins it: an all-reduce, its asynchronous start, or the kernel where no op is
    /// known.
    pub name: String,
    /// Program, as `module(program id)`; empty if unknown.
    pub program: String,
    /// Program id; empty if unknown.
    pub program_id: String,
    /// How data is exchanged between the participants.
    pub kind: String,
    /// The program splits it in a start and a done.
    pub is_async: bool,
    /// Algorithm and protocol, where the name of the kernel says.
    pub algorithm: String,
    /// JAX name stack; empty if unknown.
    pub scope: String,
    /// Source line, as `file:line`; empty if unknown.
    pub source: String,
    /// Times it happened, over all selected devices.
    #[ts(type = "number")]
    pub occurrences: i64,
    /// Size of one occurrence, as NCCL’s tests count it: the operands of one device; of an all-
    /// gather what each device has in the end. Absent where the shapes are not known.
    #[ts(type = "number | null")]
    pub bytes: Option<i64>,
    /// Devices that take part together, by the replica groups of the program. Absent where not
    /// known.
    #[ts(type = "number | null")]
    pub group_size: Option<i64>,
    /// Groups as the program writes them; empty if it leaves them out.
    pub groups: String,
    /// Axes of the device mesh along which it communicates. Newer compilers write them; else they
    /// are guessed from the strides of the groups.
    pub mesh_axes: String,
    /// The axes were inferred from the numbers in the groups.
    pub is_mesh_guessed: bool,
    /// Σ time from start to end.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Mean time from start to end of one occurrence.
    pub mean_ps: f64,
    /// Shortest.
    #[ts(type = "number")]
    pub min_ps: i64,
    /// Longest occurrence. A row opens it in the timeline.
    #[ts(type = "number")]
    pub max_ps: i64,
    /// Σ time in its own ops and kernels.
    #[ts(type = "number")]
    pub own_ps: i64,
    /// Communication while the same device computes nothing: the time it really costs.
    #[ts(type = "number")]
    pub exposed_ps: i64,
    /// Communication behind computation of the same device.
    #[ts(type = "number")]
    pub hidden_ps: i64,
    /// What most of the exposed time is: waiting for a late participant, an op that the device
    /// waits for, nothing scheduled between start and end, or computation shorter than the
    /// transfer.
    pub reason: String,
    /// Occurrences that were matched over their participants.
    #[ts(type = "number")]
    pub matched: i64,
    /// Waiting for the last participant, over occurrences matched with those of others. Absent
    /// without any.
    #[ts(type = "number | null")]
    pub wait_ps: Option<i64>,
    /// What is left once everybody has arrived. Absent without any.
    #[ts(type = "number | null")]
    pub transfer_ps: Option<i64>,
    /// Bytes ÷ mean time, per second.
    pub algorithm_bandwidth: Option<f64>,
    /// What every link of a ring carries, whatever the number of devices.
    pub bus_bandwidth: Option<f64>,
    /// Bus bandwidth over the transfer alone, without waiting for the last participant. Absent
    /// without matches.
    pub transfer_bandwidth: Option<f64>,
    /// Bus bandwidth against the peak of one link to a neighbour, one way. Above 100 % where
    /// several links are used at once.
    pub link_ratio: Option<f64>,
    /// Names of devices, comma separated.
    pub device: String,
    /// Start of the longest occurrence.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// The slice that begins the longest occurrence.
    pub slice: SliceRefReport,
}

/// Communication of one device.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct CollectiveDeviceRow {
    /// Host name.
    pub host: String,
    /// Device name.
    pub device: String,
    /// Number of the device in the session.
    pub device_index: u32,
    /// Union of its communication.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Communication while nothing computed.
    #[ts(type = "number")]
    pub exposed_ps: i64,
    /// Communication behind computation.
    #[ts(type = "number")]
    pub hidden_ps: i64,
    /// Σ waiting for the last participant, of matched occurrences; absent without any.
    #[ts(type = "number | null")]
    pub wait_ps: Option<i64>,
    /// Length of the window: the selected steps, or from the first to the last work.
    #[ts(type = "number")]
    pub window_ps: i64,
    /// Exposed ÷ window, 0..1; absent without a window.
    pub exposed_ratio: Option<f64>,
}

/// Communication of one step, mean over the devices on which it ran.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct CollectiveStepRow {
    /// Step number as recorded.
    #[ts(type = "number")]
    pub step: i64,
    /// First start on any device.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Mean length of the step.
    pub duration_ps: f64,
    /// Mean of the union of communication.
    pub total_ps: f64,
    /// Mean of the exposed part.
    pub exposed_ps: f64,
    /// Exposed ÷ length, 0..1.
    pub exposed_ratio: Option<f64>,
    /// Device with the most exposed communication.
    pub device: String,
    /// Its exposed time.
    #[ts(type = "number")]
    pub max_exposed_ps: i64,
}

/// One occurrence over all participants in the session.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct CollectiveInstanceRow {
    /// The collective.
    pub name: String,
    /// Program, as `module(program id)`; empty if unknown.
    pub program: String,
    /// Program id; empty if unknown.
    pub program_id: String,
    /// Kind, as in the rows.
    pub kind: String,
    /// Step in which it began; absent outside of steps.
    #[ts(type = "number | null")]
    pub step: Option<i64>,
    /// Participants in the session.
    #[ts(type = "number")]
    pub participants: i64,
    /// Device that arrived last.
    pub last_device: String,
    /// First arrival to last arrival.
    #[ts(type = "number")]
    pub skew_ps: i64,
    /// Waiting of all participants together.
    #[ts(type = "number")]
    pub wait_ps: i64,
    /// From the last arrival to the last end.
    #[ts(type = "number")]
    pub transfer_ps: i64,
    /// First arrival, on the clock of the session.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// From the first arrival to the last end.
    #[ts(type = "number")]
    pub duration_ps: i64,
    /// The slice of the device that arrived last.
    pub slice: SliceRefReport,
}

/// Exchanges of one rendezvous: with the host, or over the network with another slice.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct RendezvousRow {
    /// Name under which both sides meet, else the channel.
    pub rendezvous: String,
    /// Kind of exchange between slices, such as `ALL_REDUCE`; empty where the program says none.
    pub transfer_type: String,
    /// How many take part in the exchange, as the profiler recorded with its op. Absent where the
    /// profile does not say.
    #[ts(type = "number | null")]
    pub participants: Option<i64>,
    /// Program it belongs to.
    pub program: String,
    /// Program id.
    pub program_id: String,
    /// Op that sends; empty if none was executed.
    pub send_op: String,
    /// Op that receives; empty if none was executed.
    pub recv_op: String,
    /// Times, over all selected devices.
    #[ts(type = "number")]
    pub occurrences: i64,
    /// Bytes over the network in one occurrence. Absent where shape or participants are not known.
    #[ts(type = "number | null")]
    pub bytes: Option<i64>,
    /// Mean time that was there to hide it: from the start of the send to the start of the end of the
    /// receive, without other communication.
    pub slack_ps: f64,
    /// Mean time from the start of the send to the end of the receive.
    pub observed_ps: f64,
    /// Mean time in the send.
    pub send_ps: f64,
    /// Mean time in the end of the send.
    pub send_done_ps: f64,
    /// Mean time in the receive.
    pub recv_ps: f64,
    /// Mean time in the end of the receive.
    pub recv_done_ps: f64,
    /// Mean of the four.
    pub stall_ps: f64,
    /// Σ of the four.
    #[ts(type = "number")]
    pub total_stall_ps: i64,
    /// Bytes ÷ slack, per second: what hides it; absent where there is no slack or no size.
    pub required_bandwidth: Option<f64>,
    /// Start of the occurrence with the longest stall.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// The slice with which that one began.
    pub slice: SliceRefReport,
}

/// An input or output of a program that runs on several devices.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct ShardingRow {
    /// The program and its id.
    pub program: String,
    /// Program id.
    pub program_id: String,
    /// Whether it goes in; else it comes out.
    pub is_input: bool,
    /// Number of the parameter, or of the element of the result.
    #[ts(type = "number")]
    pub number: i64,
    /// Input or output of a program: as the framework calls it, else its instruction.
    pub name: String,
    /// Instruction that takes or makes it.
    pub instruction: String,
    /// Shape of the part that one device has.
    pub shape: String,
    /// Mesh axes that cut each dimension, as JAX writes them: `P(data, None)`, `P()` where it is
    /// whole on every device; empty where the program does not say.
    pub partition: String,
    /// Whether names of axes are ours, told by strides of devices.
    pub is_mesh_guessed: bool,
    /// Sharding as the program writes it; empty where it does not say.
    pub sharding: String,
    /// Different parts the value is cut into; absent where the program does not say.
    #[ts(type = "number | null")]
    pub part_count: Option<i64>,
    /// Devices the program runs on.
    #[ts(type = "number")]
    pub device_count: i64,
    /// Bytes of the value on one device.
    #[ts(type = "number")]
    pub device_bytes: i64,
    /// Bytes of the value on all devices together.
    #[ts(type = "number")]
    pub total_bytes: i64,
    /// Bytes on all devices beyond one copy; absent where the program does not say.
    #[ts(type = "number | null")]
    pub replicated_bytes: Option<i64>,
}
