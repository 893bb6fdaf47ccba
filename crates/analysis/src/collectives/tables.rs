//! The `collectives` report as tables.

use super::report::{
    CollectiveDeviceRow, CollectiveInstanceRow, CollectiveRow, CollectiveStepRow,
    CollectivesReport, RendezvousRow, ShardingRow,
};
use crate::cell::{Cell, Column, Table, Unit};
use crate::format;
use crate::note::Note;
use crate::order::{SortColumn, SortValue};
use crate::registry::Report;

/// Columns that `--sort` knows.
pub(super) const SORT_COLUMNS: &[SortColumn<CollectiveRow>] = &[
    ("exposed_ps", |row| SortValue::Int(row.exposed_ps)),
    ("total_ps", |row| SortValue::Int(row.total_ps)),
    ("hidden_ps", |row| SortValue::Int(row.hidden_ps)),
    ("own_ps", |row| SortValue::Int(row.own_ps)),
    ("mean_ps", |row| SortValue::Float(Some(row.mean_ps))),
    ("min_ps", |row| SortValue::Int(row.min_ps)),
    ("max_ps", |row| SortValue::Int(row.max_ps)),
    ("wait_ps", |row| {
        SortValue::Float(row.wait_ps.map(|value| value as f64))
    }),
    ("transfer_ps", |row| {
        SortValue::Float(row.transfer_ps.map(|value| value as f64))
    }),
    ("occurrences", |row| SortValue::Int(row.occurrences)),
    ("bytes", |row| {
        SortValue::Float(row.bytes.map(|value| value as f64))
    }),
    ("group_size", |row| {
        SortValue::Float(row.group_size.map(|value| value as f64))
    }),
    ("algorithm_bandwidth", |row| {
        SortValue::Float(row.algorithm_bandwidth)
    }),
    ("bus_bandwidth", |row| SortValue::Float(row.bus_bandwidth)),
    ("transfer_bandwidth", |row| {
        SortValue::Float(row.transfer_bandwidth)
    }),
    ("link_ratio", |row| SortValue::Float(row.link_ratio)),
    ("name", |row| SortValue::Text(&row.name)),
    ("kind", |row| SortValue::Text(&row.kind)),
    ("reason", |row| SortValue::Text(&row.reason)),
    ("program", |row| SortValue::Text(&row.program)),
];

const COLUMNS: &[Column] = &[
    Column::new("name", "Collective", Unit::Text),
    Column::new("kind", "Kind", Unit::Text),
    Column::new("occurrences", "Count", Unit::Count),
    Column::new("exposed_ps", "Exposed", Unit::Picos),
    Column::wide("hidden_ps", "Hidden", Unit::Picos),
    Column::new("total_ps", "Total", Unit::Picos),
    Column::wide("mean_ps", "Mean", Unit::Picos).fractional(),
    Column::wide("min_ps", "Shortest", Unit::Picos),
    Column::wide("max_ps", "Longest", Unit::Picos),
    Column::wide("own_ps", "Own", Unit::Picos),
    Column::new("wait_ps", "Wait", Unit::Picos),
    Column::wide("transfer_ps", "Transfer", Unit::Picos),
    Column::wide("matched", "Matched", Unit::Count),
    Column::new("bytes", "Bytes", Unit::Bytes),
    Column::new("group_size", "Group", Unit::Count),
    Column::wide("algorithm_bandwidth", "Bandwidth", Unit::ByteRate),
    Column::new("bus_bandwidth", "Bus bandwidth", Unit::ByteRate),
    Column::wide("transfer_bandwidth", "Transfer bandwidth", Unit::ByteRate),
    Column::wide("link_ratio", "Of link", Unit::Ratio),
    Column::new("reason", "Not hidden because", Unit::Text),
    Column::wide("mesh_axes", "Mesh axes", Unit::Text),
    Column::wide("is_mesh_guessed", "Guessed", Unit::Flag),
    Column::wide("groups", "Groups", Unit::Text),
    Column::wide("is_async", "Asynchronous", Unit::Flag),
    Column::wide("algorithm", "Algorithm", Unit::Text),
    Column::wide("scope", "Scope", Unit::Text),
    Column::wide("source", "Source", Unit::Text),
    Column::wide("program", "Program", Unit::Text),
    Column::wide("device", "Device", Unit::Text),
    Column::wide("start_ps", "Start of longest", Unit::Picos),
];

fn cells(row: &CollectiveRow) -> Vec<Cell> {
    vec![
        row.name.as_str().into(),
        row.kind.as_str().into(),
        row.occurrences.into(),
        row.exposed_ps.into(),
        row.hidden_ps.into(),
        row.total_ps.into(),
        row.mean_ps.into(),
        row.min_ps.into(),
        row.max_ps.into(),
        row.own_ps.into(),
        row.wait_ps.into(),
        row.transfer_ps.into(),
        row.matched.into(),
        row.bytes.into(),
        row.group_size.into(),
        row.algorithm_bandwidth.into(),
        row.bus_bandwidth.into(),
        row.transfer_bandwidth.into(),
        row.link_ratio.into(),
        reason_words(&row.reason).into(),
        row.mesh_axes.as_str().into(),
        row.is_mesh_guessed.into(),
        row.groups.as_str().into(),
        row.is_async.into(),
        row.algorithm.as_str().into(),
        row.scope.as_str().into(),
        row.source.as_str().into(),
        row.program.as_str().into(),
        row.device.as_str().into(),
        row.start_ps.into(),
    ]
}

