//! Functions that each train something of their own, in rounds: one round is a step.
//!
//! ```text
//! first first second second second first first second second second      from first to first
//! ```
//!
//! Each run of such a function is as much a step as one of the other, and takes another time; only
//! the round, what the loop repeats, is the same each time.

use std::collections::{BTreeMap, BTreeSet};

use super::completing::Arrays;
use crate::ids::ProgramId;
use crate::program::Program;
use crate::session::ProgramRun;
use crate::units::{Picos, Span};

/// Fewer rounds do not show that they follow a rule.
const MIN_ROUNDS: usize = 3;

/// More runs of a function are a loop of its own, after which something else trains now and then.
const MOST_RUNS: usize = 16;

/// The runs of one round.
pub(super) struct Alternation {
    /// Functions in the order of their runs.
    round: Vec<ProgramId>,
    /// The functions of programs.
    function_of: BTreeMap<ProgramId, ProgramId>,
}

impl Alternation {
    /// The round of which runs of `frequent` are parts, if they are of one: at least two functions train
    /// something of their own, in an order that repeats, and this one more than once.
    ///
    /// `runs` are those of one device in order.
    pub(super) fn of(
        programs: &[Program],
        frequent: ProgramId,
        runs: &[&ProgramRun],
        function: impl Fn(ProgramId) -> ProgramId,
    ) -> Option<Self> {
        let all: BTreeSet<ProgramId> = runs.iter().map(|run| function(run.program)).collect();
        let trained = trained(programs, &all);
        let follows = |one: &ProgramId| {
            let mut others = trained.iter().filter(|(other, _)| *other != one);
            others.any(|(other, arrays)| {
                let is_of_frequent = *other == frequent && trained[one].has_state_of(arrays);
                is_of_frequent || trained[one].follows(arrays)
            })
        };
        let trained: BTreeSet<ProgramId> = trained
            .keys()
            .filter(|one| !follows(one))
            .copied()
            .collect();
        if trained.len() < 2 || !trained.contains(&frequent) {
            return None;
        }
        let of_trained = runs
            .iter()
            .map(|run| (function(run.program), *run))
            .filter(|(own, _)| trained.contains(own));
        let (order, runs): (Vec<ProgramId>, Vec<&ProgramRun>) = of_trained.unzip();
        let length = shortest_round(&order)?;
        let first = first_of_round(&order, &runs, length);
        let round = order[first..first + length].to_vec();
        let of_frequent = round.iter().filter(|&&one| one == frequent).count();
        if !(2..=MOST_RUNS).contains(&of_frequent) {
            return None;
        }
        Some(Self::new(round, order.into_iter(), &runs))
    }

    /// These functions in turns; `order` has the function of each run.
    pub(super) fn new(
        round: Vec<ProgramId>,
        order: impl Iterator<Item = ProgramId>,
        runs: &[&ProgramRun],
    ) -> Self {
        let programs = runs.iter().map(|run| run.program);
        Self {
            round,
            function_of: programs.zip(order).collect(),
        }
    }

    /// Whether a program is one of a round's.
    pub(super) fn has(&self, program: ProgramId) -> bool {
        let function = self.function_of.get(&program);
        function.is_some_and(|function| self.round.contains(function))
    }

    /// The work of each round among the runs of a device, which are in order; the last one may be cut.
    pub(super) fn works(&self, runs: &[&ProgramRun]) -> Vec<Option<Span>> {
        let own = runs
            .iter()
            .filter_map(|run| Some((*self.function_of.get(&run.program)?, run.span)));
        let (order, spans): (Vec<ProgramId>, Vec<Span>) = own.unzip();
        let mut works = Vec::new();
        let mut at = 0;
        while at < order.len() {
            let length = self.round.len().min(order.len() - at);
            if order[at..at + length] != self.round[..length] {
                at += 1;
                continue;
            }
            let ends = spans[at..at + length].iter().map(|span| span.end);
            let end = ends.max().unwrap_or(spans[at].end);
            works.push(Some(Span::new(spans[at].start, end)));
            at += length;
        }
        works
    }
}

/// The functions that train something, with their arrays. What returns one array changed may also normalize it
/// or correct it: it does its part for others only if they use arrays of that kind. What the host dispatches
/// op by op only looks like an update.
fn trained<'a>(
    programs: &'a [Program],
    all: &BTreeSet<ProgramId>,
) -> BTreeMap<ProgramId, Arrays<'a>> {
    let arrays = |one: &ProgramId| Some((*one, Arrays::of(&programs[one.index()])?));
    let known: BTreeMap<ProgramId, Arrays<'_>> = all.iter().filter_map(arrays).collect();
    let is_trained = |one: &ProgramId| {
        let program = &programs[one.index()];
        let mut others = known.iter().filter(|(other, _)| *other != one);
        let own = &known[one];
        let is_model = own.updates_several() && !program.is_single_op();
        let mut does_part =
            || !program.is_dispatched_op() && others.any(|(_, other)| own.updates_kinds_of(other));
        own.trains() && (is_model || does_part())
    };
    let trained: BTreeSet<ProgramId> = known.keys().copied().filter(is_trained).collect();
    known
        .into_iter()
        .filter(|(one, _)| trained.contains(one))
        .collect()
}

/// The least number of runs after which the order repeats itself.
pub(super) fn shortest_round(order: &[ProgramId]) -> Option<usize> {
    let longest = order.len() / MIN_ROUNDS;
    (2..=longest).find(|&length| order[length..] == order[..order.len() - length])
}

/// Where a round begins: with the function before whose first run the device waits longest, which is
/// where the host comes back to the beginning of its loop; otherwise with the first run of all.
fn first_of_round(order: &[ProgramId], runs: &[&ProgramRun], length: usize) -> usize {
    let waited = |first: usize| {
        let rounds = (first..order.len()).step_by(length).filter(|&at| at > 0);
        let mut waits: Vec<Picos> = rounds
            .map(|at| runs[at].span.start - runs[at - 1].span.end)
            .collect();
        waits.sort_unstable();
        waits.get(waits.len() / 2).copied().unwrap_or_default()
    };
    let begins = |&first: &usize| order[first] != order[(first + length - 1) % length];
    let firsts = (0..length).filter(begins);
    firsts
        .max_by_key(|&first| (waited(first), std::cmp::Reverse(first)))
        .unwrap_or(0)
}
