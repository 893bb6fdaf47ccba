//! What is at the other end of the queue that a loop waits in, and the program's own function that this
//! takes.
//!
//! ```text
//! loop     [ get (waits)                        ][ launch ]
//! filler   [ actor                                          ]
//!            [ env ][ env ][ env ][ env ][ env ] [put]          most of the wait is `env`
//!
//! loop     [ put (waits)                        ][ launch ]
//! taker    [ writer                                         ]
//!            [ dumps ][ dumps ][ dumps ]         [get]          `writer`, which calls `dumps`
//! ```
//!
//! A thread that puts something into a queue fills it, and one that takes something from it empties it.
//! Where none was recorded, the thread that runs the program's own Python for most of the wait is what
//! there is to look at.

use std::cmp::Reverse;

use stepscope_model::host_names::{is_queue_get, is_queue_put};
use stepscope_model::{
    Activity, HostId, Label, LabelId, SaturatingSum as _, Session, SliceKind, Span, Track, TrackId,
};

use super::own_code::{Inside, MOST, innermost, is_own_function};
use crate::measuring::activity::{Loops, QueueEnd, QueueWaits, driving_threads, own_tracks};
use crate::measuring::frames::is_scaffold;
use crate::measuring::interval::Intervals;

/// A thread that hands nothing over and runs for less of the waits does not explain them.
const LEAST: f64 = 0.5;

/// The thread at the other end of a queue.
pub(crate) struct OtherEnd {
    pub(crate) thread: TrackId,
    /// Whether it was recorded that it puts something into a queue, or takes something from one.
    pub(crate) hands_over: bool,
    /// The outermost function of the program that runs on it for most of the waits, if it began within
    /// the recording.
    pub(crate) outermost: Option<LabelId>,
    /// The innermost one.
    pub(crate) innermost: Option<LabelId>,
    /// The outermost function of a library that runs within it, or instead of one of the program.
    pub(crate) called: Option<LabelId>,
    /// When the loop waits in a queue.
    pub(crate) waits: Intervals,
    /// Time of the waits in which the thread runs functions of the program and waits for nothing itself.
    pub(crate) runs_ps: i64,
    /// Whether it sleeps for most of the waits.
    pub(crate) sleeps: bool,
}

/// What a thread does during the waits.
struct Doing {
    hand_overs: usize,
    inside: Inside,
    libraries: Inside,
    runs_ps: i64,
    sleeps_ps: i64,
}

/// Of each label, whether it tells what a thread does.
struct Labels {
    hand_over: Vec<bool>,
    own: Vec<bool>,
    library: Vec<bool>,
    sleeps: Vec<bool>,
    blocked: Vec<bool>,
}

impl OtherEnd {
    /// What fills the queue in which the loop of a host waits within `windows`, or takes from it, if the
    /// loop waits at this end. None if it waits in no queue, or if no other thread was recorded that may
    /// do so.
    pub(crate) fn of(
        session: &Session,
        (host, loops): (HostId, Loops),
        end: QueueEnd,
        windows: &Intervals,
    ) -> Option<Self> {
        let waits = QueueWaits::within(session, (host, loops), end, windows.spans()).times;
        let all_ps = waits.duration().0;
        if all_ps == 0 {
            return None;
        }
        let labels = Labels::of(session, end);
        let driving = driving_threads(session, &[host], loops).concat();
        let others = own_tracks(session, host).filter(|id| driving.binary_search(id).is_err());
        let is_told = |label: LabelId| labels.hand_over[label.index()] || labels.own[label.index()];
        let doing = others.filter_map(|id| {
            let track = session.track_having(id, is_told)?;
            Some((id, Doing::of(&track, &labels, windows, &waits)))
        });
        let doing: Vec<(TrackId, Doing)> = doing.collect();
        let hands_over = doing.iter().any(|(_, one)| one.hand_overs > 0);
        let is_other = |one: &Doing| {
            if hands_over {
                one.hand_overs > 0
            } else {
                one.runs_ps as f64 >= LEAST * all_ps as f64
            }
        };
        let others = doing.into_iter().filter(|(_, one)| is_other(one));
        let (thread, most) = others.max_by_key(|(id, one)| (one.runs_ps, Reverse(*id)))?;
        let least_ps = MOST * all_ps as f64;
        let own = innermost(&most.inside, least_ps);
        let called = outermost(&most.libraries, least_ps);
        let is_within = |called: LabelId| {
            own.is_none_or(|own| {
                let depth =
                    |of: &Inside, label| of.get(&label).map(|(spans, all)| mean_depth(spans, *all));
                depth(&most.libraries, called) > depth(&most.inside, own)
            })
        };
        Some(Self {
            thread,
            hands_over,
            outermost: outermost(&most.inside, least_ps),
            innermost: own,
            called: called.filter(|&called| is_within(called)),
            waits,
            runs_ps: most.runs_ps,
            sleeps: most.sleeps_ps as f64 >= LEAST * all_ps as f64,
        })
    }

