//! Which threads drive the devices, by the best available evidence: threads with step annotations,
//! else threads that call compiled functions, else threads whose calls launched device work, else all.
//! A runtime thread that launches work on behalf of another thread is not a driving thread.

use rayon::prelude::*;
use stepscope_model::host_names::dispatched_function;
use stepscope_model::{
    Activity, Class, HostId, Lane, Session, SliceKind, StepOrigin, Track, TrackId, TrackRole,
};

/// Threads of a host, without the rows of XLA:CPU devices.
pub(crate) fn host_tracks(session: &Session, host: HostId) -> impl Iterator<Item = TrackId> {
    session.track_ids().filter(move |&id| {
        let track = session.track(id);
        let is_thread = matches!(track.role, TrackRole::HostThread | TrackRole::Python);
        is_thread && track.host == host && track.device.is_none()
    })
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
    // Flows are joined on first use, which is slow in large sessions.
    if !hosts.iter().all(is_annotated) {
        let calls = calling_tracks(session);
        let is_told = |tracks: &Vec<TrackId>| {
            is_annotated(tracks) || tracks.iter().any(|track| calls[track.index()])
        };
        let is_all_told = hosts.iter().all(is_told);
        evidence.push(calls);
        if !is_all_told {
            evidence.push(launching_tracks(session));
        }
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
    session
        .tracks
        .par_iter()
        .map(|track| has_label(track, &is_step))
        .collect()
}

/// For each track, whether compiled functions are called on it.
fn calling_tracks(session: &Session) -> Vec<bool> {
    let names = session.labels.iter();
    let is_call: Vec<bool> = names
        .map(|label| dispatched_function(session.text(label.name)).is_some())
        .collect();
    session
        .tracks
        .par_iter()
        .map(|track| has_label(track, &is_call))
        .collect()
}

fn labels(session: &Session, test: impl Fn(Class, Activity) -> bool) -> Vec<bool> {
    let labels = session.labels.iter();
    labels
        .map(|label| label.kind != SliceKind::Marker && test(label.class, label.activity))
        .collect()
}

fn has_label(track: &Track, is_wanted: &[bool]) -> bool {
    let mut labels = track.lanes.iter().flat_map(Lane::labels);
    track.device.is_none()
        && track.may_have(|label| is_wanted[label.index()])
        && labels.any(|label| is_wanted[label.index()])
}

/// For each track, whether calls on it launched device work.
fn launching_tracks(session: &Session) -> Vec<bool> {
    let mut is_launching = vec![false; session.tracks.len()];
    let runs_on_device = |id: TrackId| session.track(id).device.is_some();
    for flow in session
        .flows
        .all()
        .iter()
        .filter(|flow| runs_on_device(flow.to.track))
    {
        is_launching[flow.from.track.index()] = true;
    }
    is_launching
}
