//! The key figures behind the verdicts, each with how it was obtained or what is missing.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use stepscope_model::{
    Class, DeviceId, LabelId, MemoryLevel, SaturatingSum as _, Session, SliceKind, StringId,
};

use super::report::Verdict;
use crate::measuring::activity::compilation_ps;
use crate::measuring::busy::{self, DeviceBusy};
use crate::measuring::occupation::Occupation;
use crate::measuring::selection::Selected;
use crate::measuring::steps::{PartKind, StepPart, StepParts, share_of};
use crate::measuring::totals::WorkTotals;
use crate::measuring::work::AllWork;
use crate::telling::format;
use crate::telling::recording;
use crate::telling::thresholds::{Threshold, Thresholds, VerdictKind};
use crate::views::ops::{Measured, OpRow, OpsReport, Work};
use crate::views::roofline::Utilization;

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

/// Every figure in the table of thresholds, with its verdict.
pub(super) fn verdicts(facts: &Facts<'_>, thresholds: &Thresholds) -> Vec<Verdict> {
    let verdict = |threshold: &Threshold| {
        let (value, mut explanation) = figure(facts, threshold.key);
        let judged = value.map_or(VerdictKind::Unknown, |value| threshold.judge(value));
        let in_steps = in_steps(facts, threshold.key, thresholds, judged);
        let (verdict, reason) = match &in_steps {
            Some((waited, _)) => (*waited, IN_STEPS.to_owned()),
            None => tempered(facts, thresholds, threshold, judged),
        };
        let judged_as = beside(facts, threshold.key).filter(|_| verdict != judged);
        if !reason.is_empty() {
            explanation = format!("{explanation} {reason}");
        }
        Verdict {
            key: threshold.key.to_owned(),
            title: threshold.title.to_owned(),
            value,
            verdict,
            thresholds: in_steps.map_or_else(|| threshold.text(), |(_, text)| text),
            judged_as: judged_as.unwrap_or_default(),
            is_larger_better: threshold.is_larger_better,
            explanation,
        }
    };
    thresholds.entries().iter().map(verdict).collect()
}

/// The figure that decides a verdict in place of the judged one, so that the word never stands beside a
/// value that contradicts it.
fn beside(facts: &Facts<'_>, key: &str) -> Option<String> {
    match key {
        "device_busy_ratio" => {
            let compute = facts.occupation?.compute;
            Some(format!("computing {}", format::percent(compute)))
        }
        "compilation_ps" => {
            let ratio = share_of(PartKind::Compilation, facts.step_parts)?;
            Some(format!("{} of the mean step", format::percent(ratio)))
        }
        _ => None,
    }
}

