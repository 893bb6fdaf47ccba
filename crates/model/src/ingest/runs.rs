//! Program runs: recorded on TPU, assembled from ops on XLA:CPU and from launches on GPU.

use std::collections::BTreeMap;

use super::directions::direct;
use crate::flow::{FlowKind, HostFlows};
use crate::ids::{DeviceId, HostId, LabelId, ProgramId, SliceId, TrackId};
use crate::label::{Label, SliceKind};
use crate::session::{Device, ProgramRun};
use crate::strings::Strings;
use crate::track::{Track, TrackRole, relabel};
use crate::units::{Picos, Span};

/// Recorded runs: the slices of the device's program rows.
pub(super) fn recorded_runs(
    tracks: &[Track],
    labels: &[Label],
    run_id: impl Fn(TrackId, u32) -> Option<i64>,
) -> Vec<ProgramRun> {
    let mut runs = Vec::new();
    for (position, track) in tracks.iter().enumerate() {
        let (TrackRole::Programs, Some(device)) = (track.role, track.device) else {
            continue;
        };
        let id = TrackId::from_index(position);
        for lane in &track.lanes {
            for index in 0..lane.len() {
                let Some(program) = labels[lane.labels()[index].index()].program else {
                    continue;
                };
                let run_id = run_id(id, lane.events()[index]);
                runs.push(ProgramRun {
                    program,
                    device,
                    run_id,
                    span: lane.span(index),
                    launched: None,
                    launched_on: None,
                    is_by_order: false,
                });
            }
        }
    }
    runs
}

/// The runs of each device, in order.
pub(super) fn runs_by_device(runs: &[ProgramRun], device_count: usize) -> Vec<Vec<ProgramRun>> {
    let mut by_device = vec![Vec::new(); device_count];
    for run in runs {
        by_device[run.device.index()].push(*run);
    }
    by_device
}

/// What launched a kernel: the outermost host slice around the launch that names a program.
#[derive(Clone, Copy)]
struct Launcher {
    slice: SliceId,
    program: Option<ProgramId>,
    start: Picos,
}

/// What is known of the kernels on the GPUs of one host.
#[derive(Default)]
pub(super) struct GpuRuns {
    pub(super) runs: Vec<ProgramRun>,
    pub(super) foreign: Vec<ForeignWork>,
    /// Number of kernels that got the program of the slice that launched them.
    pub(super) attributed: usize,
}

/// Runs on some GPUs of one host. A run is the kernels whose launches are in one host slice that names
/// the program. If no such slice was recorded, it is a sequence of kernels of one program in which no
/// op returns to the first one; it was launched when its first kernel was. `flows` are the host's
/// arrows, and `graph_launch` gives the launch of a graph that an event is part of. Kernels that name
/// no op get the program of the slice that launched them, and copies the direction of their launch.
pub(super) fn gpu_runs(
    tracks: &mut [Track],
    gpus: &[(DeviceId, Vec<usize>)],
    flows: &HostFlows,
    (labels, strings): (&mut Vec<Label>, &Strings),
    graph_launch: impl Fn(TrackId, u32) -> Option<u64>,
) -> GpuRuns {
    let mut found = GpuRuns::default();
    for (id, streams) in gpus {
        direct(tracks, labels, strings, flows, streams);
        let mut kernels = launched_kernels(tracks, labels, flows, &graph_launch, streams);
        found.attributed += attribute(tracks, labels, &mut kernels);
        kernels.sort_unstable_by_key(|kernel| (kernel.span, kernel.slice));
        let runs = group_into_runs(&kernels, *id);
        if runs.is_empty() {
            let foreign = kernels.iter().filter_map(|kernel| kernel.foreign_work(*id));
            found.foreign.extend(foreign);
        }
        found.runs.extend(runs);
    }
    found
}

/// The GPUs of each host that has some, with the positions of their streams.
pub(super) fn gpus_by_host(
    tracks: &[Track],
    devices: &[Device],
) -> BTreeMap<HostId, Vec<(DeviceId, Vec<usize>)>> {
    let mut streams: BTreeMap<DeviceId, Vec<usize>> = BTreeMap::new();
    for (position, track) in tracks.iter().enumerate() {
        if let (Some(device), TrackRole::Stream) = (track.device, track.role) {
            streams.entry(device).or_default().push(position);
        }
    }
    let mut found: BTreeMap<HostId, Vec<_>> = BTreeMap::new();
    for (position, device) in devices.iter().enumerate() {
        if device.kind.is_gpu() {
            let id = DeviceId::from_index(position);
            let own = (id, streams.remove(&id).unwrap_or_default());
            found.entry(device.host).or_default().push(own);
        }
    }
    found
}

