//! What to do about an op whose use the program shows.
//!
//! ```text
//! sort ──► slice of the last 40 of 32000           the 40 largest need no sort
//! zeros of a table ──► scatter of a few rows       the gradient of rows that were looked up
//! ```

use stepscope_model::hlo::{Instruction, Program};

use super::uses::{Use, is_only_taken};
use crate::judging::advice::facts::Facts;
use crate::judging::advice::programs::Users;
use crate::telling::format;
use crate::views::ops::OpRow;

/// What is taken of a sorted array is at one of its ends, and at most this part of it.
const PART: i64 = 4;

/// What an op is for, and what would do the same with less work.
pub(super) struct Known {
    pub(super) what: String,
    pub(super) fix: &'static str,
}

impl Known {
    pub(super) fn of(facts: &Facts<'_>, row: &OpRow) -> Option<Self> {
        let is_own = |id| facts.session.program(id).id.to_string() == row.program_id;
        let mut programs = facts.programs().iter();
        let program = programs.find(|one| is_own(one.id))?.hlo;
        let op = program.instruction(&row.name)?;
        top_of(program, op).or_else(|| zeros_of(program, op))
    }
}

const TOP_K: &str = "Use `jax.lax.top_k`, which does not sort the rest (of `-x` for the smallest).";
const ROWS_ONLY: &str = "Take the gradient for the rows instead (`rows = table[ids]` outside of the loss), and write it with \
                         `table.at[ids].add(update)`. An optimizer with a state for each row, such as Adam, then updates the \
                         state of these rows only.";

/// A sort of which only a few of the largest or smallest are used.
fn top_of(program: &Program, op: &Instruction) -> Option<Known> {
    let sort = root(program, op).filter(|root| root.opcode == "sort")?;
    let &dimension = sort.attributes()?.dimensions.first()?;
    let shape = op.shape.first_leaf();
    let all = *shape.dimensions.get(usize::try_from(dimension).ok()?)?;
    let taken = taken_at_end(program, op, usize::try_from(dimension).ok()?, all)?;
    (taken.saturating_mul(PART) <= all).then(|| Known {
        what: format!(" Only {taken} of {all} sorted elements are used."),
        fix: TOP_K,
    })
}

/// How many elements at an end of a dimension all users of a value take together; none if one takes others.
fn taken_at_end(program: &Program, value: &Instruction, dimension: usize, all: i64) -> Option<i64> {
    let (mut first, mut last) = (0i64, 0i64);
    let is_taken = is_only_taken(program, value, |value, user| match user.opcode.as_str() {
        "slice" => {
            let Some(own) = user.attributes().and_then(|own| own.slice.get(dimension)) else {
                return Use::Other;
            };
            if own.limit.saturating_mul(PART) <= all {
                first = first.max(own.limit);
            } else {
                last = last.max(all - own.start);
            }
            Use::Takes
        }
        "get-tuple-element" | "copy" | "bitcast"
            if user.shape.first_leaf().dimensions == value.shape.first_leaf().dimensions =>
        {
            Use::PassesOn
        }
        _ => Use::Other,
    });
    Some(first + last).filter(|&taken| is_taken && taken > 0)
}

/// Zeros of the shape of an array that the program updates, into which the rows of a gradient are added.
fn zeros_of(program: &Program, op: &Instruction) -> Option<Known> {
    let zeros = root(program, op).filter(|root| root.opcode == "broadcast")?;
    if !zeros.op_name.contains("transpose(jvp") {
        return None;
    }
    let signature = program.signature()?;
    let mut updated = signature.arguments.iter().filter(|one| one.is_updated);
    updated.find(|one| one.shape.is_alike(&zeros.shape))?;
    let users = Users::of(program);
    let mut scatters = users.of_value(program, op).filter_map(|user| {
        let scatter = root(program, user).filter(|root| root.opcode == "scatter")?;
        program.operand(scatter, 2)
    });
    let rows = scatters.next()?.shape.element_count();
    let all = zeros.shape.element_count();
    (rows.saturating_mul(2) <= all).then(|| Known {
        what: format!(
            " It clears the gradient of a whole array, {}, to which a step adds {}.",
            zeros.shape,
            format::percent(rows as f64 / all as f64)
        ),
        fix: ROWS_ONLY,
    })
}

/// The op itself, or what a fusion returns.
fn root<'a>(program: &'a Program, op: &'a Instruction) -> Option<&'a Instruction> {
    if op.opcode != "fusion" {
        return Some(op);
    }
    let body = program.called_computations(op).next()?;
    program.root(body)
}
