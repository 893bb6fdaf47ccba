//! Descriptions of a gap: the call that took most of it, the enclosing annotation, and the Python line.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;
use stepscope_model::{
    Activity, HostId, LabelId, Picos, Session, SliceId, SliceKind, Span, TrackId,
};

use crate::measuring::activity::{
    Activities, Await, Awaits, Cause, Loops, ThreadTime, driving_threads, own_tracks,
};
use crate::measuring::frames::Frames;
use crate::measuring::interval::Intervals;

/// Maximum number of slices of one lane that are examined per gap. A gap with more of them is full of
/// short ones.
const MOST_SLICES: usize = 1024;

/// What a thread does from call to call where no call is recorded: it runs the function that was
/// running before the recording began, or waits in a native call.
pub(crate) const OWN_CODE: &str = "the loop's own code, or a native call";

/// What describes a gap.
#[derive(Debug, Default)]
pub(super) struct Words {
    /// The innermost slice of the gap's cause that covers at least half of the cause's time, else the longest
    /// of those with one name that do so together, or the longest if none do.
    pub(super) what: String,
    /// That slice.
    pub(super) slice: Option<SliceId>,
    /// The outermost annotation of the program that covers at least half of the gap.
    pub(super) annotation: String,
    /// The innermost Python frame of the program's own files that covers at least half of the gap, else
    /// the outermost one of a library.
    pub(super) python: String,
}

/// Explains gaps; holds the threads to examine.
pub(super) struct Explainer<'a> {
    session: &'a Session,
    own_time: ThreadTime,
    activities: Arc<Activities>,
    threads: Vec<(HostId, Vec<TrackId>)>,
    finder: Awaits,
    /// What the finder finds on each driving thread, once a gap asks.
    awaits: FxHashMap<TrackId, OnceLock<Vec<Await>>>,
}

impl<'a> Explainer<'a> {
    pub(super) fn new(session: &'a Session, hosts: &[HostId], loops: Loops) -> Self {
        let mut hosts = hosts.to_vec();
        hosts.sort_unstable();
        hosts.dedup();
        let threads = driving_threads(session, &hosts, loops);
        let all = threads.iter().flatten();
        Self {
            session,
            finder: Awaits::of(session),
            awaits: all.map(|&id| (id, OnceLock::new())).collect(),
            own_time: ThreadTime::of_profiler(session),
            activities: Activities::of(session),
            threads: hosts.into_iter().zip(threads).collect(),
        }
    }

    pub(super) fn words(&self, host: HostId, gap: Span, cause: Cause, cause_ps: i64) -> Words {
        let mut found = Found::default();
        for track in self.threads_of(host, cause) {
            self.look(track, gap, (cause, cause_ps), &mut found);
        }
        let name = |label: Option<LabelId>| {
            let name = label.map(|label| self.session.label_name(label));
            name.unwrap_or_default().trim_start_matches('$').to_owned()
        };
        let in_calls = Intervals::union_of(std::mem::take(&mut found.python_calls));
        let other = Intervals::union_of(std::mem::take(&mut found.other_calls));
        let in_calls = in_calls.subtract(&other);
        if cause == Cause::Python && 2 * in_calls.duration().0 < cause_ps {
            return Words {
                what: OWN_CODE.to_owned(),
                annotation: name(found.annotation),
                ..Words::default()
            };
        }
        let longest = found.longest.map(|(_, found)| found);
        let what = found.what.or_else(|| found.together(cause_ps)).or(longest);
        Words {
            what: name(what.map(|found| found.label)),
            slice: what.map(|found| found.slice),
            annotation: name(found.annotation),
            python: name(found.frames.told()),
        }
    }

    /// The driving threads. For Python callbacks all threads, since these may run on any.
    fn threads_of(&self, host: HostId, cause: Cause) -> Vec<TrackId> {
        if cause == Cause::Callback {
            return own_tracks(self.session, host).collect();
        }
        let threads = self.threads.iter().filter(|(id, _)| *id == host);
        threads.flat_map(|(_, tracks)| tracks).copied().collect()
    }

    /// Waits for buffers that have no slice of their own. A call that contains them says more.
    fn look_for_awaits(&self, id: TrackId, gap: Span, cause_ps: i64, found: &mut Found) {
        let Some(known) = self.awaits.get(&id) else {
            return;
        };
        let all = known.get_or_init(|| self.finder.on(id, &self.session.track_in_passing(id)));
        let first = all.partition_point(|wait| wait.span.end <= gap.start);
        for wait in all[first..]
            .iter()
            .take_while(|wait| wait.span.start < gap.end)
        {
            let common = wait.span.intersection(gap);
            let length = common.map_or(0, |common| common.duration().0);
            let call = Call {
                label: wait.label,
                slice: wait.slice,
            };
            found.add(call, length, cause_ps);
        }
    }

