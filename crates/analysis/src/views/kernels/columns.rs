//! Columns of the tables of `kernels`: titles, units, behavior, and how each is read from its row.
//! The meaning of each column is documented at the field of its row.

use super::report::{
    DurationBin, KernelRow, LaunchDevice, LaunchStep, MatrixOp, StreamRow, TransferRow,
    TransferSize,
};
use crate::telling::{Column, Declared, Field, Identity, Unit};

pub(super) const ROWS: &[Field<KernelRow>] = &[
    Column::new("name", "Kernel", Unit::Text)
        .identifies(Identity::Unnumbered)
        .of(|row| row.name.as_str().into()),
    Column::wide("demangled", "C++ name", Unit::Text).of(|row| row.demangled.as_str().into()),
    Column::new("occurrences", "Launches", Unit::Count)
        .sums()
        .of(|row| row.occurrences.into()),
    Column::new("total_ps", "Total", Unit::Picos)
        .sums()
        .of(|row| row.total_ps.into()),
    Column::new("mean_ps", "Mean", Unit::Picos)
        .fractional()
        .formula("total ÷ launches")
        .of(|row| row.mean_ps.into()),
    Column::wide("min_ps", "Shortest", Unit::Picos).of(|row| row.min_ps.into()),
    Column::wide("max_ps", "Longest", Unit::Picos).of(|row| row.max_ps.into()),
    Column::wide("latency_mean_ps", "Mean latency", Unit::Picos)
        .fractional()
        .formula("mean of (start of the kernel − start of the call)")
        .of(|row| row.latency_mean_ps.into()),
    Column::wide("matrix_unit", "Matrix unit", Unit::Text)
        .of(|row| row.matrix_unit.as_str().into()),
    Column::wide("registers", "Registers", Unit::Count).of(|row| row.registers.into()),
    Column::wide("shared_bytes", "Shared memory", Unit::Bytes).of(|row| row.shared_bytes.into()),
    Column::wide("grid", "Grid", Unit::Text).of(|row| row.grid.as_str().into()),
    Column::wide("block", "Block", Unit::Text).of(|row| row.block.as_str().into()),
    Column::wide("occupancy", "Occupancy", Unit::Ratio).of(|row| row.occupancy.into()),
    Column::wide("occupancy_limit", "Limited by", Unit::Text)
        .of(|row| row.occupancy_limit.as_str().into()),
    Column::new("op", "Op", Unit::Text)
        .identifies(Identity::Op)
        .of(|row| row.op.as_str().into()),
    Column::wide("program", "Program", Unit::Text).of(|row| row.program.as_str().into()),
    Column::wide("stream", "Stream", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.stream.as_str().into()),
    Column::wide("device", "Device", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.device.as_str().into()),
    Column::wide("latency_p50_ps", "Median latency", Unit::Picos)
        .of(|row| row.latency_p50_ps.into()),
    Column::wide("latency_p99_ps", "p99 latency", Unit::Picos).of(|row| row.latency_p99_ps.into()),
    Column::wide("latency_max_ps", "Longest latency", Unit::Picos)
        .of(|row| row.latency_max_ps.into()),
    Column::wide("occupancy_source", "Occupancy from", Unit::Text)
        .of(|row| row.occupancy_source.as_str().into()),
    Column::wide("matrix_rule", "Matrix rule", Unit::Text)
        .of(|row| row.matrix_rule.as_str().into()),
    Column::wide("program_id", "Program id", Unit::Text).of(|row| row.program_id.as_str().into()),
    Column::wide("attribution", "Attribution", Unit::Text)
        .of(|row| row.attribution.as_str().into()),
];

pub(super) const TRANSFERS: &[Field<TransferRow>] = &[
    Column::new("direction", "Direction", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.direction.as_str().into()),
    Column::wide("memory", "Host memory", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.memory.as_str().into()),
    Column::new("occurrences", "Count", Unit::Count)
        .sums()
        .of(|row| row.occurrences.into()),
    Column::new("bytes", "Bytes", Unit::Bytes)
        .sums()
        .of(|row| row.bytes.into()),
    Column::new("total_ps", "Total", Unit::Picos)
        .sums()
        .of(|row| row.total_ps.into()),
    Column::new("bandwidth", "Bandwidth", Unit::ByteRate)
        .formula("bytes ÷ total")
        .of(|row| row.bandwidth.into()),
    Column::wide("bandwidth_ratio", "Of the link", Unit::Ratio)
        .of(|row| row.bandwidth_ratio.into()),
    Column::wide("peak_bandwidth", "Link", Unit::ByteRate).of(|row| row.peak_bandwidth.into()),
    Column::wide("peak_source", "Link from", Unit::Text).of(|row| row.peak_source.as_str().into()),
];

