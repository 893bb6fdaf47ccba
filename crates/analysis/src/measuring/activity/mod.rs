//! What hosts did: times by [activity](Activity) on the threads that drive the devices.
//!
//! Input and other work count only on the threads that drive the devices: a pool worker that
//! prefetches or waits delays nothing. Compilation counts on any thread, since compilers use thread
//! pools; a call that compiles counts from its beginning, since without a Python tracer nothing is
//! recorded of tracing. A copy on a pool thread counts while a driving thread waits, since the
//! driving thread waits for the copy. A frame that encloses a wait counts as work only outside the
//! wait, unless it is input or a checkpoint: what waits, reads or computes within input is input, and
//! what waits until a checkpoint is written on another thread is the checkpoint. While the
//! profiler itself works or waits, the program does nothing, so that time counts only for the
//! profiler.
//!
//! # Input
//!
//! Input is what a device needs before it can begin: loading, and copies to the device ([`is_input`]).
//! All such copies count, also those of arguments that are not batches, such as NumPy arrays passed to
//! a compiled function or parameters that are put on the device for the first time: nothing recorded
//! tells them apart. Copies to the host do not count, and neither does what a copying frame spends on
//! garbage collection, on a checkpoint, or on reading from a device.
//!
//! `steps` uses four levels of activity; `idle` and `input` use one level per cause. All share the
//! same pass over the slices and the same classification, so input is the same time everywhere.

mod awaits;
mod cause;
mod collections;
mod levels;
mod lookups;
mod named_calls;
mod nexts;
mod outermost;
mod queues;
mod reads;
mod syncs;
mod threads;
mod transfers;

pub(crate) use levels::{LevelOf, levels};
use rayon::prelude::*;
use stepscope_model::{Activity, Direction, HostId, LabelId, Picos, Session, Span, Track, TrackId};

use crate::measuring::interval::Intervals;
use crate::measuring::work::{NO_LEVEL, add_levels, add_levels_in_passing};

pub(crate) use awaits::{Await, Awaits};
pub use cause::Cause;
pub(crate) use cause::{CAUSES, CauseTimes, cause_times, claimed, claimed_by};
use collections::Collections;
pub(crate) use outermost::outermost;
pub(crate) use queues::{QueueCalls, QueueEnd, QueueWaits};
pub(crate) use reads::{Activities, is_conversion};
pub(crate) use threads::{Loops, calls_functions, driving_threads, host_tracks, own_tracks};
use threads::{call_levels, extent, python_labels};

/// Levels that every division has. All further levels are work, from which waits are subtracted unless
/// the work is input.
pub(crate) const COMPILATION: u8 = 0;
pub(crate) const INPUT: u8 = 1;
pub(crate) const WAIT: u8 = 2;
const WAIT_INDEX: usize = WAIT as usize;

/// Whether a driving thread that does this provides input to its devices.
pub(crate) const fn is_input(activity: Activity) -> bool {
    matches!(
        activity,
        Activity::Input(_) | Activity::Transfer(Direction::HostToDevice)
    )
}

/// What each host did within `windows`, which are sorted and do not overlap: times by level. The times
/// of different levels may overlap.
pub(crate) fn host_times(
    session: &Session,
    (hosts, loops): (&[HostId], Loops),
    windows: &[Span],
    level_of: LevelOf,
    count: usize,
) -> Vec<(HostId, Vec<Intervals>)> {
    let driving = driving_threads(session, hosts, loops);
    let driving: Vec<(HostId, Vec<TrackId>)> = hosts.iter().copied().zip(driving).collect();
    times_of_threads(session, &driving, windows, level_of, count)
}

/// [`host_times`] of hosts that these threads drive, each list ascending.
pub(crate) fn times_of_threads(
    session: &Session,
    driving: &[(HostId, Vec<TrackId>)],
    windows: &[Span],
    level_of: LevelOf,
    count: usize,
) -> Vec<(HostId, Vec<Intervals>)> {
    let threads = Threads::of(session, level_of, count);
    driving
        .par_iter()
        .map(|(host, driving)| {
            let host = *host;
            let mut lists: Vec<Vec<Vec<Span>>> = vec![Vec::new(); count];
            for id in own_tracks(session, host) {
                if driving.binary_search(&id).is_ok() {
                    let track = &*session.track_in_passing(id);
                    threads.add(id, track, windows, &mut lists);
                } else if threads.is_compiled {
                    // Only compilation counts on other threads, which have most of the host slices.
                    let (levels, lists) = (&threads.compile, &mut lists[..1]);
                    add_levels_in_passing(session, id, levels, windows, lists);
                }
            }
            let mut times: Vec<Intervals> =
                lists.into_iter().map(Intervals::union_of_sorted).collect();
            let copies = transfers::waited_for(session, host, driving, windows, (level_of, count));
            for (level, waited) in copies.iter().enumerate() {
                if !waited.spans().is_empty() {
                    times[WAIT_INDEX] = times[WAIT_INDEX].subtract(waited);
                    times[level] = times[level].union(waited);
                }
            }
            (host, times)
        })
        .collect()
}