struct LaunchedKernel {
    slice: SliceId,
    span: Span,
    label: LabelId,
    program: Option<ProgramId>,
    launcher: Option<Launcher>,
    /// The call that launched it, by correlation ID, and its thread.
    launch: Option<(Picos, TrackId)>,
    /// The launch of the graph that it is part of, by correlation ID.
    graph_launch: Option<u64>,
}

impl LaunchedKernel {
    fn foreign_work(&self, device: DeviceId) -> Option<ForeignWork> {
        let (launched, _) = self.launch?;
        Some(ForeignWork {
            device,
            launched,
            span: self.span,
        })
    }
}

/// Work of a device on which no known program is running, such as PyTorch's kernels.
#[derive(Debug, Clone, Copy)]
pub(super) struct ForeignWork {
    pub(super) device: DeviceId,
    /// When its launch started on the host.
    pub(super) launched: Picos,
    pub(super) span: Span,
}

fn launched_kernels(
    tracks: &[Track],
    labels: &[Label],
    flows: &HostFlows,
    graph_launch: &impl Fn(TrackId, u32) -> Option<u64>,
    streams: &[usize],
) -> Vec<LaunchedKernel> {
    let mut kernels = Vec::new();
    for &position in streams {
        for (lane_number, lane) in tracks[position].lanes.iter().enumerate() {
            for index in 0..lane.len() {
                let slice = slice_id(position, lane_number, index);
                let label = lane.labels()[index];
                let launch = flows
                    .to_slice(slice)
                    .find(|flow| flow.kind == FlowKind::Launch);
                kernels.push(LaunchedKernel {
                    slice,
                    span: lane.span(index),
                    label,
                    program: labels[label.index()].program,
                    launcher: launch.and_then(|flow| launcher(tracks, labels, flow.from)),
                    launch: launch.and_then(|flow| start_of(tracks, flow.from)),
                    graph_launch: graph_launch(slice.track, lane.events()[index]),
                });
            }
        }
    }
    kernels
}

fn start_of(tracks: &[Track], slice: SliceId) -> Option<(Picos, TrackId)> {
    let lane = tracks
        .get(slice.track.index())?
        .lanes
        .get(slice.lane as usize)?;
    let start = *lane.starts().get(slice.index as usize)?;
    Some((Picos(start), slice.track))
}

/// The outermost slice that names a program while a launch starts, on its thread.
fn launcher(tracks: &[Track], labels: &[Label], launch: SliceId) -> Option<Launcher> {
    let track = &tracks[launch.track.index()];
    let (start, _) = start_of(tracks, launch)?;
    let mut around = track.running_at(start);
    around.find_map(|(lane, index)| {
        let slices = &track.lanes[lane as usize];
        let label = &labels[slices.labels()[index as usize].index()];
        let is_launch_itself = (lane, index) == (launch.lane, launch.index);
        if label.program.is_none() || is_launch_itself {
            return None;
        }
        Some(Launcher {
            slice: SliceId {
                track: launch.track,
                lane,
                index,
            },
            program: label.program,
            start: slices.span(index as usize).start,
        })
    })
}

/// Assigns kernels without a program to the program of their launcher, using labels that differ
/// only in it.
fn attribute(
    tracks: &mut [Track],
    labels: &mut Vec<Label>,
    kernels: &mut [LaunchedKernel],
) -> usize {
    let mut with_program: BTreeMap<(LabelId, ProgramId), LabelId> = BTreeMap::new();
    let mut changed: BTreeMap<(TrackId, u32), Vec<(u32, LabelId)>> = BTreeMap::new();
    let mut attributed = 0;
    for kernel in kernels {
        let Some(program) = kernel.launcher.and_then(|launcher| launcher.program) else {
            continue;
        };
        if kernel.program.is_some() || labels[kernel.label.index()].kind == SliceKind::Transfer {
            continue;
        }
        let label = *with_program
            .entry((kernel.label, program))
            .or_insert_with(|| {
                let mut label = labels[kernel.label.index()].clone();
                label.program = Some(program);
                labels.push(label);
                LabelId::from_index(labels.len() - 1)
            });
        kernel.program = Some(program);
        let of_lane = changed.entry((kernel.slice.track, kernel.slice.lane));
        of_lane.or_default().push((kernel.slice.index, label));
        attributed += 1;
    }
    relabel(tracks, changed);
    attributed
}

