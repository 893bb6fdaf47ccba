//! Finds the instructions around an op: a breadth-first search over operands and users.
//!
//! The search covers the op's own computation. Fusions on the way are opened until the limit is reached,
//! and an op within a fusion is shown in its opened fusion. Values with very many users, and instructions
//! with very many operands, are shown but not followed, because they lead to the whole program.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};
use stepscope_model::hlo::{Instruction, InstructionIndex, Program};

/// More operands or users than this are not followed, except those of the op itself.
const MAX_FOLLOWED: usize = 24;
/// Constants with more elements get their own node.
const MAX_INLINED_ELEMENTS: u64 = 10;

/// What is shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    pub(super) radius: usize,
    pub(super) max_nodes: usize,
    pub(super) opens_fusions: bool,
}

/// An instruction that is shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed {
    pub(super) index: InstructionIndex,
    pub(super) distance: usize,
    /// The opened fusion that contains it.
    pub(super) cluster: Option<InstructionIndex>,
}

/// The instructions around an op.
pub(super) struct Neighborhood {
    pub(super) placed: Vec<Placed>,
    /// Fusions that are opened.
    pub(super) opened: Vec<InstructionIndex>,
    /// Number of instructions within the radius that exceed the limit.
    pub(super) hidden_count: usize,
    /// Number of fusions that stay closed because of the limit.
    pub(super) closed_count: usize,
}

/// Users of the values of a computation.
pub(super) struct Users<'a> {
    program: &'a Program,
    users: FxHashMap<InstructionIndex, Vec<InstructionIndex>>,
}

impl<'a> Users<'a> {
    /// The users within the computation of an instruction.
    pub(super) fn of(program: &'a Program, instruction: &Instruction) -> Self {
        let mut users: FxHashMap<_, Vec<_>> = FxHashMap::default();
        for user in own_computation(program, instruction) {
            for operand in program.operands(user) {
                let list = users.entry(operand.index).or_default();
                // An instruction that uses a value twice is one user.
                if list.last() != Some(&user.index) {
                    list.push(user.index);
                }
            }
        }
        Self { program, users }
    }

    pub(super) fn users(&self, of: InstructionIndex) -> &[InstructionIndex] {
        self.users.get(&of).map_or(&[], Vec::as_slice)
    }

    /// Operands that get their own node.
    pub(super) fn operands(&self, of: &Instruction) -> Vec<InstructionIndex> {
        let mut operands: Vec<InstructionIndex> = self
            .program
            .operands(of)
            .filter(|operand| !is_inlined(operand))
            .map(|operand| operand.index)
            .collect();
        operands.sort_unstable();
        operands.dedup();
        operands
    }
}

/// The instructions of the computation that contains an instruction.
pub(super) fn own_computation<'a>(
    program: &'a Program,
    instruction: &Instruction,
) -> &'a [Instruction] {
    let computation = program.computations().get(instruction.computation.index());
    computation.map_or(&[], |computation| program.instructions_of(computation))
}

/// Whether it is a constant that is small enough to be shown where it is used.
pub(super) fn is_inlined(instruction: &Instruction) -> bool {
    instruction.opcode == "constant"
        && !instruction.shape.is_tuple()
        && instruction.shape.element_count() <= MAX_INLINED_ELEMENTS
}

/// The instructions that call the computation of an instruction, in program order.
pub(super) fn callers<'a>(program: &'a Program, instruction: &Instruction) -> Vec<&'a Instruction> {
    let Some(own) = program.computations().get(instruction.computation.index()) else {
        return Vec::new();
    };
    let all = program.instructions();
    all.filter(|caller| caller.called_computation_ids.contains(&own.id))
        .collect()
}

/// The instruction where the search starts: the op, or the fusion that contains it.
pub(super) fn walked_from<'a>(program: &'a Program, op: &'a Instruction) -> &'a Instruction {
    let computation = program.computations().get(op.computation.index());
    if computation.is_some_and(|computation| computation.is_fusion_body) {
        let callers = callers(program, op);
        return callers
            .first()
            .copied()
            .filter(|c| c.opcode == "fusion")
            .unwrap_or(op);
    }
    op
}

/// The neighborhood of an op.
pub(super) fn around(program: &Program, op: &Instruction, extent: Extent) -> Neighborhood {
    let start = walked_from(program, op);
    let users = Users::of(program, start);
    let (mut placed, hidden_count) = walk(program, start, &users, extent);
    let mut found = Neighborhood {
        opened: Vec::new(),
        hidden_count,
        closed_count: 0,
        placed: Vec::new(),
    };
    let is_within = start.index != op.index;
    let mut inner = Vec::new();
    for fusion in &placed {
        let wants = extent.opens_fusions || (is_within && fusion.index == start.index);
        let Some(instruction) = program.instruction_at(fusion.index).filter(|_| wants) else {
            continue;
        };
        let Some(body) = body(program, instruction) else {
            continue;
        };
        let body: Vec<&Instruction> = body.iter().filter(|inner| !is_inlined(inner)).collect();
        let is_forced = is_within && fusion.index == start.index;
        if !is_forced && placed.len() + inner.len() + body.len() > extent.max_nodes {
            found.closed_count += 1;
            continue;
        }
        found.opened.push(fusion.index);
        let room = extent.max_nodes.saturating_sub(inner.len());
        found.hidden_count += body.len().saturating_sub(room);
        inner.extend(body.into_iter().take(room).map(|instruction| Placed {
            index: instruction.index,
            distance: fusion.distance,
            cluster: Some(fusion.index),
        }));
    }
    placed.extend(inner);
    if is_within && !placed.iter().any(|placed| placed.index == op.index) {
        placed.push(Placed {
            index: op.index,
            distance: 0,
            cluster: Some(start.index),
        });
    }
    found.placed = placed;
    found
}

/// The instructions within a fusion.
pub(super) fn body<'a>(program: &'a Program, fusion: &Instruction) -> Option<&'a [Instruction]> {
    if fusion.opcode != "fusion" {
        return None;
    }
    let computation = program.called_computations(fusion).next()?;
    Some(program.instructions_of(computation))
}

fn walk(
    program: &Program,
    start: &Instruction,
    users: &Users<'_>,
    extent: Extent,
) -> (Vec<Placed>, usize) {
    let mut placed = Vec::new();
    let mut seen: FxHashSet<InstructionIndex> = FxHashSet::default();
    let mut queue = VecDeque::from([(start.index, 0)]);
    seen.insert(start.index);
    let mut hidden = 0;
    while let Some((index, distance)) = queue.pop_front() {
        let Some(instruction) = program.instruction_at(index) else {
            continue;
        };
        if placed.len() >= extent.max_nodes {
            hidden += 1;
            continue;
        }
        placed.push(Placed {
            index,
            distance,
            cluster: None,
        });
        if distance >= extent.radius {
            continue;
        }
        let operands = users.operands(instruction);
        for list in [operands.as_slice(), users.users(index)] {
            if list.len() > MAX_FOLLOWED && distance > 0 {
                continue;
            }
            for &next in list {
                if seen.insert(next) {
                    queue.push_back((next, distance + 1));
                }
            }
        }
    }
    (placed, hidden)
}
