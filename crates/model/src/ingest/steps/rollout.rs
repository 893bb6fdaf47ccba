//! A rollout and the updates that learn from it: one round of both is a step.
//!
//! ```text
//! act act act act learn learn act act act act learn learn        from act to act
//! ```
//!
//! Training with an evaluation looks the same, but there each run that trains is a step. What tells
//! them apart is where the data come from: a rollout's results, put together, are what is learned from,
//! a whole number of times.

use std::collections::{BTreeMap, BTreeSet};

use super::alternation::{Alternation, shortest_round};
use super::completing::Arrays;
use crate::ids::ProgramId;
use crate::program::Program;
use crate::session::ProgramRun;

/// The round of `learner` and of what runs more often on what it updates, if that makes what the learner
/// learns from, in several runs. `runs` are those of one device in order.
pub(super) fn rollout(
    programs: &[Program],
    learner: ProgramId,
    runs: &[&ProgramRun],
    function: impl Fn(ProgramId) -> ProgramId,
) -> Option<Alternation> {
    let mut counts: BTreeMap<ProgramId, usize> = BTreeMap::new();
    for run in runs {
        *counts.entry(function(run.program)).or_default() += 1;
    }
    let learns = *counts.get(&learner)?;
    let read = Arrays::of_trained(&programs[learner.index()])?;
    let more = counts.into_iter().filter(|(_, acts)| *acts > learns);
    more.into_iter().find_map(|(actor, _)| {
        let made = Arrays::of(&programs[actor.index()])?;
        let own = runs.iter().map(|run| (function(run.program), *run));
        let own = own.filter(|(one, _)| [actor, learner].contains(one));
        let (order, runs): (Vec<ProgramId>, Vec<&ProgramRun>) = own.unzip();
        let (round, acts) = round(&order, actor, learner).filter(|_| read.updates_what(&made))?;
        let learns = round.len() - acts;
        let is_rollout = learns > 1 && learns_from((&made, acts), (&read, learns));
        is_rollout.then(|| Alternation::new(round, order.iter().copied(), &runs))
    })
}

/// What repeats itself, from the first of the runs of `actor` on, and how many of them there are. None if
/// several blocks of them are in a round.
pub(super) fn round(
    order: &[ProgramId],
    actor: ProgramId,
    learner: ProgramId,
) -> Option<(Vec<ProgramId>, usize)> {
    let length = shortest_round(order)?;
    let begins = |&at: &usize| order[at] == actor && order[(at + length - 1) % length] == learner;
    let firsts: Vec<usize> = (0..length).filter(begins).collect();
    let &[first] = firsts.as_slice() else {
        return None;
    };
    let round = order[first..first + length].to_vec();
    let acts = round.iter().filter(|&&one| one == actor).count();
    Some((round, acts))
}

/// Whether arrays that `made` returns, along their first axis, are a whole number of times what `read`
/// reads, in so many runs of each.
fn learns_from((made, acts): (&Arrays<'_>, usize), (read, learns): (&Arrays<'_>, usize)) -> bool {
    let all = |rows: i64, runs: usize| i128::from(rows) * runs as i128;
    let arguments: BTreeSet<_> = read.arguments().collect();
    made.made().any(|(element, sizes)| {
        let like = arguments.iter().filter(|(other, _)| *other == element);
        like.into_iter().any(|(_, others)| {
            let ([rows, rest @ ..], [other_rows, other_rest @ ..]) = (sizes, *others) else {
                return false;
            };
            let (made, read) = (all(*rows, acts), all(*other_rows, learns));
            rest == other_rest && made > 0 && read > 0 && read % made == 0
        })
    })
}