/// How slices of driving threads are sorted into levels.
struct Threads {
    /// Level of each label; [`Threads::count`] for copies to a device.
    levels: Vec<u8>,
    /// The same for labels of compilation only.
    compile: Vec<u8>,
    is_compiled: bool,
    /// 0 for labels of calls of compiled functions.
    calls: Vec<u8>,
    count: usize,
    /// For each level, whether waits within it count for it.
    keeps_waits: Vec<bool>,
    /// The level of Python, and which labels are of its calls.
    python: (u8, Vec<bool>),
    profiler: (ThreadTime, u8),
    collections: (Collections, u8),
    /// What is no copy to a device, whatever encloses it.
    no_copy: (ThreadTime, u8),
    awaits: Awaits,
    /// Checkpoints, with what waits within them.
    checkpoints: ThreadTime,
    /// What waits for buffers as a part of what it does.
    no_wait: ThreadTime,
}

impl Threads {
    fn of(session: &Session, level_of: LevelOf, count: usize) -> Self {
        let copy = Activity::Transfer(Direction::HostToDevice);
        let mut levels = levels(session, level_of);
        let only = |kept: u8| -> Vec<u8> {
            let levels = levels.iter();
            let kept = levels.map(|&level| if level == kept { level } else { NO_LEVEL });
            kept.collect()
        };
        let compile = only(COMPILATION);
        for (level, label) in levels.iter_mut().zip(&session.labels) {
            if usize::from(*level) < count && label.activity == copy {
                *level = u8::try_from(count).unwrap_or(NO_LEVEL);
            }
        }
        let mut keeps_waits = vec![false; count];
        let activities = session.labels.iter().map(|label| label.activity);
        for activity in activities.filter(|&activity| is_input(activity)) {
            if let Some(keeps) = keeps_waits.get_mut(usize::from(level_of(activity))) {
                *keeps = true;
            }
        }
        Self {
            is_compiled: compile.contains(&COMPILATION),
            calls: call_levels(session),
            compile,
            levels,
            count,
            keeps_waits,
            python: (level_of(Activity::Python), python_labels(session)),
            profiler: (
                ThreadTime::of_profiler(session),
                level_of(Activity::Profiler),
            ),
            collections: (
                Collections::of(session),
                level_of(Activity::GarbageCollection),
            ),
            no_copy: (
                ThreadTime::of(session, |activity| {
                    matches!(
                        activity,
                        Activity::GarbageCollection
                            | Activity::Checkpoint
                            | Activity::Transfer(Direction::DeviceToHost)
                    )
                }),
                level_of(copy),
            ),
            awaits: Awaits::of(session),
            checkpoints: ThreadTime::of(session, |activity| activity == Activity::Checkpoint),
            no_wait: ThreadTime::of(session, |activity| {
                matches!(
                    activity,
                    Activity::Transfer(_) | Activity::GarbageCollection | Activity::Checkpoint
                )
            }),
        }
    }

    /// Compilation with the time of the calls that compile, from their beginning: without a Python
    /// tracer, nothing is recorded of tracing. That is the innermost call around it: one around that has
    /// run other programs before, as every function does while `jax.disable_jit` is on.
    fn with_tracing(&self, track: &Track, windows: &[Span], compile: &Intervals) -> Intervals {
        // JAX calls a function again from within its own call, to trace it.
        let call_around = |compiled: &Span| {
            let mut around = None;
            for lane in track.lanes.iter().rev() {
                let mut calls = lane
                    .overlapping(*compiled)
                    .map(|at| (lane.labels()[at], lane.span(at)));
                let call = calls.find(|(label, span)| {
                    let is_call = self.calls[label.index()] != NO_LEVEL;
                    is_call && span.contains_instant(compiled.start)
                });
                if let Some((label, span)) = call
                    && around.is_none_or(|(own, _)| own == label)
                {
                    around = Some((label, span.start));
                }
            }
            around.map(|(_, start)| Span::new(start, compiled.end))
        };
        let calls = compile.spans().iter().filter_map(call_around);
        let calls = Intervals::union_of(calls.collect());
        compile.union(&calls.intersect(&Intervals::union_of(windows.to_vec())))
    }

