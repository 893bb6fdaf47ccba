//! From totals by label to kernels and transfers.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use stepscope_model::{
    Attribution, Chip, DeviceId, Direction, HostMemory, Label, LabelId, Launch, LaunchId, OpId,
    Peak, ProgramId, Session, SliceKind, StringId, TrackId,
};

use super::latency::Latency;
use super::launches::Launches;
use super::matrix;
use super::occupancy::occupancy;
use super::report::{KernelRow, TransferRow};
use crate::measuring::totals::{Totals, WorkTotals};
use crate::telling::mangled::demangled;

/// What distinguishes kernels.
type Key = (
    StringId,
    Option<LaunchId>,
    Option<OpId>,
    Option<StringId>,
    Option<ProgramId>,
    Attribution,
);

struct Kernel {
    key: Key,
    totals: Totals,
    streams: Vec<TrackId>,
    devices: Vec<DeviceId>,
    latencies: Vec<i64>,
}

/// Kernels, largest total first.
pub(super) fn kernels(
    session: &Session,
    totals: &[WorkTotals],
    launches: &Launches,
) -> Vec<KernelRow> {
    let mut kernels: Vec<Kernel> = Vec::new();
    let mut positions: FxHashMap<Key, usize> = FxHashMap::default();
    for of_one in totals {
        for &(id, totals) in &of_one.labels {
            let Some(key) = key_of(session, id) else {
                continue;
            };
            let position = *positions.entry(key).or_insert_with(|| {
                let (streams, devices) = (Vec::new(), Vec::new());
                kernels.push(Kernel {
                    key,
                    totals: Totals::default(),
                    streams,
                    devices,
                    latencies: Vec::new(),
                });
                kernels.len() - 1
            });
            let kernel = &mut kernels[position];
            kernel.totals.merge(totals);
            kernel.streams.extend(of_one.stream);
            kernel.devices.push(of_one.device);
        }
    }
    for launch in &launches.all {
        let position = key_of(session, launch.label).and_then(|key| positions.get(&key));
        if let (Some(&position), Some(latency_ps)) = (position, launch.latency_ps) {
            kernels[position].latencies.push(latency_ps);
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
            .then_with(|| a.attribution.cmp(&b.attribution))
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
        label.attribution,
    ))
}

fn row(session: &Session, kernel: Kernel) -> KernelRow {
    let Kernel {
        key: (name, launch, op, framework_op, program, attribution),
        totals,
        latencies,
        ..
    } = kernel;
    let launch = launch.map_or_else(Launch::default, |id| session.launch(id).clone());
    let latency = Latency::of(latencies);
    let program_id = op.map(|id| session.program(session.op(id).program).id.to_string());
    let op = op.map(|id| session.op(id).name).or(framework_op);
    // Recorders write 0 if the occupancy is unknown; a kernel that ran cannot have 0.
    let recorded = launch.occupancy.filter(|&occupancy| occupancy > 0.0);
    let chip = kernel
        .devices
        .first()
        .map(|&device| &session.device(device).chip);
    let derived = chip
        .and_then(|chip| chip.multiprocessor)
        .and_then(|limits| occupancy(&launch, &limits));
    let (matrix_unit, matrix_rule) = matrix::word(session.text(name));
    KernelRow {
        attribution: attribution.name().to_owned(),
        name: session.text(name).to_owned(),
        demangled: demangled(session.text(name)).unwrap_or_default(),
        occurrences: totals.occurrences,
        total_ps: totals.total_ps,
        mean_ps: totals.total_ps as f64 / totals.occurrences.max(1) as f64,
        min_ps: totals.min_ps,
        max_ps: totals.max_ps,
        latency_mean_ps: latency.mean_ps,
        latency_p50_ps: latency.p50_ps,
        latency_p99_ps: latency.p99_ps,
        latency_max_ps: latency.max_ps,
        registers: launch.registers,
        shared_bytes: launch.shared_bytes,
        grid: launch.grid,
        block: launch.block,
        occupancy: recorded.or(derived.map(|derived| derived.ratio)),
        occupancy_source: match (recorded, derived) {
            (Some(_), _) => "recorded",
            (None, Some(_)) => "derived",
            (None, None) => "",
        }
        .to_owned(),
        occupancy_limit: derived.map_or("", |derived| derived.limit).to_owned(),
        matrix_unit: matrix_unit.to_owned(),
        matrix_rule: matrix_rule.to_owned(),
        op: op.map(|id| session.text(id).to_owned()).unwrap_or_default(),
        program: program
            .map(|id| session.program(id).title())
            .unwrap_or_default(),
        program_id: program_id.unwrap_or_default(),
        stream: streams(session, kernel.streams),
        device: devices(session, kernel.devices),
    }
}