/// The reason in words.
fn reason_words(reason: &str) -> &'static str {
    match reason {
        "late_participant" => "a participant came late",
        "synchronous" => "synchronous",
        "nothing_scheduled" => "nothing was scheduled behind it",
        "compute_shorter" => "compute was shorter",
        _ => "",
    }
}

const DEVICE_COLUMNS: &[Column] = &[
    Column::new("host", "Host", Unit::Text),
    Column::new("device", "Device", Unit::Text),
    Column::new("total_ps", "Communication", Unit::Picos),
    Column::new("exposed_ps", "Exposed", Unit::Picos),
    Column::new("hidden_ps", "Hidden", Unit::Picos),
    Column::new("wait_ps", "Wait", Unit::Picos),
    Column::wide("window_ps", "Window", Unit::Picos),
    Column::new("exposed_ratio", "Exposed", Unit::Ratio),
];

fn device_cells(row: &CollectiveDeviceRow) -> Vec<Cell> {
    vec![
        row.host.as_str().into(),
        row.device.as_str().into(),
        row.total_ps.into(),
        row.exposed_ps.into(),
        row.hidden_ps.into(),
        row.wait_ps.into(),
        row.window_ps.into(),
        row.exposed_ratio.into(),
    ]
}

const STEP_COLUMNS: &[Column] = &[
    Column::new("step", "Step", Unit::Count),
    Column::wide("start_ps", "Start", Unit::Picos),
    Column::new("duration_ps", "Duration", Unit::Picos).fractional(),
    Column::new("total_ps", "Communication", Unit::Picos).fractional(),
    Column::new("exposed_ps", "Exposed", Unit::Picos).fractional(),
    Column::new("exposed_ratio", "Exposed", Unit::Ratio),
    Column::new("device", "Most exposed on", Unit::Text),
    Column::new("max_exposed_ps", "There", Unit::Picos),
];

fn step_cells(row: &CollectiveStepRow) -> Vec<Cell> {
    vec![
        row.step.into(),
        row.start_ps.into(),
        row.duration_ps.into(),
        row.total_ps.into(),
        row.exposed_ps.into(),
        row.exposed_ratio.into(),
        row.device.as_str().into(),
        row.max_exposed_ps.into(),
    ]
}

const INSTANCE_COLUMNS: &[Column] = &[
    Column::new("name", "Collective", Unit::Text),
    Column::wide("kind", "Kind", Unit::Text),
    Column::wide("program", "Program", Unit::Text),
    Column::new("step", "Step", Unit::Count),
    Column::wide("participants", "Participants", Unit::Count),
    Column::new("last_device", "Last to arrive", Unit::Text),
    Column::new("skew_ps", "Skew", Unit::Picos),
    Column::new("wait_ps", "Wait of all", Unit::Picos),
    Column::new("transfer_ps", "Transfer", Unit::Picos),
    Column::new("start_ps", "First arrival", Unit::Picos),
    Column::wide("duration_ps", "Duration", Unit::Picos),
];

fn instance_cells(row: &CollectiveInstanceRow) -> Vec<Cell> {
    vec![
        row.name.as_str().into(),
        row.kind.as_str().into(),
        row.program.as_str().into(),
        row.step.into(),
        row.participants.into(),
        row.last_device.as_str().into(),
        row.skew_ps.into(),
        row.wait_ps.into(),
        row.transfer_ps.into(),
        row.start_ps.into(),
        row.duration_ps.into(),
    ]
}

const RENDEZVOUS_COLUMNS: &[Column] = &[
    Column::new("rendezvous", "Rendezvous", Unit::Text),
    Column::new("transfer_type", "Type", Unit::Text),
    Column::wide("participants", "Participants", Unit::Count),
    Column::wide("send_op", "Send", Unit::Text),
    Column::wide("recv_op", "Receive", Unit::Text),
    Column::new("occurrences", "Count", Unit::Count),
    Column::new("slack_ps", "Slack", Unit::Picos).fractional(),
    Column::new("stall_ps", "Stall", Unit::Picos).fractional(),
    Column::new("total_stall_ps", "Total stall", Unit::Picos),
    Column::wide("observed_ps", "Observed", Unit::Picos).fractional(),
    Column::wide("send_ps", "Send", Unit::Picos).fractional(),
    Column::wide("send_done_ps", "Send done", Unit::Picos).fractional(),
    Column::wide("recv_ps", "Receive", Unit::Picos).fractional(),
    Column::wide("recv_done_ps", "Receive done", Unit::Picos).fractional(),
    Column::new("bytes", "Bytes", Unit::Bytes),
    Column::new("required_bandwidth", "Required bandwidth", Unit::ByteRate),
    Column::wide("program", "Program", Unit::Text),
    Column::wide("start_ps", "Start of worst", Unit::Picos),
];