    /// Whether it runs functions of the program for less of the waits than a thread that explains them.
    pub(crate) fn is_starved(&self) -> bool {
        (self.runs_ps as f64) < LEAST * self.waits.duration().0 as f64
    }
}

impl Labels {
    fn of(session: &Session, end: QueueEnd) -> Self {
        let hands_over = match end {
            QueueEnd::Get => is_queue_put,
            QueueEnd::Put => is_queue_get,
        };
        let labels = |test: &dyn Fn(LabelId) -> bool| -> Vec<bool> {
            let ids = (0..session.labels.len()).map(LabelId::from_index);
            ids.map(test).collect()
        };
        Self {
            hand_over: labels(&|id| hands_over(session.label_name(id))),
            own: labels(&|id| is_own_function(session, session.label(id))),
            library: labels(&|id| {
                end == QueueEnd::Put && is_of_library(session, session.label(id))
            }),
            sleeps: labels(&|id| session.label(id).activity == Activity::Sleep),
            blocked: labels(&|id| session.label(id).activity == Activity::Blocked),
        }
    }
}

impl Doing {
    fn of(track: &Track, labels: &Labels, windows: &Intervals, waits: &Intervals) -> Self {
        let (mut hand_overs, mut sleeps_ps) = (0, 0i64);
        // A function that waits for a lock or an answer takes no time itself.
        let awake = waits.subtract(&times_of(track, &labels.blocked));
        let (mut inside, mut libraries) = (Inside::new(), Inside::new());
        for nest in &track.nests {
            for (depth, number) in nest.clone().enumerate() {
                let lane = &track.lanes[number as usize];
                for (index, label) in lane.labels().iter().enumerate() {
                    let at = label.index();
                    if labels.hand_over[at] && windows.contains_instant(lane.span(index).start) {
                        hand_overs += 1;
                    }
                    if labels.sleeps[at] {
                        let asleep = waits.clip(lane.span(index)).duration().0;
                        sleeps_ps = sleeps_ps.saturating_add(asleep);
                    }
                    let functions = match (labels.own[at], labels.library[at]) {
                        (true, _) => &mut inside,
                        (_, true) => &mut libraries,
                        _ => continue,
                    };
                    let within = awake.clip(lane.span(index)).into_spans();
                    if !within.is_empty() {
                        let (spans, depths) = functions.entry(*label).or_default();
                        *depths += depth * within.len();
                        spans.extend(within);
                    }
                }
            }
        }
        let all: Vec<Span> = inside
            .values()
            .flat_map(|(spans, _)| spans)
            .copied()
            .collect();
        Self {
            hand_overs,
            inside,
            libraries,
            runs_ps: Intervals::union_of(all).duration().0,
            sleeps_ps,
        }
    }
}

/// When slices with these labels run.
fn times_of(track: &Track, is_wanted: &[bool]) -> Intervals {
    let mut spans = Vec::new();
    if track.may_have(|label| is_wanted[label.index()]) {
        for lane in &track.lanes {
            let labels = lane.labels().iter().enumerate();
            let own = labels.filter(|(_, label)| is_wanted[label.index()]);
            spans.extend(own.map(|(index, _)| lane.span(index)));
        }
    }
    Intervals::union_of(spans)
}

/// Whether it is a Python function of a library that does something itself.
fn is_of_library(session: &Session, label: &Label) -> bool {
    let name = session.text(label.name);
    let waits = matches!(
        label.activity,
        Activity::Blocked | Activity::Sleep | Activity::Input(_)
    );
    let is_other = waits || is_scaffold(name) || is_queue_get(name);
    label.kind == SliceKind::Python && !is_other && session.is_library_frame(name)
}

/// Mean depth of slices whose depths sum to this.
fn mean_depth(spans: &[Span], depths: usize) -> f64 {
    depths as f64 / spans.len().max(1) as f64
}

/// The function with the least depth that takes at least this long.
fn outermost(inside: &Inside, least_ps: f64) -> Option<LabelId> {
    let most = inside.iter().filter_map(|(&label, (spans, depths))| {
        let takes_ps = spans.iter().map(|span| span.duration().0).saturating_sum();
        (takes_ps as f64 >= least_ps).then_some((mean_depth(spans, *depths), label))
    });
    let first = most.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    first.map(|(_, label)| label)
}
