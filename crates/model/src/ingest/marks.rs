//! Marks of steps on host threads, each step once.
//!
//! A loop may be marked twice, by itself and by a profiler around it: nested marks. And Stepscope's
//! package marks the capture of one block as a whole, in case there are no other marks.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::steps::HostStep;
use crate::ids::{DeviceId, HostId, ProgramId, StringId, TrackId};
use crate::session::ProgramRun;
use crate::units::{Picos, SaturatingSum as _, Span};

/// A mark as it was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mark {
    pub(super) host: HostId,
    pub(super) track: TrackId,
    pub(super) span: Span,
    /// None if it was recorded without one.
    pub(super) number: Option<i64>,
    pub(super) series: StringId,
    /// Whether it marks the block of a capture, not a step of a loop.
    pub(super) is_block: bool,
}

/// Marks nested deeper than this are kept as they are: such a file tries to exhaust the stack.
const MAX_DEPTH: usize = 8;

/// Share of outer marks in which the same program completes what is within.
const MOST_OF_ALL: f64 = 0.8;

/// The steps that the marks describe. Marked steps win over blocks; a block is a step unless one
/// program ran repeatedly in it and had most of the devices' time: then that program determines the
/// steps. `completes` says whether runs of the first program complete steps that runs of the second are
/// parts of. `is_within_call` says whether a call of the thread was under way at an instant.
pub(super) fn steps_of(
    marks: Vec<Mark>,
    runs: &[ProgramRun],
    host: impl Fn(DeviceId) -> HostId,
    completes: impl Fn(ProgramId, ProgramId) -> bool,
    is_within_call: impl Fn(TrackId, Picos) -> bool,
) -> Vec<HostStep> {
    let (blocks, mut steps): (Vec<Mark>, Vec<Mark>) =
        marks.into_iter().partition(|mark| mark.is_block);
    // Where steps have numbers, marks without one are something else.
    if steps.iter().any(|mark| mark.number.is_some()) {
        steps.retain(|mark| mark.number.is_some());
    }
    if steps.is_empty() && !is_told_by_runs(runs) {
        steps = blocks;
    }
    let mut by_track: BTreeMap<TrackId, Vec<Mark>> = BTreeMap::new();
    for mark in steps {
        by_track.entry(mark.track).or_default().push(mark);
    }
    let launches = Launches::of(runs, host);
    let are_steps = |marks: &[Nested]| launches.complete(marks, &completes);
    let once = by_track
        .into_values()
        .flat_map(|marks| each_once(marks, &are_steps, MAX_DEPTH));
    let mut once: Vec<Mark> = once.collect();
    once.sort_by_key(|mark| (mark.host, mark.span.start));
    let mut counts: BTreeMap<(HostId, StringId), i64> = BTreeMap::new();
    once.into_iter()
        .map(|mark| {
            // Steps without a number are numbered in the order in which they were recorded.
            let next = counts.entry((mark.host, mark.series)).or_default();
            let number = mark.number.unwrap_or(*next);
            *next += 1;
            HostStep {
                host: mark.host,
                span: mark.span,
                number,
                series: mark.series,
                track: mark.track,
                ends_in_call: is_within_call(mark.track, mark.span.end),
            }
        })
        .collect()
}

/// A mark, and the marks directly within it.
struct Nested {
    mark: Mark,
    own: Vec<Mark>,
}

/// Of nested marks of one thread the outermost, unless one of these contains several steps of one
/// series: then it is a group of steps, such as an epoch, and so are others like it. One mark of each
/// of several series are the parts of a step, such as loading and computing; and so are several of one
/// series where `are_steps` says so of the outer ones, such as gradients that are added up.
fn each_once(
    mut marks: Vec<Mark>,
    are_steps: &dyn Fn(&[Nested]) -> bool,
    depth: usize,
) -> Vec<Mark> {
    if depth == 0 {
        return marks;
    }
    // An outer mark starts first, or at the same time and ends later.
    marks.sort_unstable_by_key(|mark| (mark.span.start, Reverse(mark.span.end)));
    let mut outer: Vec<Nested> = Vec::new();
    for mark in marks {
        match outer.last_mut() {
            Some(last) if last.mark.span.contains(mark.span) => last.own.push(mark),
            _ => outer.push(Nested {
                mark,
                own: Vec::new(),
            }),
        }
    }
    for Nested { own, .. } in &mut outer {
        if own.len() > 1 {
            *own = each_once(std::mem::take(own), are_steps, depth - 1);
        }
    }
    let are_groups = outer.iter().any(|nested| repeats(&nested.own)) && !are_steps(&outer);
    let kept = outer.into_iter().flat_map(|Nested { mark, own }| {
        if are_groups && !own.is_empty() {
            own
        } else {
            vec![mark]
        }
    });
    kept.collect()
}

/// What was launched when, by host.
struct Launches(BTreeMap<HostId, Vec<(Picos, ProgramId)>>);

impl Launches {
    fn of(runs: &[ProgramRun], host: impl Fn(DeviceId) -> HostId) -> Self {
        let mut launches: BTreeMap<HostId, Vec<(Picos, ProgramId)>> = BTreeMap::new();
        for run in runs {
            if let Some(launched) = run.launched {
                let of_host = launches.entry(host(run.device)).or_default();
                of_host.push((launched, run.program));
            }
        }
        for of_host in launches.values_mut() {
            of_host.sort_unstable();
        }
        Self(launches)
    }

