//! What `collectives` answers: communication, what it cost, and why.

use documented::DocumentedFields;
use serde::Serialize;
use ts_rs::TS;

use crate::telling::Note;
use crate::telling::places::SliceRefReport;

/// The answer of the `collectives` analysis.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct CollectivesReport {
    /// One row per collective, most exposed time first unless sorted otherwise.
    pub rows: Vec<CollectiveRow>,
    /// Rows before the limit.
    pub row_count: usize,
    /// Communication by what `--by` says, most exposed time first.
    pub groups: Vec<CollectiveGroupRow>,
    /// Communication of each device.
    pub devices: Vec<CollectiveDeviceRow>,
    /// Communication in each selected step, mean over devices.
    pub steps: Vec<CollectiveStepRow>,
    /// Single occurrences over all participants, those with the most waiting and transfer first.
    pub instances: Vec<CollectiveInstanceRow>,
    /// Number of single occurrences before `--instances` limits them.
    pub instance_count: usize,
    /// Exchanges with the host or with other slices, by rendezvous.
    pub rendezvous: Vec<RendezvousRow>,
    /// Messages between slices of a job over the network, by the slice they come from, slowest first.
    pub peers: Vec<PeerRow>,
    /// Inputs and outputs of programs that run on several devices, most bytes first.
    pub shardings: Vec<ShardingRow>,
    /// Number of inputs and outputs before `--shardings` limits them.
    pub sharding_count: usize,
    /// Peak of one link to a neighbor, one way, in bytes per second; absent if unknown.
    pub link_bandwidth: Option<f64>,
    /// Source of that peak; empty if unknown.
    pub link_source: String,
    /// How figures were obtained and what they do not cover.
    pub notes: Vec<Note>,
}

/// One collective: an op of a program, or a kernel without an op.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct CollectiveRow {
    /// Op that starts the collective: an all-reduce, its asynchronous start, or the kernel if no op
    /// is known.
    pub name: String,
    /// Program of the collective, as `module(program id)`. Empty if unknown.
    pub program: String,
    /// Program id; empty if unknown.
    pub program_id: String,
    /// How data is exchanged between the participants, such as `all-reduce`.
    pub kind: String,
    /// Whether the program splits the collective into a start and a done.
    pub is_async: bool,
    /// Algorithm and protocol of the collective, if the name of the kernel contains them.
    pub algorithm: String,
    /// JAX name stack of the collective. Empty if unknown.
    pub scope: String,
    /// Source line of the collective, as `file:line`. Empty if unknown.
    pub source: String,
    /// Number of occurrences of the collective, over all selected devices.
    #[ts(type = "number")]
    pub occurrences: i64,
    /// Size of one occurrence, as defined by nccl-tests: the operands of one device or, for an
    /// all-gather, what each device has at the end. Absent if the shapes are unknown.
    #[ts(type = "number | null")]
    pub bytes: Option<i64>,
    /// Number of devices that take part together, according to the replica groups of the program.
    /// Absent if unknown.
    #[ts(type = "number | null")]
    pub group_size: Option<i64>,
    /// Replica groups of the collective, as the program writes them. Empty if the program leaves
    /// them out.
    pub groups: String,
    /// Axes of the device mesh along which the collective communicates. Newer compilers record
    /// them; otherwise they are guessed from the strides of the groups.
    pub mesh_axes: String,
    /// Whether the mesh axes were inferred from the ids in the groups.
    pub is_mesh_guessed: bool,
    /// Σ time of the occurrences, from start to end.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Mean time of one occurrence, from start to end.
    pub mean_ps: f64,
    /// Duration of the shortest occurrence.
    #[ts(type = "number")]
    pub min_ps: i64,
    /// Duration of the longest occurrence.
    #[ts(type = "number")]
    pub max_ps: i64,
    /// Σ time in the collective's own ops and kernels.
    #[ts(type = "number")]
    pub own_ps: i64,
    /// Communication while the same device computes nothing: the actual cost of the collective.
    #[ts(type = "number")]
    pub exposed_ps: i64,
    /// Communication that is hidden behind computation of the same device.
    #[ts(type = "number")]
    pub hidden_ps: i64,
    /// Cause of most of the exposed time: waiting for a late participant, an op that the device
    /// waits for (synchronous), nothing scheduled between start and end, or computation shorter
    /// than the transfer.
    pub reason: String,
    /// Number of occurrences that were matched across their participants.
    #[ts(type = "number")]
    pub matched: i64,
    /// Time spent waiting for the last participant, over occurrences that were matched with those
    /// of other devices. Absent if none was matched.
    #[ts(type = "number | null")]
    pub wait_ps: Option<i64>,
    /// Time that remains after all participants have arrived, over matched occurrences. Absent if
    /// none was matched.
    #[ts(type = "number | null")]
    pub transfer_ps: Option<i64>,
    /// Bytes of one occurrence ÷ its mean time, per second.
    pub algorithm_bandwidth: Option<f64>,
    /// Bandwidth that every link of a ring carries, regardless of the number of devices.
    pub bus_bandwidth: Option<f64>,
    /// Bus bandwidth over the transfer alone, without the wait for the last participant. Absent if
    /// no occurrence was matched.
    pub transfer_bandwidth: Option<f64>,
    /// Bus bandwidth ÷ peak of one link to a neighbor, one way. Above 100 % if several links are
    /// used at the same time.
    pub link_ratio: Option<f64>,
    /// Time that the links need for one occurrence of the collective by theory. Absent if the links,
    /// the groups or a formula are unknown.
    pub expected_ps: Option<f64>,
    /// Mean ÷ expected time of one occurrence of the collective.
    pub times_expected: Option<f64>,
    /// How the expected time of the collective was derived, or why it is unknown.
    pub expectation: String,
    /// Compute per occurrence that neither feeds the collective nor needs its result, wherever it
    /// ran: what could run meanwhile. Absent without the program.
    pub independent_ps: Option<f64>,
    /// Exposed time per occurrence that independent compute could hide beyond what is hidden now.
    pub overlap_ps: Option<f64>,
    /// Kind of core that ran the collective: `TensorCore`, `SparseCore`, `GPU` or `CPU`.
    pub core: String,
    /// Names of the devices that executed the collective, separated by commas.
    pub device: String,
    /// Start of the longest occurrence.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// The slice that starts the longest occurrence.
    pub slice: SliceRefReport,
}