pub(super) const DURATIONS: &[Field<DurationBin>] = &[
    Column::new("start_ps", "From", Unit::Picos)
        .position()
        .of(|bin| bin.start_ps.into()),
    Column::new("end_ps", "To", Unit::Picos)
        .position()
        .of(|bin| bin.end_ps.into()),
    Column::new("occurrences", "Launches", Unit::Count)
        .sums()
        .of(|bin| bin.occurrences.into()),
    Column::new("occurrence_ratio", "Of launches", Unit::Ratio)
        .of(|bin| bin.occurrence_ratio.into()),
    Column::new("total_ps", "Total", Unit::Picos)
        .sums()
        .of(|bin| bin.total_ps.into()),
    Column::new("time_ratio", "Of time", Unit::Ratio).of(|bin| bin.time_ratio.into()),
    Column::new("verdict", "Verdict", Unit::Text).of(|bin| bin.verdict.as_str().into()),
];

pub(super) const LAUNCHES: &[Field<LaunchDevice>] = &[
    Column::new("device", "Device", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.device.as_str().into()),
    Column::new("launched", "Launches", Unit::Count)
        .sums()
        .of(|row| row.launched.into()),
    Column::wide("launched_ratio", "Recorded", Unit::Ratio).of(|row| row.launched_ratio.into()),
    Column::new("latency_mean_ps", "Mean latency", Unit::Picos)
        .fractional()
        .of(|row| row.latency_mean_ps.into()),
    Column::new("latency_p50_ps", "Median", Unit::Picos).of(|row| row.latency_p50_ps.into()),
    Column::new("latency_p99_ps", "p99", Unit::Picos).of(|row| row.latency_p99_ps.into()),
    Column::new("latency_max_ps", "Longest", Unit::Picos).of(|row| row.latency_max_ps.into()),
    Column::new("queue_mean", "Mean queue", Unit::Count)
        .fractional()
        .of(|row| row.queue_mean.into()),
    Column::new("queue_most", "Longest queue", Unit::Count).of(|row| row.queue_most.into()),
    Column::wide("queue_most_at_ps", "Peak time", Unit::Picos)
        .position()
        .of(|row| row.queue_most_at_ps.into()),
];

pub(super) const STEPS: &[Field<LaunchStep>] = &[
    Column::new("step", "Step", Unit::Count)
        .identifies(Identity::Step)
        .position()
        .of(|row| row.step.into()),
    Column::wide("host", "Host", Unit::Text).of(|row| row.host.as_str().into()),
    Column::new("duration_ps", "Duration", Unit::Picos).of(|row| row.duration_ps.into()),
    Column::new("calls", "Launch calls", Unit::Count).of(|row| row.calls.into()),
    Column::new("launch_ps", "Launching", Unit::Picos).of(|row| row.launch_ps.into()),
    Column::new("ratio", "Of step", Unit::Ratio).of(|row| row.ratio.into()),
    Column::wide("start_ps", "Start", Unit::Picos)
        .position()
        .of(|row| row.start_ps.into()),
    Column::wide("end_ps", "End", Unit::Picos)
        .position()
        .of(|row| row.end_ps.into()),
];