    /// From the first to the last Python call of a thread, what it spends in none of these times: in
    /// the function that was running before the recording began, often the loop itself. The tracer
    /// records calls; operators on arrays and iterators of libraries are none.
    fn between_calls<'a>(
        &self,
        track: &Track,
        windows: &[Span],
        times: impl Iterator<Item = &'a Intervals>,
    ) -> Intervals {
        let Some(traced) = extent(track, &self.python.1) else {
            return Intervals::default();
        };
        let within = windows
            .iter()
            .filter_map(|window| window.intersection(traced));
        let all = Intervals::union_of_sorted(vec![within.collect()]);
        times.fold(all, |rest, known| rest.subtract(known))
    }

    /// Adds the times of a driving thread to the lists of each level.
    fn add(&self, id: TrackId, track: &Track, windows: &[Span], lists: &mut [Vec<Vec<Span>>]) {
        let mut own: Vec<Vec<Vec<Span>>> = vec![Vec::new(); self.count + 1];
        add_levels(track, &self.levels, windows, &mut own);
        let mut own: Vec<Intervals> = own.into_iter().map(Intervals::union_of_sorted).collect();
        let (profiler, profiler_level) = &self.profiler;
        let profiler = profiler.within(track, windows);
        let program = |times: &Intervals| times.subtract(&profiler);
        let copies = own.pop().unwrap_or_default();
        let compile = &mut own[usize::from(COMPILATION)];
        if !compile.spans().is_empty() {
            *compile = self.with_tracing(track, windows, compile);
        }
        let awaited = self.awaits.within(id, track, windows);
        if !awaited.spans().is_empty() {
            let awaited = awaited.subtract(&self.no_wait.within(track, windows));
            own[WAIT_INDEX] = own[WAIT_INDEX].union(&awaited);
        }
        let checkpoints = self.checkpoints.within(track, windows);
        own[WAIT_INDEX] = own[WAIT_INDEX].subtract(&checkpoints);
        let waits = program(&own[WAIT_INDEX]);
        for (level, times) in own.iter().enumerate() {
            let is_work = level > WAIT_INDEX && !self.keeps_waits[level];
            let rest = match level {
                WAIT_INDEX => waits.clone(),
                _ if is_work => program(&times.subtract(&waits)),
                _ => program(times),
            };
            lists[level].push(rest.into_spans());
        }
        let (collections, collection_level) = &self.collections;
        let collected = program(&collections.within(track, windows));
        let known = [&copies, &profiler, &collected];
        let between = self.between_calls(track, windows, own.iter().chain(known));
        if let Some(list) = lists.get_mut(usize::from(*collection_level)) {
            list.push(collected.into_spans());
        }
        if let Some(list) = lists.get_mut(usize::from(self.python.0)) {
            list.push(between.into_spans());
        }
        if !copies.spans().is_empty() {
            let (no_copy, copy_level) = &self.no_copy;
            let rest = program(&copies.subtract(&no_copy.within(track, windows)));
            lists[usize::from(*copy_level)].push(rest.into_spans());
        }
        if let Some(list) = lists.get_mut(usize::from(*profiler_level)) {
            list.push(profiler.into_spans());
        }
    }
}

/// When threads did some of the things they do.
pub(crate) struct ThreadTime {
    levels: Vec<u8>,
    is_there: bool,
}

impl ThreadTime {
    /// The time in which the profiler itself worked or waited.
    pub(crate) fn of_profiler(session: &Session) -> Self {
        Self::of(session, |activity| activity == Activity::Profiler)
    }

    fn of(session: &Session, counts: fn(Activity) -> bool) -> Self {
        let mut levels = levels(session, |_| 0);
        let activities = Activities::of(session);
        for (position, level) in levels.iter_mut().enumerate() {
            if !counts(activities.label(LabelId::from_index(position))) {
                *level = NO_LEVEL;
            }
        }
        let is_there = levels.contains(&0);
        Self { levels, is_there }
    }

    /// The times on a track within `windows`, which are sorted and do not overlap.
    pub(crate) fn within(&self, track: &Track, windows: &[Span]) -> Intervals {
        let mut spans = vec![Vec::new()];
        if self.is_there {
            add_levels(track, &self.levels, windows, &mut spans);
        }
        Intervals::union_of_sorted(spans.pop().unwrap_or_default())
    }
}

/// Compilation time of the host that compiled longest, in picoseconds. None if no host thread was
/// recorded.
pub(crate) fn compilation_ps(session: &Session, hosts: &[HostId]) -> Option<i64> {
    let everything = |_| {
        vec![Span {
            start: Picos(i64::MIN),
            end: Picos::MAX,
        }]
    };
    compilation_within_ps(session, hosts, everything)
}

/// Like [`compilation_ps`], within the windows of each host, which are sorted and do not overlap.
pub(crate) fn compilation_within_ps(
    session: &Session,
    hosts: &[HostId],
    windows: impl Fn(HostId) -> Vec<Span> + Sync,
) -> Option<i64> {
    let levels = levels(session, |activity| match activity {
        Activity::Compile(_) => COMPILATION,
        _ => NO_LEVEL,
    });
    let is_compiled = levels.contains(&COMPILATION);
    let of_host = |&host: &HostId| {
        let windows = windows(host);
        let tracks: Vec<TrackId> = own_tracks(session, host).collect();
        if tracks.is_empty() || !session.host(host).records_threads() {
            return None;
        }
        let mut spans = vec![Vec::new()];
        if is_compiled {
            for id in tracks {
                add_levels_in_passing(session, id, &levels, &windows, &mut spans);
            }
        }
        let compiled = Intervals::union_of_sorted(spans.pop().unwrap_or_default());
        Some(compiled.duration().0)
    };
    hosts.par_iter().filter_map(of_host).max()
}