/// Collectives that share a mesh axis, source line, scope, kind or core.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct CollectiveGroupRow {
    /// What the collectives of the group share. Empty if it is unknown.
    pub name: String,
    /// Number of collectives in the group.
    #[ts(type = "number")]
    pub collectives: i64,
    /// Number of their occurrences, over all selected devices.
    #[ts(type = "number")]
    pub occurrences: i64,
    /// Σ exposed time of the occurrences. Simultaneous collectives count each.
    #[ts(type = "number")]
    pub exposed_ps: i64,
    /// Exposed time as a share of that of all groups.
    pub exposed_ratio: Option<f64>,
    /// Σ hidden time of the occurrences.
    #[ts(type = "number")]
    pub hidden_ps: i64,
    /// Σ time of the occurrences in the group, from start to end.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Σ time spent waiting for the last participant, over matched occurrences. Absent if none in
    /// the group was matched.
    #[ts(type = "number | null")]
    pub wait_ps: Option<i64>,
    /// Σ size of the occurrences, as defined by nccl-tests. Absent if no size in the group is known.
    #[ts(type = "number | null")]
    pub bytes: Option<i64>,
    /// Bytes over the bus ÷ time, of the collectives in the group whose bus bandwidth is known.
    pub bus_bandwidth: Option<f64>,
    /// Bus bandwidth that the links allow: bytes over the bus ÷ expected time.
    pub peak_bandwidth: Option<f64>,
    /// Time that the links need for all occurrences by theory, of the collectives in the group for
    /// which it is known.
    pub expected_ps: Option<f64>,
    /// Measured ÷ expected time of the collectives in the group whose expected time is known.
    pub times_expected: Option<f64>,
    /// Σ exposed time that independent compute could hide beyond what is hidden now.
    pub overlap_ps: Option<f64>,
}

/// Communication of one device.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct CollectiveDeviceRow {
    /// Name of the host that the device belongs to.
    pub host: String,
    /// Name of the device.
    pub device: String,
    /// Number of the device in the session.
    pub device_index: u32,
    /// Communication time of the device, as a union of intervals, so simultaneous collectives count
    /// once.
    #[ts(type = "number")]
    pub total_ps: i64,
    /// Communication of the device while it computes nothing.
    #[ts(type = "number")]
    pub exposed_ps: i64,
    /// Communication of the device that is hidden behind computation.
    #[ts(type = "number")]
    pub hidden_ps: i64,
    /// Σ time that the device waits for the last participant, over matched occurrences. Absent if
    /// none was matched.
    #[ts(type = "number | null")]
    pub wait_ps: Option<i64>,
    /// Length of the analyzed window on the device: the selected steps, or from the first to the
    /// last work.
    #[ts(type = "number")]
    pub window_ps: i64,
    /// Exposed communication ÷ length of the analyzed window, 0..1. Absent without a window.
    pub exposed_ratio: Option<f64>,
}