pub(super) const STREAMS: &[Field<StreamRow>] = &[
    Column::new("stream", "Stream", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.stream.as_str().into()),
    Column::new("device", "Device", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.device.as_str().into()),
    Column::new("occurrences", "Count", Unit::Count)
        .sums()
        .of(|row| row.occurrences.into()),
    Column::new("busy_ps", "Busy", Unit::Picos)
        .sums()
        .of(|row| row.busy_ps.into()),
    Column::new("gap_count", "Gaps", Unit::Count)
        .sums()
        .of(|row| row.gap_count.into()),
    Column::new("gap_ps", "In gaps", Unit::Picos)
        .sums()
        .of(|row| row.gap_ps.into()),
    Column::wide("largest_gap_ps", "Longest gap", Unit::Picos).of(|row| row.largest_gap_ps.into()),
    Column::new("overlap_ratio", "Overlap", Unit::Ratio).of(|row| row.overlap_ratio.into()),
    Column::wide("overlap_ps", "Overlap time", Unit::Picos)
        .sums()
        .neutral()
        .of(|row| row.overlap_ps.into()),
    Column::wide("largest_gap_start_ps", "Longest gap at", Unit::Picos)
        .position()
        .of(|row| row.largest_gap_start_ps.into()),
    Column::wide("start_ps", "Start", Unit::Picos)
        .position()
        .of(|row| row.start_ps.into()),
    Column::wide("end_ps", "End", Unit::Picos)
        .position()
        .of(|row| row.end_ps.into()),
    Column::wide("number", "Number", Unit::Count)
        .position()
        .of(|row| row.number.into()),
];

pub(super) const MATRIX_OPS: &[Field<MatrixOp>] = &[
    Column::new("op", "Op", Unit::Text)
        .identifies(Identity::Op)
        .of(|row| row.op.as_str().into()),
    Column::new("total_ps", "Total", Unit::Picos)
        .sums()
        .of(|row| row.total_ps.into()),
    Column::new("matrix_ratio", "On matrix units", Unit::Ratio).of(|row| row.matrix_ratio.into()),
    Column::wide("matrix_ps", "Time on matrix units", Unit::Picos)
        .sums()
        .of(|row| row.matrix_ps.into()),
    Column::wide("plain_ps", "Off matrix units", Unit::Picos)
        .sums()
        .of(|row| row.plain_ps.into()),
    Column::wide("unknown_ps", "Unknown", Unit::Picos)
        .sums()
        .of(|row| row.unknown_ps.into()),
    Column::new("is_eligible", "Matrix product", Unit::Flag).of(|row| row.is_eligible.into()),
    Column::wide("program", "Program", Unit::Text).of(|row| row.program.as_str().into()),
];

pub(super) const TRANSFER_SIZES: &[Field<TransferSize>] = &[
    Column::new("direction", "Direction", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.direction.as_str().into()),
    Column::new("start_bytes", "From", Unit::Bytes)
        .identifies(Identity::Same)
        .position()
        .of(|row| row.start_bytes.into()),
    Column::new("end_bytes", "To", Unit::Bytes)
        .position()
        .of(|row| row.end_bytes.into()),
    Column::new("occurrences", "Count", Unit::Count)
        .sums()
        .of(|row| row.occurrences.into()),
    Column::new("bytes", "Bytes", Unit::Bytes)
        .sums()
        .of(|row| row.bytes.into()),
    Column::new("total_ps", "Total", Unit::Picos)
        .sums()
        .of(|row| row.total_ps.into()),
    Column::new("bandwidth", "Bandwidth", Unit::ByteRate).of(|row| row.bandwidth.into()),
];

/// The key figures of the report.
pub(super) const FIGURES: &[Column] = &[
    Column::new("total_ps", "Kernel time", Unit::Picos).sums(),
    Column::new("tiny_ratio", "Tiny kernels", Unit::Ratio).less_is_better(),
    Column::new("tiny_time_ratio", "Time in tiny kernels", Unit::Ratio).less_is_better(),
    Column::new("matrix_ratio", "On matrix units", Unit::Ratio)
        .more_is_better()
        .formula("time of those kernels ÷ time of all"),
    Column::new("attributed_ratio", "Attributed", Unit::Ratio).more_is_better(),
];

/// The tables of the report with their columns.
pub(super) fn tables() -> Vec<Declared> {
    vec![
        Declared::of("rows", ROWS),
        Declared::of("transfers", TRANSFERS),
        Declared::of("durations", DURATIONS),
        Declared::of("launches", LAUNCHES),
        Declared::of("steps", STEPS),
        Declared::of("streams", STREAMS),
        Declared::of("matrix_ops", MATRIX_OPS),
        Declared::of("transfer_sizes", TRANSFER_SIZES),
    ]
}
