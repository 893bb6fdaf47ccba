//! Columns of the tables of `collectives`: titles, units, behavior, and how each is read from its
//! row.
//! The meaning of each column is documented at the field of its row.

use super::report::{
    CollectiveDeviceRow, CollectiveGroupRow, CollectiveInstanceRow, CollectiveRow,
    CollectiveStepRow, PeerRow, RendezvousRow, ShardingRow,
};
use crate::telling::{Column, Declared, Field, Identity, Unit};

pub(super) const ROWS: &[Field<CollectiveRow>] = &[
    Column::new("name", "Collective", Unit::Text)
        .identifies(Identity::Op)
        .of(|row| row.name.as_str().into()),
    Column::new("kind", "Kind", Unit::Text).of(|row| row.kind.as_str().into()),
    Column::new("occurrences", "Count", Unit::Count)
        .sums()
        .of(|row| row.occurrences.into()),
    Column::new("exposed_ps", "Exposed", Unit::Picos)
        .formula("communication − compute, as intervals of one device")
        .sums()
        .of(|row| row.exposed_ps.into()),
    Column::wide("hidden_ps", "Hidden", Unit::Picos)
        .formula("total − exposed")
        .sums()
        .neutral()
        .of(|row| row.hidden_ps.into()),
    Column::new("total_ps", "Total", Unit::Picos)
        .sums()
        .of(|row| row.total_ps.into()),
    Column::wide("mean_ps", "Mean", Unit::Picos)
        .fractional()
        .formula("total ÷ count")
        .of(|row| row.mean_ps.into()),
    Column::wide("min_ps", "Shortest", Unit::Picos).of(|row| row.min_ps.into()),
    Column::wide("max_ps", "Longest", Unit::Picos).of(|row| row.max_ps.into()),
    Column::wide("own_ps", "Own", Unit::Picos)
        .sums()
        .of(|row| row.own_ps.into()),
    Column::new("wait_ps", "Wait", Unit::Picos)
        .formula("Σ last arrival − own arrival, on aligned clocks")
        .sums()
        .of(|row| row.wait_ps.into()),
    Column::wide("transfer_ps", "Transfer", Unit::Picos)
        .formula("Σ own end − last arrival")
        .sums()
        .of(|row| row.transfer_ps.into()),
    Column::wide("matched", "Matched", Unit::Count)
        .sums()
        .of(|row| row.matched.into()),
    Column::new("bytes", "Bytes per run", Unit::Bytes)
        .formula("from the shapes of the program")
        .of(|row| row.bytes.into()),
    Column::new("group_size", "Group", Unit::Count).of(|row| row.group_size.into()),
    Column::wide("algorithm_bandwidth", "Bandwidth", Unit::ByteRate)
        .of(|row| row.algorithm_bandwidth.into()),
    Column::new("bus_bandwidth", "Bus bandwidth", Unit::ByteRate)
        .formula(
            "bytes ÷ mean time × factor; all-reduce 2 (n − 1) ÷ n, all-gather, \
             reduce-scatter, all-to-all (n − 1) ÷ n, others 1",
        )
        .of(|row| row.bus_bandwidth.into()),
    Column::wide("transfer_bandwidth", "Transfer bandwidth", Unit::ByteRate)
        .formula("bytes ÷ mean transfer × factor")
        .of(|row| row.transfer_bandwidth.into()),
    Column::wide("link_ratio", "Link utilization", Unit::Ratio)
        .formula("bus bandwidth ÷ peak of one link")
        .of(|row| row.link_ratio.into()),
    Column::new("expected_ps", "Expected", Unit::Picos)
        .fractional()
        .neutral()
        .of(|row| row.expected_ps.into()),
    Column::wide("times_expected", "Times expected", Unit::Count)
        .fractional()
        .formula("mean ÷ expected")
        .of(|row| row.times_expected.into()),
    Column::wide("independent_ps", "Independent compute", Unit::Picos)
        .fractional()
        .formula("Σ self of independent compute ÷ count")
        .neutral()
        .of(|row| row.independent_ps.into()),
    Column::wide("overlap_ps", "Could hide", Unit::Picos)
        .fractional()
        .formula("min(exposed ÷ count, independent compute − hidden ÷ count)")
        .of(|row| row.overlap_ps.into()),
    Column::new("reason", "Why exposed", Unit::Text).of(|row| reason_words(&row.reason).into()),
    Column::wide("mesh_axes", "Mesh axes", Unit::Text).of(|row| row.mesh_axes.as_str().into()),
    Column::wide("is_mesh_guessed", "Guessed", Unit::Flag).of(|row| row.is_mesh_guessed.into()),
    Column::wide("groups", "Groups", Unit::Text).of(|row| row.groups.as_str().into()),
    Column::wide("is_async", "Asynchronous", Unit::Flag).of(|row| row.is_async.into()),
    Column::wide("algorithm", "Algorithm", Unit::Text).of(|row| row.algorithm.as_str().into()),
    Column::wide("scope", "Scope", Unit::Text).of(|row| row.scope.as_str().into()),
    Column::wide("source", "Source", Unit::Text).of(|row| row.source.as_str().into()),
    Column::wide("program", "Program", Unit::Text).of(|row| row.program.as_str().into()),
    Column::wide("core", "Core", Unit::Text).of(|row| row.core.as_str().into()),
    Column::wide("expectation", "Derivation", Unit::Text).of(|row| row.expectation.as_str().into()),
    Column::wide("device", "Device", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.device.as_str().into()),
    Column::wide("start_ps", "Start of longest", Unit::Picos)
        .position()
        .of(|row| row.start_ps.into()),
];