    /// Whether the outer marks are steps: in most of them, a program runs beside the inner marks that
    /// completes what runs most often within those.
    fn complete(&self, marks: &[Nested], completes: impl Fn(ProgramId, ProgramId) -> bool) -> bool {
        let mut within: BTreeMap<ProgramId, usize> = BTreeMap::new();
        // In how many outer marks each runs beside the inner ones.
        let mut beside: BTreeMap<ProgramId, usize> = BTreeMap::new();
        let outer = marks.iter().filter(|nested| !nested.own.is_empty());
        let mut all = 0u32;
        for Nested { mark, own } in outer {
            all += 1;
            let mut of_mark: BTreeSet<ProgramId> = BTreeSet::new();
            for &(at, program) in self.in_span(mark.host, mark.span) {
                // Marks are in the order of their starts.
                let after = own.partition_point(|inner| inner.span.start <= at);
                let last = after.checked_sub(1).map(|position| own[position]);
                if last.is_some_and(|inner| inner.span.contains_instant(at)) {
                    *within.entry(program).or_default() += 1;
                } else {
                    of_mark.insert(program);
                }
            }
            for program in of_mark {
                *beside.entry(program).or_default() += 1;
            }
        }
        let most = within
            .iter()
            .max_by_key(|(program, count)| (**count, Reverse(**program)));
        let Some((&inner, _)) = most else {
            return false;
        };
        let in_most = beside.iter().filter(|(program, count)| {
            **count as f64 >= MOST_OF_ALL * f64::from(all) && !within.contains_key(program)
        });
        in_most
            .into_iter()
            .any(|(&program, _)| completes(program, inner))
    }

    fn in_span(&self, host: HostId, span: Span) -> &[(Picos, ProgramId)] {
        let of_host = self.0.get(&host).map_or(&[][..], Vec::as_slice);
        let first = of_host.partition_point(|(at, _)| *at < span.start);
        let last = of_host.partition_point(|(at, _)| *at < span.end);
        &of_host[first..last]
    }
}

/// Whether two marks are of one series.
fn repeats(marks: &[Mark]) -> bool {
    let mut series: Vec<StringId> = marks.iter().map(|mark| mark.series).collect();
    series.sort_unstable();
    series.windows(2).any(|pair| pair[0] == pair[1])
}

/// One program ran at least twice on some device, and had at least half of the time of all runs.
fn is_told_by_runs(runs: &[ProgramRun]) -> bool {
    let mut times: BTreeMap<ProgramId, Picos> = BTreeMap::new();
    let mut counts: BTreeMap<(ProgramId, DeviceId), usize> = BTreeMap::new();
    for run in runs {
        *times.entry(run.program).or_default() += run.span.duration();
        *counts.entry((run.program, run.device)).or_default() += 1;
    }
    let all: i64 = times.values().map(|time| time.0).saturating_sum();
    let repeated = counts.iter().filter(|(_, count)| **count >= 2);
    let longest = repeated.map(|((program, _), _)| times[program].0).max();
    longest.is_some_and(|time| time >= all - time)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(spans: &[(i64, i64)]) -> Vec<Mark> {
        let mark = |(number, &(start, end)): (usize, &(i64, i64))| Mark {
            host: HostId(0),
            track: TrackId(0),
            span: Span::new(Picos(start), Picos(end)),
            number: Some(i64::try_from(number).unwrap()),
            series: StringId(0),
            is_block: false,
        };
        spans.iter().enumerate().map(mark).collect()
    }

    fn numbers(spans: &[(i64, i64)]) -> Vec<i64> {
        let steps = each_once(marks(spans), &|_| false, MAX_DEPTH);
        steps.into_iter().filter_map(|mark| mark.number).collect()
    }

    #[test]
    fn steps_side_by_side_stay() {
        assert_eq!(numbers(&[(0, 10), (10, 20), (25, 30)]), [0, 1, 2]);
    }

    #[test]
    fn a_step_marked_twice_is_the_outer_mark() {
        assert_eq!(
            numbers(&[(0, 10), (1, 9), (10, 20), (11, 19), (30, 40)]),
            [0, 2, 4]
        );
        assert_eq!(numbers(&[(0, 10), (0, 10)]).len(), 1);
        assert_eq!(numbers(&[(0, 10), (1, 9), (2, 8)]), [0]);
    }

    #[test]
    fn steps_without_numbers_are_numbered_in_order() {
        let unnumbered = |spans: &[(i64, i64)]| -> Vec<Mark> {
            let marks = marks(spans).into_iter();
            marks
                .map(|mark| Mark {
                    number: None,
                    ..mark
                })
                .collect()
        };
        let told = |marks: Vec<Mark>| -> Vec<i64> {
            let steps = steps_of(marks, &[], |_| HostId(0), |_, _| false, |_, _| false);
            steps.into_iter().map(|step| step.number).collect()
        };
        assert_eq!(told(unnumbered(&[(20, 30), (0, 10), (10, 20)])), [0, 1, 2]);
        // Beside numbered steps they are something else.
        let mut mixed = unnumbered(&[(2, 5)]);
        mixed.extend(marks(&[(0, 10), (10, 20)]));
        assert_eq!(told(mixed), [0, 1]);
    }

    #[test]
    fn an_epoch_is_no_step() {
        // The second epoch was cut after one step.
        let epochs = [(0, 100), (0, 40), (50, 90), (100, 200), (110, 150)];
        assert_eq!(numbers(&epochs), [1, 2, 4]);
    }

    #[test]
    fn steps_of_an_epoch_marked_twice_count_once() {
        let epochs = [(0, 100), (0, 40), (1, 39), (50, 90), (51, 89)];
        assert_eq!(numbers(&epochs), [1, 3]);
    }
}
