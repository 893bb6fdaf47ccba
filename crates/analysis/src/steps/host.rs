//! What a host did while its devices were idle.
//!
//! Input and overhead count on the threads that drive the devices only: a pool's worker that
//! prefetches or waits holds nobody up. Those threads are, by the best evidence there is:
//! the ones that carry the step annotation, else the ones whose calls launched device work, else
//! all. Compilation counts on any thread, since compilers have pools.

use rayon::prelude::*;
use stepscope_model::{
    Class, HostId, Label, Picos, Session, SliceKind, Span, StepOrigin, Track, TrackId, TrackRole,
};

use crate::interval::Intervals;
use crate::work::{NO_LEVEL, add_levels};

/// Times of a host by what it did.
#[derive(Debug, Clone, Default)]
pub(super) struct HostActivity {
    /// Any thread compiles.
    pub(super) compilation: Intervals,
    /// A driving thread waits for or prepares input.
    pub(super) input: Intervals,
    /// A driving thread does anything else but wait.
    pub(super) overhead: Intervals,
}

const COMPILATION: u8 = 0;
const INPUT: u8 = 1;
const WAIT: u8 = 2;
const OVERHEAD: u8 = 3;
const LEVELS: usize = 4;

/// What the hosts did within a span of time, host by host.
pub(super) fn host_activities(
    session: &Session,
    hosts: &[HostId],
    within: Span,
) -> Vec<(HostId, HostActivity)> {
    let levels = HostLevels {
        driving: host_levels(session),
        other: compile_levels(session),
    };
    let mut evidence = vec![annotated_tracks(session)];
    let is_annotated =
        |&host: &HostId| host_tracks(session, host).any(|track| evidence[0][track.index()]);
    // Arrows are joined on first use, which large sessions feel.
    if !hosts.iter().all(is_annotated) {
        evidence.push(launching_tracks(session));
    }
    hosts
        .par_iter()
        .map(|&host| {
            let tracks: Vec<TrackId> = host_tracks(session, host).collect();
            let driving = driving_tracks(&tracks, &evidence);
            (host, activity(session, &tracks, &driving, &levels, within))
        })
        .collect()
}

/// The host that compiled longest, picoseconds; none where no host thread was recorded.
pub(crate) fn compilation_ps(session: &Session, hosts: &[HostId]) -> Option<i64> {
    let levels = compile_levels(session);
    let is_compiled = levels.contains(&COMPILATION);
    let everything = [Span {
        start: Picos(i64::MIN),
        end: Picos::MAX,
    }];
    let of_host = |&host: &HostId| {
        let mut spans = vec![Vec::new()];
        let mut tracks = host_tracks(session, host).peekable();
        tracks.peek()?;
        if !is_compiled {
            return Some(0);
        }
        tracks.for_each(|track| add_levels(session.track(track), &levels, &everything, &mut spans));
        Some(
            Intervals::union_of_sorted(spans.pop().unwrap_or_default())
                .duration()
                .0,
        )
    };
    hosts.par_iter().filter_map(of_host).max()
}

fn activity(
    session: &Session,
    tracks: &[TrackId],
    driving: &[TrackId],
    levels: &HostLevels,
    within: Span,
) -> HostActivity {
    let mut compilation = Vec::new();
    let (mut input, mut overhead) = (Vec::new(), Vec::new());
    for &id in tracks {
        // Other threads can only compile; most of a session's host slices are on them.
        let is_driving = driving.contains(&id);
        let (levels, count) = if is_driving {
            (&levels.driving, LEVELS)
        } else {
            (&levels.other, 1)
        };
        if count == 1 && !levels.contains(&COMPILATION) {
            continue;
        }
        let mut spans: Vec<Vec<Vec<Span>>> = vec![Vec::new(); count];
        add_levels(session.track(id), levels, &[within], &mut spans);
        let mut take = |level: u8| std::mem::take(&mut spans[usize::from(level)]);
        compilation.extend(take(COMPILATION));
        if is_driving {
            input.extend(take(INPUT));
            // A frame that encloses a wait works only outside of it.
            let waits = Intervals::union_of_sorted(take(WAIT));
            let works = Intervals::union_of_sorted(take(OVERHEAD)).subtract(&waits);
            overhead.push(works.into_spans());
        }
    }
    HostActivity {
        compilation: Intervals::union_of_sorted(compilation),
        input: Intervals::union_of_sorted(input),
        overhead: Intervals::union_of_sorted(overhead),
    }
}

/// Levels of labels on the threads that drive devices, and on others.
struct HostLevels {
    driving: Vec<u8>,
    other: Vec<u8>,
}

fn compile_levels(session: &Session) -> Vec<u8> {
    let level = |label: &Label| match label.class {
        Class::Compile if label.kind != SliceKind::Marker => COMPILATION,
        _ => NO_LEVEL,
    };
    session.labels.iter().map(level).collect()
}

/// An annotation tells how long a step lasts, not that the host did anything.
fn host_levels(session: &Session) -> Vec<u8> {
    let level = |label: &Label| match label.class {
        Class::Step | Class::Marker => NO_LEVEL,
        Class::Compile => COMPILATION,
        Class::Input => INPUT,
        Class::Wait => WAIT,
        _ if label.kind == SliceKind::Marker || label.kind.is_work() => NO_LEVEL,
        _ => OVERHEAD,
    };
    session.labels.iter().map(level).collect()
}

fn host_tracks(session: &Session, host: HostId) -> impl Iterator<Item = TrackId> {
    session.track_ids().filter(move |&id| {
        let track = session.track(id);
        let is_thread = matches!(track.role, TrackRole::HostThread | TrackRole::Python);
        is_thread && track.host == host && track.device.is_none()
    })
}

/// The threads that drive the devices, by the best evidence; all where there is none.
fn driving_tracks(tracks: &[TrackId], evidence: &[Vec<bool>]) -> Vec<TrackId> {
    let marked = evidence.iter().map(|is_marked| -> Vec<TrackId> {
        tracks
            .iter()
            .copied()
            .filter(|id| is_marked[id.index()])
            .collect()
    });
    marked
        .into_iter()
        .find(|found| !found.is_empty())
        .unwrap_or_else(|| tracks.to_vec())
}

/// For each track: it carries step annotations.
fn annotated_tracks(session: &Session) -> Vec<bool> {
    let is_step: Vec<bool> = session
        .labels
        .iter()
        .map(|label| label.class == Class::Step)
        .collect();
    let is_annotated = |track: &Track| {
        let is_thread = track.device.is_none();
        let mut labels = track.lanes.iter().flat_map(stepscope_model::Lane::labels);
        is_thread && labels.any(|label| is_step[label.index()])
    };
    if session.step_origin != Some(StepOrigin::Annotation) {
        return vec![false; session.tracks.len()];
    }
    session.tracks.par_iter().map(is_annotated).collect()
}

/// For each track: calls on it launched device work.
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
