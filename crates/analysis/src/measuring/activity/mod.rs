//! What hosts did: times by [activity](Activity) on the threads that drive the devices.
//!
//! Input and other work count only on the threads that drive the devices: a pool worker that
//! prefetches or waits delays nothing. Compilation counts on any thread, since compilers use thread
//! pools. A copy on a pool thread counts while a driving thread waits, since the driving thread waits
//! for the copy. A frame that encloses a wait counts as work only outside the wait. While the profiler
//! itself works or waits, the program does nothing, so that time counts only for the profiler.
//!
//! `steps` uses four levels of activity; `idle` and `input` use one level per cause. Both share the
//! same pass over the slices and the same classification.

mod cause;
mod levels;
mod reads;
mod threads;
mod transfers;

pub(crate) use levels::{LevelOf, levels};
use rayon::prelude::*;
use stepscope_model::{Activity, Direction, HostId, Picos, Session, Span, Track, TrackId};

use crate::measuring::interval::Intervals;
use crate::measuring::work::{NO_LEVEL, add_levels, add_levels_in_passing};

pub use cause::Cause;
pub(crate) use cause::{CAUSES, CauseTimes, cause_times, claimed};
pub(crate) use reads::Activities;
pub(crate) use threads::{driving_threads, host_tracks, own_tracks};
pub(crate) use transfers::waited_for as transfers_waited_for;

/// Levels that every division has. All further levels are work, from which waits are subtracted.
pub(crate) const COMPILATION: u8 = 0;
pub(crate) const INPUT: u8 = 1;
pub(crate) const WAIT: u8 = 2;
const WAIT_INDEX: usize = WAIT as usize;

/// What each host did within `windows`, which are sorted and do not overlap: times by level. The times
/// of different levels may overlap.
pub(crate) fn host_times(
    session: &Session,
    hosts: &[HostId],
    windows: &[Span],
    level_of: LevelOf,
    count: usize,
) -> Vec<(HostId, Vec<Intervals>)> {
    let levels = levels(session, level_of);
    let compile: Vec<u8> = levels
        .iter()
        .map(|&level| {
            if level == COMPILATION {
                level
            } else {
                NO_LEVEL
            }
        })
        .collect();
    let is_compiled = compile.contains(&COMPILATION);
    let own_time = OwnTime::of(session);
    let profiler_level = level_of(Activity::Profiler);
    let transfer_level = usize::from(level_of(Activity::Transfer(Direction::HostToDevice)));
    let transfer_level = Some(transfer_level).filter(|&level| level < count);
    let driving = driving_threads(session, hosts);
    hosts
        .par_iter()
        .zip(driving)
        .map(|(&host, driving)| {
            let mut lists: Vec<Vec<Vec<Span>>> = vec![Vec::new(); count];
            for id in own_tracks(session, host) {
                if driving.binary_search(&id).is_err() {
                    // Only compilation counts on other threads, which have most of the host slices.
                    if is_compiled {
                        add_levels_in_passing(session, id, &compile, windows, &mut lists[..1]);
                    }
                    continue;
                }
                let track = &*session.track_in_passing(id);
                let mut own: Vec<Vec<Vec<Span>>> = vec![Vec::new(); count];
                add_levels(track, &levels, windows, &mut own);
                let mut own = own.into_iter().map(Intervals::union_of_sorted);
                let mut take = || own.next().unwrap_or_default();
                let profiler = own_time.within(track, windows);
                let program = |times: Intervals| times.subtract(&profiler);
                let (compilation, input, waits) = (take(), take(), program(take()));
                let rests = own.map(|work| program(work.subtract(&waits)));
                lists[usize::from(COMPILATION)].push(program(compilation).into_spans());
                lists[usize::from(INPUT)].push(program(input).into_spans());
                for (list, rest) in lists[3..].iter_mut().zip(rests) {
                    list.push(rest.into_spans());
                }
                lists[usize::from(WAIT)].push(waits.into_spans());
                if let Some(list) = lists.get_mut(usize::from(profiler_level)) {
                    list.push(profiler.into_spans());
                }
            }
            let mut times: Vec<Intervals> =
                lists.into_iter().map(Intervals::union_of_sorted).collect();
            if let Some(level) = transfer_level {
                let waited = transfers_waited_for(session, host, &driving, windows, |_| true);
                times[WAIT_INDEX] = times[WAIT_INDEX].subtract(&waited);
                times[level] = times[level].union(&waited);
            }
            (host, times)
        })
        .collect()
}

/// When the profiler itself worked or waited on a thread.
pub(crate) struct OwnTime {
    levels: Vec<u8>,
    is_there: bool,
}

impl OwnTime {
    pub(crate) fn of(session: &Session) -> Self {
        let levels = levels(session, |activity| match activity {
            Activity::Profiler => 0,
            _ => NO_LEVEL,
        });
        let is_there = levels.contains(&0);
        Self { levels, is_there }
    }

    /// The profiler's times on a track within `windows`, which are sorted and do not overlap.
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
        if tracks.is_empty() {
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
