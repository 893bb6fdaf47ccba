//! What devices ran because of which instant on which thread.
//!
//! ```text
//! thread   ▐█ forward_pass ████████▌      every region that is open when a call begins gets the
//!             ▐launch▌ ▐launch▌           time of all that the call started, whenever it ran
//! stream          ▐███▌▐█████▌
//! ```
//!
//! | Devices | What was started | By which call |
//! |---|---|---|
//! | GPU, where calls are recorded on threads with regions | kernels and copies, their durations | the same correlation id |
//! | all others | program runs, the device's busy time within | the same run id; else, where a host called a function exactly as often as a device ran its program, the calls and runs in their order |
//!
//! Work that no call on such a thread is found for stays unplaced, and is told.

use std::collections::BTreeMap;

use stepscope_model::host_names::{dispatched_function, module_function};
use stepscope_model::{
    DeviceId, FlowKind, HostId, Lane, ProgramRun, Session, SliceId, Span, TrackId,
};

use crate::activity::host_tracks;
use crate::selection::Selected;
use crate::work::{AllWork, work_labels};

/// Work that a call started: when the call began, and the device time of the work.
pub(super) type Launch = (i64, i64);

/// All launches.
pub(super) struct Launches {
    /// By track, in order of time.
    of_track: Vec<Vec<Launch>>,
    /// By host.
    pub(super) hosts: Vec<Placed>,
    /// Devices whose runs were matched with calls by their order, of any host.
    pub(super) in_order: Vec<DeviceId>,
    /// Threads that launched device work and have no regions.
    pub(super) bare_threads: Vec<TrackId>,
}

/// How much of the device work of a host was found to be started on threads with regions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Placed {
    pub(super) total_ps: i64,
    pub(super) placed_ps: i64,
}

impl Placed {
    /// So much is placed that a region which started nothing can be said to have started nothing.
    pub(super) const fn is_whole(self) -> bool {
        self.total_ps > 0 && self.placed_ps.saturating_mul(100) >= self.total_ps.saturating_mul(99)
    }

    pub(super) const fn plus(self, other: Self) -> Self {
        Self {
            total_ps: self.total_ps.saturating_add(other.total_ps),
            placed_ps: self.placed_ps.saturating_add(other.placed_ps),
        }
    }
}

impl Launches {
    /// Of the selected devices and programs. `has_regions` says of each track whether the program
    /// opened regions on it.
    pub(super) fn of(session: &Session, selected: &Selected<'_>, has_regions: &[bool]) -> Self {
        let mut launches = Self {
            of_track: vec![Vec::new(); session.tracks.len()],
            hosts: vec![Placed::default(); session.hosts.len()],
            in_order: Vec::new(),
            bare_threads: Vec::new(),
        };
        let by_call = launches.kernels(session, selected, has_regions);
        let others = selected.devices.iter().copied();
        let others: Vec<DeviceId> = others.filter(|device| !by_call.contains(device)).collect();
        launches.runs(session, selected, &others, has_regions);
        for of_track in &mut launches.of_track {
            of_track.sort_unstable();
        }
        launches.bare_threads.sort_unstable();
        launches.bare_threads.dedup();
        launches
    }

    /// Those of a track.
    pub(super) fn on(&self, track: TrackId) -> &[Launch] {
        &self.of_track[track.index()]
    }

    fn add(&mut self, track: TrackId, instant: i64, work_ps: i64) {
        self.of_track[track.index()].push((instant, work_ps));
    }

