//! Input that a loop waits for in a queue of the program itself: which thread fills it, and with what it
//! spends its time.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use stepscope_model::host_names::{
    dispatched_function, is_queue_get, is_queue_put, module_function,
};
use stepscope_model::{Activity, HostId, InputStage, LabelId};

use super::rival::{Rival, rival_within};
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::AdviceFinding;
use crate::measuring::activity::{Activities, QueueEnd, driving_threads, outermost};
use crate::measuring::interval::Intervals;
use crate::telling::format;
use crate::telling::places::python_function;
use crate::views::input::OtherEnd;

/// The queue in which a loop waits, and what is at its other end: what fills it, or takes from it.
pub(super) enum Queue {
    /// A thread that was recorded: its outermost and its innermost function, and what that calls of a
    /// library.
    Runs {
        hands_over: bool,
        outermost: Option<String>,
        innermost: String,
    },
    /// A thread that cannot run meanwhile.
    Starved {
        outermost: Option<String>,
        rival: Rival,
    },
    /// A thread that sleeps.
    Asleep { outermost: Option<String> },
    /// A thread that runs programs, and waits for them.
    Launches {
        outermost: Option<String>,
        function: String,
        per_step: f64,
    },
    /// A thread that runs no function of the program for most of the time.
    Waits,
    /// Nothing was recorded that is at the other end.
    Unseen,
}

impl Queue {
    /// That of a host whose loop waits for its next element in a queue. In an iterator, which may be a
    /// library's, only if the program's own function that fills it is known, or that it sleeps.
    pub(super) fn of(facts: &Facts<'_>, name: &str) -> Option<Self> {
        let session = facts.session;
        let mut hosts = session.hosts.iter();
        let host = HostId::from_index(hosts.position(|one| one.name == name)?);
        let windows = facts.selected.host_windows(host);
        let is_alone = is_awaited(facts, host, &windows);
        let loops = facts.selected.loops();
        let filler = OtherEnd::of(session, (host, loops), QueueEnd::Get, &windows);
        let is_known = |one: &OtherEnd| one.hands_over && (one.innermost.is_some() || one.sleeps);
        if !is_alone && !filler.as_ref().is_some_and(is_known) {
            return None;
        }
        let mut names = (session.labels.iter()).map(|label| session.text(label.name));
        Some(match filler {
            Some(filler) => Self::with(facts, host, &filler),
            None if names.any(is_queue_put) => Self::Waits,
            None => Self::Unseen,
        })
    }

    /// That with this thread at its other end.
    pub(super) fn with(facts: &Facts<'_>, host: HostId, other: &OtherEnd) -> Self {
        let session = facts.session;
        let told = |label: Option<LabelId>| {
            let name = session.label_name(label?).trim_start_matches('$');
            Some(format::shortened(&python_function(name)?))
        };
        let outermost = told(other.outermost);
        let rival = rival_within(facts, host, &other.waits);
        if let Some(rival) = rival.filter(|one| one.thread != other.thread && other.is_starved()) {
            return Self::Starved { outermost, rival };
        }
        let innermost = match (told(other.innermost), told(other.called)) {
            (Some(own), Some(called)) => Some(format!("{own}, which calls {called}")),
            (own, called) => own.or(called),
        };
        match innermost {
            Some(innermost) => Self::Runs {
                hands_over: other.hands_over,
                outermost: outermost.filter(|name| !innermost.starts_with(name)),
                innermost,
            },
            None if other.hands_over && other.sleeps => Self::Asleep { outermost },
            None if other.hands_over => match launched(facts, host, other) {
                Some((function, per_step)) => Self::Launches {
                    outermost,
                    function,
                    per_step,
                },
                None => Self::Waits,
            },
            None => Self::Unseen,
        }
    }

    /// ` The queue is filled by actor (train.py:14), which spends most of that time in env (train.py:9).`
    pub(super) fn filled_by(&self) -> String {
        match self {
            Self::Runs {
                hands_over: true,
                outermost,
                innermost,
            } => format!(
                " The queue is filled by {}, which spends most of that time in {innermost}.",
                who(outermost.as_deref())
            ),
            Self::Runs { innermost, .. } => format!(
                " Nothing was recorded that fills the queue, but another thread runs {innermost} for most \
                 of that time."
            ),
            Self::Starved { outermost, rival } => format!(
                " The queue is filled by {}, which hardly runs meanwhile: for {} of that time, another \
                 thread runs Python, {}.",
                who(outermost.as_deref()),
                format::percent(rival.share),
                rival.place
            ),
            Self::Asleep { outermost } => format!(
                " The queue is filled by {}, which sleeps for most of that time.",
                who(outermost.as_deref())
            ),
            Self::Launches {
                outermost,
                function,
                per_step,
            } => format!(
                " The queue is filled by {}, which runs {function} about {} per step.",
                who(outermost.as_deref()),
                format::counted(per_step.round(), "time")
            ),
            Self::Waits => " The loop waits in a queue that another thread fills.".to_owned(),
            Self::Unseen => " The loop waits in a queue.".to_owned(),
        }
    }

