//! Runs of a function whose results another one puts together: one round of both is a step.
//!
//! ```text
//! solve solve solve solve update solve solve solve solve update       from solve to solve
//! ```
//!
//! Predictions with a metric now and then look the same. What tells them apart is what the other function
//! reads: all that the runs of a round returned.

use std::collections::{BTreeMap, BTreeSet};

use super::alternation::Alternation;
use super::completing::Arrays;
use super::evidence::Evidence;
use super::grouped::is_exchanged_between;
use super::rollout::round;
use crate::ids::ProgramId;
use crate::session::ProgramRun;

/// The round of a function that updates nothing and of another one of several ops, which runs at most half as
/// often and reads what all runs of a round returned. Between these, the host exchanges nothing with the
/// device, as it does for each request. `runs` are those of one device in order.
pub(super) fn gathering(
    evidence: &Evidence<'_>,
    part: ProgramId,
    runs: &[&ProgramRun],
    function: impl Fn(ProgramId) -> ProgramId,
) -> Option<Alternation> {
    let programs = evidence.programs;
    let made = Arrays::of(&programs[part.index()]).filter(|arrays| arrays.updated() == 0)?;
    let mut counts: BTreeMap<ProgramId, usize> = BTreeMap::new();
    for run in runs {
        *counts.entry(function(run.program)).or_default() += 1;
    }
    let own_count = *counts.get(&part)?;
    // Runs at the ends of the recording may be cut.
    let fewer = counts
        .iter()
        .filter(|(_, count)| 2 * **count <= own_count + 2);
    let fewer: BTreeSet<ProgramId> = fewer.map(|(one, _)| *one).collect();
    let several = fewer.into_iter();
    let mut several = several.filter(|one| !programs[one.index()].is_single_op());
    several.find_map(|whole| {
        let read = Arrays::of(&programs[whole.index()])?;
        let own = runs.iter().map(|run| (function(run.program), *run));
        let own = own.filter(|(one, _)| [part, whole].contains(one));
        let (order, runs): (Vec<ProgramId>, Vec<&ProgramRun>) = own.unzip();
        let (round, parts) = round(&order, part, whole)?;
        let is_whole = parts > 1 && round.len() == parts + 1 && made.are_all_in(&read, parts);
        let round = Alternation::new(round, order.iter().copied(), &runs);
        let rounds = round.works(&runs);
        let of_part = order.iter().zip(&runs).filter(|(one, _)| **one == part);
        let of_part: Vec<&ProgramRun> = of_part.map(|(_, run)| *run).collect();
        (is_whole && !is_exchanged_between(evidence, &of_part, &rounds)).then_some(round)
    })
}