/// Kernels are in start order.
fn group_into_runs(kernels: &[LaunchedKernel], device: DeviceId) -> Vec<ProgramRun> {
    let launchers = launchers(kernels);
    let mut by_launcher: BTreeMap<SliceId, ProgramRun> = BTreeMap::new();
    let mut unlaunched: Vec<&LaunchedKernel> = Vec::new();
    for (kernel, launcher) in kernels.iter().zip(launchers) {
        let Some(launcher) = launcher else {
            unlaunched.push(kernel);
            continue;
        };
        let Some(program) = launcher.program.or(kernel.program) else {
            continue;
        };
        let run = by_launcher.entry(launcher.slice).or_insert(ProgramRun {
            program,
            device,
            run_id: None,
            span: kernel.span,
            launched: Some(launcher.start),
            launched_on: Some(launcher.slice.track),
            is_by_order: false,
        });
        run.span = run.span.hull(kernel.span);
    }
    let mut runs = by_order(&unlaunched, device);
    runs.extend(by_launcher.into_values());
    runs
}

/// What launched each kernel. If that was not recorded, it is what launched the kernel of the same
/// program before or after it on its stream, whichever is closer.
fn launchers(kernels: &[LaunchedKernel]) -> Vec<Option<Launcher>> {
    let mut launchers: Vec<Option<Launcher>> =
        kernels.iter().map(|kernel| kernel.launcher).collect();
    let mut streams: BTreeMap<TrackId, Vec<usize>> = BTreeMap::new();
    for (position, kernel) in kernels.iter().enumerate() {
        streams
            .entry(kernel.slice.track)
            .or_default()
            .push(position);
    }
    for stream in streams.values() {
        let mut before = None;
        let befores: Vec<Option<usize>> = stream
            .iter()
            .map(|&at| {
                before = kernels[at].launcher.map(|_| at).or(before);
                before
            })
            .collect();
        let mut after = None;
        for (&at, before) in stream.iter().zip(befores).rev() {
            let kernel = &kernels[at];
            after = kernel.launcher.map(|_| at).or(after);
            // At the ends of a capture, it may be of a run whose launch is not in it.
            let Some((before, after)) = before.zip(after).filter(|_| kernel.launcher.is_none())
            else {
                continue;
            };
            let is_of = |at: usize| {
                let launcher = kernels[at].launcher;
                launcher.is_some_and(|launcher| launcher.program == kernel.program)
            };
            if kernel.program.is_some() && is_of(before) && is_of(after) {
                let since = kernel.span.start.0 - kernels[before].span.end.0;
                let until = kernels[after].span.start.0 - kernel.span.end.0;
                let nearer = if since <= until { before } else { after };
                launchers[at] = kernels[nearer].launcher;
            }
        }
    }
    launchers
}

/// Runs of kernels whose launches were not recorded at all: a run ends where its first kernel
/// returns. The kernels of one launch of a graph are of one run, and only the first one counts.
fn by_order(kernels: &[&LaunchedKernel], device: DeviceId) -> Vec<ProgramRun> {
    let mut runs: Vec<ProgramRun> = Vec::new();
    let mut open: Option<(ProgramRun, LabelId)> = None;
    let mut graph_launch = None;
    for kernel in kernels {
        let Some(program) = kernel.program else {
            continue;
        };
        let is_same_launch = kernel.graph_launch.is_some() && kernel.graph_launch == graph_launch;
        graph_launch = kernel.graph_launch;
        match &mut open {
            Some((run, first))
                if run.program == program && (is_same_launch || *first != kernel.label) =>
            {
                run.span = run.span.hull(kernel.span);
            }
            _ => {
                runs.extend(open.take().map(|(run, _)| run));
                let run = ProgramRun {
                    program,
                    device,
                    run_id: None,
                    span: kernel.span,
                    launched: kernel.launch.map(|(start, _)| start),
                    launched_on: kernel.launch.map(|(_, thread)| thread),
                    is_by_order: false,
                };
                open = Some((run, kernel.label));
            }
        }
    }
    runs.extend(open.map(|(run, _)| run));
    runs
}

fn slice_id(track: usize, lane: usize, index: usize) -> SliceId {
    SliceId {
        track: TrackId::from_index(track),
        lane: u32::try_from(lane).unwrap_or(u32::MAX),
        index: u32::try_from(index).unwrap_or(u32::MAX),
    }
}