/// Communication of one step, mean over the devices on which it ran.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct CollectiveStepRow {
    /// Step number as recorded.
    #[ts(type = "number")]
    pub step: i64,
    /// Earliest start of the step on any device.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Mean duration of the step over devices that communicate.
    pub duration_ps: f64,
    /// Communication in the step as a union of intervals, mean over devices that communicate.
    pub total_ps: f64,
    /// Exposed communication in the step, mean over devices that communicate.
    pub exposed_ps: f64,
    /// Exposed communication ÷ duration of the step, 0..1.
    pub exposed_ratio: Option<f64>,
    /// Device with the most exposed communication in the step.
    pub device: String,
    /// Exposed communication in the step on the device that has the most of it.
    #[ts(type = "number")]
    pub max_exposed_ps: i64,
}

/// One occurrence over all participants in the session.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct CollectiveInstanceRow {
    /// Name of the collective that occurred.
    pub name: String,
    /// Program of the collective, as `module(program id)`. Empty if unknown.
    pub program: String,
    /// Program id; empty if unknown.
    pub program_id: String,
    /// How data is exchanged between the participants, such as `all-reduce`.
    pub kind: String,
    /// Step in which the last participant started the collective. Absent outside of steps.
    #[ts(type = "number | null")]
    pub step: Option<i64>,
    /// Number of participants in this occurrence that are part of the session.
    #[ts(type = "number")]
    pub participants: i64,
    /// Device that arrived last at this occurrence.
    pub last_device: String,
    /// Time from the first arrival of a participant to the last arrival.
    #[ts(type = "number")]
    pub skew_ps: i64,
    /// Time that all participants together spent waiting for the last one to arrive.
    #[ts(type = "number")]
    pub wait_ps: i64,
    /// Time from the last arrival of a participant to the last end.
    #[ts(type = "number")]
    pub transfer_ps: i64,
    /// Time of the first arrival of a participant, on the clock of the session.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// Time from the first arrival of a participant to the last end.
    #[ts(type = "number")]
    pub duration_ps: i64,
    /// The slice of the device that arrived last.
    pub slice: SliceRefReport,
}

/// Exchanges of one rendezvous: with the host, or over the network with another slice.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct RendezvousRow {
    /// Name under which both sides of the exchange meet, or the channel if there is no name.
    pub rendezvous: String,
    /// Kind of exchange between slices, such as `ALL_REDUCE`. Empty if the program does not name
    /// one.
    pub transfer_type: String,
    /// Number of participants in the exchange, as the profiler recorded it with the op. Absent if
    /// the profile does not contain it.
    #[ts(type = "number | null")]
    pub participants: Option<i64>,
    /// Program that the exchange belongs to.
    pub program: String,
    /// Program id.
    pub program_id: String,
    /// Name of the op that sends. Empty if none was executed.
    pub send_op: String,
    /// Name of the op that receives. Empty if none was executed.
    pub recv_op: String,
    /// Number of occurrences of the exchange, over all selected devices.
    #[ts(type = "number")]
    pub occurrences: i64,
    /// Bytes over the network in one occurrence, or the size of the value for an exchange with the
    /// host. Absent if the shape or the number of participants is unknown.
    #[ts(type = "number | null")]
    pub bytes: Option<i64>,
    /// Mean time available to hide the exchange: from the start of the send to the start of
    /// `recv-done`, excluding communication in between.
    pub slack_ps: f64,
    /// Mean time per occurrence from the start of the send to the end of the receive.
    pub observed_ps: f64,
    /// Mean time per occurrence in the `send` op.
    pub send_ps: f64,
    /// Mean time per occurrence in the `send-done` op, which ends the send.
    pub send_done_ps: f64,
    /// Mean time per occurrence in the `recv` op.
    pub recv_ps: f64,
    /// Mean time per occurrence in the `recv-done` op, which ends the receive.
    pub recv_done_ps: f64,
    /// Median time in the `recv-done` op, by nearest rank. Absent if none was executed.
    #[ts(type = "number | null")]
    pub recv_done_p50_ps: Option<i64>,
    /// 99th percentile of the time in the `recv-done` op, by nearest rank. Absent if none was
    /// executed.
    #[ts(type = "number | null")]
    pub recv_done_p99_ps: Option<i64>,
    /// Mean time per occurrence in the four ops of the exchange together: `send`, `send-done`,
    /// `recv` and `recv-done`.
    pub stall_ps: f64,
    /// Σ time in the four ops of the exchange (`send`, `send-done`, `recv`, `recv-done`), over all
    /// occurrences.
    #[ts(type = "number")]
    pub total_stall_ps: i64,
    /// Bytes ÷ slack, per second: the bandwidth that hides the exchange. Absent if there is no
    /// slack or the size is unknown.
    pub required_bandwidth: Option<f64>,
    /// Start of the occurrence with the longest stall.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// The slice with which that occurrence started.
    pub slice: SliceRefReport,
}

