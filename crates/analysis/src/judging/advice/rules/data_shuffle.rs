//! Ops that only move or rearrange data (XProf's DataShuffle; guides: inefficient layouts).

use super::interpreted_kernels::is_interpreted;
use super::{Outcome, Rule, SHARE_OF_WORK, donation, finding, share};
use stepscope_model::hlo::{Instruction, Program};

use crate::judging::advice::facts::Facts;
use crate::judging::advice::programs::ops_with;
use crate::measuring::steps::PartKind;
use crate::views::ops::OpRow;

pub(super) static RULE: Rule = Rule {
    id: "data_shuffle",
    title: "Copies, transposes and reshuffling",
    parts: &[PartKind::DeviceCompute, PartKind::DeviceToDevice],
    check,
};

/// Categories of ops that compute nothing.
const CATEGORIES: &[&str] = &[
    "broadcast",
    "concatenate",
    "copy",
    "data formatting",
    "dynamic-slice",
    "dynamic-update-slice",
    "gather",
    "pad",
    "reshape",
    "reverse",
    "scatter",
    "select",
    "select-and-scatter",
    "shuffle",
    "slice",
    "transpose",
];

/// Words in the names that XLA gives to fusions of such ops, and words that do not matter.
const MOVING: &[&str] = &[
    "transpose",
    "copy",
    "concatenate",
    "slice",
    "pad",
    "gather",
    "scatter",
    "reverse",
];
const NEUTRAL: &[&str] = &[
    "loop",
    "input",
    "wrapped",
    "fusion",
    "bitcast",
    "reshape",
    "broadcast",
    "dynamic",
    "update",
    "kd",
];

fn moves_only(row: &OpRow) -> bool {
    // Slices of an interpreted kernel have a separate check.
    if row.class == "collective" || is_interpreted(row) {
        return false;
    }
    if CATEGORIES.contains(&row.category.as_str()) {
        return true;
    }
    let is_number = |word: &&str| word.chars().all(|letter| letter.is_ascii_digit());
    let mut words = row
        .name
        .split(['_', '.', '-'])
        .filter(|word| !is_number(word));
    let moves = row
        .name
        .split(['_', '.', '-'])
        .any(|word| MOVING.contains(&word));
    moves && words.all(|word| MOVING.contains(&word) || NEUTRAL.contains(&word))
}

/// Whether an instruction, alone or in its fusion, scatters by computing: it adds to what is there.
fn adds(program: &Program, instruction: &Instruction) -> bool {
    if instruction.opcode == "scatter" || instruction.opcode == "select-and-scatter" {
        let combiners = program.called_computations(instruction);
        let mut roots = combiners.filter_map(|one| program.root(one));
        return roots.any(|root| !matches!(root.opcode.as_str(), "parameter" | "tuple"));
    }
    instruction.opcode == "fusion" && {
        let bodies = program.called_computations(instruction);
        let mut inside = bodies.flat_map(|body| program.instructions_of(body));
        inside.any(|inner| inner.opcode != "fusion" && adds(program, inner))
    }
}

const FIX: &str = "Keep dimensions in the order that matrix products expect (channels last for convolutions on \
                   GPUs); replace concatenation in loops with writes to a preallocated array; index with \
                   slices instead of arrays.";
/// XLA:CPU transposes the arguments of some convolutions and products by itself.
const FIX_ON_CPU: &str = "Look where these ops come from: XLA:CPU adds some of them itself, before convolutions \
                          and products, and other devices do without. Replace concatenation in loops with \
                          writes to a preallocated array; index with slices instead of arrays.";

fn check(facts: &Facts<'_>) -> Outcome {
    let adding = ops_with(facts.programs(), &facts.ops, |program, _, instruction| {
        adds(program, instruction)
    });
    // Copies of arguments that could be donated have a separate check.
    let copied = donation::copies(facts);
    let is_argument = |row: &OpRow| copied.is_some() && donation::is_copy(facts, row);
    let moves_only = |row: &OpRow| moves_only(row) && !adding.has(row) && !is_argument(row);
    let found = match share(facts, "data_shuffle_ratio", moves_only) {
        Ok(found) => found,
        Err(outcome) => return outcome,
    };
    let turns = turns(facts, moves_only);
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
    finding(
        &RULE,
        found.severity,
        format!(
            "{} of the devices' work only moves data: copies, transposes, slices, gathers.{in_loop}",
            found.text
        ),
    )
    .why(why)
    .fix(if facts.is_cpu_only() { FIX_ON_CPU } else { FIX })
    .gain(found.per_step, SHARE_OF_WORK)
    .seen(facts.largest_ops(moves_only))
    .found()
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
