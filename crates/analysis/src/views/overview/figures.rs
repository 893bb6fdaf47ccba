//! The key figures that are judged, each with how it was obtained or what is missing.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use stepscope_model::{
    Class, DeviceId, LabelId, MemoryLevel, SaturatingSum as _, Session, SliceKind, StringId,
};

use crate::measuring::activity::compilation_ps;
use crate::measuring::busy::{self, DeviceBusy};
use crate::measuring::occupation::Occupation;
use crate::measuring::selection::Selected;
use crate::measuring::steps::{PartKind, StepPart, StepParts};
use crate::measuring::totals::WorkTotals;
use crate::telling::format;
use crate::telling::recording;
use crate::views::compile::COMPILATION_UNKNOWN;
use crate::views::ops::{Measured, OpRow, OpsReport};
use crate::views::roofline::{Utilization, computing, while_computing};

/// What the figures are computed from.
pub(super) struct Facts<'a> {
    pub(super) session: &'a Session,
    pub(super) selected: &'a Selected<'a>,
    pub(super) devices: &'a [DeviceBusy],
    /// Their mean busy share.
    pub(super) busy_ratio: Option<f64>,
    pub(super) step_parts: &'a [StepPart],
    /// The steps on each device.
    pub(super) steps: &'a [StepParts],
    /// All ops of the selection, before any limit.
    pub(super) ops: &'a OpsReport,
    /// The same ops with their work.
    pub(super) measured: &'a [Measured],
    pub(super) totals: &'a [WorkTotals],
    pub(super) utilization: &'a Utilization,
    /// What busy devices are busy with; none without work.
    pub(super) occupation: Option<Occupation>,
}

/// A figure and how it was obtained; without a figure, what is missing and how to record it.
pub(crate) type Figure = (Option<f64>, String);

/// The figure of a key in the table of thresholds.
pub(super) fn figure(facts: &Facts<'_>, key: &str) -> Figure {
    match key {
        "device_busy_ratio" => busy_ratio(facts),
        "communication_ratio" => occupied(
            facts,
            |occupation| occupation.communication,
            "Share of the time in which devices communicate and compute nothing.",
        ),
        "copy_ratio" => occupied(
            facts,
            |occupation| occupation.copies,
            "Share of the time in which devices copy and neither compute nor communicate.",
        ),
        "mfu_ratio" => (facts.utilization.mfu, facts.utilization.derivation.clone()),
        "host_overhead_ratio" => host_overhead(facts),
        "memory_bandwidth_ratio" => memory_bandwidth(facts),
        "kernel_duration_ps" => kernel_duration(facts),
        "occupancy_ratio" => occupancy_figure(facts),
        "dominant_op_ratio" => dominant_op(facts),
        "top_op_ps" => top_op(facts),
        "compilation_ps" => compilation(facts),
        _ => peak_memory(facts),
    }
}

fn occupied(facts: &Facts<'_>, of: impl Fn(Occupation) -> f64, text: &str) -> Figure {
    match facts.occupation {
        Some(occupation) => (Some(of(occupation)), text.to_owned()),
        None => missing("No device recorded work."),
    }
}

fn missing(text: &str) -> Figure {
    (None, text.to_owned())
}

fn busy_ratio(facts: &Facts<'_>) -> Figure {
    let Some(ratio) = facts.busy_ratio else {
        return missing("No device recorded work.");
    };
    let counted = busy::counted(facts.devices, facts.steps).len();
    let working = busy::counted(facts.devices, &[]).len();
    let mut devices = format::counted(counted, "device");
    if counted < working {
        devices = format!("the {devices} of {working} that work in the steps");
    }
    let selected = facts.selected;
    let window = match (selected.is_all_time(), facts.session.steps.is_empty()) {
        (false, _) if selected.time.is_some() => "the selected times",
        (false, _) => "the selected steps",
        (true, false) => "the time from the first to the last step that statistics include",
        (true, true) => "the time from the first to the last device work",
    };
    (
        Some(ratio),
        format!("Union of work intervals ÷ {window}, mean over {devices}."),
    )
}

fn host_overhead(facts: &Facts<'_>) -> Figure {
    let mut hosts = facts.selected.hosts.iter();
    if !hosts.any(|&host| facts.session.host(host).records_threads()) {
        return (None, recording::needs_host_threads(facts.session));
    }
    let part = facts
        .step_parts
        .iter()
        .find(|part| part.part == PartKind::HostOverhead);
    match part {
        Some(part) => (
            Some(part.ratio),
            "Share of the mean step in which the device is idle while the thread that drives it \
             does recorded work other than input or compilation."
                .to_owned(),
        ),
        None => (None, recording::needs_steps(facts.session)),
    }
}

