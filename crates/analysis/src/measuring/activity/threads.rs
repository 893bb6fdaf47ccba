//! Which threads drive the devices, by the best available evidence: threads with step annotations,
//! else threads that call compiled functions, else threads whose calls launched device work, else all.
//! A runtime thread that launches work on behalf of another thread is not a driving thread.

use std::sync::Arc;

use rayon::prelude::*;
use stepscope_model::host_names::dispatched_function;
use stepscope_model::{
    Activity, Class, HostId, Lane, Session, SliceKind, StepOrigin, TrackId, TrackRole,
};

/// The threads of every host, found once: a session has a thousand hosts at times, and most analyses
/// ask for the threads of each.
struct HostThreads(Vec<Vec<TrackId>>);

impl HostThreads {
    fn of(session: &Session) -> Self {
        let mut threads = vec![Vec::new(); session.hosts.len()];
        for id in session.track_ids() {
            let track = session.track(id);
            let is_thread = matches!(track.role, TrackRole::HostThread | TrackRole::Python);
            if is_thread && track.device.is_none() {
                threads[track.host.index()].push(id);
            }
        }
        Self(threads)
    }
}

/// Threads of a host, without the rows of XLA:CPU devices.
pub(crate) fn host_tracks(session: &Session, host: HostId) -> impl Iterator<Item = TrackId> {
    let all = session.memo.get_or_compute(|| HostThreads::of(session));
    let count = all.0.get(host.index()).map_or(0, Vec::len);
    (0..count).map(move |position| all.0[host.index()][position])
}

/// Threads of the profiled process itself, without those of helper processes such as data loaders.
pub(crate) fn own_tracks(session: &Session, host: HostId) -> impl Iterator<Item = TrackId> {
    host_tracks(session, host).filter(|&id| session.track(id).process.is_none())
}

/// The driving threads of every host, found once per session.
struct DrivingThreads(Vec<Vec<TrackId>>);

/// The threads that drive the devices of each host, ascending; all threads if there is no evidence.
pub(crate) fn driving_threads(session: &Session, hosts: &[HostId]) -> Vec<Vec<TrackId>> {
    let all = session
        .memo
        .get_or_compute(|| DrivingThreads(of_all_hosts(session)));
    let of_host = |host: &HostId| all.0.get(host.index()).cloned().unwrap_or_default();
    hosts.iter().map(of_host).collect()
}

fn of_all_hosts(session: &Session) -> Vec<Vec<TrackId>> {
    let hosts: Vec<Vec<TrackId>> = (0..session.hosts.len())
        .map(|host| own_tracks(session, HostId::from_index(host)).collect())
        .collect();
    let mut evidence = vec![annotated_tracks(session)];
    let is_annotated =
        |tracks: &Vec<TrackId>| tracks.iter().any(|track| evidence[0][track.index()]);
    if !hosts.iter().all(is_annotated) {
        let calls = Vec::clone(&calling_tracks(session).0);
        let is_told = |tracks: &Vec<TrackId>| {
            is_annotated(tracks) || tracks.iter().any(|track| calls[track.index()])
        };
        // Arrows are joined only where nothing else tells: that is slow in large sessions.
        let untold = (0..hosts.len()).filter(|&host| !is_told(&hosts[host]));
        let untold: Vec<HostId> = untold.map(HostId::from_index).collect();
        evidence.push(calls);
        evidence.push(launching_tracks(session, &untold));
    }
    hosts
        .iter()
        .map(|tracks| driving(tracks, &evidence))
        .collect()
}

fn driving(tracks: &[TrackId], evidence: &[Vec<bool>]) -> Vec<TrackId> {
    let marked = evidence.iter().map(|is_marked| -> Vec<TrackId> {
        let marked = tracks.iter().filter(|id| is_marked[id.index()]);
        marked.copied().collect()
    });
    let found = marked.into_iter().find(|found| !found.is_empty());
    found.unwrap_or_else(|| tracks.to_vec())
}

/// For each track, whether it has step annotations.
fn annotated_tracks(session: &Session) -> Vec<bool> {
    if session.step_origin != Some(StepOrigin::Annotation) {
        return vec![false; session.tracks.len()];
    }
    let is_step = labels(session, |class, _| class == Class::Step);
    tracks_with(session, &is_step)
}

/// For each track, whether compiled functions are called on it; found once per session.
struct CallingTracks(Vec<bool>);

fn calling_tracks(session: &Session) -> Arc<CallingTracks> {
    session.memo.get_or_compute(|| {
        let names = session.labels.iter();
        let is_call: Vec<bool> = names
            .map(|label| dispatched_function(session.text(label.name)).is_some())
            .collect();
        CallingTracks(tracks_with(session, &is_call))
    })
}

/// Whether compiled functions are called on a thread.
pub(crate) fn calls_functions(session: &Session, thread: TrackId) -> bool {
    calling_tracks(session).0[thread.index()]
}

fn labels(session: &Session, test: impl Fn(Class, Activity) -> bool) -> Vec<bool> {
    let labels = session.labels.iter();
    labels
        .map(|label| label.kind != SliceKind::Marker && test(label.class, label.activity))
        .collect()
}

/// For each track, whether it is a thread with a slice of one of these labels.
fn tracks_with(session: &Session, is_wanted: &[bool]) -> Vec<bool> {
    let tracks = (0..session.tracks.len()).into_par_iter();
    tracks
        .map(|position| {
            let id = TrackId::from_index(position);
            let track = session.track(id);
            if track.device.is_some() || !track.may_have(|label| is_wanted[label.index()]) {
                return false;
            }
            let track = session.track_in_passing(id);
            let mut labels = track.lanes.iter().flat_map(Lane::labels);
            labels.any(|label| is_wanted[label.index()])
        })
        .collect()
}

/// For each track of these hosts, whether calls on it launched device work.
fn launching_tracks(session: &Session, hosts: &[HostId]) -> Vec<bool> {
    let runs_on_device = |id: TrackId| session.track(id).device.is_some();
    let launching = hosts.par_iter().map(|&host| {
        let mut flows = session.flows.of_host(host);
        flows.retain(|flow| runs_on_device(flow.to.track));
        let mut from: Vec<TrackId> = flows.iter().map(|flow| flow.from.track).collect();
        from.sort_unstable();
        from.dedup();
        from
    });
    let launching: Vec<Vec<TrackId>> = launching.collect();
    let mut is_launching = vec![false; session.tracks.len()];
    for track in launching.into_iter().flatten() {
        is_launching[track.index()] = true;
    }
    is_launching
}
