//! A loop within the program whose body is a few small ops, with overhead in every iteration.

use super::interpreted_kernels::is_interpreted;
use super::{Outcome, Rule, SHARE_OF_WORK, each_ps, finding, share};
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
    .gain(found.per_step, SHARE_OF_WORK)
    .seen(facts.largest_ops(is_small))
    .found()
}
