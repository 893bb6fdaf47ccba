//! The `memory` report as tables.

use super::report::{AliveRow, MemoryReport};
use crate::cell::{Cell, Column, Table, Unit};
use crate::format;
use crate::note::Note;
use crate::order::{SortColumn, SortValue};
use crate::registry::Report;

/// Columns that `--sort` knows.
pub(super) const SORT_COLUMNS: &[SortColumn<AliveRow>] = &[
    ("bytes", |row| SortValue::Int(row.bytes)),
    ("count", |row| SortValue::Int(row.count)),
    ("allocated_ps", |row| {
        SortValue::Float(row.allocated_ps.map(|time| time as f64))
    }),
    ("freed_ps", |row| {
        SortValue::Float(row.freed_ps.map(|time| time as f64))
    }),
    ("op", |row| SortValue::Text(&row.op)),
    ("caller", |row| SortValue::Text(&row.caller)),
    ("allocator", |row| SortValue::Text(&row.allocator)),
    ("region", |row| SortValue::Text(&row.region)),
    ("data_type", |row| SortValue::Text(&row.data_type)),
];

const ALLOCATORS: &[Column] = &[
    Column::new("allocator", "Allocator", Unit::Text),
    Column::wide("host", "Host", Unit::Text),
    Column::new("device", "Device", Unit::Text),
    Column::new("peak_bytes", "Peak", Unit::Bytes),
    Column::wide("peak_reserved_bytes", "For programs", Unit::Bytes),
    Column::wide("peak_ps", "At", Unit::Picos),
    Column::new("peak_step", "Step", Unit::Count),
    Column::new("recorded_peak_bytes", "Recorded peak", Unit::Bytes),
    Column::new("capacity_bytes", "Capacity", Unit::Bytes),
    Column::new("peak_ratio", "Full", Unit::Ratio),
    Column::wide("headroom_bytes", "Headroom", Unit::Bytes),
    Column::wide("last_bytes", "At the end", Unit::Bytes),
    Column::wide("fragmentation_ratio", "Fragmentation", Unit::Ratio),
    Column::wide("largest_fragmentation_ratio", "Largest", Unit::Ratio),
    Column::wide("allocations", "Allocations", Unit::Count),
    Column::wide("deallocations", "Deallocations", Unit::Count),
    Column::wide("allocated_bytes", "Handed out", Unit::Bytes),
    Column::wide("rounding_ratio", "Rounding", Unit::Ratio),
    Column::wide("small_allocations", "Small", Unit::Count),
    Column::wide("growth_bytes_per_step", "Growth per step", Unit::Bytes).fractional(),
    Column::wide("growth_confidence_ratio", "Confidence", Unit::Ratio),
    Column::wide("is_growing", "Growing", Unit::Flag),
    Column::wide("spike_count", "Spikes", Unit::Count),
];

const ALIVE: &[Column] = &[
    Column::new("allocator", "Allocator", Unit::Text),
    Column::wide("host", "Host", Unit::Text),
    Column::new("kind", "Kind", Unit::Text),
    Column::new("bytes", "Bytes", Unit::Bytes),
    Column::new("ratio", "Of the peak", Unit::Ratio),
    Column::new("count", "Count", Unit::Count),
    Column::new("op", "Op", Unit::Text),
    Column::new("caller", "Called from", Unit::Text),
    Column::wide("source", "Python", Unit::Text),
    Column::wide("region", "Region", Unit::Text),
    Column::wide("data_type", "Type", Unit::Text),
    Column::wide("shape", "Shape", Unit::Text),
    Column::wide("allocated_ps", "Allocated", Unit::Picos),
    Column::wide("allocated_step", "Step", Unit::Count),
    Column::wide("freed_ps", "Freed", Unit::Picos),
];

const STEPS: &[Column] = &[
    Column::new("allocator", "Allocator", Unit::Text),
    Column::wide("host", "Host", Unit::Text),
    Column::new("step", "Step", Unit::Count),
    Column::wide("start_ps", "Start", Unit::Picos),
    Column::wide("duration_ps", "Duration", Unit::Picos),
    Column::new("peak_bytes", "Peak", Unit::Bytes),
    Column::new("lowest_bytes", "Lowest", Unit::Bytes),
    Column::new("allocations", "Allocations", Unit::Count),
    Column::new("is_spike", "Spike", Unit::Flag),
];

