//! Which ops only move or rearrange data, and which of them a program asks for itself.

use stepscope_model::hlo::name_stack::{Pass, parts, pass};
use stepscope_model::hlo::{Instruction, Program};

use super::interpreted_kernels::is_interpreted;
use crate::views::ops::OpRow;

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

/// Primitives of a framework that move data. Rows that are read or written by an index are not here: a
/// model that looks something up has to.
const ASKED_FOR: &[&str] = &[
    "broadcast_in_dim",
    "concatenate",
    "copy",
    "copy_p",
    "dynamic_slice",
    "dynamic_update_slice",
    "pad",
    "reshape",
    "rev",
    "select_n",
    "slice",
    "split",
    "squeeze",
    "transpose",
];

/// What a loop of the framework does with the part of an array that belongs to an iteration.
const OF_LOOPS: &[&str] = &["dynamic_slice", "dynamic_update_slice"];

/// Whether an op does nothing else.
pub(super) fn moves_only(row: &OpRow) -> bool {
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
pub(super) fn adds(program: &Program, instruction: &Instruction) -> bool {
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

/// Whether the program itself asks for the move, by its name stack: not a copy that XLA adds for the
/// layout of a product or to keep a value, nor the gradient of a move, nor what a loop slices for each
/// iteration.
pub(super) fn is_asked_for(row: &OpRow) -> bool {
    let stack = parts(&row.scope);
    let Some(primitive) = stack.last() else {
        return false;
    };
    let is_of_loop = OF_LOOPS.contains(primitive) && row.scope.contains("while/body");
    ASKED_FOR.contains(primitive) && !is_of_loop && pass(&row.scope) != Pass::Backward
}

/// Whether an op reads or writes a part of an array by its position, as loops do in every iteration.
pub(super) fn is_of_a_part(row: &OpRow) -> bool {
    row.name.contains("dynamic-slice") || row.name.contains("dynamic-update-slice")
}