fn rendezvous_cells(row: &RendezvousRow) -> Vec<Cell> {
    vec![
        row.rendezvous.as_str().into(),
        row.transfer_type.as_str().into(),
        row.participants.into(),
        row.send_op.as_str().into(),
        row.recv_op.as_str().into(),
        row.occurrences.into(),
        row.slack_ps.into(),
        row.stall_ps.into(),
        row.total_stall_ps.into(),
        row.observed_ps.into(),
        row.send_ps.into(),
        row.send_done_ps.into(),
        row.recv_ps.into(),
        row.recv_done_ps.into(),
        row.bytes.into(),
        row.required_bandwidth.into(),
        row.program.as_str().into(),
        row.start_ps.into(),
    ]
}

const SHARDING_COLUMNS: &[Column] = &[
    Column::new("name", "Value", Unit::Text),
    Column::new("direction", "Direction", Unit::Text),
    Column::wide("number", "Number", Unit::Count),
    Column::new("shape", "Shape on one device", Unit::Text),
    Column::new("partition", "Partition", Unit::Text),
    Column::wide("is_mesh_guessed", "Guessed", Unit::Flag),
    Column::new("part_count", "Parts", Unit::Count),
    Column::wide("device_count", "Devices", Unit::Count),
    Column::new("device_bytes", "On one device", Unit::Bytes),
    Column::new("total_bytes", "On all", Unit::Bytes),
    Column::new("replicated_bytes", "Beyond one copy", Unit::Bytes),
    Column::wide("sharding", "Sharding", Unit::Text),
    Column::wide("instruction", "Instruction", Unit::Text),
    Column::wide("program", "Program", Unit::Text),
];

fn sharding_cells(row: &ShardingRow) -> Vec<Cell> {
    vec![
        row.name.as_str().into(),
        if row.is_input { "input" } else { "output" }.into(),
        row.number.into(),
        row.shape.as_str().into(),
        row.partition.as_str().into(),
        row.is_mesh_guessed.into(),
        row.part_count.into(),
        row.device_count.into(),
        row.device_bytes.into(),
        row.total_bytes.into(),
        row.replicated_bytes.into(),
        row.sharding.as_str().into(),
        row.instruction.as_str().into(),
        row.program.as_str().into(),
    ]
}

impl Report for CollectivesReport {
    fn tables(&self) -> Vec<Table> {
        let devices = self.devices.iter().map(device_cells);
        let steps = self.steps.iter().map(step_cells);
        vec![
            Table::new("rows", "Collectives", COLUMNS, self.rows.iter().map(cells))
                .with_row_count(self.row_count),
            Table::new("devices", "Devices", DEVICE_COLUMNS, devices),
            Table::new("steps", "Steps, mean over devices", STEP_COLUMNS, steps),
            Table::new(
                "instances",
                "Occurrences over all participants",
                INSTANCE_COLUMNS,
                self.instances.iter().map(instance_cells),
            )
            .with_row_count(self.instance_count),
            Table::new(
                "rendezvous",
                "Exchanges with the host and with other slices",
                RENDEZVOUS_COLUMNS,
                self.rendezvous.iter().map(rendezvous_cells),
            ),
            Table::new(
                "shardings",
                "Inputs and outputs of programs, and how they are divided",
                SHARDING_COLUMNS,
                self.shardings.iter().map(sharding_cells),
            )
            .with_row_count(self.sharding_count),
        ]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn headline(&self) -> Vec<(String, String)> {
        if self.rows.is_empty() {
            return Vec::new();
        }
        let mut lines = Vec::new();
        let ratios = self.devices.iter().filter(|device| device.total_ps > 0);
        let count = ratios.clone().count().max(1) as f64;
        let mean =
            |of: fn(&CollectiveDeviceRow) -> f64| ratios.clone().map(of).sum::<f64>() / count;
        let ratio = mean(|device| device.exposed_ratio.unwrap_or(0.0));
        lines.push((
            "Exposed communication".to_owned(),
            format!(
                "{} of {} per device, {} of its time",
                format::duration_ps(mean(|device| device.exposed_ps as f64)),
                format::duration_ps(mean(|device| device.total_ps as f64)),
                format::percent(ratio)
            ),
        ));
        let waits: Vec<i64> = self
            .devices
            .iter()
            .filter_map(|device| device.wait_ps)
            .collect();
        if !waits.is_empty() {
            let wait_ps = waits.iter().sum::<i64>() as f64 / waits.len() as f64;
            lines.push((
                "Waiting for the last".to_owned(),
                format!("{} per device", format::duration_ps(wait_ps)),
            ));
        }
        if let Some(link) = self.link_bandwidth {
            let text = format!("{} ({})", format::rate(link, "B/s"), self.link_source);
            lines.push(("Link".to_owned(), text));
        }
        lines
    }
}
