//! A loop within the program whose body is a few small ops, with overhead in every iteration.

use std::collections::{BTreeMap, BTreeSet};

use super::interpreted_kernels::is_interpreted;
use super::{Outcome, Rule, each_ps, finding, share};
use crate::judging::advice::facts::Facts;
use crate::measuring::steps::PartKind;
use crate::telling::format;
use crate::views::ops::OpRow;

pub(super) static RULE: Rule = Rule {
    id: "small_loop",
    title: "Loop of small ops",
    parts: &[PartKind::DeviceCompute],
    check,
};

/// Ops with a longer mean time are not small: they outweigh the overhead of an iteration.
const SMALL_PS: f64 = 20e6;
/// Minimum number of iterations per step.
const MANY_TURNS: f64 = 100.0;

fn check(facts: &Facts<'_>) -> Outcome {
    let steps = facts.step_count();
    let is_in_loop = |row: &OpRow| row.scope.contains("while/body") && !is_interpreted(row);
    let is_small = |row: &OpRow| {
        is_in_loop(row) && each_ps(row) < SMALL_PS && row.executions as f64 >= MANY_TURNS * steps
    };
    let found = match share(facts, "small_loop_ratio", is_small) {
        Ok(found) => found,
        Err(outcome) => return outcome,
    };
    let own = facts.rows_of_ops().filter(|row| is_small(row));
    let turns = own.clone().map(|row| row.executions).max().unwrap_or(0) as f64 / steps;
    let longest = own.map(each_ps).fold(0.0, f64::max);
    let loops = Loops::of(facts, is_small, MANY_TURNS * steps);
    let (_, bound) = facts.ops_per_step(|row| loops.has(row));
    finding(
        &RULE,
        found.severity,
        format!(
            "{} of the devices' work is spent on ops in the body of a loop that runs about {turns:.0} \
             iterations per step; none takes longer than {} on average.",
            found.text,
            format::duration_ps(longest)
        ),
    )
    .why(
        "Every op in every iteration is started separately, which takes as long as the work of such a \
         small op, and each iteration waits for the previous one.",
    )
    .fix(
        "Do more per iteration: use jax.lax.scan(..., unroll=8), or one op for all iterations (vmap, a \
         larger batch). A recurrence may have a parallel form (jax.lax.associative_scan).",
    )
    .fix_elsewhere("Do more per iteration: unroll the loop, or do all iterations in one op.")
    .gain(
        bound.or(found.per_step),
        "share of all small ops that run as often as these, and of starting iterations, in all work × \
         time per step in which ops run",
    )
    .seen(facts.largest_ops(is_small))
    .found()
}

/// What loops of small ops cost, by program and name. XLA makes ops that have no scope, such as copies and
/// products with transposed operands, and the time between ops is that of the loop itself.
struct Loops<'a>(BTreeSet<(&'a str, &'a str)>);

impl<'a> Loops<'a> {
    fn of(facts: &'a Facts<'_>, is_small: impl Fn(&OpRow) -> bool, least: f64) -> Self {
        // How often the rarest of these ops runs.
        let mut rarest: BTreeMap<&str, i64> = BTreeMap::new();
        for row in facts.rows_of_ops().filter(|row| is_small(row)) {
            let executions = rarest.entry(&row.program_id).or_insert(i64::MAX);
            *executions = row.executions.min(*executions);
        }
        let is_part = |row: &&OpRow| {
            let Some(&rarest) = rarest.get(row.program_id.as_str()) else {
                return false;
            };
            let runs_in_loop = row.executions >= rarest && row.executions as f64 >= least;
            row.category == "while" || (runs_in_loop && each_ps(row) < SMALL_PS)
        };
        let parts = facts.rows_of_ops().filter(is_part);
        Self(parts.map(Self::key).collect())
    }

    fn key(row: &OpRow) -> (&str, &str) {
        (&row.program_id, &row.name)
    }

    fn has(&self, row: &OpRow) -> bool {
        self.0.contains(&Loops::key(row))
    }
}