pub(super) const GROUPS: &[Field<CollectiveGroupRow>] = &[
    Column::new("name", "Group", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| match row.name.as_str() {
            "" => "unknown".into(),
            name => name.into(),
        }),
    Column::wide("collectives", "Collectives", Unit::Count)
        .neutral()
        .of(|row| row.collectives.into()),
    Column::new("occurrences", "Count", Unit::Count)
        .sums()
        .of(|row| row.occurrences.into()),
    Column::new("exposed_ps", "Exposed", Unit::Picos)
        .sums()
        .of(|row| row.exposed_ps.into()),
    Column::new("exposed_ratio", "Of exposed", Unit::Ratio)
        .formula("exposed ÷ Σ exposed")
        .of(|row| row.exposed_ratio.into()),
    Column::wide("hidden_ps", "Hidden", Unit::Picos)
        .sums()
        .neutral()
        .of(|row| row.hidden_ps.into()),
    Column::new("total_ps", "Total", Unit::Picos)
        .sums()
        .of(|row| row.total_ps.into()),
    Column::wide("wait_ps", "Wait", Unit::Picos)
        .sums()
        .of(|row| row.wait_ps.into()),
    Column::new("bytes", "Σ bytes", Unit::Bytes)
        .formula("Σ bytes × count")
        .sums()
        .of(|row| row.bytes.into()),
    Column::new("bus_bandwidth", "Bus bandwidth", Unit::ByteRate)
        .formula("Σ bytes × factor ÷ Σ time")
        .of(|row| row.bus_bandwidth.into()),
    Column::new("peak_bandwidth", "Peak", Unit::ByteRate)
        .formula("Σ bytes × factor ÷ Σ expected")
        .neutral()
        .of(|row| row.peak_bandwidth.into()),
    Column::wide("expected_ps", "Expected", Unit::Picos)
        .fractional()
        .sums()
        .neutral()
        .of(|row| row.expected_ps.into()),
    Column::new("times_expected", "Times expected", Unit::Count)
        .fractional()
        .formula("Σ time ÷ Σ expected")
        .of(|row| row.times_expected.into()),
    Column::new("overlap_ps", "Could hide", Unit::Picos)
        .fractional()
        .sums()
        .of(|row| row.overlap_ps.into()),
];

pub(super) const DEVICES: &[Field<CollectiveDeviceRow>] = &[
    Column::new("host", "Host", Unit::Text).of(|row| row.host.as_str().into()),
    Column::new("device", "Device", Unit::Text).of(|row| row.device.as_str().into()),
    Column::new("total_ps", "Communication", Unit::Picos)
        .sums()
        .of(|row| row.total_ps.into()),
    Column::new("exposed_ps", "Exposed", Unit::Picos)
        .sums()
        .of(|row| row.exposed_ps.into()),
    Column::new("hidden_ps", "Hidden", Unit::Picos)
        .sums()
        .neutral()
        .of(|row| row.hidden_ps.into()),
    Column::new("wait_ps", "Wait", Unit::Picos)
        .sums()
        .of(|row| row.wait_ps.into()),
    Column::wide("window_ps", "Window", Unit::Picos)
        .sums()
        .neutral()
        .of(|row| row.window_ps.into()),
    Column::new("exposed_ratio", "Exposed share", Unit::Ratio).of(|row| row.exposed_ratio.into()),
];

