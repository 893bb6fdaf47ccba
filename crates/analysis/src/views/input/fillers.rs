//! What fills the queue that a loop waits in, and the program's own function that this takes.
//!
//! ```text
//! loop     [ get (waits)                        ][ launch ]
//! filler   [ actor                                          ]
//!            [ env ][ env ][ env ][ env ][ env ] [put]          most of the wait is `env`
//! ```
//!
//! A thread that puts something into a queue fills it. Where none was recorded, the thread that runs the
//! program's own Python for most of the wait is what there is to look at.

use stepscope_model::host_names::is_queue_put;
use stepscope_model::{
    Activity, HostId, LabelId, SaturatingSum as _, Session, Span, Track, TrackId,
};

use super::own_code::{Inside, MOST, innermost, is_own_function};
use crate::measuring::activity::{Loops, QueueWaits, driving_threads, own_tracks};
use crate::measuring::interval::Intervals;

/// A thread that puts nothing into a queue and runs for less of the waits does not explain them.
const LEAST: f64 = 0.5;

/// The thread that fills a queue.
pub(crate) struct Filler {
    pub(crate) thread: TrackId,
    /// Whether it was recorded that it puts something into a queue.
    pub(crate) puts: bool,
    /// The outermost function of the program that runs on it for most of the waits, if it began within
    /// the recording.
    pub(crate) outermost: Option<LabelId>,
    /// The innermost one.
    pub(crate) innermost: Option<LabelId>,
    /// When the loop waits in a queue.
    pub(crate) waits: Intervals,
    /// Time of the waits in which the thread runs functions of the program.
    pub(crate) runs_ps: i64,
    /// Whether it sleeps for most of the waits.
    pub(crate) sleeps: bool,
}

/// What a thread does during the waits.
struct Doing {
    puts: usize,
    inside: Inside,
    runs_ps: i64,
    sleeps_ps: i64,
}

/// Of each label, whether it tells what a thread does.
struct Labels {
    puts: Vec<bool>,
    own: Vec<bool>,
    sleeps: Vec<bool>,
}

impl Filler {
    /// What fills the queue in which the loop of a host waits within `windows`. None if it waits in no
    /// queue, or if no other thread was recorded that may fill it.
    pub(crate) fn of(
        session: &Session,
        (host, loops): (HostId, Loops),
        windows: &Intervals,
    ) -> Option<Self> {
        let waits = QueueWaits::within(session, (host, loops), windows.spans()).times;
        let all_ps = waits.duration().0;
        if all_ps == 0 {
            return None;
        }
        let labels = Labels::of(session);
        let driving = driving_threads(session, &[host], loops).concat();
        let others = own_tracks(session, host).filter(|id| driving.binary_search(id).is_err());
        let is_told = |label: LabelId| labels.puts[label.index()] || labels.own[label.index()];
        let doing = others.filter_map(|id| {
            let track = session.track_having(id, is_told)?;
            Some((id, Doing::of(&track, &labels, windows, &waits)))
        });
        let doing: Vec<(TrackId, Doing)> = doing.collect();
        let is_put_in = doing.iter().any(|(_, one)| one.puts > 0);
        let fills = |one: &Doing| {
            if is_put_in {
                one.puts > 0
            } else {
                one.runs_ps as f64 >= LEAST * all_ps as f64
            }
        };
        let filling = doing.into_iter().filter(|(_, one)| fills(one));
        let (thread, most) =
            filling.max_by_key(|(id, one)| (one.runs_ps, std::cmp::Reverse(*id)))?;
        let least_ps = MOST * all_ps as f64;
        Some(Self {
            thread,
            puts: is_put_in,
            outermost: outermost(&most.inside, least_ps),
            innermost: innermost(most.inside, least_ps),
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
    fn of(session: &Session) -> Self {
        let labels = |test: &dyn Fn(LabelId) -> bool| -> Vec<bool> {
            let ids = (0..session.labels.len()).map(LabelId::from_index);
            ids.map(test).collect()
        };
        Self {
            puts: labels(&|id| is_queue_put(session.label_name(id))),
            own: labels(&|id| is_own_function(session, session.label(id))),
            sleeps: labels(&|id| session.label(id).activity == Activity::Sleep),
        }
    }
}

impl Doing {
    fn of(track: &Track, labels: &Labels, windows: &Intervals, waits: &Intervals) -> Self {
        let (mut puts, mut inside, mut sleeps_ps) = (0, Inside::new(), 0i64);
        for nest in &track.nests {
            for (depth, number) in nest.clone().enumerate() {
                let lane = &track.lanes[number as usize];
                for (index, label) in lane.labels().iter().enumerate() {
                    let at = label.index();
                    if labels.puts[at] && windows.contains_instant(lane.span(index).start) {
                        puts += 1;
                    }
                    if labels.sleeps[at] {
                        let asleep = waits.clip(lane.span(index)).duration().0;
                        sleeps_ps = sleeps_ps.saturating_add(asleep);
                    }
                    if !labels.own[at] {
                        continue;
                    }
                    let within = waits.clip(lane.span(index)).into_spans();
                    if !within.is_empty() {
                        let (spans, depths) = inside.entry(*label).or_default();
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
            puts,
            inside,
            runs_ps: Intervals::union_of(all).duration().0,
            sleeps_ps,
        }
    }
}

/// The function with the least depth that takes at least this long.
fn outermost(inside: &Inside, least_ps: f64) -> Option<LabelId> {
    let most = inside.iter().filter_map(|(&label, (spans, depths))| {
        let takes_ps = spans.iter().map(|span| span.duration().0).saturating_sum();
        let mean_depth = *depths as f64 / spans.len().max(1) as f64;
        (takes_ps as f64 >= least_ps).then_some((mean_depth, label))
    });
    let first = most.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    first.map(|(_, label)| label)
}
