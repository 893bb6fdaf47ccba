//! Memory spaces: their names and their totals.

use stepscope_model::{DeviceKind, Session};

use super::plan::{Category, Plan};
use super::replay::Replay;
use super::report::BufferSpace;

/// The device's own memory.
pub(super) const DEVICE: i64 = 0;
/// On TPU, the on-chip memory next to the compute units.
pub(super) const VMEM: i64 = 1;
/// Host memory, for offloaded values.
const HOST: i64 = 5;

/// Kind of device that the plans of a session are for; none if unknown.
pub(super) fn device_kind(session: &Session, plan: &Plan<'_>) -> Option<DeviceKind> {
    let recorded = session.devices.first().map(|device| device.kind);
    let has_tiles = |shape: &stepscope_model::hlo::Shape| {
        let layout = shape.first_leaf().layout.as_ref();
        layout.is_some_and(|layout| !layout.tiles.is_empty())
    };
    // Only TPUs lay arrays out in tiles.
    let is_tpu = || {
        plan.hlo
            .instructions()
            .any(|instruction| has_tiles(&instruction.shape))
    };
    recorded.or_else(|| is_tpu().then_some(DeviceKind::Tpu))
}

/// The name of a memory space. The meaning of numbers above 0 depends on the backend.
pub(super) fn name(color: i64, kind: Option<DeviceKind>) -> String {
    let name = match (color, kind) {
        (DEVICE, Some(DeviceKind::Cpu)) => "memory",
        (DEVICE, Some(DeviceKind::Tpu | DeviceKind::SparseCore)) => "HBM",
        (DEVICE, _) => "device memory",
        (VMEM, Some(DeviceKind::Tpu)) => "VMEM",
        (2, Some(DeviceKind::Tpu)) => "SMEM",
        (VMEM, Some(kind)) if kind.is_gpu() => "collective memory",
        (2, Some(kind)) if kind.is_gpu() => "temporary memory",
        (HOST, _) => "host memory",
        _ => return format!("memory space {color}"),
    };
    name.to_owned()
}

/// Totals of one memory space.
pub(super) fn totals(
    plan: &Plan<'_>,
    color: i64,
    name: String,
    replay: &Replay<'_>,
) -> BufferSpace {
    let mut space = BufferSpace {
        name,
        color,
        peak_bytes: signed(replay.peak_bytes()),
        allocation_bytes: 0,
        parameter_bytes: 0,
        live_out_bytes: 0,
        temporary_bytes: 0,
        constant_bytes: 0,
        thread_local_bytes: 0,
        non_reusable_bytes: 0,
        fragmentation_bytes: 0,
        allocation_count: 0,
        event_count: replay.trace.map_or(0, |trace| trace.events.len()),
    };
    for (_, allocation) in plan.allocations(color) {
        let size = signed(allocation.size);
        let add = |sum: &mut i64, applies: bool| {
            *sum = sum.saturating_add(if applies { size } else { 0 });
        };
        space.allocation_count += 1;
        add(&mut space.allocation_bytes, true);
        add(&mut space.parameter_bytes, allocation.is_parameter);
        add(&mut space.live_out_bytes, allocation.is_maybe_live_out);
        let category = Category::of(allocation);
        add(&mut space.temporary_bytes, category == Category::Temporary);
        add(&mut space.constant_bytes, allocation.is_constant);
        add(&mut space.thread_local_bytes, allocation.is_thread_local);
        let is_fixed = allocation.is_thread_local || allocation.is_tuple;
        add(&mut space.non_reusable_bytes, is_fixed);
    }
    space.fragmentation_bytes = (space.allocation_bytes - space.peak_bytes).max(0);
    space
}

/// A size as a signed number, as in reports.
pub(super) fn signed(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}