/// The messages of one rendezvous from one slice of a job to another, as their hosts recorded them.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct PeerRow {
    /// What the messages belong to: the rendezvous. Empty if the profile does not say.
    pub rendezvous: String,
    /// Number of the slice that sends.
    #[ts(type = "number")]
    pub source_slice: i64,
    /// Number of the slice that receives.
    #[ts(type = "number")]
    pub destination_slice: i64,
    /// Number of messages.
    #[ts(type = "number")]
    pub message_count: i64,
    /// Σ size of the messages. Absent if it was not recorded.
    #[ts(type = "number | null")]
    pub bytes: Option<i64>,
    /// Mean time that a message was under way.
    pub mean_ps: f64,
    /// Median time that a message was under way, by nearest rank.
    #[ts(type = "number")]
    pub p50_ps: i64,
    /// 99th percentile of the time that a message was under way, by nearest rank.
    #[ts(type = "number")]
    pub p99_ps: i64,
    /// Longest time that a message was under way.
    #[ts(type = "number")]
    pub max_ps: i64,
    /// The op that waits for the messages. Empty if no op names the rendezvous.
    pub recv_op: String,
    /// 99th percentile of the time in that op's `recv-done`. Absent if none was executed.
    #[ts(type = "number | null")]
    pub recv_done_p99_ps: Option<i64>,
    /// Start of the event of the slowest message.
    #[ts(type = "number")]
    pub start_ps: i64,
    /// That event.
    pub slice: SliceRefReport,
}

/// An input or output of a program that runs on several devices.
#[derive(Debug, Clone, Serialize, TS, DocumentedFields)]
#[ts(export)]
pub struct ShardingRow {
    /// Program with the input or output, as `module(program id)`.
    pub program: String,
    /// Program id.
    pub program_id: String,
    /// Whether it is an input; otherwise it is an output.
    pub is_input: bool,
    /// Number of the parameter for an input, or of the element of the result for an output.
    #[ts(type = "number")]
    pub number: i64,
    /// Input or output of a program: the name that the framework gives it, or else its instruction.
    pub name: String,
    /// Instruction that consumes the input or produces the output.
    pub instruction: String,
    /// Shape of the part of the value that one device holds.
    pub shape: String,
    /// Mesh axes that split each dimension, in JAX notation: `P(data, None)`, or `P()` if the value
    /// is whole on every device. Empty if the program does not specify it.
    pub partition: String,
    /// Whether the mesh axes were inferred from the strides of devices, so that their names are made up.
    pub is_mesh_guessed: bool,
    /// Sharding of the value, as the program writes it. Empty if the program does not specify it.
    pub sharding: String,
    /// Number of distinct parts that the value is split into. Absent if the program does not
    /// specify it.
    #[ts(type = "number | null")]
    pub part_count: Option<i64>,
    /// Number of devices that the program runs on.
    #[ts(type = "number")]
    pub device_count: i64,
    /// Bytes of the value on one device.
    #[ts(type = "number")]
    pub device_bytes: i64,
    /// Bytes of the value on all devices together.
    #[ts(type = "number")]
    pub total_bytes: i64,
    /// Bytes of the value on all devices beyond one copy. Absent if the program does not specify
    /// the sharding.
    #[ts(type = "number | null")]
    pub replicated_bytes: Option<i64>,
}
