//! Arguments that a program copies because they are not donated: it returns them updated, and has to
//! leave what was given as it is.
//!
//! ```text
//! cache ──► copy.1 ──► dynamic-update-slice.2 ──► result        the copy and the result share memory
//! cache ─────────────► dynamic-update-slice.2 ──► result        donated
//! ```

use std::collections::{BTreeMap, BTreeSet};

use stepscope_model::hlo::{Instruction, InstructionIndex};
use stepscope_model::{ProgramId, Session};

use super::plan::Plan;

/// Copies and renamings between an argument and the result; real programs have few.
const MOST_NAMES: usize = 16;

/// The copies that programs make of arguments that they also return.
#[derive(Debug, Default)]
pub(crate) struct CopiedArguments {
    /// By program as in tables: names of its copies.
    copies: BTreeMap<String, BTreeSet<String>>,
    /// What is copied, as the program calls it: `cache`, `state`.
    pub(crate) arguments: BTreeSet<String>,
}

impl CopiedArguments {
    /// Those of these programs, as far as they have memory plans.
    pub(crate) fn of(session: &Session, programs: impl Iterator<Item = ProgramId>) -> Self {
        let mut found = Self::default();
        for id in programs {
            let program = session.program(id);
            let Some(plan) = Plan::of(program) else {
                continue;
            };
            for (copy, argument) in copies(&plan) {
                let own = found.copies.entry(program.id.to_string()).or_default();
                own.insert(copy.name.clone());
                found.arguments.insert(variable(argument).to_owned());
            }
        }
        found
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.copies.is_empty()
    }

    /// Whether an op of a program is one of them.
    pub(crate) fn has(&self, program_id: &str, op: &str) -> bool {
        let own = self.copies.get(program_id);
        own.is_some_and(|own| own.contains(op))
    }
}

/// Copies of arguments that are kept, where the copy has the memory of a result of the same shape.
fn copies<'a>(plan: &Plan<'a>) -> Vec<(&'a Instruction, &'a Instruction)> {
    let buffers = 0..plan.assignment.buffers.len();
    let whole = |&buffer: &usize| plan.buffer(buffer).shape_index.is_empty();
    let placed = buffers.filter(whole).filter_map(|buffer| {
        let at = plan.allocation_of(buffer)?;
        Some((plan.instruction(buffer)?, at))
    });
    let placed: Vec<(&Instruction, usize)> = placed.collect();
    let kept: BTreeSet<InstructionIndex> = placed
        .iter()
        .filter(|(instruction, at)| {
            let allocation = &plan.assignment.allocations[*at];
            let is_kept = allocation.is_parameter && !allocation.is_maybe_live_out;
            instruction.opcode == "parameter" && is_kept
        })
        .map(|(instruction, _)| instruction.index)
        .collect();
    let returned = |at: usize, argument: &Instruction| {
        let allocation = &plan.assignment.allocations[at];
        let result = plan.largest_of(allocation);
        let result = result.and_then(|buffer| plan.shape(buffer));
        allocation.is_maybe_live_out
            && !allocation.is_parameter
            && result.is_some_and(|shape| *shape == argument.shape)
    };
    let copies = placed.into_iter().filter_map(|(copy, at)| {
        let argument = copied(plan, copy).filter(|argument| kept.contains(&argument.index))?;
        let is_same = copy.shape == argument.shape && returned(at, argument);
        (is_same && !is_result(plan, copy)).then_some((copy, argument))
    });
    copies.collect()
}

/// Whether a copy is itself a result: the program returns an argument as it is, and nothing is updated.
fn is_result(plan: &Plan<'_>, copy: &Instruction) -> bool {
    let entry = plan.hlo.entry();
    entry
        .and_then(|entry| plan.hlo.root(entry))
        .is_some_and(|root| {
            let mut results = plan.hlo.operands(root);
            root.index == copy.index
                || root.opcode == "tuple" && results.any(|one| one.index == copy.index)
        })
}

/// The value that an instruction copies, if it is a copy.
fn copied<'a>(plan: &Plan<'a>, copy: &Instruction) -> Option<&'a Instruction> {
    if copy.opcode != "copy" {
        return None;
    }
    let mut value = plan.hlo.operand(copy, 0)?;
    for _ in 0..MOST_NAMES {
        match value.opcode.as_str() {
            "bitcast" | "copy" => value = plan.hlo.operand(value, 0)?,
            _ => break,
        }
    }
    Some(value)
}

/// `cache[0][1]` is a part of `cache`, and `state.params['w']` of `state`. JAX names arguments of `*args`
/// `args[0]`. Without a name of its own, an argument has that of its instruction.
fn variable(argument: &Instruction) -> &str {
    let name = match argument.op_name.as_str() {
        "" => argument.name.as_str(),
        name => name,
    };
    let after = |start: usize| name[start..].find(['.', '[']).map(|at| start + at);
    let own = match name.strip_prefix("args[").and_then(|rest| rest.find(']')) {
        Some(length) => after("args[".len() + length),
        None => after(0),
    };
    &name[..own.unwrap_or(name.len())]
}