const SNAPSHOTS: &[Column] = &[
    Column::new("snapshot", "Snapshot", Unit::Text),
    Column::new("device", "Device", Unit::Text),
    Column::new("allocations", "Allocations", Unit::Count),
    Column::new("bytes", "Bytes", Unit::Bytes),
];

fn allocators(report: &MemoryReport) -> Vec<Vec<Cell>> {
    let rows = report.allocators.iter().map(|row| {
        vec![
            row.allocator.as_str().into(),
            row.host.as_str().into(),
            row.device.as_str().into(),
            row.peak_bytes.into(),
            row.peak_reserved_bytes.into(),
            row.peak_ps.into(),
            row.peak_step.into(),
            row.recorded_peak_bytes.into(),
            row.capacity_bytes.into(),
            row.peak_ratio.into(),
            row.headroom_bytes.into(),
            row.last_bytes.into(),
            row.fragmentation_ratio.into(),
            row.largest_fragmentation_ratio.into(),
            row.allocations.into(),
            row.deallocations.into(),
            row.allocated_bytes.into(),
            row.rounding_ratio.into(),
            row.small_allocations.into(),
            row.growth_bytes_per_step.into(),
            row.growth_confidence_ratio.into(),
            row.is_growing.into(),
            row.spike_count.into(),
        ]
    });
    rows.collect()
}

fn alive(report: &MemoryReport) -> Vec<Vec<Cell>> {
    let rows = report.rows.iter().map(|row| {
        vec![
            row.allocator.as_str().into(),
            row.host.as_str().into(),
            row.kind.as_str().into(),
            row.bytes.into(),
            row.ratio.into(),
            row.count.into(),
            row.op.as_str().into(),
            row.caller.as_str().into(),
            row.source.as_str().into(),
            row.region.as_str().into(),
            row.data_type.as_str().into(),
            row.shape.as_str().into(),
            row.allocated_ps.into(),
            row.allocated_step.into(),
            row.freed_ps.into(),
        ]
    });
    rows.collect()
}

fn steps(report: &MemoryReport) -> Vec<Vec<Cell>> {
    let rows = report.steps.iter().map(|row| {
        vec![
            row.allocator.as_str().into(),
            row.host.as_str().into(),
            row.step.into(),
            row.start_ps.into(),
            row.duration_ps.into(),
            row.peak_bytes.into(),
            row.lowest_bytes.into(),
            row.allocations.into(),
            row.is_spike.into(),
        ]
    });
    rows.collect()
}

fn snapshots(report: &MemoryReport) -> Vec<Vec<Cell>> {
    let rows = report.snapshots.iter().map(|row| {
        vec![
            row.snapshot.as_str().into(),
            row.device.as_str().into(),
            row.allocations.into(),
            row.bytes.into(),
        ]
    });
    rows.collect()
}

impl Report for MemoryReport {
    fn tables(&self) -> Vec<Table> {
        let allocator_count = self.allocators.len();
        vec![
            Table::new("allocators", "Allocators", ALLOCATORS, allocators(self))
                .with_row_count(allocator_count),
            Table::new("rows", "Alive at the peak", ALIVE, alive(self))
                .with_row_count(self.row_count),
            Table::new("steps", "Steps", STEPS, steps(self)),
            Table::new("snapshots", "Snapshots", SNAPSHOTS, snapshots(self)),
        ]
    }

    fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn headline(&self) -> Vec<(String, String)> {
        let devices = self.allocators.iter().filter(|row| !row.device.is_empty());
        // The first of equals, as in `overview`.
        let fullest = devices.reduce(|fullest, row| {
            if row.peak_ratio > fullest.peak_ratio {
                row
            } else {
                fullest
            }
        });
        let Some(row) = fullest else {
            return Vec::new();
        };
        let mut lines = vec![(
            "Peak".to_owned(),
            format!(
                "{} of {} on {}",
                format::bytes(row.peak_bytes as f64),
                format::bytes(row.capacity_bytes as f64),
                row.device
            ),
        )];
        if row.recorded_peak_bytes > row.peak_bytes {
            lines.push((
                "Since the process began".to_owned(),
                format::bytes(row.recorded_peak_bytes as f64),
            ));
        }
        let growing = self.allocators.iter().filter(|row| row.is_growing);
        for row in growing {
            let slope = row.growth_bytes_per_step.unwrap_or(0.0);
            lines.push((
                format!("{} grows", row.allocator),
                format!("{} per step", format::bytes(slope)),
            ));
        }
        lines
    }
}
