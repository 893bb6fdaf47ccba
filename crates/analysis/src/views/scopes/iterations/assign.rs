//! In which iteration of its loop each slice ran.
//!
//! Within one run of the program, an op that every iteration runs equally often says it by its count:
//! of 12 slices in 3 iterations, the first 4 are in iteration 0. Everything else, such as the ops of a
//! branch, is in the iteration that began last: bodies run one after the other.

use std::collections::BTreeMap;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use stepscope_model::{DeviceId, LabelId, OpId, ProgramId, ProgramRun, Session, Span};

use super::bodies::Bodies;
use crate::measuring::interval::Intervals;
use crate::measuring::long_loop::most_common;
use crate::measuring::selection::Selected;
use crate::measuring::totals::{Totals, work_labels};

/// Longer loops are not shown iteration by iteration: what repeats as often is no layer.
const MOST_ITERATIONS: usize = 512;
/// Totals of one op in each iteration.
type ByIteration = BTreeMap<OpId, Vec<Totals>>;

/// Why a loop has no iterations here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refusal {
    UnknownEntries,
    UnknownLength,
    Long,
}

/// What ran in which iteration, by loop.
pub(super) struct Assigned {
    loops: Vec<ByIteration>,
    refusals: Vec<Option<Refusal>>,
}

impl Assigned {
    pub(super) fn of_loop(&self, position: usize) -> &ByIteration {
        &self.loops[position]
    }

    /// Ops × iterations.
    pub(super) fn places(&self, position: usize) -> usize {
        self.loops[position].values().map(Vec::len).sum()
    }

    /// Why nothing is known of a loop's iterations, in words.
    pub(super) fn refusal(&self, position: usize) -> Option<String> {
        let reason = match self.refusals[position] {
            Some(Refusal::UnknownEntries) => "it runs within a branch or a loop of unknown length",
            Some(Refusal::UnknownLength) => "the number of its iterations is unknown",
            Some(Refusal::Long) => {
                return Some(format!("it has more than {MOST_ITERATIONS} iterations"));
            }
            None if self.loops[position].is_empty() => {
                "no complete run of its program was recorded"
            }
            None => return None,
        };
        Some(reason.to_owned())
    }

    fn add(&mut self, other: Self) {
        for (own, other) in self.loops.iter_mut().zip(other.loops) {
            for (op, iterations) in other {
                let known = own.entry(op).or_default();
                known.resize(known.len().max(iterations.len()), Totals::default());
                for (known, totals) in known.iter_mut().zip(iterations) {
                    known.merge(totals);
                }
            }
        }
        for (own, other) in self.refusals.iter_mut().zip(other.refusals) {
            *own = own.or(other);
        }
    }
}

/// A slice of a loop's body.
struct Slice {
    start: i64,
    label: LabelId,
    op: OpId,
    duration_ps: i64,
    self_ps: i64,
}

/// Assigns the selected slices of all loops, run by run.
pub(super) fn assign(session: &Session, selected: &Selected<'_>, bodies: &Bodies<'_>) -> Assigned {
    let none = || Assigned {
        loops: vec![ByIteration::default(); bodies.loops.len()],
        refusals: vec![None; bodies.loops.len()],
    };
    let labels = work_labels(session, selected);
    let mut runs: Vec<(DeviceId, &ProgramRun)> = Vec::new();
    for &device in &selected.devices {
        let own = complete_runs(session, bodies, device).into_iter();
        runs.extend(own.map(|run| (device, run)));
    }
    let windows: FxHashMap<DeviceId, Intervals> = selected
        .devices
        .iter()
        .map(|&device| (device, Intervals::union_of(selected.windows(device))))
        .collect();
    let of_run = |mut sums: Assigned, (device, run): &(DeviceId, &ProgramRun)| {
        let counted = Counted {
            windows: &windows[device],
            labels: &labels,
        };
        let slices = slices(session, bodies, *device, run);
        for (position, body) in by_loop(bodies, &slices) {
            sums.add_loop(bodies, position, &body, &counted);
        }
        sums
    };
    let sum = |mut left: Assigned, right: Assigned| {
        left.add(right);
        left
    };
    runs.par_iter().fold(none, of_run).reduce(none, sum)
}

/// Which slices count.
struct Counted<'a> {
    windows: &'a Intervals,
    labels: &'a [bool],
}