    /// From the outermost lane to the innermost: the longest slice of each.
    ///
    /// Slices within the profiler's own time do not belong to the program.
    fn look(&self, track_id: TrackId, gap: Span, cause: (Cause, i64), found: &mut Found) {
        let track = &*self.session.track_in_passing(track_id);
        let half = gap.duration().0 / 2;
        if cause.0 == Cause::Blocked {
            self.look_for_awaits(track_id, gap, cause.1, found);
        }
        let profiler = self.own_time.within(track, &[gap]);
        for (number, lane) in (0..).zip(&track.lanes) {
            let range = lane.overlapping(gap);
            let (starts, durations, labels) = (lane.starts(), lane.durations(), lane.labels());
            for index in range.take(MOST_SLICES) {
                let start = Picos(starts[index]);
                let span = Span {
                    start,
                    end: start + Picos(durations[index]),
                };
                let Some(common) = span.intersection(gap) else {
                    continue;
                };
                let (length, id) = (common.duration().0, labels[index]);
                let label = self.session.label(id);
                let is_own = profiler.spans().iter().any(|own| own.contains(common));
                if label.kind == SliceKind::Marker || is_own && label.activity != Activity::Profiler
                {
                    continue;
                }
                let activity = self.activities.label(id);
                let is_vague = matches!(
                    Cause::of(activity),
                    Cause::Python | Cause::Runtime | Cause::Annotation | Cause::Unknown
                );
                match label.kind {
                    SliceKind::Python if is_vague => found.python_calls.push(common),
                    // What a frame calls of the runtime is part of its Python.
                    _ if is_vague => {}
                    _ => found.other_calls.push(common),
                }
                if Cause::of(activity) == cause.0 && activity != Activity::None {
                    let call = Call {
                        label: id,
                        slice: SliceId {
                            track: track_id,
                            lane: number,
                            index: u32::try_from(index).unwrap_or(u32::MAX),
                        },
                    };
                    found.add(call, length, cause.1);
                }
                // A callback starts after the program that calls it.
                let is_caller = cause.0 == Cause::Callback && start < gap.start;
                if length < half || is_caller {
                    continue;
                }
                let is_annotation = match label.activity {
                    Activity::Other => true,
                    Activity::Input(_) => label.kind == SliceKind::Host,
                    _ => false,
                };
                if is_annotation && found.annotation.is_none() {
                    found.annotation = Some(id);
                }
                if label.activity != Activity::Profiler {
                    found.frames.enter(self.session, id);
                }
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Call {
    label: LabelId,
    slice: SliceId,
}

#[derive(Default)]
struct Found {
    what: Option<Call>,
    /// The longest one, with its time in the gap.
    longest: Option<(i64, Call)>,
    /// The same of each name in each lane, after the time of all of them.
    of_names: BTreeMap<(u32, LabelId), (i64, i64, Call)>,
    annotation: Option<LabelId>,
    /// The times of Python calls in the gap that do nothing more specific, and of calls that do.
    python_calls: Vec<Span>,
    other_calls: Vec<Span>,
    /// Python frames that cover at least half of the gap.
    frames: Frames,
}

impl Found {
    /// A call that does what the gap is for, for this part of it.
    fn add(&mut self, call: Call, length: i64, cause_ps: i64) {
        if 2 * length >= cause_ps {
            self.what = Some(call);
        }
        if self.longest.is_none_or(|(longest, _)| longest < length) {
            self.longest = Some((length, call));
        }
        let name = (call.slice.lane, call.label);
        let own = self.of_names.entry(name).or_insert((0, length, call));
        own.0 = own.0.saturating_add(length);
        if own.1 < length {
            (own.1, own.2) = (length, call);
        }
    }

    /// The longest call of the innermost name whose calls do this for at least half of the time.
    fn together(&self, cause_ps: i64) -> Option<Call> {
        let mostly = self
            .of_names
            .iter()
            .filter(|(_, own)| 2 * own.0 >= cause_ps);
        let innermost = mostly.max_by_key(|((lane, _), own)| (*lane, own.0));
        innermost.map(|(_, own)| own.2)
    }
}
