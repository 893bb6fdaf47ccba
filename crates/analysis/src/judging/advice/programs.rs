//! Programs for the rules: their HLO, the time spent in them, and the users of each value.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use stepscope_model::hlo::{self, Instruction, InstructionIndex, OpClass};
use stepscope_model::{ProgramId, SaturatingSum as _, Session};

use crate::views::ops::{AllOps, OpRow};

/// Programs with a smaller share of all work are ignored.
const MIN_SHARE: f64 = 0.02;
/// How deeply nested fusions are searched.
const MAX_DEPTH: usize = 3;

/// A program with HLO that devices spend time in.
pub(super) struct BusyProgram<'a> {
    pub(super) id: ProgramId,
    /// `jit_step(5)`
    pub(super) title: String,
    pub(super) hlo: &'a hlo::Program,
    pub(super) self_ps: i64,
    /// Positions of its ops among all ops, largest first.
    pub(super) ops: Vec<usize>,
}

/// Programs with HLO and at least 2 % of all work, most time first.
pub(super) fn busy_programs<'a>(session: &'a Session, ops: &AllOps) -> Vec<BusyProgram<'a>> {
    let mut by_program: BTreeMap<ProgramId, Vec<usize>> = BTreeMap::new();
    for (position, op) in ops.ops.iter().enumerate() {
        if let Some(program) = op.program.filter(|_| op.op.is_some()) {
            by_program.entry(program).or_default().push(position);
        }
    }
    let busy = |(id, positions): (ProgramId, Vec<usize>)| {
        let program = session.program(id);
        let self_ps: i64 = positions
            .iter()
            .map(|&at| ops.ops[at].row.self_ps)
            .saturating_sum();
        let is_busy = self_ps as f64 >= MIN_SHARE * ops.total_self_ps as f64 && self_ps > 0;
        Some(BusyProgram {
            id,
            title: program.title(),
            hlo: program.hlo.as_ref().filter(|_| is_busy)?,
            self_ps,
            ops: positions,
        })
    };
    let mut found: Vec<BusyProgram<'a>> = by_program.into_iter().filter_map(busy).collect();
    found.sort_by_key(|program| (std::cmp::Reverse(program.self_ps), program.id));
    found
}

impl<'a> BusyProgram<'a> {
    /// Whether it returns an array that it was called with, changed.
    pub(super) fn trains(&self) -> bool {
        self.hlo.signature().is_some_and(|signature| {
            let mut updated = signature.arguments.iter().filter(|one| one.is_updated);
            updated.any(|one| !one.shape.dimensions.is_empty())
        })
    }

    /// Whether ops of a backward pass are among its ops: what it returns are gradients.
    pub(super) fn differentiates(&self) -> bool {
        let mut all = self.hlo.instructions();
        all.any(|one| hlo::name_stack::pass(&one.op_name) == hlo::name_stack::Pass::Backward)
    }

    /// Whether it may be called with an array that it returned: a result has the shape of an argument.
    pub(super) fn may_continue(&self) -> bool {
        self.hlo.signature().is_none_or(|signature| {
            let mut results = signature.results.iter();
            results.any(|result| {
                let mut given = signature.arguments.iter().map(|one| one.shape);
                !result.dimensions.is_empty() && given.any(|one| one.is_alike(result))
            })
        })
    }

    /// Its ops with their instructions, largest first.
    pub(super) fn executed<'b>(
        &'b self,
        ops: &'b AllOps,
    ) -> impl Iterator<Item = (&'b OpRow, &'a Instruction)> {
        self.ops.iter().filter_map(|&at| {
            let row = &ops.ops[at].row;
            Some((row, self.hlo.instruction(&row.name)?))
        })
    }
}

/// Some ops, by program id and name.
pub(super) struct SomeOps<'a>(FxHashSet<(&'a str, &'a str)>);