impl Counted<'_> {
    fn has(&self, slice: &Slice) -> bool {
        let start = stepscope_model::Picos(slice.start);
        self.labels[slice.label.index()] && self.windows.contains_instant(start)
    }
}

impl Assigned {
    fn add_loop(
        &mut self,
        bodies: &Bodies<'_>,
        position: usize,
        body: &[(&Slice, bool)],
        counted: &Counted<'_>,
    ) {
        if !body.iter().any(|(slice, _)| counted.has(slice)) {
            return;
        }
        let length = match length(bodies, position, body) {
            Ok(length) => length,
            Err(refusal) => {
                self.refusals[position] = Some(refusal);
                return;
            }
        };
        for ((slice, _), iteration) in body.iter().zip(iterations(body, length)) {
            let Some(iteration) = iteration.filter(|_| counted.has(slice)) else {
                continue;
            };
            let known = self.loops[position].entry(slice.op).or_default();
            known.resize(known.len().max(iteration + 1), Totals::default());
            known[iteration].add(slice.duration_ps, slice.self_ps);
        }
    }
}

/// The slices of each loop, and whether every iteration has them equally often.
fn by_loop<'a>(
    bodies: &Bodies<'_>,
    slices: &'a [Slice],
) -> BTreeMap<usize, Vec<(&'a Slice, bool)>> {
    let mut found: BTreeMap<usize, Vec<(&Slice, bool)>> = BTreeMap::new();
    for slice in slices {
        for own in bodies.around(slice.op) {
            let body = found.entry(own.position).or_default();
            body.push((slice, own.is_even));
        }
    }
    found
}

/// How long a loop is, and how often a run comes to it.
#[derive(Debug, Clone, Copy)]
struct Length {
    trips: usize,
    entries: usize,
}

/// As the compiler knows it, or as the ops of a loop that is entered once show it: by the count that
/// most of them have.
fn length(
    bodies: &Bodies<'_>,
    position: usize,
    body: &[(&Slice, bool)],
) -> Result<Length, Refusal> {
    let facts = bodies.loops[position].facts;
    let entries = facts.entries.and_then(|count| usize::try_from(count).ok());
    let entries = entries.ok_or(Refusal::UnknownEntries)?;
    let trips = match facts.trip_count {
        Some(count) => usize::try_from(count).map_err(|_| Refusal::Long)?,
        None if entries == 1 => most_common(&counts(body)).ok_or(Refusal::UnknownLength)?,
        None => return Err(Refusal::UnknownLength),
    };
    match trips {
        0 | 1 => Err(Refusal::UnknownLength),
        trips if trips > MOST_ITERATIONS => Err(Refusal::Long),
        trips => Ok(Length { trips, entries }),
    }
}

/// Slices of each label that every iteration has equally often.
fn counts(body: &[(&Slice, bool)]) -> BTreeMap<LabelId, usize> {
    let mut counts = BTreeMap::new();
    for (slice, is_even) in body {
        if *is_even {
            *counts.entry(slice.label).or_default() += 1;
        }
    }
    counts
}

/// The iteration of each slice; none before the first one begins. Slices are in order of their starts.
fn iterations(body: &[(&Slice, bool)], length: Length) -> Vec<Option<usize>> {
    let counts = counts(body);
    let Some(all) = length.trips.checked_mul(length.entries) else {
        return vec![None; body.len()];
    };
    let mut seen: FxHashMap<LabelId, usize> = FxHashMap::default();
    let by_count = body.iter().map(|(slice, is_even)| {
        let count = counts.get(&slice.label).copied().unwrap_or_default();
        if !is_even || count == 0 || count % all != 0 {
            return None;
        }
        let number = seen.entry(slice.label).or_default();
        let iteration = *number / (count / all);
        *number += 1;
        Some(iteration)
    });
    let by_count: Vec<Option<usize>> = by_count.collect();
    // Slices are sorted, so the largest iteration seen is the one that began last.
    let mut current: Option<usize> = None;
    let found = by_count.into_iter().map(|iteration| {
        current = current.max(iteration);
        iteration.or(current).map(|all| all % length.trips)
    });
    found.collect()
}