    /// Kernels and copies by the calls with their numbers. Gives the devices that this places
    /// anything of; arrows are not even joined where there is no GPU.
    fn kernels(
        &mut self,
        session: &Session,
        selected: &Selected<'_>,
        has_regions: &[bool],
    ) -> Vec<DeviceId> {
        let devices = selected.devices.iter().copied();
        let gpus: Vec<DeviceId> = devices
            .filter(|&device| session.device(device).kind.is_gpu())
            .collect();
        if gpus.is_empty() {
            return Vec::new();
        }
        let is_work = work_labels(session);
        let counts = |lane: &Lane, index: usize| {
            let label = lane.labels()[index];
            is_work[label.index()] && selected.has_program(session.label(label).program)
        };
        let mut of_device: BTreeMap<DeviceId, Vec<(TrackId, Launch)>> = BTreeMap::new();
        for (kernel, call, start) in first_calls(session, &gpus) {
            let Some(device) = session.track(kernel.track).device else {
                continue;
            };
            let Some(lane) = session.lane(kernel.track, kernel.lane) else {
                continue;
            };
            let index = kernel.index as usize;
            if index < lane.len() && counts(lane, index) {
                let launch = (start, lane.durations()[index]);
                of_device
                    .entry(device)
                    .or_default()
                    .push((call.track, launch));
            }
        }
        let mut by_call = Vec::new();
        for (device, found) in of_device {
            let is_bare = |track: TrackId| !has_regions[track.index()];
            let bare = found.iter().map(|&(track, _)| track);
            self.bare_threads
                .extend(bare.filter(|&track| is_bare(track)));
            if found.iter().all(|&(track, _)| is_bare(track)) {
                continue;
            }
            let mut placed = Placed::default();
            for (_, track) in session.work_tracks(device) {
                for lane in &track.lanes {
                    let all = (0..lane.len()).filter(|&index| counts(lane, index));
                    placed.total_ps += all.map(|index| lane.durations()[index]).sum::<i64>();
                }
            }
            for (track, (start, work_ps)) in found {
                self.add(track, start, work_ps);
                placed.placed_ps += if is_bare(track) { 0 } else { work_ps };
            }
            let host = &mut self.hosts[session.device(device).host.index()];
            *host = host.plus(placed);
            by_call.push(device);
        }
        by_call
    }

    fn runs(
        &mut self,
        session: &Session,
        selected: &Selected<'_>,
        devices: &[DeviceId],
        has_regions: &[bool],
    ) {
        if devices.is_empty() {
            return;
        }
        let work = AllWork::of(session);
        let mut calls = Calls::new(session, has_regions);
        for &device in devices {
            let busy = work.of_device(device);
            let mut runs: Vec<&ProgramRun> = session
                .program_runs
                .iter()
                .filter(|run| run.device == device && selected.has_program(Some(run.program)))
                .collect();
            runs.sort_unstable_by_key(|run| run.span);
            let work_ps = |run: &ProgramRun| busy.duration_within(run.span).0;
            let mut placed = Placed {
                total_ps: if selected.has_program(None) {
                    busy.duration().0
                } else {
                    runs.iter().map(|run| work_ps(run)).sum()
                },
                placed_ps: 0,
            };
            let mut by_function: BTreeMap<&str, Vec<&ProgramRun>> = BTreeMap::new();
            for &run in &runs {
                let function = module_function(&session.program(run.program).name);
                by_function.entry(function).or_default().push(run);
            }
            let host = session.device(device).host;
            for (function, runs) in by_function {
                let recorded = |run: &ProgramRun| {
                    let place = run.launched_on.zip(run.launched);
                    place.filter(|(track, _)| has_regions[track.index()])
                };
                let in_order = if runs.iter().all(|run| recorded(run).is_some()) {
                    None
                } else {
                    calls.of_runs(host, function, &runs)
                };
                for (position, run) in runs.iter().enumerate() {
                    let own = recorded(run).map(|(track, instant)| (track, instant.0));
                    let in_order = in_order.map(|calls| calls[position]);
                    let work_ps = work_ps(run);
                    if let Some((track, instant)) = own.or(in_order) {
                        self.add(track, instant, work_ps);
                        placed.placed_ps += work_ps;
                    } else if let Some((track, instant)) = run.launched_on.zip(run.launched) {
                        self.add(track, instant.0, work_ps);
                        self.bare_threads.push(track);
                    }
                    if own.is_none() && in_order.is_some() && self.in_order.last() != Some(&device)
                    {
                        self.in_order.push(device);
                    }
                }
            }
            let host = &mut self.hosts[host.index()];
            *host = host.plus(placed);
        }
    }
}