/// Bytes between the computing ops with known work and the device's main memory ÷ (its peak bandwidth ×
/// time in which the devices compute), as in the advice on what bounds them.
pub(super) fn memory_bandwidth(facts: &Facts<'_>) -> Figure {
    let ops = facts.measured;
    let point = while_computing(facts.session, facts.selected, ops);
    let mut levels = point.levels.iter();
    let hbm = levels.find(|level| level.level == MemoryLevel::Hbm.name());
    if point.bytes.is_none() {
        return missing("The bytes that ops move are unknown.");
    }
    let Some((level, ratio)) = hbm.and_then(|level| Some((level, level.ratio?))) else {
        return missing(
            "The peak memory bandwidth of the chip is unknown, or the devices have different chips.",
        );
    };
    let known = computing(ops).filter(|op| op.work.is_some());
    let covered: i64 = known.map(|op| op.row.self_ps).saturating_sum();
    let explanation = format!(
        "{} that ops read from and wrote to device memory ÷ (peak bandwidth × time in which the devices \
         compute); ops with known bytes take {} of that work.",
        format::bytes(level.bytes),
        format::percent(covered as f64 / point.self_ps.max(1) as f64)
    );
    (Some(ratio), explanation)
}

fn kernel_duration(facts: &Facts<'_>) -> Figure {
    let (mut count, mut total_ps) = (0i64, 0i64);
    for (label, totals) in facts.totals.iter().flat_map(|totals| &totals.labels) {
        if facts.session.label(*label).kind == SliceKind::Kernel {
            count = count.saturating_add(totals.occurrences);
            total_ps = total_ps.saturating_add(totals.total_ps);
        }
    }
    if count == 0 {
        return missing("Only GPUs run kernels; other devices run ops.");
    }
    let mean = total_ps as f64 / count as f64;
    (
        Some(mean),
        format!("Mean over {count} kernel launches; many short kernels indicate poor fusion."),
    )
}

/// An op that reaches this share of its roofline needs no more threads: kernels of matrix units do
/// their best with few.
const CLOSE_TO_ROOF: f64 = 0.5;

/// Occupancy weighted by time.
pub(crate) struct Occupancy {
    pub(crate) ratio: f64,
    /// Time of the kernels that it is over.
    pub(crate) total_ps: f64,
    /// Every kernel is of an op that reaches half of its roofline, so that it is enough.
    pub(crate) is_enough: bool,
    pub(crate) explanation: String,
}

/// Occupancy of matrix products, attention, and kernels of compute-bound ops; where some of them do not
/// reach half of their roofline, of those. `None` without any.
pub(crate) fn occupancy<'a>(
    session: &Session,
    ops: impl Iterator<Item = &'a OpRow>,
    totals: &[WorkTotals],
) -> Option<Occupancy> {
    let mut kernels = compute_bound(session, ops, totals);
    // Of kernels without a roofline, nothing says that they are far from it.
    if kernels.iter().any(|kernel| kernel.is_judged) {
        kernels.retain(|kernel| kernel.is_judged);
    }
    let is_judged = kernels.iter().any(|kernel| kernel.is_judged);
    let is_enough = kernels.iter().all(|kernel| kernel.is_close);
    let (mut weighted, mut time) = (0.0, 0.0);
    for kernel in kernels
        .iter()
        .filter(|kernel| is_enough || !kernel.is_close)
    {
        weighted += kernel.occupancy * kernel.total_ps;
        time += kernel.total_ps;
    }
    let share = format::duration_ps(time);
    let reach = if !is_judged {
        " whose rooflines are unknown"
    } else if is_enough {
        ", all of which reach at least half of their roofline"
    } else {
        " that reach less than half of their roofline"
    };
    (time > 0.0).then(|| Occupancy {
        ratio: weighted / time,
        total_ps: time,
        is_enough,
        explanation: format!(
            "Theoretical occupancy by time, over {share} of matrix products, attention, compute-bound \
             ops{reach}."
        ),
    })
}

/// That of all selected ops.
pub(super) fn occupancy_of(facts: &Facts<'_>) -> Option<Occupancy> {
    occupancy(facts.session, facts.ops.rows.iter(), facts.totals)
}

fn occupancy_figure(facts: &Facts<'_>) -> Figure {
    match occupancy_of(facts) {
        Some(found) => (Some(found.ratio), found.explanation),
        None => missing(NO_OCCUPANCY),
    }
}

pub(crate) const NO_OCCUPANCY: &str = "No compute-bound kernel with a recorded occupancy.";

/// Names of the kernels that [`occupancy`] covers.
pub(crate) fn compute_bound_kernels<'a>(
    session: &'a Session,
    ops: impl Iterator<Item = &'a OpRow>,
    totals: &[WorkTotals],
) -> Vec<&'a str> {
    let kernels = compute_bound(session, ops, totals).into_iter();
    let far = kernels.filter(|kernel| !kernel.is_close);
    far.map(|kernel| session.text(kernel.name)).collect()
}

struct HeavyKernel {
    name: StringId,
    occupancy: f64,
    total_ps: f64,
    /// Its op reaches half of its roofline.
    is_close: bool,
    /// How near its op is to its roofline is known.
    is_judged: bool,
}