/// The runs of programs with loops on a device. Of runs of one program that overlap, nothing says
/// which one a slice belongs to.
fn complete_runs<'a>(
    session: &'a Session,
    bodies: &Bodies<'_>,
    device: DeviceId,
) -> Vec<&'a ProgramRun> {
    let programs: FxHashSet<ProgramId> = bodies.loops.iter().map(|own| own.program).collect();
    let has_loops = |run: &&ProgramRun| programs.contains(&run.program);
    let runs = session.program_runs.iter();
    let mut runs: Vec<&ProgramRun> = runs
        .filter(|run| run.device == device)
        .filter(has_loops)
        .collect();
    runs.sort_by_key(|run| (run.program, run.span.start));
    let overlap =
        |a: &ProgramRun, b: &ProgramRun| a.program == b.program && b.span.start < a.span.end;
    let is_alone = |&index: &usize| {
        let before = index
            .checked_sub(1)
            .is_some_and(|before| overlap(runs[before], runs[index]));
        let after = runs
            .get(index + 1)
            .is_some_and(|after| overlap(runs[index], after));
        !before && !after
    };
    (0..runs.len())
        .filter(is_alone)
        .map(|index| runs[index])
        .collect()
}

/// The slices of a run that are in loops, by start.
fn slices(
    session: &Session,
    bodies: &Bodies<'_>,
    device: DeviceId,
    run: &ProgramRun,
) -> Vec<Slice> {
    let mut found = Vec::new();
    let span: Span = run.span;
    for (_, track) in session.work_tracks(device) {
        for (number, lane) in track.lanes.iter().enumerate() {
            let (starts, durations, labels) = (lane.starts(), lane.durations(), lane.labels());
            track.for_each_self_time(number, lane.starting_in(span), |index, self_ps| {
                let label = session.label(labels[index]);
                let op = label.op.filter(|&op| {
                    label.kind.is_work()
                        && session.op(op).program == run.program
                        && !bodies.around(op).is_empty()
                });
                found.extend(op.map(|op| Slice {
                    start: starts[index],
                    label: labels[index],
                    op,
                    duration_ps: durations[index],
                    self_ps,
                }));
            });
        }
    }
    found.sort_by_key(|slice| slice.start);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slice(start: i64, label: usize) -> Slice {
        Slice {
            start,
            label: LabelId::from_index(label),
            op: OpId::from_index(label),
            duration_ps: 1,
            self_ps: 1,
        }
    }

    fn found(labels: &[(usize, bool)], trips: usize, entries: usize) -> Vec<Option<usize>> {
        let slices = labels.iter().zip(0i64..);
        let slices: Vec<(Slice, bool)> = slices
            .map(|(&(label, is_even), start)| (slice(start, label), is_even))
            .collect();
        let body: Vec<(&Slice, bool)> = slices.iter().map(|(own, even)| (own, *even)).collect();
        iterations(&body, Length { trips, entries })
    }

    #[test]
    fn counts_say_the_iteration() {
        // Two ops, one of them with two kernels of the same name, in three iterations.
        let labels = [1, 2, 2, 1, 2, 2, 1, 2, 2].map(|label| (label, true));
        let expected = [0, 0, 0, 1, 1, 1, 2, 2, 2].map(Some);
        assert_eq!(found(&labels, 3, 1), expected);
        // Entered three times, each time for one more than it seems.
        let expected = [0, 0, 0, 0, 0, 0, 0, 0, 0].map(Some);
        assert_eq!(found(&labels, 1, 3), expected);
        // An op that runs ahead of its iteration still belongs to it.
        let labels = [1, 1, 2, 2].map(|label| (label, true));
        assert_eq!(found(&labels, 2, 1), [0, 1, 0, 1].map(Some));
    }

    #[test]
    fn branches_are_in_the_iteration_that_began_last() {
        let labels = [
            (9, false),
            (1, true),
            (9, false),
            (1, true),
            (1, true),
            (9, false),
        ];
        let expected = [None, Some(0), Some(0), Some(1), Some(2), Some(2)];
        assert_eq!(found(&labels, 3, 1), expected);
    }

    #[test]
    fn a_loop_in_a_loop_counts_from_zero_each_time() {
        let labels = [(1, true); 6];
        assert_eq!(found(&labels, 3, 2), [0, 1, 2, 0, 1, 2].map(Some));
    }

    #[test]
    fn the_count_of_most_ops_is_the_length() {
        let counts = [(1, 4), (2, 4), (3, 8), (4, 1)];
        let counts = counts.map(|(label, count)| (LabelId::from_index(label), count));
        assert_eq!(most_common(&counts.into_iter().collect()), Some(4));
        assert_eq!(most_common::<usize>(&BTreeMap::new()), None);
    }
}
