//! Which device work was launched at which instant on which thread.
//!
//! ```text
//! thread   ▐█ forward_pass ████████▌      every region that is open when a call starts gets the
//!             ▐launch▌ ▐launch▌           time of all work that the call launched, whenever it ran
//! stream          ▐███▌▐█████▌
//! ```
//!
//! | Devices | Launched work | Launching call |
//! |---|---|---|
//! | GPU, where calls are recorded on threads with regions | kernels and copies, their durations | the call with the same correlation id |
//! | all others | program runs, the device's busy time within, shared equally by runs side by side | the same run id; otherwise, calls of a function and runs of its program are matched in order, as in `steps` |
//!
//! Work without a matching call on such a thread stays unplaced, and a note reports it.

use std::collections::BTreeMap;

use stepscope_model::{
    DeviceId, LabelId, Picos, ProgramRun, SaturatingSum as _, Session, Span, TrackId, TrackReader,
};

use crate::measuring::interval::Intervals;
use crate::measuring::launch_calls::launch_calls;
use crate::measuring::selection::Selected;
use crate::measuring::work::{AllWork, work_labels};

/// Work launched by a call: start of the call, and device time of the work.
pub(super) type Launch = (i64, i64);

/// All launches.
pub(super) struct Launches {
    /// By track, in time order.
    of_track: Vec<Vec<Launch>>,
    /// By host.
    pub(super) hosts: Vec<Placed>,
    /// Devices on any host whose runs were matched with calls by order.
    pub(super) in_order: Vec<DeviceId>,
    /// Threads that launched device work and have no regions.
    pub(super) bare_threads: Vec<TrackId>,
}

/// How much of a host's device work was launched on threads with regions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Placed {
    pub(super) total_ps: i64,
    pub(super) placed_ps: i64,
}

impl Placed {
    /// Whether so much is placed that a region without launches is known to have launched nothing.
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
    /// The launches of the selected devices and programs. `has_regions` holds for each track whether
    /// the program opened regions on it.
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

    /// The launches on a track.
    pub(super) fn on(&self, track: TrackId) -> &[Launch] {
        &self.of_track[track.index()]
    }

    fn add(&mut self, track: TrackId, instant: i64, work_ps: i64) {
        self.of_track[track.index()].push((instant, work_ps));
    }

    /// Places kernels and copies at the calls with their correlation ids. Returns the devices with any
    /// placed work. Flows are not even joined if there is no GPU.
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
        let counts = |label: LabelId| {
            is_work[label.index()] && selected.has_program(session.label(label).program)
        };
        let mut of_device: BTreeMap<DeviceId, Vec<(TrackId, Launch)>> = BTreeMap::new();
        for host in session.host_ids() {
            let mut reader = TrackReader::new(session);
            let is_wanted = |device: DeviceId| gpus.contains(&device);
            for one in launch_calls(session, host, &mut reader, is_wanted) {
                let kernel = one.kernel;
                let Some(device) = session.track(kernel.track).device else {
                    continue;
                };
                let label = reader.label(kernel).filter(|&label| counts(label));
                let span = label.and_then(|_| reader.span(kernel));
                if let Some(span) = span {
                    let launch = (one.start.0, span.duration().0);
                    let of_device = of_device.entry(device).or_default();
                    of_device.push((one.call.track, launch));
                }
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
                    let all = lane.labels().iter().zip(lane.durations());
                    let all = all.filter(|&(&label, _)| counts(label));
                    let of_lane = all.map(|(_, &duration)| duration).saturating_sum();
                    placed.total_ps = placed.total_ps.saturating_add(of_lane);
                }
            }
            for (track, (start, work_ps)) in found {
                self.add(track, start, work_ps);
                let own_ps = if is_bare(track) { 0 } else { work_ps };
                placed.placed_ps = placed.placed_ps.saturating_add(own_ps);
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
        for &device in devices {
            let busy = work.of_device(session, device);
            let mut runs: Vec<&ProgramRun> = session
                .program_runs
                .iter()
                .filter(|run| run.device == device && selected.has_program(Some(run.program)))
                .collect();
            runs.sort_unstable_by_key(|run| run.span);
            let works_ps = shared(&runs, &busy);
            // Runs may overlap, but no instant of a device is launched more than once.
            let together_ps = |runs: Vec<Span>| {
                let runs = Intervals::union_of(runs);
                runs.intersect(&busy).duration().0
            };
            let mut placed_runs = Vec::new();
            for (run, work_ps) in runs.iter().zip(works_ps) {
                let Some((track, instant)) = run.launched_on.zip(run.launched) else {
                    continue;
                };
                self.add(track, instant.0, work_ps);
                if !has_regions[track.index()] {
                    self.bare_threads.push(track);
                    continue;
                }
                placed_runs.push(run.span);
                if run.is_by_order && self.in_order.last() != Some(&device) {
                    self.in_order.push(device);
                }
            }
            let placed = Placed {
                total_ps: if selected.has_program(None) {
                    busy.duration().0
                } else {
                    together_ps(runs.iter().map(|run| run.span).collect())
                },
                placed_ps: together_ps(placed_runs),
            };
            let host = session.device(device).host;
            let host = &mut self.hosts[host.index()];
            *host = host.plus(placed);
        }
    }
}

/// The busy time of the device within each run, sorted by span. Of runs side by side nobody knows which
/// of them an instant belongs to, so they share it equally: all of them together launch no more than
/// the device worked.
fn shared(runs: &[&ProgramRun], busy: &Intervals) -> Vec<i64> {
    let mut works_ps = vec![0i64; runs.len()];
    let mut borders: Vec<Picos> = runs
        .iter()
        .flat_map(|run| [run.span.start, run.span.end])
        .collect();
    borders.sort_unstable();
    borders.dedup();
    let (mut open, mut next): (Vec<usize>, usize) = (Vec::new(), 0);
    for (&start, &end) in borders.iter().zip(borders.iter().skip(1)) {
        open.retain(|&run| runs[run].span.end > start);
        while runs.get(next).is_some_and(|run| run.span.start <= start) {
            if runs[next].span.end > start {
                open.push(next);
            }
            next += 1;
        }
        let Some((&first, rest)) = open.split_first() else {
            continue;
        };
        let all_ps = busy.duration_within(Span { start, end }).0;
        let each_ps = all_ps / i64::try_from(open.len()).unwrap_or(i64::MAX);
        for &run in rest {
            works_ps[run] += each_ps;
        }
        // The picoseconds that do not divide go to the first, so that none is lost.
        works_ps[first] += all_ps - each_ps * i64::try_from(rest.len()).unwrap_or(0);
    }
    works_ps
}