/// For each kernel and copy on the devices the call that started it, and when that began. Of several
/// calls with a kernel's number the outermost began first.
fn first_calls(session: &Session, devices: &[DeviceId]) -> Vec<(SliceId, SliceId, i64)> {
    let mut calls = Vec::new();
    for flow in session.flows.all() {
        let device = session.track(flow.to.track).device;
        let is_launch = flow.kind == FlowKind::Launch
            && device.is_some_and(|device| devices.contains(&device))
            && session.track(flow.from.track).device.is_none();
        let lane = session.lane(flow.from.track, flow.from.lane);
        let start = lane.and_then(|lane| lane.starts().get(flow.from.index as usize));
        if let (true, Some(&start)) = (is_launch, start) {
            calls.push((flow.to, flow.from, start));
        }
    }
    calls.sort_unstable_by_key(|&(kernel, call, start)| (kernel, start, call));
    calls.dedup_by_key(|(kernel, ..)| *kernel);
    calls
}

/// The calls of each jitted function: the thread, and when the call began.
type CallsByFunction<'a> = BTreeMap<&'a str, Vec<(TrackId, i64)>>;

/// Calls of jitted functions, found when first asked for.
struct Calls<'a> {
    session: &'a Session,
    has_regions: &'a [bool],
    of_host: BTreeMap<HostId, CallsByFunction<'a>>,
}

impl<'a> Calls<'a> {
    const fn new(session: &'a Session, has_regions: &'a [bool]) -> Self {
        Self {
            session,
            has_regions,
            of_host: BTreeMap::new(),
        }
    }

    /// The calls of a function by a host, in order, where they are as many as the runs of its program
    /// and each begins before its run.
    fn of_runs(
        &mut self,
        host: HostId,
        function: &str,
        runs: &[&ProgramRun],
    ) -> Option<&[(TrackId, i64)]> {
        let (session, has_regions) = (self.session, self.has_regions);
        let of_host = self
            .of_host
            .entry(host)
            .or_insert_with(|| calls(session, host, has_regions));
        let calls = of_host.get(function)?;
        let mut pairs = calls.iter().zip(runs);
        let is_each_before = pairs.all(|(&(_, start), run)| start <= run.span.start.0);
        (calls.len() == runs.len() && is_each_before).then_some(calls)
    }
}

/// Calls of jitted functions on threads with regions, by function, in order of time. A call within
/// one of the same function is the same call: JAX records both ends of its own path.
fn calls<'a>(
    session: &'a Session,
    host: HostId,
    has_regions: &[bool],
) -> BTreeMap<&'a str, Vec<(TrackId, i64)>> {
    let functions: Vec<Option<&str>> = session
        .labels
        .iter()
        .map(|label| dispatched_function(session.text(label.name)))
        .collect();
    let mut found: BTreeMap<&str, Vec<(TrackId, Span)>> = BTreeMap::new();
    for id in host_tracks(session, host).filter(|id| has_regions[id.index()]) {
        let track = session.track(id);
        if !track.may_have(|label| functions[label.index()].is_some()) {
            continue;
        }
        for lane in &track.lanes {
            for (index, label) in lane.labels().iter().enumerate() {
                if let Some(function) = functions[label.index()] {
                    found
                        .entry(function)
                        .or_default()
                        .push((id, lane.span(index)));
                }
            }
        }
    }
    let outermost = |mut calls: Vec<(TrackId, Span)>| {
        calls.sort_unstable_by_key(|&(track, span)| {
            (track, span.start, std::cmp::Reverse(span.end))
        });
        let mut kept: Vec<(TrackId, Span)> = Vec::with_capacity(calls.len());
        for call in calls {
            let is_within = kept
                .last()
                .is_some_and(|last| last.0 == call.0 && last.1.contains(call.1));
            if !is_within {
                kept.push(call);
            }
        }
        let mut starts: Vec<(TrackId, i64)> = kept
            .into_iter()
            .map(|(track, span)| (track, span.start.0))
            .collect();
        starts.sort_unstable_by_key(|&(track, start)| (start, track));
        starts
    };
    found
        .into_iter()
        .map(|(function, calls)| (function, outermost(calls)))
        .collect()
}
