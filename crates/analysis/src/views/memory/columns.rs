//! Columns of the tables of `memory`: titles, units, behavior, and how each is read from its row.
//! The meaning of each column is documented at the field of its row.

use super::report::{AliveRow, AllocatorRow, MemorySnapshotRow, StepMemoryRow};
use crate::telling::{Column, Declared, Field, Identity, Unit};

pub(super) const ALLOCATORS: &[Field<AllocatorRow>] = &[
    Column::new("allocator", "Allocator", Unit::Text).of(|row| row.allocator.as_str().into()),
    Column::wide("host", "Host", Unit::Text).of(|row| row.host.as_str().into()),
    Column::new("device", "Device", Unit::Text).of(|row| row.device.as_str().into()),
    Column::new("peak_bytes", "Peak", Unit::Bytes)
        .less_is_better()
        .of(|row| row.peak_bytes.into()),
    Column::wide("peak_reserved_bytes", "Reserved at peak", Unit::Bytes)
        .less_is_better()
        .of(|row| row.peak_reserved_bytes.into()),
    Column::wide("peak_ps", "Peak time", Unit::Picos)
        .position()
        .of(|row| row.peak_ps.into()),
    Column::new("peak_step", "Peak step", Unit::Count)
        .position()
        .of(|row| row.peak_step.into()),
    Column::new("recorded_peak_bytes", "Process peak", Unit::Bytes)
        .less_is_better()
        .of(|row| row.recorded_peak_bytes.into()),
    Column::new("capacity_bytes", "Capacity", Unit::Bytes).of(|row| row.capacity_bytes.into()),
    Column::new("peak_ratio", "Peak usage", Unit::Ratio)
        .less_is_better()
        .of(|row| row.peak_ratio.into()),
    Column::wide("headroom_bytes", "Headroom", Unit::Bytes)
        .more_is_better()
        .of(|row| row.headroom_bytes.into()),
    Column::wide("last_bytes", "At end", Unit::Bytes)
        .less_is_better()
        .of(|row| row.last_bytes.into()),
    Column::wide("fragmentation_ratio", "Fragmentation", Unit::Ratio)
        .less_is_better()
        .of(|row| row.fragmentation_ratio.into()),
    Column::wide(
        "largest_fragmentation_ratio",
        "Max fragmentation",
        Unit::Ratio,
    )
    .of(|row| row.largest_fragmentation_ratio.into()),
    Column::wide("allocations", "Allocations", Unit::Count)
        .sums()
        .of(|row| row.allocations.into()),
    Column::wide("deallocations", "Deallocations", Unit::Count)
        .sums()
        .of(|row| row.deallocations.into()),
    Column::wide("allocated_bytes", "Allocated", Unit::Bytes)
        .sums()
        .of(|row| row.allocated_bytes.into()),
    Column::wide("rounding_ratio", "Rounding", Unit::Ratio).of(|row| row.rounding_ratio.into()),
    Column::wide("small_allocations", "Small allocations", Unit::Count)
        .sums()
        .of(|row| row.small_allocations.into()),
    Column::wide("growth_bytes_per_step", "Growth per step", Unit::Bytes)
        .fractional()
        .less_is_better()
        .of(|row| row.growth_bytes_per_step.into()),
    Column::wide("growth_confidence_ratio", "Confidence", Unit::Ratio)
        .of(|row| row.growth_confidence_ratio.into()),
    Column::wide("is_growing", "Growing", Unit::Flag).of(|row| row.is_growing.into()),
    Column::wide("spike_count", "Spikes", Unit::Count).of(|row| row.spike_count.into()),
];

pub(super) const ROWS: &[Field<AliveRow>] = &[
    Column::new("allocator", "Allocator", Unit::Text).of(|row| row.allocator.as_str().into()),
    Column::wide("host", "Host", Unit::Text).of(|row| row.host.as_str().into()),
    Column::new("kind", "Kind", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.kind.as_str().into()),
    Column::new("bytes", "Bytes", Unit::Bytes)
        .adds_over_rows()
        .less_is_better()
        .of(|row| row.bytes.into()),
    Column::new("ratio", "Share", Unit::Ratio)
        .formula("bytes ÷ Σ bytes of the allocator's rows")
        .of(|row| row.ratio.into()),
    Column::new("count", "Count", Unit::Count)
        .adds_over_rows()
        .of(|row| row.count.into()),
    Column::new("op", "Op", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.op.as_str().into()),
    Column::new("caller", "Called from", Unit::Text).of(|row| row.caller.as_str().into()),
    Column::wide("source", "Python", Unit::Text)
        .identifies(Identity::Unnumbered)
        .of(|row| row.source.as_str().into()),
    Column::wide("region", "Region", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.region.as_str().into()),
    Column::wide("data_type", "Type", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.data_type.as_str().into()),
    Column::wide("shape", "Shape", Unit::Text)
        .identifies(Identity::Same)
        .of(|row| row.shape.as_str().into()),
    Column::wide("allocated_ps", "Allocated", Unit::Picos)
        .position()
        .of(|row| row.allocated_ps.into()),
    Column::wide("allocated_step", "Step", Unit::Count)
        .position()
        .of(|row| row.allocated_step.into()),
    Column::wide("freed_ps", "Freed", Unit::Picos)
        .position()
        .of(|row| row.freed_ps.into()),
];

pub(super) const STEPS: &[Field<StepMemoryRow>] = &[
    Column::new("allocator", "Allocator", Unit::Text).of(|row| row.allocator.as_str().into()),
    Column::wide("host", "Host", Unit::Text).of(|row| row.host.as_str().into()),
    Column::new("step", "Step", Unit::Count)
        .position()
        .of(|row| row.step.into()),
    Column::wide("start_ps", "Start", Unit::Picos)
        .position()
        .of(|row| row.start_ps.into()),
    Column::wide("duration_ps", "Duration", Unit::Picos).of(|row| row.duration_ps.into()),
    Column::new("peak_bytes", "Peak", Unit::Bytes)
        .less_is_better()
        .of(|row| row.peak_bytes.into()),
    Column::new("lowest_bytes", "Lowest", Unit::Bytes)
        .less_is_better()
        .of(|row| row.lowest_bytes.into()),
    Column::new("allocations", "Allocations", Unit::Count).of(|row| row.allocations.into()),
    Column::new("is_spike", "Spike", Unit::Flag).of(|row| row.is_spike.into()),
];

pub(super) const SNAPSHOTS: &[Field<MemorySnapshotRow>] = &[
    Column::new("snapshot", "Snapshot", Unit::Text).of(|row| row.snapshot.as_str().into()),
    Column::new("device", "Device", Unit::Text).of(|row| row.device.as_str().into()),
    Column::new("allocations", "Allocations", Unit::Count)
        .adds_over_rows()
        .of(|row| row.allocations.into()),
    Column::new("bytes", "Bytes", Unit::Bytes)
        .adds_over_rows()
        .less_is_better()
        .of(|row| row.bytes.into()),
];

/// The tables of the report with their columns.
pub(super) fn tables() -> Vec<Declared> {
    vec![
        Declared::of("allocators", ALLOCATORS),
        Declared::of("rows", ROWS),
        Declared::of("steps", STEPS),
        Declared::of("snapshots", SNAPSHOTS),
    ]
}