/// Stream numbers, ascending.
fn streams(session: &Session, streams: Vec<TrackId>) -> String {
    let mut numbers: Vec<i64> = streams
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

/// Sums of copies.
#[derive(Default)]
struct Copies {
    occurrences: i64,
    total_ps: i64,
    bytes: Option<u64>,
    /// Time of the actual copies (not ops that start or end one) whose size is known.
    sized_ps: i64,
    /// Bytes moved in that time.
    sized_bytes: u64,
    devices: Vec<DeviceId>,
}

/// Copies and memsets by direction and host memory, in the order of [`Direction`].
pub(super) fn transfers(session: &Session, totals: &[WorkTotals]) -> Vec<TransferRow> {
    let mut groups: BTreeMap<(Direction, Option<HostMemory>), Copies> = BTreeMap::new();
    for of_one in totals {
        for (id, totals) in &of_one.labels {
            let label = session.label(*id);
            let Some(transfer) = label.transfer else {
                continue;
            };
            let key = (transfer.direction, transfer.host_memory);
            let copies = groups.entry(key).or_default();
            copies.total_ps = copies.total_ps.saturating_add(totals.total_ps);
            copies.devices.push(of_one.device);
            // The half that ends a copy is not a separate copy.
            if ends_copy(session, label) {
                continue;
            }
            copies.occurrences = copies.occurrences.saturating_add(totals.occurrences);
            let Some(size) = transfer.bytes else { continue };
            let moved = size.saturating_mul(totals.occurrences.unsigned_abs());
            copies.bytes = Some(copies.bytes.unwrap_or(0).saturating_add(moved));
            // An op that starts or ends a copy takes none of the copy's time.
            if label.kind == SliceKind::Transfer {
                copies.sized_ps = copies.sized_ps.saturating_add(totals.total_ps);
                copies.sized_bytes = copies.sized_bytes.saturating_add(moved);
            }
        }
    }
    let rows = groups.into_iter().map(|((direction, memory), copies)| {
        let bandwidth = (copies.sized_ps > 0)
            .then(|| copies.sized_bytes as f64 / (copies.sized_ps as f64 * 1e-12));
        let peak = link(session, direction, &copies.devices);
        let per_second = peak.map(|peak| peak.per_second).filter(|&peak| peak > 0.0);
        TransferRow {
            direction: direction.name().to_owned(),
            memory: memory.map_or("", HostMemory::name).to_owned(),
            occurrences: copies.occurrences,
            bytes: copies
                .bytes
                .map(|bytes| i64::try_from(bytes).unwrap_or(i64::MAX)),
            total_ps: copies.total_ps,
            bandwidth,
            peak_bandwidth: per_second,
            bandwidth_ratio: bandwidth.zip(per_second).map(|(rate, peak)| rate / peak),
            peak_source: peak.map(|peak| peak.source.clone()).unwrap_or_default(),
        }
    });
    rows.collect()
}

/// Whether the op waits for a copy that another op started.
fn ends_copy(session: &Session, label: &Label) -> bool {
    label.op.is_some_and(|op| {
        let category = session.text(session.op(op).category);
        category.starts_with("copy-done")
    })
}

/// The link that copies of a direction use, if it is known and the same for all devices. None for
/// device-to-device copies, which may stay within a device or go to another one.
fn link<'a>(session: &'a Session, direction: Direction, devices: &[DeviceId]) -> Option<&'a Peak> {
    let over = |chip: &'a Chip| match direction {
        Direction::HostToDevice | Direction::DeviceToHost => chip.host_link.as_ref(),
        _ => None,
    };
    let mut links = devices
        .iter()
        .map(|&device| over(&session.device(device).chip));
    let first = links.next()??;
    links.all(|link| link == Some(first)).then_some(first)
}