fn figure(facts: &Facts<'_>, key: &str) -> Figure {
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

/// The verdict where another figure decides what the judged one means, and the reason: devices that are
/// busy without computing are neither good nor bad news, since what they do instead has its own verdict,
/// and so is a peak that does not bound the program.
fn tempered(
    facts: &Facts<'_>,
    thresholds: &Thresholds,
    threshold: &Threshold,
    judged: VerdictKind,
) -> (VerdictKind, String) {
    let bound_by = facts.utilization.bound_by.as_str();
    let is_elsewhere = facts
        .occupation
        .is_some_and(|parts| parts.is_mostly_elsewhere());
    let neutral = |reason: &str| (VerdictKind::Neutral, reason.to_owned());
    match (threshold.key, judged) {
        (_, VerdictKind::Unknown) => (judged, String::new()),
        ("device_busy_ratio", _) => {
            let Some(parts) = facts.occupation else {
                return (judged, String::new());
            };
            let computing = threshold.judge(parts.compute);
            let is_worse = computing.is_worse_than(judged) && judged == VerdictKind::Good;
            let split = format!(
                "Of {}, they compute {}, only communicate {}, only copy {}{}",
                if parts.is_of_steps {
                    "the steps"
                } else {
                    "that time"
                },
                format::percent(parts.compute),
                format::percent(parts.communication),
                format::percent(parts.copies),
                if is_worse {
                    ": being busy is no good news then. What they do instead is judged on its own."
                } else {
                    "."
                }
            );
            let verdict = if is_worse {
                VerdictKind::Neutral
            } else {
                judged
            };
            (verdict, split)
        }
        ("memory_bandwidth_ratio", _) if is_elsewhere => neutral(
            "The devices mostly copy and communicate, so the bandwidth of memory is not what limits \
             them.",
        ),
        ("memory_bandwidth_ratio", _) if bound_by == "compute" => {
            neutral("The work is bound by compute, so the bandwidth of memory does not limit it.")
        }
        ("memory_bandwidth_ratio", _) if bound_by.is_empty() => {
            neutral("It is unknown whether memory bounds the work, so this is not judged.")
        }
        ("mfu_ratio", VerdictKind::Warning | VerdictKind::Bad)
            if is_memory(bound_by) && !is_elsewhere =>
        {
            neutral("The work is bound by memory, so it cannot come near the peak of compute.")
        }
        ("kernel_duration_ps", VerdictKind::Warning | VerdictKind::Bad)
            if hardly_wait(facts, thresholds) =>
        {
            neutral("The devices hardly wait between kernels, so short ones cost little.")
        }
        ("top_op_ps", _) => {
            let share = dominant_op(facts).0.unwrap_or_default();
            let by_share = thresholds.judge("dominant_op_ratio", share);
            let is_good = |verdict| verdict == VerdictKind::Good;
            if by_share.is_some_and(|by_share| is_good(by_share) != is_good(judged)) {
                neutral("Its share of the work decides: Largest op has the verdict.")
            } else {
                (judged, String::new())
            }
        }
        ("occupancy_ratio", VerdictKind::Warning | VerdictKind::Bad) => {
            let found = occupancy(facts.session, facts.ops.rows.iter(), facts.totals);
            if found.is_some_and(|found| found.is_enough) {
                neutral("Kernels of matrix units do with few threads.")
            } else {
                (judged, String::new())
            }
        }
        _ => (judged, String::new()),
    }
}

/// Whether hosts and gaps hold the devices up for no more than host overhead may.
fn hardly_wait(facts: &Facts<'_>, thresholds: &Thresholds) -> bool {
    let [host, idle] =
        [PartKind::HostOverhead, PartKind::Idle].map(|part| share_of(part, facts.step_parts));
    let waiting = host.zip(idle).map(|(host, idle)| host + idle);
    let judged = waiting.and_then(|ratio| thresholds.judge("host_overhead_ratio", ratio));
    judged == Some(VerdictKind::Good)
}

/// Why the verdict on compilation is not that on its time.
const IN_STEPS: &str = "How long the mean step waits for it decides the verdict.";

/// See [`Thresholds::compilation_in_steps`].
fn in_steps(
    facts: &Facts<'_>,
    key: &str,
    thresholds: &Thresholds,
    judged: VerdictKind,
) -> Option<(VerdictKind, String)> {
    let ratio =
        share_of(PartKind::Compilation, facts.step_parts).filter(|_| key == "compilation_ps")?;
    thresholds.compilation_in_steps(judged, ratio)
}

fn is_memory(bound_by: &str) -> bool {
    !matches!(bound_by, "" | "compute")
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
        (true, false) => "the time from the first to the last step that is not cut off",
        (true, true) => "the time from the first to the last device work",
    };
    (
        Some(ratio),
        format!("Union of work intervals ÷ {window}, mean over {devices}."),
    )
}

fn host_overhead(facts: &Facts<'_>) -> Figure {
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

/// Bytes between the ops with known work and the device's main memory ÷ (its peak bandwidth × busy time)
/// of the devices.
fn memory_bandwidth(facts: &Facts<'_>) -> Figure {
    let mut capacity = 0.0;
    for device in facts
        .devices
        .iter()
        .filter(|device| device.busy_ratio.is_some())
    {
        let chip = &facts.session.devices[device.device_index as usize].chip;
        let Some(peak) = &chip.peak_bandwidth else {
            return (
                None,
                format!("The peak memory bandwidth of {} is unknown.", chip.name),
            );
        };
        capacity += peak.per_second * busy_in_selection(facts, device) * 1e-12;
    }
    let known: Vec<(&OpRow, &Work)> = facts
        .measured
        .iter()
        .filter_map(|one| Some((&one.row, one.work.as_ref()?)))
        .collect();
    if capacity <= 0.0 || known.is_empty() {
        return missing("The bytes that ops move are unknown.");
    }
    let bytes: f64 = (known.iter())
        .map(|(_, work)| work.traffic.get(MemoryLevel::Hbm))
        .sum();
    let covered: i64 = known.iter().map(|(row, _)| row.self_ps).saturating_sum();
    let coverage = covered as f64 / facts.ops.total_self_ps.max(1) as f64;
    let explanation = format!(
        "{} that ops read from and wrote to device memory ÷ (peak bandwidth × busy time); ops with known \
         bytes take {} of the work time.",
        format::bytes(bytes),
        format::percent(coverage)
    );
    (Some(bytes / capacity), explanation)
}

/// Unless steps are selected, ops count from the first to the last event, so the busy time must too.
fn busy_in_selection(facts: &Facts<'_>, device: &DeviceBusy) -> f64 {
    if !facts.selected.is_all_time() {
        return device.busy_ps as f64;
    }

    let id = stepscope_model::DeviceId(device.device_index);
    let windows = facts.selected.windows(id);
    let work = AllWork::of(facts.session);
    work.within(facts.session, id, &windows).duration().0 as f64
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
        is_enough,
        explanation: format!(
            "Theoretical occupancy by time, over {share} of matrix products, attention, compute-bound \
             ops{reach}."
        ),
    })
}

fn occupancy_figure(facts: &Facts<'_>) -> Figure {
    match occupancy(facts.session, facts.ops.rows.iter(), facts.totals) {
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

fn dominant_op(facts: &Facts<'_>) -> Figure {
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