    /// A finding about the queue. What libraries for input do is no example for it.
    pub(super) fn told(&self, finding: AdviceFinding) -> AdviceFinding {
        let finding = finding.code("");
        match self {
            Self::Runs { innermost, .. } => finding.why(SLOW).fix(format!(
                "Make {innermost} cheaper, for example with NumPy on whole arrays, or run it in several \
                 processes: threads take turns in Python. Keep a few batches in the queue, on the device."
            )),
            Self::Starved { .. } => finding.why(Rival::WHY_FILLER).fix(Rival::FIX),
            Self::Asleep { .. } => finding.why(SLOW).fix(WAKE),
            Self::Launches { .. } => finding.why(LAUNCHES).fix(LAUNCH_LESS),
            Self::Waits => finding.why(EMPTY).fix(FILL),
            Self::Unseen => finding.why(UNSEEN).fix(FILL),
        }
    }
}

/// The function that a thread launches most often, at least once per step, and how often.
fn launched(facts: &Facts<'_>, host: HostId, other: &OtherEnd) -> Option<(String, f64)> {
    let session = facts.session;
    let windows = facts.selected.host_windows(host);
    let function = |label: LabelId| dispatched_function(session.label_name(label));
    let track = session.track_having(other.thread, |label| function(label).is_some())?;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, label) in outermost(&track, &windows, |label| function(label).is_some()) {
        *counts.entry(function(label)?).or_default() += 1;
    }
    // Ops between the calls are no reason.
    let is_own = |name: &str| {
        let mut programs = session.programs.iter();
        programs.any(|one| module_function(&one.name) == name && !one.is_single_op())
    };
    let all = counts.into_iter();
    let (name, count) = all.max_by_key(|&(name, count)| (is_own(name), count, Reverse(name)))?;
    let per_step = count as f64 / facts.step_count();
    (per_step >= 1.0).then(|| (format::shortened(name), per_step))
}

/// The function around all that a thread does, if it is known.
pub(super) fn who(outermost: Option<&str>) -> &str {
    outermost.unwrap_or("another thread")
}

/// Whether the threads that launch wait longest in a queue of what waits for the next element.
fn is_awaited(facts: &Facts<'_>, host: HostId, windows: &Intervals) -> bool {
    let session = facts.session;
    let activities = Activities::of(session);
    let waits = |label: LabelId| activities.label(label) == Activity::Input(InputStage::Wait);
    let (mut in_queue_ps, mut elsewhere_ps) = (0i64, 0i64);
    for id in driving_threads(session, &[host], facts.selected.loops()).concat() {
        let Some(track) = session.track_having(id, waits) else {
            continue;
        };
        // What encloses a wait is what the program waits for.
        for (span, label) in outermost(&track, windows, waits) {
            let sum = if is_queue_get(session.label_name(label)) {
                &mut in_queue_ps
            } else {
                &mut elsewhere_ps
            };
            *sum = sum.saturating_add(span.duration().0);
        }
    }
    in_queue_ps > elsewhere_ps
}

const SLOW: &str = "The queue is empty when the loop needs the next batch: what fills it takes longer than the \
                    step.";
const LAUNCHES: &str = "The queue is empty when the loop needs the next batch: what fills it runs programs of its own, one after \
                        the other, and waits for each.";
const LAUNCH_LESS: &str = "Do more in each call of that thread: a larger batch, or several calls in one with `jax.lax.scan`; read \
                           results once for several calls, or fill the queue from several threads. If the queue takes \
                           requests, this is spare capacity.";
const WAKE: &str = "Do not sleep where the queue is filled: wait for what is missing instead, or fill it from \
                    several threads, which may sleep at the same time. If it is requests, nothing is wrong.";
const EMPTY: &str = "The queue is empty when the loop is ready for more, and the thread that fills it mostly \
                     waits, or runs nothing that was recorded. If the work is requests, this is spare \
                     capacity.";
const UNSEEN: &str = "The thread that launches waits in a queue for work, and nothing that fills the queue was \
                      recorded: another process or native code does. If the work is requests, this is spare \
                      capacity.";
const FILL: &str = "If it is batches, look at what fills the queue, and fill it earlier. If it is requests, nothing \
                    is wrong.";
