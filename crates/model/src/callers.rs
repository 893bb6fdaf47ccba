//! Functions of the program around its launches.
//!
//! A program that runs several times in each iteration of a loop, such as the right-hand side of a solver
//! or the cell of a network that is unrolled in Python, does not show where an iteration begins. The
//! Python function around these launches does, if frames were recorded:
//!
//! ```text
//! rk4     [ f  f  f  f ]   [ f  f  f  f ]   [ f  f  f  f ]
//! ```

use rustc_hash::FxHashMap;

use crate::ids::{LabelId, ProgramId};
use crate::label::{Label, SliceKind};
use crate::own_code::OwnCode;
use crate::session::Session;
use crate::strings::Strings;
use crate::track::Track;
use crate::units::{Picos, Span};

/// Fewer calls do not show a rule.
const MIN_CALLS: usize = 4;

/// Share of the launches that lie in calls, and share of the calls with as many launches as most.
const MOST: f64 = 0.9;

/// A function of the program whose calls contain several launches each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// What its frames are called.
    pub label: LabelId,
    /// Its calls, in order, each with the number of launches in it, which is at least two in nine of ten.
    pub calls: Vec<(Span, usize)>,
}

impl Caller {
    /// The outermost function on a thread whose calls contain several of these launches each, and together
    /// nine in ten of them: functions within it, such as those of layers, may be called several times in
    /// each iteration. Launches are in order. Functions of libraries do not count.
    pub(crate) fn of(
        track: &Track,
        (labels, strings, code): (&[Label], &Strings, &OwnCode),
        launches: &[Picos],
    ) -> Option<Self> {
        let closest = launches
            .windows(2)
            .map(|pair| (pair[1] - pair[0]).0)
            .min()?;
        let mut found: FxHashMap<LabelId, Vec<(Span, usize)>> = FxHashMap::default();
        for lane in &track.lanes {
            for (index, &duration) in lane.durations().iter().enumerate() {
                // Shorter calls contain no two launches; most frames are.
                if duration < closest {
                    continue;
                }
                let label = lane.labels()[index];
                if labels[label.index()].kind == SliceKind::Python {
                    let span = lane.span(index);
                    let count = count_in(launches, span);
                    if count > 0 {
                        found.entry(label).or_default().push((span, count));
                    }
                }
            }
        }
        let is_program = |label: &LabelId| {
            let name = strings.get(labels[label.index()].name);
            !code.is_library_frame(name) && !name.contains("<unknown>")
        };
        let callers = found
            .into_iter()
            .filter(|(label, _)| is_program(label))
            .map(|(label, calls)| Self::outermost(label, calls))
            .filter(|caller| caller.is_around(launches.len()));
        let rank = |caller: &Self| {
            let lengths = caller.spans().map(|span| i128::from(span.duration().0));
            (lengths.sum::<i128>(), std::cmp::Reverse(caller.label))
        };
        callers.max_by_key(rank)
    }

    /// A function that calls itself is the same call.
    fn outermost(label: LabelId, mut calls: Vec<(Span, usize)>) -> Self {
        calls.sort_unstable_by_key(|(span, _)| (span.start, std::cmp::Reverse(span.end)));
        let mut end = Picos(i64::MIN);
        calls.retain(|(span, _)| {
            let is_outer = span.start >= end;
            end = end.max(span.end);
            is_outer
        });
        Self { label, calls }
    }

    fn is_around(&self, launches: usize) -> bool {
        let several = self.calls.iter().filter(|(_, count)| *count > 1).count();
        let inside: usize = self.calls.iter().map(|(_, count)| count).sum();
        self.calls.len() >= MIN_CALLS
            && several as f64 >= MOST * self.calls.len() as f64
            && inside as f64 >= MOST * launches as f64
    }

    /// Times of its calls.
    pub fn spans(&self) -> impl Iterator<Item = Span> + '_ {
        self.calls.iter().map(|(span, _)| *span)
    }

    /// The number of launches in each call, if it is the same in nine of ten.
    pub fn launches_per_call(&self) -> Option<usize> {
        let mut counts: Vec<usize> = self.calls.iter().map(|(_, count)| *count).collect();
        counts.sort_unstable();
        let usual = counts[counts.len() / 2];
        let same = counts.iter().filter(|&&count| count == usual).count();
        (same as f64 >= MOST * counts.len() as f64).then_some(usual)
    }

    /// Mean time from one call to the next, in picoseconds.
    pub fn period_ps(&self) -> f64 {
        let ends = self.calls.first().zip(self.calls.last());
        let whole = ends.map_or(0, |(first, last)| (last.0.start - first.0.start).0);
        whole as f64 / self.calls.len().saturating_sub(1).max(1) as f64
    }
}

fn count_in(launches: &[Picos], span: Span) -> usize {
    let before = |at: Picos| launches.partition_point(|&launch| launch < at);
    before(span.end) - before(span.start)
}

impl Session {
    /// The function around the launches of a program, if its calls contain several each: of the first
    /// device that runs it, on the thread that launches it first.
    pub fn caller_of(&self, program: ProgramId) -> Option<Caller> {
        let own = || {
            self.program_runs
                .iter()
                .filter(|run| run.program == program)
        };
        let first = own().find(|run| run.launched_on.is_some())?;
        let of_thread =
            own().filter(|run| (run.device, run.launched_on) == (first.device, first.launched_on));
        let mut launches: Vec<Picos> = of_thread.filter_map(|run| run.launched).collect();
        launches.sort_unstable();
        let track = self.track_in_passing(first.launched_on?);
        let code = self.own_code();
        Caller::of(&track, (&self.labels, &self.strings, &code), &launches)
    }
}
