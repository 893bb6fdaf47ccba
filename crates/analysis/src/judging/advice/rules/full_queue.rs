//! A queue that is full when the loop has something for it, such as metrics for a thread that writes
//! them: which thread takes from it, and with what it spends its time.

use stepscope_model::{Picos, Span};

use super::queue::{Queue, who};
use super::rival::Rival;
use crate::judging::advice::facts::{Facts, Place};
use crate::judging::advice::report::AdviceFinding;
use crate::measuring::activity::{Cause, QueueEnd, QueueWaits};
use crate::measuring::interval::Intervals;
use crate::telling::format;
use crate::views::input::OtherEnd;

/// A queue that is full, and what takes from it.
pub(super) struct FullQueue(Queue);

impl FullQueue {
    /// That of a place, if in most of its longest blocked gaps, by time, its host waits to put something
    /// into a queue.
    pub(super) fn of(facts: &Facts<'_>, place: Place) -> Option<Self> {
        blocked_at(facts, place, QueueEnd::Put)?;
        let (session, host) = (facts.session, place.0);
        let windows = facts.selected.host_windows(host);
        let loops = facts.selected.loops();
        let taker = OtherEnd::of(session, (host, loops), QueueEnd::Put, &windows);
        Some(Self(taker.map_or(Queue::Unseen, |taker| {
            Queue::with(facts, host, &taker)
        })))
    }

    /// ` Another thread takes from the queue, and spends most of that time in dumps (__init__.py:183).`
    pub(super) fn taken_by(&self) -> String {
        match &self.0 {
            Queue::Runs {
                hands_over: true,
                outermost,
                innermost,
            } => format!(
                " What takes from the queue is {}, which spends most of that time in {innermost}.",
                who(outermost.as_deref())
            ),
            Queue::Runs { innermost, .. } => format!(
                " Nothing was recorded that takes from the queue, but another thread runs {innermost} for \
                 most of that time."
            ),
            Queue::Starved { outermost, rival } => format!(
                " What takes from the queue is {}, which hardly runs meanwhile: for {} of that time, \
                 another thread runs Python, {}.",
                who(outermost.as_deref()),
                format::percent(rival.share),
                rival.place
            ),
            Queue::Asleep { outermost } => format!(
                " What takes from the queue is {}, which sleeps for most of that time.",
                who(outermost.as_deref())
            ),
            Queue::Launches {
                outermost,
                function,
                per_step,
            } => format!(
                " What takes from the queue is {}, which runs {function} about {} per step.",
                who(outermost.as_deref()),
                format::counted(per_step.round(), "time")
            ),
            Queue::Waits => " Another thread takes from the queue.".to_owned(),
            Queue::Unseen => " Nothing was recorded that takes from the queue.".to_owned(),
        }
    }

    /// A finding about the queue.
    pub(super) fn told(&self, finding: AdviceFinding) -> AdviceFinding {
        let finding = finding.titled("A full queue delays the devices".to_owned());
        match &self.0 {
            Queue::Runs { innermost, .. } => finding.why(SLOW).fix(format!(
                "Make {innermost} cheaper, or do it in another process: threads take turns in Python. Or \
                 give it less: put something into the queue only every many steps, or drop what does not \
                 fit (`put_nowait`)."
            )),
            Queue::Starved { .. } => finding.why(STARVED).fix(Rival::FIX),
            _ => finding.why(SLOW).fix(LESS),
        }
    }
}

/// The waits of the threads that drive a place at one end of queues, if in most of its longest blocked
/// gaps, by time, one waits there.
pub(super) fn blocked_at(
    facts: &Facts<'_>,
    (host, device): Place,
    end: QueueEnd,
) -> Option<QueueWaits> {
    let gaps = facts.gaps().longest.iter().filter(|gap| {
        let is_own = device.is_none_or(|device| device.0 == gap.device_index);
        is_own && gap.cause == Cause::Blocked
    });
    let gaps = gaps.map(|gap| {
        let start = Picos(gap.start_ps);
        Span::new(start, start + Picos(gap.duration_ps))
    });
    let gaps = Intervals::union_of(gaps.collect());
    let host = (host, facts.selected.loops());
    let waits = QueueWaits::within(facts.session, host, end, gaps.spans());
    let waited = waits.times.duration().0;
    (waited > 0 && waited.saturating_mul(2) >= gaps.duration().0).then_some(waits)
}

const SLOW: &str = "The thread that launches the next step waits until there is room in the queue: what takes \
                    from it takes longer than the step.";
const STARVED: &str = "Only one thread of a process runs Python at a time (the global interpreter lock), so the thread \
                       that takes from the queue probably waits until the other one lets go.";
const LESS: &str = "Look at what takes from the queue. Put something into it only every many steps, or drop what \
                    does not fit (`put_nowait`).";
