//! Which ops an op waits for, by its program: its operands, and the start of what it ends.

use rustc_hash::FxHashMap;
use stepscope_model::hlo::{Instruction, Program};
use stepscope_model::{OpId, Session};

/// Most instructions that are followed from an op to the executed ones that it depends on.
const MOST_FOLLOWED: usize = 64;

/// Dependencies between ops, by [`OpId`].
pub(super) struct Operands {
    /// Executed ops whose values an op reads, through tuples and other instructions that do not run.
    pub(super) producers: Vec<Vec<OpId>>,
    /// The start of an asynchronous op, for its done.
    pub(super) begins: Vec<Option<OpId>>,
}

impl Operands {
    pub(super) fn of(session: &Session) -> Self {
        let mut by_name: FxHashMap<(u32, &str), OpId> = FxHashMap::default();
        for (number, op) in session.ops.iter().enumerate() {
            let name = session.text(op.name);
            by_name
                .entry((op.program.0, name))
                .or_insert(OpId::from_index(number));
        }
        let mut found = Self {
            producers: Vec::with_capacity(session.ops.len()),
            begins: Vec::with_capacity(session.ops.len()),
        };
        for op in &session.ops {
            let name = session.text(op.name);
            let lookup = |name: &str| by_name.get(&(op.program.0, name)).copied();
            let hlo = session.program(op.program).hlo.as_ref();
            let instruction = hlo.and_then(|hlo| Some((hlo, hlo.instruction(name)?)));
            let producers = instruction
                .map(|(hlo, instruction)| producers(hlo, instruction, &lookup))
                .unwrap_or_default();
            let is_done = instruction.map_or_else(
                || name.contains("-done"),
                |(_, instruction)| instruction.opcode.ends_with("-done"),
            );
            let by_name = || lookup(&name.replacen("-done", "-start", 1));
            let begin = is_done.then(|| producers.first().copied().or_else(by_name));
            found.producers.push(producers);
            found.begins.push(begin.flatten());
        }
        found
    }
}

fn producers(
    hlo: &Program,
    instruction: &Instruction,
    lookup: &impl Fn(&str) -> Option<OpId>,
) -> Vec<OpId> {
    let mut found = Vec::new();
    let mut open: Vec<&Instruction> = hlo.operands(instruction).collect();
    open.reverse();
    let mut followed = 0;
    while let Some(operand) = open.pop().filter(|_| followed < MOST_FOLLOWED) {
        followed += 1;
        match lookup(&operand.name) {
            Some(op) if found.contains(&op) => {}
            Some(op) => found.push(op),
            None => open.extend(hlo.operands(operand)),
        }
    }
    found
}