/// Matrix products, attention and kernels of compute-bound ops.
fn compute_bound<'a>(
    session: &Session,
    ops: impl Iterator<Item = &'a OpRow>,
    totals: &[WorkTotals],
) -> Vec<HeavyKernel> {
    // Whether an op is compute-bound, and whether it is close to its roof.
    let judged: FxHashMap<(&str, &str), (bool, bool, bool)> = ops
        .map(|row| {
            let is_close = row
                .roofline_ratio
                .is_some_and(|ratio| ratio >= CLOSE_TO_ROOF);
            let key = (row.program.as_str(), row.name.as_str());
            let is_judged = row.roofline_ratio.is_some();
            (key, (row.bound_by == "compute", is_close, is_judged))
        })
        .collect();
    let mut kernels = Vec::new();
    for (id, totals) in totals.iter().flat_map(|totals| &totals.labels) {
        let label = session.label(*id);
        let launch = label.launch.map(|launch| session.launch(launch));
        let occupancy = launch.and_then(|launch| launch.occupancy);
        // Recorders write 0 if the occupancy is unknown.
        let Some(occupancy) = occupancy.filter(|&occupancy| occupancy > 0.0) else {
            continue;
        };
        let (is_bound, is_close, is_judged) = label.op.map_or((false, false, false), |op| {
            let op = session.op(op);
            let title = session.program(op.program).title();
            let known = judged.get(&(title.as_str(), session.text(op.name)));
            known.copied().unwrap_or_default()
        });
        if is_bound || matches!(label.class, Class::Matmul | Class::Attention) {
            kernels.push(HeavyKernel {
                name: label.name,
                occupancy,
                total_ps: totals.total_ps as f64,
                is_close,
                is_judged,
            });
        }
    }
    kernels
}

/// The op with the largest self time; none without work.
fn largest_op<'a>(facts: &Facts<'a>) -> Option<&'a OpRow> {
    let rows = facts.ops.rows.iter();
    let largest = rows.max_by(|a, b| a.self_ps.cmp(&b.self_ps).then_with(|| b.name.cmp(&a.name)));
    largest.filter(|_| facts.ops.total_self_ps > 0)
}

pub(super) fn dominant_op(facts: &Facts<'_>) -> Figure {
    let Some(row) = largest_op(facts) else {
        return missing("No device recorded work.");
    };
    (
        Some(row.self_ratio),
        format!(
            "{} as a share of the self time of all ops.",
            format::shortened(&row.name)
        ),
    )
}

/// Number of devices that ran the op: one that ran on a single device of eight is not spread over all.
fn devices_running(facts: &Facts<'_>, row: &OpRow) -> usize {
    let session = facts.session;
    let is_it = |id: LabelId| {
        let label = session.label(id);
        label.op.map_or_else(
            || session.text(label.name) == row.name,
            |op| {
                let op = session.op(op);
                session.text(op.name) == row.name
                    && session.program(op.program).title() == row.program
            },
        )
    };
    let totals = facts.totals.iter();
    let running = totals.filter(|totals| totals.labels.iter().any(|(id, _)| is_it(*id)));
    let devices: BTreeSet<DeviceId> = running.map(|totals| totals.device).collect();
    devices.len()
}

/// Self time of the largest op, per step and per device that ran it.
fn top_op(facts: &Facts<'_>) -> Figure {
    let Some(row) = largest_op(facts) else {
        return missing("No device recorded work.");
    };
    let steps = facts.selected.worked_steps();
    if steps == 0 {
        return (None, recording::needs_steps(facts.session));
    }
    let time = row.self_ps as f64 / (steps * devices_running(facts, row).max(1)) as f64;
    (
        Some(time),
        format!(
            "Self time of {} per step and device that runs it; at 10 ms an op is worth a look, at \
             50 ms it is a target for optimization.",
            format::shortened(&row.name)
        ),
    )
}

fn compilation(facts: &Facts<'_>) -> Figure {
    match compilation_ps(facts.session, &facts.selected.hosts) {
        Some(0) if facts.session.programs.is_empty() => missing(COMPILATION_UNKNOWN),
        Some(time_ps) => (
            Some(time_ps as f64),
            "Union of compilation slices over the whole capture, on the host where it is longest. \
             Excludes what was compiled before the capture started."
                .to_owned(),
        ),
        None => (None, recording::needs_host_threads(facts.session)),
    }
}

fn peak_memory(facts: &Facts<'_>) -> Figure {
    if let Some(row) = crate::views::memory::fullest(facts.session, facts.selected) {
        let of_process = row.recorded_peak_bytes > row.peak_bytes;
        let when = if of_process {
            "since process start"
        } else {
            "in the window"
        };
        let text = format!(
            "Peak of {} {when} ÷ {} capacity of the allocator of {}, the fullest device.",
            format::bytes(row.peak_bytes.max(row.recorded_peak_bytes) as f64),
            format::bytes(row.capacity_bytes as f64),
            row.device
        );
        return (row.peak_ratio, text);
    }
    let text = "The profile has no allocator events for a device.";
    match recording::memory_snapshot(facts.session) {
        "" => missing(text),
        line => (None, format!("{text} Record what is alive: {line}")),
    }
}