pub(super) const STEPS: &[Field<CollectiveStepRow>] = &[
    Column::new("step", "Step", Unit::Count)
        .identifies(Identity::Step)
        .position()
        .of(|row| row.step.into()),
    Column::wide("start_ps", "Start", Unit::Picos)
        .position()
        .of(|row| row.start_ps.into()),
    Column::new("duration_ps", "Duration", Unit::Picos)
        .fractional()
        .of(|row| row.duration_ps.into()),
    Column::new("total_ps", "Communication", Unit::Picos)
        .fractional()
        .of(|row| row.total_ps.into()),
    Column::new("exposed_ps", "Exposed", Unit::Picos)
        .fractional()
        .of(|row| row.exposed_ps.into()),
    Column::new("exposed_ratio", "Exposed share", Unit::Ratio).of(|row| row.exposed_ratio.into()),
    Column::new("device", "Most exposed device", Unit::Text).of(|row| row.device.as_str().into()),
    Column::new("max_exposed_ps", "Exposed on it", Unit::Picos).of(|row| row.max_exposed_ps.into()),
];

pub(super) const INSTANCES: &[Field<CollectiveInstanceRow>] = &[
    Column::new("name", "Collective", Unit::Text).of(|row| row.name.as_str().into()),
    Column::wide("kind", "Kind", Unit::Text).of(|row| row.kind.as_str().into()),
    Column::wide("program", "Program", Unit::Text).of(|row| row.program.as_str().into()),
    Column::new("step", "Step", Unit::Count)
        .position()
        .of(|row| row.step.into()),
    Column::wide("participants", "Participants", Unit::Count).of(|row| row.participants.into()),
    Column::new("last_device", "Last to arrive", Unit::Text)
        .of(|row| row.last_device.as_str().into()),
    Column::new("skew_ps", "Skew", Unit::Picos).of(|row| row.skew_ps.into()),
    Column::new("wait_ps", "Total wait", Unit::Picos)
        .formula("Σ last arrival − own arrival")
        .of(|row| row.wait_ps.into()),
    Column::new("transfer_ps", "Transfer", Unit::Picos).of(|row| row.transfer_ps.into()),
    Column::new("start_ps", "First arrival", Unit::Picos)
        .position()
        .of(|row| row.start_ps.into()),
    Column::wide("duration_ps", "Duration", Unit::Picos)
        .formula("skew + transfer")
        .of(|row| row.duration_ps.into()),
];

pub(super) const RENDEZVOUS: &[Field<RendezvousRow>] = &[
    Column::new("rendezvous", "Rendezvous", Unit::Text).of(|row| row.rendezvous.as_str().into()),
    Column::new("transfer_type", "Type", Unit::Text).of(|row| row.transfer_type.as_str().into()),
    Column::wide("participants", "Participants", Unit::Count).of(|row| row.participants.into()),
    Column::wide("send_op", "Send", Unit::Text)
        .identifies(Identity::Op)
        .of(|row| row.send_op.as_str().into()),
    Column::wide("recv_op", "Receive", Unit::Text).of(|row| row.recv_op.as_str().into()),
    Column::new("occurrences", "Count", Unit::Count)
        .sums()
        .of(|row| row.occurrences.into()),
    Column::new("slack_ps", "Slack", Unit::Picos)
        .fractional()
        .neutral()
        .of(|row| row.slack_ps.into()),
    Column::new("stall_ps", "Stall", Unit::Picos)
        .fractional()
        .of(|row| row.stall_ps.into()),
    Column::new("total_stall_ps", "Total stall", Unit::Picos)
        .sums()
        .of(|row| row.total_stall_ps.into()),
    Column::wide("observed_ps", "Observed", Unit::Picos)
        .fractional()
        .of(|row| row.observed_ps.into()),
    Column::wide("send_ps", "Send", Unit::Picos)
        .fractional()
        .of(|row| row.send_ps.into()),
    Column::wide("send_done_ps", "Send done", Unit::Picos)
        .fractional()
        .of(|row| row.send_done_ps.into()),
    Column::wide("recv_ps", "Receive", Unit::Picos)
        .fractional()
        .of(|row| row.recv_ps.into()),
    Column::wide("recv_done_ps", "Receive done", Unit::Picos)
        .fractional()
        .of(|row| row.recv_done_ps.into()),
    Column::wide("recv_done_p50_ps", "Receive done, median", Unit::Picos)
        .of(|row| row.recv_done_p50_ps.into()),
    Column::wide("recv_done_p99_ps", "Receive done, p99", Unit::Picos)
        .of(|row| row.recv_done_p99_ps.into()),
    Column::new("bytes", "Bytes", Unit::Bytes)
        .formula("bytes received, by the kind of exchange and the number of participants")
        .of(|row| row.bytes.into()),
    Column::new("required_bandwidth", "Required bandwidth", Unit::ByteRate)
        .of(|row| row.required_bandwidth.into()),
    Column::wide("program", "Program", Unit::Text).of(|row| row.program.as_str().into()),
    Column::wide("start_ps", "Start of worst", Unit::Picos)
        .position()
        .of(|row| row.start_ps.into()),
];

