//! Ops that only move or rearrange data (XProf's DataShuffle; guides: inefficient layouts).
//!
//! XLA:CPU adds copies for the layouts of its products and to keep values apart, which other devices do
//! without: there, only moves count that the program asks for, or that a loop repeats.

use super::copy_calls::{self, CopyCalls};
use super::moves::{adds, is_asked_for, is_of_a_part, moves_only};
use super::{Outcome, Rule, SHARE_OF_WORK, donation, finding, share};
use crate::judging::advice::facts::Facts;
use crate::judging::advice::programs::ops_with;
use crate::judging::advice::report::AdviceFinding;
use crate::judging::verdict::Severity;
use crate::measuring::steps::PartKind;
use crate::views::ops::OpRow;

pub(super) static RULE: Rule = Rule {
    id: "data_shuffle",
    title: "Copies, transposes and reshuffling",
    parts: &[PartKind::DeviceCompute, PartKind::DeviceToDevice],
    check,
};

const FIX: &str = "Keep dimensions in the order that matrix products expect (channels last for convolutions on \
                   GPUs); replace concatenation in loops with writes to a preallocated array; index with \
                   slices instead of arrays.";
/// Other devices may fuse what XLA:CPU computes by itself.
const FIX_ON_CPU: &str = "Look where these ops come from; other devices may fuse them with what follows. Replace \
                          concatenation in loops with writes to a preallocated array; keep dimensions in the \
                          order in which they are used.";

fn check(facts: &Facts<'_>) -> Outcome {
    let calls = CopyCalls::of(facts);
    let moved = moved(facts, &calls);
    let called = copy_calls::told(&RULE, facts, &calls);
    match (moved, called) {
        (Ok(found), called) => Outcome::Found(called.into_iter().chain([found]).collect()),
        (Err(_), Some(called)) => called.found(),
        (Err(outcome), None) => outcome,
    }
}

/// Ops within programs that move data, without programs that are nothing but a copy.
fn moved(facts: &Facts<'_>, calls: &CopyCalls) -> Result<AdviceFinding, Outcome> {
    let adding = ops_with(facts.programs(), &facts.ops, |program, _, instruction| {
        adds(program, instruction)
    });
    // Copies of arguments that could be donated have a separate check.
    let copied = donation::copies(facts);
    let is_argument = |row: &OpRow| copied.is_some() && donation::is_copy(facts, row);
    let all =
        |row: &OpRow| moves_only(row) && !adding.has(row) && !is_argument(row) && !calls.has(row);
    let on_cpu = facts.is_cpu_only();
    let turns = turns(facts, |row| all(row) && !(on_cpu && is_of_a_part(row)));
    let is_own_only = on_cpu && turns.is_none();
    let moves = |row: &OpRow| all(row) && (!is_own_only || is_asked_for(row));
    let found = share(facts, "data_shuffle_ratio", moves)?;
    let in_loop = turns.map_or_else(String::new, |turns| {
        format!(
            " Most of it is in a loop that runs about {turns:.0} iterations per step and moves arrays \
             in every iteration."
        )
    });
    let why = if turns.is_some() {
        "A loop that reads and updates one array copies all of it in every iteration. So does a \
         Pallas kernel that is interpreted (interpret=True) instead of compiled."
    } else {
        "Arrays are created in one layout and used in another, or split and joined piece by piece."
    };
    let (severity, only) = if is_own_only {
        let only = " What XLA:CPU adds itself is not counted.";
        (found.severity.max(Severity::Warning), only)
    } else {
        (found.severity, "")
    };
    let finding = finding(
        &RULE,
        severity,
        format!(
            "{} of the devices' work only moves data: copies, transposes, slices, gathers.{only}{in_loop}",
            found.text
        ),
    );
    Ok(finding
        .why(why)
        .fix(if on_cpu { FIX_ON_CPU } else { FIX })
        .gain(found.per_step, SHARE_OF_WORK)
        .seen(facts.largest_ops(moves)))
}

/// Minimum number of executions per step for an op to count as part of a loop.
const MANY_TURNS: f64 = 50.0;

/// Loop iterations per step if the largest of these ops is in a loop, that is, if its program has ops
/// in the body of a loop that run equally often.
fn turns(facts: &Facts<'_>, moves_only: impl Fn(&OpRow) -> bool) -> Option<f64> {
    let largest = facts.rows_of_ops().find(|row| moves_only(row))?;
    let turns = largest.executions as f64 / facts.step_count();
    let mut rows = facts.rows_of_ops();
    let is_in_loop = rows.any(|row| {
        row.program_id == largest.program_id
            && row.executions == largest.executions
            && row.scope.contains("while/body")
    });
    (is_in_loop && turns >= MANY_TURNS).then_some(turns)
}
