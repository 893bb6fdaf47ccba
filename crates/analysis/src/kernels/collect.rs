//! From totals by label to kernels and transfers.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use stepscope_model::{
    DeviceId, Direction, LabelId, Launch, LaunchId, OpId, ProgramId, Session, SliceKind, StringId,
    TrackId,
};

use super::report::{KernelRow, TransferRow};
use crate::totals::{Totals, WorkTotals};

/// What kernels are told apart by.
type Key = (
    StringId,
    Option<LaunchId>,
    Option<OpId>,
    Option<StringId>,
    Option<ProgramId>,
);

struct Kernel {
    key: Key,
    totals: Totals,
    tracks: Vec<TrackId>,
    devices: Vec<DeviceId>,
}

/// Kernels, largest total first.
pub(super) fn kernels(session: &Session, totals: &[WorkTotals]) -> Vec<KernelRow> {
    let mut kernels: Vec<Kernel> = Vec::new();
    let mut positions: FxHashMap<Key, usize> = FxHashMap::default();
    for of_track in totals {
        for &(id, totals) in &of_track.labels {
            let Some(key) = key_of(session, id) else {
                continue;
            };
            let position = *positions.entry(key).or_insert_with(|| {
                let (tracks, devices) = (Vec::new(), Vec::new());
                kernels.push(Kernel {
                    key,
                    totals: Totals::default(),
                    tracks,
                    devices,
                });
                kernels.len() - 1
            });
            let kernel = &mut kernels[position];
            kernel.totals.merge(totals);
            kernel.tracks.extend(of_track.track);
            kernel.devices.push(of_track.device);
        }
    }
    let mut rows: Vec<KernelRow> = kernels
        .into_iter()
        .map(|kernel| row(session, kernel))
        .collect();
    rows.sort_by(|a, b| {
        (b.total_ps.cmp(&a.total_ps))
            .then_with(|| a.name.cmp(&b.name))
            .then_with(|| (&a.grid, &a.block, &a.op).cmp(&(&b.grid, &b.block, &b.op)))
            .then_with(|| (&a.program, a.registers).cmp(&(&b.program, b.registers)))
            .then_with(|| a.shared_bytes.cmp(&b.shared_bytes))
            .then_with(|| b.occurrences.cmp(&a.occurrences))
    });
    rows
}

fn key_of(session: &Session, id: LabelId) -> Option<Key> {
    let label = session.label(id);
    (label.kind == SliceKind::Kernel).then_some((
        label.name,
        label.launch,
        label.op,
        label.framework_op,
        label.program,
    ))
}

fn row(session: &Session, kernel: Kernel) -> KernelRow {
    let Kernel {
        key: (name, launch, op, framework_op, program),
        totals,
        ..
    } = kernel;
    let launch = launch.map_or_else(Launch::default, |id| session.launch(id).clone());
    let op = op.map(|id| session.op(id).name).or(framework_op);
    KernelRow {
        name: session.text(name).to_owned(),
        occurrences: totals.occurrences,
        total_ps: totals.total_ps,
        mean_ps: totals.total_ps as f64 / totals.occurrences.max(1) as f64,
        min_ps: totals.min_ps,
        max_ps: totals.max_ps,
        registers: launch.registers,
        shared_bytes: launch.shared_bytes,
        grid: launch.grid,
        block: launch.block,
        // Recorders that do not know it write 0, which no kernel that ran can have.
        occupancy: launch.occupancy.filter(|&occupancy| occupancy > 0.0),
        op: op.map(|id| session.text(id).to_owned()).unwrap_or_default(),
        program: program
            .map(|id| session.program(id).title())
            .unwrap_or_default(),
        stream: streams(session, kernel.tracks),
        device: devices(session, kernel.devices),
    }
}

/// Stream numbers, ascending.
fn streams(session: &Session, tracks: Vec<TrackId>) -> String {
    let mut numbers: Vec<i64> = tracks
        .into_iter()
        .map(|track| session.track(track).line_id)
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    let numbers: Vec<String> = numbers.iter().map(i64::to_string).collect();
    numbers.join(", ")
}

fn devices(session: &Session, mut devices: Vec<DeviceId>) -> String {
    devices.sort_unstable();
    devices.dedup();
    let names: Vec<String> = devices
        .into_iter()
        .map(|device| session.device_title(device))
        .collect();
    names.join(", ")
}

/// Copies and memsets by direction, in the order of [`Direction`].
pub(super) fn transfers(session: &Session, totals: &[WorkTotals]) -> Vec<TransferRow> {
    let mut by_direction: BTreeMap<Direction, (Totals, Option<u64>, i64)> = BTreeMap::new();
    for (id, totals) in totals.iter().flat_map(|totals| &totals.labels) {
        let Some(transfer) = session.label(*id).transfer else {
            continue;
        };
        let (sum, bytes, sized_ps) = by_direction.entry(transfer.direction).or_default();
        sum.merge(*totals);
        if let Some(size) = transfer.bytes {
            let moved = size.saturating_mul(totals.occurrences.unsigned_abs());
            *bytes = Some(bytes.unwrap_or(0).saturating_add(moved));
            *sized_ps = sized_ps.saturating_add(totals.total_ps);
        }
    }
    by_direction
        .into_iter()
        .map(|(direction, (totals, bytes, sized_ps))| TransferRow {
            direction: direction.name().to_owned(),
            occurrences: totals.occurrences,
            bytes: bytes.map(|bytes| i64::try_from(bytes).unwrap_or(i64::MAX)),
            total_ps: totals.total_ps,
            // Over the time of those whose size is known.
            bandwidth: bytes
                .filter(|_| sized_ps > 0)
                .map(|bytes| bytes as f64 / (sized_ps as f64 * 1e-12)),
        })
        .collect()
}
