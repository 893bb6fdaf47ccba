//! Input that a loop waits for in a queue of the program itself: which thread fills it, and with what it
//! spends its time.

use stepscope_model::host_names::{is_queue_get, is_queue_put};
use stepscope_model::{Activity, HostId, InputStage, LabelId};

use super::host_causes::python_function;
use super::rival::{Rival, rival_within};
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::AdviceFinding;
use crate::measuring::activity::{Activities, driving_threads, outermost};
use crate::measuring::interval::Intervals;
use crate::telling::format;
use crate::views::input::Filler;

/// The queue in which a loop waits, and what fills it.
pub(super) enum Queue {
    /// A thread that was recorded: its outermost and its innermost function.
    Filled {
        puts: bool,
        outermost: Option<String>,
        innermost: String,
    },
    /// It is filled by a thread that cannot run meanwhile.
    Starved {
        outermost: Option<String>,
        rival: Rival,
    },
    /// It is filled by a thread that sleeps.
    Asleep { outermost: Option<String> },
    /// A thread puts something into it, and runs no function of the program for most of the time.
    Put,
    /// Nothing was recorded that fills it.
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
        let filler = Filler::of(session, (host, facts.selected.loops()), &windows);
        let is_known = |one: &Filler| one.puts && (one.innermost.is_some() || one.sleeps);
        if !is_alone && !filler.as_ref().is_some_and(is_known) {
            return None;
        }
        let mut names = (session.labels.iter()).map(|label| session.text(label.name));
        let Some(filler) = filler else {
            return Some(if names.any(is_queue_put) {
                Self::Put
            } else {
                Self::Unseen
            });
        };
        let told = |label: Option<LabelId>| {
            let name = session.label_name(label?).trim_start_matches('$');
            Some(format::shortened(&python_function(name)?))
        };
        let outermost = told(filler.outermost);
        let rival = rival_within(facts, host, &filler.waits);
        if let Some(rival) = rival.filter(|one| one.thread != filler.thread && filler.is_starved())
        {
            return Some(Self::Starved { outermost, rival });
        }
        let innermost = told(filler.innermost);
        Some(match innermost {
            Some(innermost) => Self::Filled {
                puts: filler.puts,
                outermost: outermost.filter(|name| *name != innermost),
                innermost,
            },
            None if filler.puts && filler.sleeps => Self::Asleep { outermost },
            None if filler.puts => Self::Put,
            None => Self::Unseen,
        })
    }

    /// ` The queue is filled by actor (train.py:14), which spends most of that time in env (train.py:9).`
    pub(super) fn filled_by(&self) -> String {
        let who = |outermost: &Option<String>| match outermost {
            Some(function) => function.clone(),
            None => "another thread".to_owned(),
        };
        match self {
            Self::Filled {
                puts: true,
                outermost,
                innermost,
            } => format!(
                " The queue is filled by {}, which spends most of that time in {innermost}.",
                who(outermost)
            ),
            Self::Filled { innermost, .. } => format!(
                " Nothing was recorded that fills the queue, but another thread runs {innermost} for most \
                 of that time."
            ),
            Self::Starved { outermost, rival } => format!(
                " The queue is filled by {}, which hardly runs meanwhile: for {} of that time, another \
                 thread runs Python, {}.",
                who(outermost),
                format::percent(rival.share),
                rival.place
            ),
            Self::Asleep { outermost } => format!(
                " The queue is filled by {}, which sleeps for most of that time.",
                who(outermost)
            ),
            Self::Put => " The loop waits in a queue that another thread fills.".to_owned(),
            Self::Unseen => " The loop waits in a queue.".to_owned(),
        }
    }

    /// A finding about the queue. What libraries for input do is no example for it.
    pub(super) fn told(&self, finding: AdviceFinding) -> AdviceFinding {
        let finding = finding.code("");
        match self {
            Self::Filled { innermost, .. } => finding.why(SLOW).fix(format!(
                "Make {innermost} cheaper, for example with NumPy on whole arrays, or run it in several \
                 processes: threads take turns in Python. Keep a few batches in the queue, on the device."
            )),
            Self::Starved { .. } => finding.why(Rival::WHY_FILLER).fix(Rival::FIX),
            Self::Asleep { .. } => finding.why(SLOW).fix(WAKE),
            Self::Put => finding.why(EMPTY).fix(FILL),
            Self::Unseen => finding.why(UNSEEN).fix(FILL),
        }
    }
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
