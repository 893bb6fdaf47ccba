//! A function that is compiled again and again because an array grows, such as the cache of a decoding loop to
//! which each call appends.

use std::collections::BTreeMap;

use stepscope_model::hlo::{self, Shape};
use stepscope_model::{Program, Session};

use crate::views::compile::CompilationRow;

/// Fewer compilations may grow by chance, such as batches of several lengths.
const MIN_GROWN: usize = 3;

pub(super) const FIX: &str = "An array grows by the same length from call to call. Allocate it at its full length once, write into it \
                              with `jax.lax.dynamic_update_slice` or `.at[].set` at a position that is an argument, and mask \
                              what is not filled yet; donate it.";

/// Whether these compilations, each of a function that had been compiled before, are of arrays that grow.
pub(super) fn grows(session: &Session, again: &[&CompilationRow]) -> bool {
    let mut programs: BTreeMap<&str, Vec<(i64, &hlo::Program)>> = BTreeMap::new();
    for row in again {
        if let Some(program) = program_of(session, row) {
            let own = programs.entry(row.function.as_str()).or_default();
            own.push((row.start_ps, program));
        }
    }
    let (mut grown, mut pairs) = (0, 0);
    for own in programs.values_mut() {
        own.sort_by_key(|&(start, _)| start);
        let steps: Vec<Option<i64>> = own
            .windows(2)
            .map(|pair| growth(pair[0].1, pair[1].1))
            .collect();
        pairs += steps.len();
        let first = steps.iter().flatten().next();
        grown += first.map_or(0, |by| {
            steps.iter().flatten().filter(|one| *one == by).count()
        });
    }
    grown >= MIN_GROWN && grown == pairs
}

fn program_of<'a>(session: &'a Session, row: &CompilationRow) -> Option<&'a hlo::Program> {
    let id: u64 = row.program_id.parse().ok()?;
    let is_it = |program: &&Program| program.id == id && program.title() == row.program;
    session.programs.iter().find(is_it)?.hlo.as_ref()
}

/// By how much one dimension of each array that changed is longer; None if anything else changed.
fn growth(before: &hlo::Program, after: &hlo::Program) -> Option<i64> {
    let [before, after] = [arguments(before)?, arguments(after)?];
    if before.len() != after.len() {
        return None;
    }
    let changed = before
        .iter()
        .zip(&after)
        .filter(|(was, is)| !was.is_alike(is));
    let mut by: Option<i64> = None;
    for (was, is) in changed {
        let one = longer(was, is)?;
        if *by.get_or_insert(one) != one {
            return None;
        }
    }
    by
}

/// The shapes of the arguments, in their order.
fn arguments(program: &hlo::Program) -> Option<Vec<&Shape>> {
    let parameters = program.parameters_of(program.entry()?).into_iter();
    Some(parameters.map(|(_, one)| &one.shape).collect())
}

fn longer(was: &Shape, is: &Shape) -> Option<i64> {
    if was.element_type != is.element_type || was.dimensions.len() != is.dimensions.len() {
        return None;
    }
    let both = was.dimensions.iter().zip(&is.dimensions);
    let mut by = both.map(|(was, is)| is - was).filter(|&by| by != 0);
    let one = by.next()?;
    (one > 0 && by.next().is_none()).then_some(one)
}