pub(super) const PEERS: &[Field<PeerRow>] = &[
    Column::new("rendezvous", "Rendezvous", Unit::Text).of(|row| row.rendezvous.as_str().into()),
    Column::new("source_slice", "From slice", Unit::Count)
        .position()
        .of(|row| row.source_slice.into()),
    Column::new("destination_slice", "To slice", Unit::Count)
        .position()
        .of(|row| row.destination_slice.into()),
    Column::new("message_count", "Messages", Unit::Count)
        .sums()
        .of(|row| row.message_count.into()),
    Column::new("p50_ps", "Median", Unit::Picos).of(|row| row.p50_ps.into()),
    Column::new("p99_ps", "p99", Unit::Picos).of(|row| row.p99_ps.into()),
    Column::wide("mean_ps", "Mean", Unit::Picos)
        .fractional()
        .of(|row| row.mean_ps.into()),
    Column::wide("max_ps", "Longest", Unit::Picos).of(|row| row.max_ps.into()),
    Column::new("bytes", "Bytes", Unit::Bytes)
        .sums()
        .of(|row| row.bytes.into()),
    Column::new("recv_op", "Receive", Unit::Text)
        .identifies(Identity::Op)
        .of(|row| row.recv_op.as_str().into()),
    Column::new("recv_done_p99_ps", "Receive done, p99", Unit::Picos)
        .of(|row| row.recv_done_p99_ps.into()),
    Column::wide("start_ps", "Start of slowest", Unit::Picos)
        .position()
        .of(|row| row.start_ps.into()),
];

pub(super) const SHARDINGS: &[Field<ShardingRow>] = &[
    Column::new("name", "Value", Unit::Text).of(|row| row.name.as_str().into()),
    Column::new("direction", "Direction", Unit::Text)
        .means("Whether the value is an `input` or an `output` of the program.")
        .of(|row| if row.is_input { "input" } else { "output" }.into()),
    Column::wide("number", "Number", Unit::Count)
        .position()
        .of(|row| row.number.into()),
    Column::new("shape", "Shape on one device", Unit::Text).of(|row| row.shape.as_str().into()),
    Column::new("partition", "Partition", Unit::Text).of(|row| row.partition.as_str().into()),
    Column::wide("is_mesh_guessed", "Guessed", Unit::Flag).of(|row| row.is_mesh_guessed.into()),
    Column::new("part_count", "Parts", Unit::Count).of(|row| row.part_count.into()),
    Column::wide("device_count", "Devices", Unit::Count).of(|row| row.device_count.into()),
    Column::new("device_bytes", "On one device", Unit::Bytes)
        .formula("from its shape, without padding")
        .of(|row| row.device_bytes.into()),
    Column::new("total_bytes", "On all devices", Unit::Bytes)
        .formula("on one device × devices")
        .of(|row| row.total_bytes.into()),
    Column::new("replicated_bytes", "Replicated", Unit::Bytes)
        .of(|row| row.replicated_bytes.into()),
    Column::wide("sharding", "Sharding", Unit::Text).of(|row| row.sharding.as_str().into()),
    Column::wide("instruction", "Instruction", Unit::Text)
        .of(|row| row.instruction.as_str().into()),
    Column::wide("program", "Program", Unit::Text).of(|row| row.program.as_str().into()),
];

/// The key figures of the report.
pub(super) const FIGURES: &[Column] =
    &[Column::new("link_bandwidth", "Link peak", Unit::ByteRate).position()];

/// The tables of the report with their columns.
pub(super) fn tables() -> Vec<Declared> {
    vec![
        Declared::of("rows", ROWS),
        Declared::of("groups", GROUPS),
        Declared::of("devices", DEVICES),
        Declared::of("steps", STEPS),
        Declared::of("instances", INSTANCES),
        Declared::of("rendezvous", RENDEZVOUS),
        Declared::of("peers", PEERS),
        Declared::of("shardings", SHARDINGS),
    ]
}

/// The reason, for people.
fn reason_words(reason: &str) -> &'static str {
    match reason {
        "late_participant" => "late participant",
        "synchronous" => "synchronous",
        "nothing_scheduled" => "little to overlap with",
        "compute_shorter" => "compute too short",
        _ => "",
    }
}
