//! Assembling: decoded tracks become a session.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;
use stepscope_xplane::Space;

use super::HostInput;
use super::build::{BuiltTrack, build_track, counter_tracks};
use super::decode::{ClockChoice, LineInput, TextKey};
use super::environment::{facts, profile_epoch};
use super::flows::{PlacedEnd, join};
use super::labels::Labels;
use super::plan::{Plan, TrackPlan, plan};
use super::programs::decode_programs;
use super::runs::{gpu_runs, recorded_runs};
use super::steps::{Evidence, HostStep, mark_annotations, steps};
use super::warn::Warnings;
use crate::flow::Flows;
use crate::ids::{DeviceId, HostId, LabelId, TrackId};
use crate::label::{Class, Label, SliceKind};
use crate::session::{Aggregate, Device, DeviceKind, Host, ProgramRun, Session};
use crate::track::{Origin, Track, TrackRole};
use crate::units::Picos;
use crate::vendor::chips::{Capabilities, chip};

/// Builds the session. `spaces` are the scanned files of `inputs`, in the same order.
pub(super) fn assemble(name: &str, inputs: &[HostInput], spaces: &[Space<'_>]) -> Session {
    let mut plan = plan(spaces);
    let clocks = Clocks::of(spaces);
    let (built, programs) = rayon::join(
        || build_tracks(&plan, &clocks, spaces),
        || decode_programs(spaces),
    );
    let mut warnings = Warnings::default();
    warnings.files(inputs, spaces, &plan);
    warnings.tracks(inputs, spaces, &plan.tracks, &built);

    let mut labels = Labels::new(programs);
    warnings.programs(&labels.programs);
    let cpu_devices = add_cpu_devices(&mut plan, &built, inputs.len());
    let event_counts = event_counts(&built, &plan.tracks, inputs.len());
    let mut parts = Parts::default();
    for (track, built) in plan.tracks.iter().zip(built) {
        parts.add(track, built, spaces, &plan, &cpu_devices, &mut labels);
    }
    warnings.nameless(labels.nameless);
    let mut session = Session {
        name: name.to_owned(),
        epoch_ns: clocks.session_epoch_ns,
        hosts: hosts(inputs, spaces, &clocks, &event_counts),
        devices: plan.devices,
        tracks: Vec::new(),
        labels: labels.labels,
        strings: labels.strings,
        programs: labels.programs.all,
        ops: labels.ops,
        launches: labels.launches,
        program_runs: Vec::new(),
        steps: Vec::new(),
        step_origin: None,
        flows: Flows::default(),
        aggregates: parts.aggregates,
        warnings: Vec::new(),
    };
    finish(&mut session, parts.tracks, parts.cpu_runs, &mut warnings);
    session.warnings = warnings.into_sorted();
    session
}

/// Where each host's time lies in the session's.
struct Clocks {
    session_epoch_ns: Option<u64>,
    /// Session time of each host's time 0.
    offsets: Vec<Picos>,
    /// What to subtract from line timestamps that were not normalised when saved.
    epochs: Vec<Option<i64>>,
    profile_epochs: Vec<Option<(u64, u64)>>,
}

/// Timestamps past 11 days are nanoseconds since the epoch, not since the profile's start.
const EPOCH_THRESHOLD_NS: i64 = 1_000_000_000_000_000;

impl Clocks {
    fn of(spaces: &[Space<'_>]) -> Self {
        let profile_epochs: Vec<_> = spaces.iter().map(profile_epoch).collect();
        let session_epoch_ns = profile_epochs.iter().flatten().map(|epoch| epoch.0).min();
        let offset = |epoch: &Option<(u64, u64)>| {
            let nanos = epoch
                .zip(session_epoch_ns)
                .map_or(0, |(own, first)| own.0 - first);
            Picos::from_nanos(i64::try_from(nanos).unwrap_or(i64::MAX))
        };
        let epochs = spaces.iter().zip(&profile_epochs).map(|(space, epoch)| {
            let lines = space.planes.iter().flat_map(|plane| &plane.lines);
            let first = lines
                .map(|line| line.timestamp_ns)
                .filter(|&ns| ns > EPOCH_THRESHOLD_NS)
                .min()?;
            let start = epoch
                .and_then(|epoch| i64::try_from(epoch.0).ok())
                .filter(|&ns| ns <= first);
            Some(start.unwrap_or(first))
        });
        let epochs = epochs.collect();
        let offsets = profile_epochs.iter().map(offset).collect();
        Self {
            session_epoch_ns,
            offsets,
            epochs,
            profile_epochs,
        }
    }

    /// Session time at which the offsets of a line are 0.
    fn base_ps(&self, host: HostId, timestamp_ns: i64) -> i64 {
        let epoch = self.epochs[host.index()].filter(|_| timestamp_ns > EPOCH_THRESHOLD_NS);
        let own = Picos::from_nanos(timestamp_ns.saturating_sub(epoch.unwrap_or(0)));
        (self.offsets[host.index()] + own).0
    }
}

fn build_tracks(plan: &Plan, clocks: &Clocks, spaces: &[Space<'_>]) -> Vec<BuiltTrack> {
    let muted: Vec<Vec<Vec<bool>>> = spaces.iter().map(muted_metadata).collect();
    // Long tracks first, so that the last one to finish is short.
    let mut order: Vec<usize> = (0..plan.tracks.len()).collect();
    let bytes = |track: &TrackPlan| -> usize {
        let planes = &spaces[track.host.index()].planes;
        track
            .lines
            .iter()
            .map(|&(p, l)| planes[p as usize].lines[l as usize].byte_len())
            .sum()
    };
    order.sort_by_key(|&position| std::cmp::Reverse(bytes(&plan.tracks[position])));
    let mut built: Vec<(usize, BuiltTrack)> = order
        .into_par_iter()
        .with_max_len(1)
        .map(|position| {
            let track = &plan.tracks[position];
            let host = track.host.index();
            let lines: Vec<LineInput<'_>> = track
                .lines
                .iter()
                .map(|&(plane, line)| {
                    let found = &spaces[host].planes[plane as usize].lines[line as usize];
                    LineInput {
                        plane,
                        line_position: line,
                        line: found,
                        roles: &plan.stat_roles[host][plane as usize],
                        muted: &muted[host][plane as usize],
                        base_ps: clocks.base_ps(track.host, found.timestamp_ns),
                    }
                })
                .collect();
            let clock = match track.role {
                TrackRole::Ops | TrackRole::Steps => ClockChoice::DeviceWhereRecorded,
                _ => ClockChoice::Host,
            };
            let is_host = track.device.is_none();
            (
                position,
                build_track(&lines, clock, is_host, plan.has_accelerator[host]),
            )
        })
        .collect();
    built.sort_by_key(|(position, _)| *position);
    built.into_iter().map(|(_, track)| track).collect()
}

/// Events whose arrows are of no interest: the end markers of XLA:CPU's thunks.
fn muted_metadata(space: &Space<'_>) -> Vec<Vec<bool>> {
    const LARGEST_ID: i64 = 1 << 20;
    let plane_muted = |plane: &stepscope_xplane::Plane<'_>| {
        let mut muted = Vec::new();
        let markers = plane
            .event_metadata
            .iter()
            .filter(|entry| entry.name.starts_with(b"end: "));
        for entry in markers.filter(|entry| (0..LARGEST_ID).contains(&entry.id)) {
            let slot = usize::try_from(entry.id).unwrap_or_default();
            if muted.len() <= slot {
                muted.resize(slot + 1, false);
            }
            muted[slot] = true;
        }
        muted
    };
    space.planes.iter().map(plane_muted).collect()
}

/// One device per `device_ordinal` of XLA:CPU ops; devices are put in order of host again.
fn add_cpu_devices(
    plan: &mut Plan,
    built: &[BuiltTrack],
    host_count: usize,
) -> BTreeMap<(HostId, i64), DeviceId> {
    let mut ordinals: Vec<(HostId, i64)> = Vec::new();
    for (track, built) in plan.tracks.iter().zip(built) {
        ordinals.extend(built.ordinals().map(|ordinal| (track.host, ordinal)));
    }
    ordinals.sort_unstable();
    ordinals.dedup();
    let mut devices: Vec<Device> = Vec::new();
    let mut moved: Vec<DeviceId> = vec![DeviceId(0); plan.devices.len()];
    let mut cpu_devices = BTreeMap::new();
    for host in (0..host_count).map(HostId::from_index) {
        for (position, device) in plan
            .devices
            .iter()
            .enumerate()
            .filter(|(_, d)| d.host == host)
        {
            moved[position] = DeviceId::from_index(devices.len());
            devices.push(device.clone());
        }
        for &(_, ordinal) in ordinals.iter().filter(|key| key.0 == host) {
            cpu_devices.insert((host, ordinal), DeviceId::from_index(devices.len()));
            let chip = chip(DeviceKind::Cpu, &Capabilities::default());
            let name = format!("CPU:{ordinal}");
            devices.push(Device {
                host,
                ordinal,
                name,
                kind: DeviceKind::Cpu,
                chip,
            });
        }
    }
    for track in &mut plan.tracks {
        track.device = track.device.map(|device| moved[device.index()]);
    }
    plan.devices = devices;
    cpu_devices
}

fn event_counts(built: &[BuiltTrack], plans: &[TrackPlan], hosts: usize) -> Vec<u64> {
    let mut counts = vec![0; hosts];
    for (track, built) in plans.iter().zip(built) {
        counts[track.host.index()] += built.decoded.event_count;
    }
    counts
}

fn hosts(
    inputs: &[HostInput],
    spaces: &[Space<'_>],
    clocks: &Clocks,
    event_counts: &[u64],
) -> Vec<Host> {
    inputs
        .iter()
        .zip(spaces)
        .enumerate()
        .map(|(position, (input, space))| Host {
            name: input.host.clone(),
            bytes: Arc::clone(&input.bytes),
            offset: clocks.offsets[position],
            profile_epoch_ns: clocks.profile_epochs[position],
            facts: facts(space),
            event_count: event_counts[position],
        })
        .collect()
}

/// A track with what has to be joined once all tracks have their places.
struct PlacedTrack {
    track: Track,
    ends: Vec<(super::decode::EndpointKey, u32, u32)>,
    run_ids: Vec<(u32, i64, i64)>,
    annotations: Vec<super::decode::Annotation>,
}

/// Tracks and what else decoding yielded, with labels resolved.
#[derive(Default)]
struct Parts {
    tracks: Vec<PlacedTrack>,
    cpu_runs: Vec<ProgramRun>,
    aggregates: Vec<Aggregate>,
}

impl Parts {
    fn add(
        &mut self,
        plan: &TrackPlan,
        mut built: BuiltTrack,
        spaces: &[Space<'_>],
        whole: &Plan,
        cpu_devices: &BTreeMap<(HostId, i64), DeviceId>,
        labels: &mut Labels,
    ) {
        let space = &spaces[plan.host.index()];
        let has_accelerator = whole.has_accelerator[plan.host.index()];
        let ids = built.resolve_labels(space, plan, has_accelerator, labels);
        let origin = Origin {
            lines: std::mem::take(&mut built.decoded.origins),
        };
        let name = labels.strings.intern(&plan.name);
        for piece in std::mem::take(&mut built.pieces) {
            let device = match piece.ordinal {
                Some(ordinal) => cpu_devices.get(&(plan.host, ordinal)).copied(),
                None => plan.device,
            };
            let role = if piece.ordinal.is_some() {
                TrackRole::Ops
            } else {
                plan.role
            };
            let mut lanes = piece.nested.lanes;
            for lane in &mut lanes {
                lane.labels
                    .iter_mut()
                    .for_each(|label| *label = ids[label.index()]);
            }
            let is_first = piece.ordinal.is_none();
            self.tracks.push(PlacedTrack {
                track: Track {
                    name,
                    host: plan.host,
                    device,
                    role,
                    line_id: plan.line_id,
                    lanes,
                    nests: piece.nested.nests,
                    samples: None,
                    origin: origin.clone(),
                },
                ends: if is_first {
                    std::mem::take(&mut built.ends)
                } else {
                    Vec::new()
                },
                run_ids: if is_first {
                    std::mem::take(&mut built.decoded.run_ids)
                } else {
                    Vec::new()
                },
                annotations: if is_first {
                    std::mem::take(&mut built.decoded.annotations)
                } else {
                    Vec::new()
                },
            });
        }
        for track in counter_tracks(space, plan, &built.decoded, &mut labels.strings) {
            self.tracks.push(PlacedTrack {
                track,
                ends: Vec::new(),
                run_ids: Vec::new(),
                annotations: Vec::new(),
            });
        }
        self.aggregates
            .extend(built.decoded.aggregates.iter().map(|part| Aggregate {
                label: ids[part.label as usize],
                device: plan.device,
                occurrences: part.occurrences,
                duration: Picos(part.duration_ps),
            }));
        self.cpu_runs(plan, &built, space, cpu_devices, labels);
    }

    fn cpu_runs(
        &mut self,
        plan: &TrackPlan,
        built: &BuiltTrack,
        space: &Space<'_>,
        cpu_devices: &BTreeMap<(HostId, i64), DeviceId>,
        labels: &mut Labels,
    ) {
        let mut runs: Vec<_> = built.decoded.runs.iter().collect();
        runs.sort_unstable();
        for (key, &span) in runs {
            let ordinal = key.ordinal.unwrap_or(0);
            let Some(&device) = cpu_devices.get(&(plan.host, ordinal)) else {
                continue;
            };
            let plane = &space.planes[key.module.plane as usize];
            let module = match key.module.key() {
                TextKey::None => None,
                TextKey::Ref(id) => plane
                    .stat_metadata
                    .get(id.cast_signed())
                    .map(|found| found.name),
                TextKey::Inline(number) => built
                    .decoded
                    .inline_texts
                    .get(number as usize)
                    .map(Vec::as_slice),
            };
            let module = stepscope_xplane::lossy(module.unwrap_or_default());
            let program = labels
                .programs
                .find_or_add(Some(key.program.cast_unsigned()), &module);
            let run_id = Some(key.run_id);
            self.cpu_runs.push(ProgramRun {
                program,
                device,
                run_id,
                span,
                launched: None,
            });
        }
    }
}

/// Puts tracks in order, joins arrows, finds runs and steps.
fn finish(
    session: &mut Session,
    mut placed: Vec<PlacedTrack>,
    cpu_runs: Vec<ProgramRun>,
    warnings: &mut Warnings,
) {
    placed.retain(|placed| placed.track.slice_count() > 0 || placed.track.samples.is_some());
    placed.sort_by_cached_key(|placed| display_key(session, &placed.track));
    let mut ends = Vec::new();
    let mut run_ids: BTreeMap<(TrackId, u32), i64> = BTreeMap::new();
    let mut launches: BTreeMap<(HostId, i64), Picos> = BTreeMap::new();
    let mut annotations = Vec::new();
    for (position, placed) in placed.iter_mut().enumerate() {
        let (id, host) = (TrackId::from_index(position), placed.track.host);
        let on_device = placed.track.device.is_some();
        ends.extend(
            std::mem::take(&mut placed.ends)
                .into_iter()
                .map(|(key, lane, index)| {
                    let slice = crate::ids::SliceId {
                        track: id,
                        lane,
                        index,
                    };
                    PlacedEnd {
                        host,
                        key,
                        on_device,
                        slice,
                    }
                }),
        );
        for (event, run_id, start) in std::mem::take(&mut placed.run_ids) {
            if on_device {
                run_ids.insert((id, event), run_id);
            } else {
                let first = launches.entry((host, run_id)).or_insert(Picos(start));
                *first = (*first).min(Picos(start));
            }
        }
        let own = std::mem::take(&mut placed.annotations).into_iter();
        annotations.extend(own.map(|step| HostStep {
            host,
            span: step.span,
            number: step.number,
        }));
    }
    session.tracks = placed.into_iter().map(|placed| placed.track).collect();
    mark_annotations(&session.tracks, &mut session.labels, &annotations);
    session.flows = Flows::new(join(ends));

    let mut runs = recorded_runs(&session.tracks, &session.labels, |track, event| {
        run_ids.get(&(track, event)).copied()
    });
    runs.extend(merged(cpu_runs));
    let (gpu, attributed) = gpu_runs(
        &mut session.tracks,
        &session.devices,
        &session.flows,
        &mut session.labels,
    );
    runs.extend(gpu);
    warnings.attributed(attributed);
    for run in &mut runs {
        let host = session.devices[run.device.index()].host;
        let launched = run.run_id.and_then(|id| launches.get(&(host, id)).copied());
        run.launched = run
            .launched
            .or(launched.filter(|&launched| launched <= run.span.start));
    }
    runs.sort_unstable_by_key(|run| (run.span, run.device, run.program));
    session.program_runs = runs;
    add_program_tracks(session);
    (session.steps, session.step_origin) = steps(&Evidence {
        tracks: &session.tracks,
        labels: &session.labels,
        strings: &session.strings,
        devices: &session.devices,
        runs: &session.program_runs,
        annotations,
    });
}

/// One run may have left ops on several threads.
fn merged(mut runs: Vec<ProgramRun>) -> Vec<ProgramRun> {
    runs.sort_unstable_by_key(|run| (run.device, run.program, run.run_id, run.span));
    let mut merged: Vec<ProgramRun> = Vec::new();
    for run in runs {
        match merged.last_mut() {
            Some(last)
                if (last.device, last.program, last.run_id)
                    == (run.device, run.program, run.run_id) =>
            {
                last.span = last.span.hull(run.span);
            }
            _ => merged.push(run),
        }
    }
    merged
}

/// Devices first, then host threads, host by host; Python first among threads.
fn display_key(session: &Session, track: &Track) -> impl Ord + use<> {
    let name = session.strings.get(track.name);
    let is_python = track.role == TrackRole::Python;
    (
        track.host,
        track.device.is_none(),
        track.device,
        !is_python,
        track.role,
        natural_key(name),
        track.line_id,
    )
}

/// Digits compare as numbers: `Stream #9` before `Stream #10`.
fn natural_key(name: &str) -> Vec<(String, u64)> {
    let mut parts = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let text = rest.len() - rest.trim_start_matches(|c: char| !c.is_ascii_digit()).len();
        let (word, tail) = rest.split_at(text);
        let digits = tail.len() - tail.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, tail) = tail.split_at(digits);
        parts.push((word.to_owned(), number.parse().unwrap_or(u64::MAX)));
        rest = tail;
    }
    parts
}

/// Gives devices without a recorded row of program runs one that is drawn from the runs found.
fn add_program_tracks(session: &mut Session) {
    let has_row = |device: DeviceId| {
        let mut tracks = session.tracks.iter();
        tracks.any(|track| track.device == Some(device) && track.role == TrackRole::Programs)
    };
    let missing: Vec<DeviceId> = session
        .device_ids()
        .filter(|&device| !has_row(device))
        .collect();
    if missing.is_empty() || session.program_runs.is_empty() {
        return;
    }
    let name = session.strings.intern("Program runs");
    let mut rows = Vec::new();
    for device in missing {
        let mut columns = super::decode::Columns::default();
        let runs: Vec<ProgramRun> = session
            .program_runs
            .iter()
            .filter(|run| run.device == device)
            .copied()
            .collect();
        for run in &runs {
            let title = session.programs[run.program.index()].title();
            let title = session.strings.intern(&title);
            let label = program_label(&mut session.labels, title, run);
            columns.starts.push(run.span.start.0);
            columns.durations.push(run.span.duration().0);
            columns.labels.push(label.0);
            columns.events.push(u32::MAX);
        }
        if runs.is_empty() {
            continue;
        }
        let nested = super::nest::nest(&mut columns);
        let host = session.devices[device.index()].host;
        rows.push(Track {
            name,
            host,
            device: Some(device),
            role: TrackRole::Programs,
            line_id: 0,
            lanes: nested.lanes,
            nests: nested.nests,
            samples: None,
            origin: Origin::default(),
        });
    }
    insert_tracks(session, rows);
}

fn program_label(labels: &mut Vec<Label>, name: crate::ids::StringId, run: &ProgramRun) -> LabelId {
    let label = Label {
        name,
        kind: SliceKind::ProgramRun,
        class: Class::Program,
        op: None,
        program: Some(run.program),
        launch: None,
        transfer: None,
        framework_op: None,
    };
    let found = labels.iter().rposition(|other| *other == label);
    LabelId::from_index(found.unwrap_or_else(|| {
        labels.push(label);
        labels.len() - 1
    }))
}

/// Inserts rows at their places and moves the ids that point at tracks.
fn insert_tracks(session: &mut Session, rows: Vec<Track>) {
    let old_count = session.tracks.len();
    let mut all: Vec<(Option<usize>, Track)> = std::mem::take(&mut session.tracks)
        .into_iter()
        .enumerate()
        .map(|(i, t)| (Some(i), t))
        .collect();
    all.extend(rows.into_iter().map(|row| (None, row)));
    all.sort_by_cached_key(|(_, track)| display_key(session, track));
    let mut moved = vec![TrackId(0); old_count];
    for (position, (old, _)) in all.iter().enumerate() {
        if let Some(old) = old {
            moved[*old] = TrackId::from_index(position);
        }
    }
    session.tracks = all.into_iter().map(|(_, track)| track).collect();
    let flows = session.flows.all().iter().map(|flow| {
        let mut flow = *flow;
        flow.from.track = moved[flow.from.track.index()];
        flow.to.track = moved[flow.to.track.index()];
        flow
    });
    session.flows = Flows::new(flows.collect());
}

#[cfg(test)]
mod tests {
    use super::natural_key;

    #[test]
    fn digits_sort_as_numbers() {
        assert!(natural_key("Stream #9(Kernel)") < natural_key("Stream #10(Kernel)"));
        assert!(natural_key("a") < natural_key("b1"));
    }
}
