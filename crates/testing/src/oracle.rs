//! Figures of one host file, re-derived by brute force from its raw events.
//!
//! Written to be obviously correct, not fast: every function walks every event again. All times
//! are picoseconds as the file has them, in `i128`: `line.timestamp_ns · 1000 + offset_ps`.
//! Planes of one name are one plane, lines of one id in it are one line.
//!
//! What counts as work of a device (its *slices*):
//!
//! | Device | Slices |
//! |---|---|
//! | `Tpu(n)` | timed events of the `XLA Ops` lines of `/device:TPU:n` |
//! | `Gpu(n)` | timed events of the `Stream #…` lines of `/device:GPU:n`, without the lines that another tool derived from them |
//! | `Cpu(n)` | timed events of `/host:CPU` with `hlo_op` and `program_id`, and without a `correlation_id` (those launch GPU work); `n` is their `device_ordinal`, 0 where absent. Asynchronous ones last until they are done |
//!
//! The spans are the recorded, host-aligned ones. TPU events also carry their span on the
//! device's own clock, which differs where the alignment moved an end (by seconds in some
//! files); [`ops_on_device_clock`] is measured on that one.

mod asynchronous;
mod events;
mod regions;

use std::collections::BTreeMap;
use std::fmt;

pub use events::{Event, Stats, events};
pub use regions::{RegionKey, RegionTime, regions};

use crate::space::XSpace;

/// What the work ran on, ordered by type and number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Device {
    /// `/device:TPU:n`
    Tpu(i64),
    /// `/device:GPU:n`
    Gpu(i64),
    /// `device_ordinal` n of XLA:CPU
    Cpu(i64),
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tpu(ordinal) => write!(f, "tpu:{ordinal}"),
            Self::Gpu(ordinal) => write!(f, "gpu:{ordinal}"),
            Self::Cpu(ordinal) => write!(f, "cpu:{ordinal}"),
        }
    }
}

/// What identifies an op.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OpKey {
    /// The program, as u64 even if the file has it negative; `None` if the op names none.
    pub program_id: Option<u64>,
    /// The HLO instruction.
    pub name: String,
}

/// How often an op ran, and how long, in picoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OpTime {
    /// Number of slices.
    pub occurrences: u64,
    /// Sum of durations.
    pub total_ps: i128,
    /// Sum of durations less those of direct children.
    pub self_ps: i128,
}

/// How often a GPU kernel ran and how long, in picoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelTime {
    /// Number of launches.
    pub occurrences: u64,
    /// Sum of durations.
    pub total_ps: i128,
    /// The minimum.
    pub min_ps: i128,
    /// The maximum.
    pub max_ps: i128,
}

/// One training or inference step.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Step {
    /// The TPU whose `Steps` line has it; `None` for an annotation on the host.
    pub device: Option<Device>,
    /// `step_num`, or the name on a `Steps` line if that is a number.
    pub number: Option<i64>,
    /// Name of the annotation, e.g. `train`.
    pub name: String,
    /// Start.
    pub start_ps: i128,
    /// Duration.
    pub duration_ps: i128,
}

/// Every device that has slices, with its slices in file order.
pub fn device_slices(space: &XSpace) -> BTreeMap<Device, Vec<Event>> {
    let mut devices: BTreeMap<Device, Vec<Event>> = BTreeMap::new();
    let all = events(space);
    for event in all.iter().filter(|event| event.occurrences.is_none()) {
        if let Some(device) = device_of(event) {
            devices.entry(device).or_default().push(event.clone());
        }
    }
    let is_cpu = |device: &Device| matches!(device, Device::Cpu(_));
    let on_cpu = devices.iter_mut().filter(|(device, _)| is_cpu(device));
    let mut on_cpu: Vec<&mut Vec<Event>> = on_cpu.map(|(_, slices)| slices).collect();
    asynchronous::complete(&mut on_cpu, &all);
    devices
}

/// The slices of one device in file order; empty if it has none.
pub fn slices(space: &XSpace, device: Device) -> Vec<Event> {
    device_slices(space).remove(&device).unwrap_or_default()
}

/// How long at least one slice of the device was running.
pub fn busy_ps(space: &XSpace, device: Device) -> i128 {
    // +1 where a slice begins, -1 where it ends; busy while the count is above zero.
    let mut points: Vec<(i128, i32)> = Vec::new();
    for slice in slices(space, device) {
        points.push((slice.start_ps, 1));
        points.push((slice.end_ps(), -1));
    }
    points.sort_unstable();
    let (mut busy_ps, mut running, mut previous_ps) = (0, 0, 0);
    for (time_ps, change) in points {
        if running > 0 {
            busy_ps += time_ps - previous_ps;
        }
        running += change;
        previous_ps = time_ps;
    }
    busy_ps
}

