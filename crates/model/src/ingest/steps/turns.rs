//! Functions whose programs take turns within a step.

use std::collections::{BTreeMap, BTreeSet};

use crate::functions::Functions;
use crate::ids::ProgramId;
use crate::session::ProgramRun;

/// Programs take turns if they do so at least this often.
const MIN_TURNS: usize = 2;

/// Functions that are called once with each of several shapes between two runs of some other program:
/// their programs are parts of one step, such as an encoder of images and of their captions.
///
/// ```text
/// encode(64) encode(16) update encode(64) encode(16) update      one step until each update
/// train(64) train(16) train(64) train(64) evaluate train(16)     each run of train is a step
/// ```
///
/// `order` has the programs of the runs of one device.
pub(super) fn taking_turns(
    runs: &[&ProgramRun],
    order: &[ProgramId],
    functions: &Functions,
) -> BTreeSet<ProgramId> {
    let mut members: BTreeMap<ProgramId, BTreeSet<ProgramId>> = BTreeMap::new();
    for run in runs {
        let function = functions.function(run.program);
        members.entry(function).or_default().insert(run.program);
    }
    members.retain(|_, own| own.len() > 1);
    let mut counts: BTreeMap<ProgramId, usize> = BTreeMap::new();
    for program in order {
        *counts.entry(*program).or_default() += 1;
    }
    let take_turns = |(function, own): (ProgramId, BTreeSet<ProgramId>)| {
        let most = own.iter().filter_map(|one| counts.get(one)).max()?;
        let mut others = counts.iter();
        let divided = others.any(|(&other, &count)| {
            !own.contains(&other)
                && count.abs_diff(*most) <= 1
                && divides(order, &own, other, count)
        });
        divided.then_some(function)
    };
    members.into_iter().filter_map(take_turns).collect()
}

/// Whether each of the programs runs exactly once between any two runs of the other, of which there are
/// `count`.
fn divides(order: &[ProgramId], own: &BTreeSet<ProgramId>, other: ProgramId, count: usize) -> bool {
    // What precedes the first run and follows the last may be cut.
    let whole_count = count.saturating_sub(1);
    let between = order.split(|&program| program == other).skip(1);
    whole_count >= MIN_TURNS
        && between.take(whole_count).all(|part| {
            let of_own = || part.iter().filter(|&one| own.contains(one));
            let distinct: BTreeSet<&ProgramId> = of_own().collect();
            of_own().count() == own.len() && distinct.len() == own.len()
        })
}
