//! Which threads drive the devices, by the best available evidence: threads with step annotations,
//! else threads that call compiled functions, else threads whose calls launched device work, else all.
//! A runtime thread that launches work on behalf of another thread is not a driving thread. Of several
//! loops in several threads, only the one whose steps are looked at delays them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashSet;
use stepscope_model::host_names::dispatched_function;
use stepscope_model::{
    Activity, Class, DeviceId, HostId, Label, LabelId, Lane, Picos, Session, SliceKind, Span,
    StepOrigin, StringId, Track, TrackId, TrackRole,
};

use crate::measuring::work::NO_LEVEL;

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

/// Whose threads are meant.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Loops {
    /// Those of every loop in the program.
    All,
    /// Those of the loop whose steps have this series; of the one whose steps were inferred.
    Of(Option<StringId>),
}

/// What shows that threads drive devices, by track; found once per session.
struct Evidence {
    /// Step annotations, by their series.
    annotated: BTreeMap<StringId, Vec<bool>>,
    /// Calls that launched the runs by which steps were inferred.
    main: Vec<bool>,
    /// Any step annotation, else calls of compiled functions, else launches.
    any: [Vec<bool>; 3],
}

/// The threads that drive the devices of each host, ascending; all threads if there is no evidence.
pub(crate) fn driving_threads(
    session: &Session,
    hosts: &[HostId],
    loops: Loops,
) -> Vec<Vec<TrackId>> {
    let evidence = session.memo.get_or_compute(|| Evidence::of(session));
    let own = match loops {
        Loops::All => None,
        Loops::Of(Some(series)) => evidence.annotated.get(&series),
        Loops::Of(None) => Some(&evidence.main),
    };
    let of_host = |&host: &HostId| {
        let tracks: Vec<TrackId> = own_tracks(session, host).collect();
        let marked = own.into_iter().chain(&evidence.any).map(|is_marked| {
            let marked = tracks.iter().filter(|id| is_marked[id.index()]);
            marked.copied().collect::<Vec<_>>()
        });
        let found = marked.into_iter().find(|found| !found.is_empty());
        found.unwrap_or(tracks)
    };
    hosts.iter().map(of_host).collect()
}

impl Evidence {
    fn of(session: &Session) -> Self {
        let hosts: Vec<Vec<TrackId>> = (0..session.hosts.len())
            .map(|host| own_tracks(session, HostId::from_index(host)).collect())
            .collect();
        let nothing = || vec![false; session.tracks.len()];
        let annotated = annotated_tracks(session);
        let is_annotated =
            |tracks: &Vec<TrackId>| tracks.iter().any(|track| annotated[track.index()]);
        let (mut calls, mut launches) = (nothing(), nothing());
        if !hosts.iter().all(is_annotated) {
            calls.clone_from(&calling_tracks(session).0);
            let is_told = |tracks: &Vec<TrackId>| {
                is_annotated(tracks) || tracks.iter().any(|track| calls[track.index()])
            };
            // Arrows are joined only where nothing else tells: that is slow in large sessions.
            let untold = (0..hosts.len()).filter(|&host| !is_told(&hosts[host]));
            let untold: Vec<HostId> = untold.map(HostId::from_index).collect();
            launches = launching_tracks(session, &untold);
        }
        let main = main_tracks(session, &calls);
        Self {
            annotated: annotated_by_series(session, &annotated),
            main,
            any: [annotated, calls, launches],
        }
    }
}

/// For each track, whether it calls functions and its calls launched the runs by which steps were
/// inferred. Recorders may name workers that launch on their own: those drive nothing.
fn main_tracks(session: &Session, calls: &[bool]) -> Vec<bool> {
    let mut is_main = vec![false; session.tracks.len()];
    if !session.step_origin.is_some_and(StepOrigin::is_inferred) {
        return is_main;
    }
    let spans = session.steps.iter().flat_map(|step| &step.spans);
    let begins: FxHashSet<(DeviceId, Picos)> = spans
        .filter_map(|on| Some((on.device?, on.work?.start)))
        .collect();
    for run in &session.program_runs {
        let thread = run
            .launched_on
            .filter(|_| begins.contains(&(run.device, run.span.start)));
        if let Some(thread) = thread.filter(|thread| calls[thread.index()]) {
            is_main[thread.index()] = true;
        }
    }
    is_main
}

/// For each series on several threads, the tracks with its annotations. Where one thread has all of
/// them, `annotated` says the same.
fn annotated_by_series(session: &Session, annotated: &[bool]) -> BTreeMap<StringId, Vec<bool>> {
    let series = session.steps.iter().filter_map(|step| step.series);
    let series: BTreeSet<StringId> = series.collect();
    let threads = annotated.iter().filter(|&&is_annotated| is_annotated);
    if series.len() < 2 || threads.count() < 2 {
        return BTreeMap::new();
    }
    let tracks = |series: StringId| {
        let name = session.text(series);
        let is_own = |label: &Label| {
            label.class == Class::Step
                && label.kind != SliceKind::Marker
                && session.text(label.name).starts_with(name)
        };
        let labels: Vec<bool> = session.labels.iter().map(is_own).collect();
        tracks_with(session, &labels)
    };
    series.into_iter().map(|one| (one, tracks(one))).collect()
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
    session
        .memo
        .get_or_compute(|| CallingTracks(tracks_with(session, &call_labels(session))))
}

fn call_labels(session: &Session) -> Vec<bool> {
    let labels = session.labels.iter();
    let is_call = labels.map(|label| dispatched_function(session.text(label.name)).is_some());
    is_call.collect()
}

/// Level 0 for labels of calls of compiled functions.
pub(super) fn call_levels(session: &Session) -> Vec<u8> {
    let is_call = call_labels(session).into_iter();
    let levels = is_call.map(|is_call| if is_call { 0 } else { NO_LEVEL });
    levels.collect()
}

/// Which labels are of Python calls.
pub(super) fn python_labels(session: &Session) -> Vec<bool> {
    let labels = session.labels.iter();
    labels
        .map(|label| label.kind == SliceKind::Python)
        .collect()
}

/// From the start of the first to the end of the last slice of these labels.
pub(super) fn extent(track: &Track, is_wanted: &[bool]) -> Option<Span> {
    if !track.may_have(|label| is_wanted[label.index()]) {
        return None;
    }
    let slices = track.lanes.iter().filter_map(|lane| {
        let is_one = |label: &LabelId| is_wanted[label.index()];
        let first = lane.labels().iter().position(is_one)?;
        let last = lane.labels().iter().rposition(is_one)?;
        let end = lane.starts()[last].saturating_add(lane.durations()[last]);
        Some(Span::new(Picos(lane.starts()[first]), Picos(end)))
    });
    slices.reduce(|all, one| Span::new(all.start.min(one.start), all.end.max(one.end)))
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
        let mut flows = session.unsorted_flows_of(host);
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