/// Start of the first and end of the last slice; `None` if the device has none.
pub fn span_ps(space: &XSpace, device: Device) -> Option<(i128, i128)> {
    let slices = slices(space, device);
    let first = slices.iter().map(|slice| slice.start_ps).min()?;
    let last = slices.iter().map(Event::end_ps).max()?;
    Some((first, last))
}

/// Time by op of one device. Slices without an op are left out, but do count as children.
pub fn ops(space: &XSpace, device: Device) -> BTreeMap<OpKey, OpTime> {
    op_times(space, device, slices(space, device))
}

/// The same, with each slice where the device's own clock has it: from `device_offset_ps`, for
/// `device_duration_ps`, where it has both stats.
pub fn ops_on_device_clock(space: &XSpace, device: Device) -> BTreeMap<OpKey, OpTime> {
    let mut slices = slices(space, device);
    for slice in &mut slices {
        let offset_ps = slice.stats.integer("device_offset_ps");
        let duration_ps = slice.stats.integer("device_duration_ps");
        if let Some((offset_ps, duration_ps)) = offset_ps.zip(duration_ps) {
            slice.start_ps = i128::from(offset_ps);
            slice.duration_ps = i128::from(duration_ps);
        }
    }
    op_times(space, device, slices)
}

fn op_times(space: &XSpace, device: Device, slices: Vec<Event>) -> BTreeMap<OpKey, OpTime> {
    let titles = program_titles(space);
    let mut ops: BTreeMap<OpKey, OpTime> = BTreeMap::new();
    for line in by_line(slices) {
        for (slice, self_ps) in line.iter().zip(self_times_ps(&line)) {
            let Some(key) = op_key(&titles, device, slice) else {
                continue;
            };
            let op = ops.entry(key).or_default();
            op.occurrences += 1;
            op.total_ps += slice.duration_ps;
            op.self_ps += self_ps;
        }
    }
    ops
}

/// Time by kernel name of one GPU: slices with launch details, so no copies and no sets.
pub fn kernels(space: &XSpace, device: Device) -> BTreeMap<String, KernelTime> {
    let mut durations: BTreeMap<String, Vec<i128>> = BTreeMap::new();
    for slice in slices(space, device) {
        if slice.stats.contains("kernel_details") {
            durations
                .entry(slice.name.clone())
                .or_default()
                .push(slice.duration_ps);
        }
    }
    let summary = |durations: Vec<i128>| KernelTime {
        occurrences: durations.len() as u64,
        total_ps: durations.iter().sum(),
        min_ps: durations.iter().copied().min().unwrap_or(0),
        max_ps: durations.iter().copied().max().unwrap_or(0),
    };
    durations
        .into_iter()
        .map(|(name, durations)| (name, summary(durations)))
        .collect()
}

/// Steps by annotation (`_r` = 1 and a `step_num`, on any `/host:` plane), then those of TPU
/// `Steps` lines; each by begin.
pub fn steps(space: &XSpace) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for event in events(space)
        .into_iter()
        .filter(|event| event.occurrences.is_none())
    {
        let number = event.stats.integer("step_num");
        let annotated = event.stats.integer("_r") == Some(1) && number.is_some();
        let device = tpu_of(&event).filter(|_| event.line_name == "Steps");
        let on_host = event.plane.starts_with("/host:") && annotated;
        if !on_host && device.is_none() {
            continue;
        }
        let number = if on_host {
            number
        } else {
            event.name.parse().ok()
        };
        let Event {
            name,
            start_ps,
            duration_ps,
            ..
        } = event;
        steps.push(Step {
            device,
            number,
            name,
            start_ps,
            duration_ps,
        });
    }
    steps.sort_by_key(|step| (step.device, step.start_ps, step.number));
    steps
}

/// Number of events by plane name and line id, aggregated ones counted once.
pub fn event_counts(space: &XSpace) -> BTreeMap<(String, i64), u64> {
    let mut counts = BTreeMap::new();
    for plane in &space.planes {
        for line in &plane.lines {
            let count: &mut u64 = counts.entry((plane.name.clone(), line.id)).or_default();
            *count += line.events.len() as u64;
        }
    }
    counts
}

/// Number of events in the file.
pub fn event_total(space: &XSpace) -> u64 {
    event_counts(space).into_values().sum()
}