impl SomeOps<'_> {
    pub(super) fn has(&self, row: &OpRow) -> bool {
        self.0
            .contains(&(row.program_id.as_str(), row.name.as_str()))
    }
}

/// The ops that run an instruction like this.
pub(super) fn ops_with<'a>(
    programs: &'a [BusyProgram<'_>],
    ops: &'a AllOps,
    is_so: impl Fn(&hlo::Program, &OpRow, &Instruction) -> bool,
) -> SomeOps<'a> {
    let executed = programs.iter().flat_map(|program| {
        let rows = program.executed(ops);
        rows.map(move |(row, instruction)| (program.hlo, row, instruction))
    });
    let found = executed.filter(|&(program, row, instruction)| is_so(program, row, instruction));
    let keys = found.map(|(_, row, _)| (row.program_id.as_str(), row.name.as_str()));
    SomeOps(keys.collect())
}

/// The matrix product or convolution that an instruction computes, alone or in its fusion. If there are
/// several, the one with the largest result.
pub(super) fn product<'a>(
    program: &'a hlo::Program,
    instruction: &'a Instruction,
) -> Option<&'a Instruction> {
    within(program, instruction, MAX_DEPTH)
}

fn within<'a>(
    program: &'a hlo::Program,
    instruction: &'a Instruction,
    depth: usize,
) -> Option<&'a Instruction> {
    match instruction.opcode.as_str() {
        "dot" | "convolution" => Some(instruction),
        "custom-call" if program.class(instruction) == OpClass::Matmul => Some(instruction),
        "fusion" | "async-start" if depth > 0 => {
            let bodies = program.called_computations(instruction);
            let inside = bodies.flat_map(|body| program.instructions_of(body));
            inside
                .filter_map(|inner| within(program, inner, depth - 1))
                .max_by_key(|found| found.shape.first_leaf().element_count())
        }
        _ => None,
    }
}

/// Rows, columns and contracted elements of a matrix product, without batch dimensions. None for
/// convolutions, and for products whose dimensions the program does not state.
pub(super) fn sides(program: &hlo::Program, product: &Instruction) -> Option<[u64; 3]> {
    let dot = product.attributes()?.dot.as_ref()?;
    let (lhs, rhs) = (program.operand(product, 0)?, program.operand(product, 1)?);
    let free = |shape: &hlo::Shape, taken: [&[i64]; 2]| -> u64 {
        let shape = shape.first_leaf();
        (0..)
            .zip(&shape.dimensions)
            .filter(|(at, _)| !taken.iter().any(|list| list.contains(at)))
            .map(|(_, &size)| u64::try_from(size).unwrap_or(0))
            .product()
    };
    let rows = free(&lhs.shape, [&dot.lhs_contracting, &dot.lhs_batch]);
    let columns = free(&rhs.shape, [&dot.rhs_contracting, &dot.rhs_batch]);
    let lhs = lhs.shape.first_leaf();
    let contracted = dot.lhs_contracting.iter();
    let contracted = contracted
        .map(|&at| lhs.dimension(at).unwrap_or(1))
        .product();
    Some([rows, columns, contracted])
}

/// The users of each instruction's value.
pub(super) struct Users(FxHashMap<i64, Vec<InstructionIndex>>);

impl Users {
    pub(super) fn of(program: &hlo::Program) -> Self {
        let mut users: FxHashMap<i64, Vec<InstructionIndex>> = FxHashMap::default();
        for instruction in program.instructions() {
            for &operand in &instruction.operand_ids {
                users.entry(operand).or_default().push(instruction.index);
            }
        }
        Self(users)
    }

    pub(super) fn of_value<'a>(
        &self,
        program: &'a hlo::Program,
        value: &Instruction,
    ) -> impl Iterator<Item = &'a Instruction> + use<'a, '_> {
        let users = self.0.get(&value.id).map_or(&[][..], Vec::as_slice);
        users.iter().filter_map(|&at| program.instruction_at(at))
    }
}