/// The self time of each slice of one line, which must be in the order of [`by_line`]: its
/// duration less that of its direct children. A child's parent is the closest slice before it
/// in that order that contains it whole, so of equal spans the earlier one is the parent, and
/// a slice that merely overlaps is neither.
pub fn self_times_ps(line: &[Event]) -> Vec<i128> {
    let mut self_ps: Vec<i128> = line.iter().map(|slice| slice.duration_ps).collect();
    let mut latest_end = Vec::with_capacity(line.len());
    for (index, child) in line.iter().enumerate() {
        // If no slice so far reaches the child's end, there is no parent to find.
        let reached = latest_end
            .last()
            .is_some_and(|&end_ps| end_ps >= child.end_ps());
        let parent = reached
            .then(|| {
                (0..index)
                    .rev()
                    .find(|&parent| line[parent].end_ps() >= child.end_ps())
            })
            .flatten();
        if let Some(parent) = parent {
            self_ps[parent] -= child.duration_ps;
        }
        let latest: i128 = latest_end.last().copied().unwrap_or(i128::MIN);
        latest_end.push(latest.max(child.end_ps()));
    }
    self_ps
}

/// The slices by line, each line by begin, the longer first where several begin together;
/// otherwise in file order.
pub fn by_line(slices: Vec<Event>) -> Vec<Vec<Event>> {
    let mut lines: BTreeMap<(String, i64), Vec<Event>> = BTreeMap::new();
    for slice in slices {
        lines
            .entry((slice.plane.clone(), slice.line_id))
            .or_default()
            .push(slice);
    }
    let mut lines: Vec<Vec<Event>> = lines.into_values().collect();
    for line in &mut lines {
        line.sort_by_key(|slice| (slice.start_ps, -slice.duration_ps));
    }
    lines
}

fn device_of(event: &Event) -> Option<Device> {
    if let Some(tpu) = tpu_of(event) {
        return (event.line_name == "XLA Ops").then_some(tpu);
    }
    if let Some(ordinal) = number_after(&event.plane, "/device:GPU:") {
        let is_stream = event.line_name.starts_with("Stream #") && !is_derived(event.line_id);
        return is_stream.then_some(Device::Gpu(ordinal));
    }
    let is_cpu_op = event.plane.starts_with("/host:CPU")
        && event.stats.contains("hlo_op")
        && event.stats.contains("program_id")
        && !event.stats.contains("correlation_id");
    is_cpu_op.then(|| Device::Cpu(event.stats.integer("device_ordinal").unwrap_or(0)))
}

fn tpu_of(event: &Event) -> Option<Device> {
    number_after(&event.plane, "/device:TPU:").map(Device::Tpu)
}

/// The number a text consists of behind a prefix; `/device:TPU:0 SparseCore 1` has none.
fn number_after(text: &str, prefix: &str) -> Option<i64> {
    text.strip_prefix(prefix)?.parse().ok()
}

/// XProf gives the lines it derives ids from int32(0xdeadbeef) on, 390 of them.
fn is_derived(line_id: i64) -> bool {
    const BASE: i64 = 0xdead_beef_i64 - (1 << 32);
    // Some writers print the id unsigned in 32 bits.
    (BASE..BASE + 390).contains(&line_id) || (0xdead_beef..0xdead_beef + 390).contains(&line_id)
}

/// Names and IDs of the programs in `/host:metadata`, whose entries are named like `jit_step(70)`.
fn program_titles(space: &XSpace) -> Vec<(String, u64)> {
    let planes = space
        .planes
        .iter()
        .filter(|plane| plane.name == "/host:metadata");
    let entries = planes.flat_map(|plane| plane.event_metadata.values());
    let title = |name: &str| {
        let (name, id) = name.strip_suffix(')')?.rsplit_once('(')?;
        Some((name.to_owned(), id.parse().ok()?))
    };
    entries.filter_map(|entry| title(&entry.name)).collect()
}

/// A program that XLA:CPU loaded from the persistent cache runs under the ID 0: then it is the only
/// one with the module's name, if there is only one.
fn op_key(titles: &[(String, u64)], device: Device, slice: &Event) -> Option<OpKey> {
    let name = match device {
        Device::Tpu(_) => slice.instruction_name(),
        Device::Gpu(_) | Device::Cpu(_) => slice.stats.text("hlo_op")?,
    };
    let recorded = slice.stats.integer("program_id").map(i64::cast_unsigned);
    let module = slice.stats.text("hlo_module").unwrap_or_default();
    let of_name: Vec<u64> = titles
        .iter()
        .filter(|(name, _)| *name == module)
        .map(|&(_, id)| id)
        .collect();
    let program_id = match (recorded, of_name.as_slice()) {
        (Some(0), &[only]) => Some(only),
        _ => recorded,
    };
    Some(OpKey { program_id, name })
}
