//! Which instructions compute the same: a compiler gives such instructions one kernel, which then
//! carries the name of one of them.

use std::fmt::Write as _;
use std::hash::{BuildHasher as _, Hash as _, Hasher};

use rustc_hash::{FxBuildHasher, FxHashMap, FxHasher};

use crate::callees::callees_first;
use crate::program::{Computation, Instruction, InstructionIndex, Program};

/// Hash of what a program lists: the names, opcodes, shapes and name stacks of all instructions, in their
/// order. Two processes that compile one module get the same list, though perhaps other choices within
/// its ops, such as algorithms that were tried out.
pub fn listing(program: &Program) -> u64 {
    let mut hasher = FxBuildHasher.build_hasher();
    for instruction in program.instructions() {
        instruction.name.hash(&mut hasher);
        instruction.opcode.hash(&mut hasher);
        instruction.shape.to_string().hash(&mut hasher);
        instruction.op_name.hash(&mut hasher);
    }
    hasher.finish()
}

/// Hashes of what instructions compute: opcodes, shapes, attributes and how they are connected, down
/// into the computations they call, but no names. Values of constants are not looked at.
#[derive(Debug, Clone, Default)]
pub struct Fingerprints {
    /// By position of the computation.
    computations: Vec<u64>,
}

impl Fingerprints {
    /// Of all computations of a program; takes time in proportion to its size.
    pub fn of(program: &Program) -> Self {
        let mut found = Self {
            computations: vec![0; program.computations().len()],
        };
        for index in callees_first(program) {
            if let Some(computation) = program.computations().get(index) {
                found.computations[index] = found.computation(program, computation);
            }
        }
        found
    }

    /// What an instruction computes, and on what kind of operands.
    pub fn instruction(&self, program: &Program, instruction: &Instruction) -> u64 {
        let mut hasher = FxBuildHasher.build_hasher();
        self.hash_alone(program, instruction, &mut hasher);
        for operand in program.operands(instruction) {
            operand.shape.to_string().hash(&mut hasher);
        }
        hasher.finish()
    }

    /// What the program as a whole computes.
    pub(crate) fn of_entry(&self, program: &Program) -> Option<u64> {
        let entry = program.entry_computation?;
        self.computations.get(entry.index()).copied()
    }

    fn computation(&self, program: &Program, computation: &Computation) -> u64 {
        let mut hasher = FxBuildHasher.build_hasher();
        let mut numbers: FxHashMap<i64, usize> = FxHashMap::default();
        for (number, instruction) in program.instructions_of(computation).iter().enumerate() {
            numbers.insert(instruction.id, number);
            self.hash_alone(program, instruction, &mut hasher);
            for operand in &instruction.operand_ids {
                numbers.get(operand).hash(&mut hasher);
            }
        }
        numbers.get(&computation.root_id).hash(&mut hasher);
        hasher.finish()
    }

    /// Everything of an instruction but its operands.
    fn hash_alone(&self, program: &Program, instruction: &Instruction, hasher: &mut FxHasher) {
        instruction.opcode.hash(hasher);
        instruction.fusion_kind.hash(hasher);
        instruction.custom_call_target.hash(hasher);
        instruction.shape.to_string().hash(hasher);
        if let Some(attributes) = instruction.attributes() {
            // Written out rather than hashed field by field: what is added later counts, too.
            let mut text = String::new();
            let _ = write!(text, "{attributes:?}");
            text.hash(hasher);
        }
        for called in program.called_computations(instruction) {
            let position = program.computation_by_id.get(&called.id);
            let callee = position.and_then(|position| self.computations.get(position.index()));
            callee.hash(hasher);
        }
    }

    /// Instructions by what they compute, each list in the order of `instructions`.
    pub fn groups<'a>(
        &self,
        program: &Program,
        instructions: impl IntoIterator<Item = &'a Instruction>,
    ) -> FxHashMap<u64, Vec<InstructionIndex>> {
        let mut groups: FxHashMap<u64, Vec<InstructionIndex>> = FxHashMap::default();
        for instruction in instructions {
            let key = self.instruction(program, instruction);
            groups.entry(key).or_default().push(instruction.index);
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Draft, encode, f32};

    #[test]
    fn equal_computations_have_equal_fingerprints_whatever_their_names() {
        let mut entry = Draft::new(3, "main");
        let x = entry.parameter(f32(&[2]));
        let y = entry.parameter(f32(&[4]));
        entry.add("negate", f32(&[2]), &[x]);
        entry.add("negate", f32(&[2]), &[x]);
        entry.add("negate", f32(&[4]), &[y]);
        entry.add("abs", f32(&[2]), &[x]);
        let program = Program::decode(&encode(vec![entry])).expect("a program");
        let prints = Fingerprints::of(&program);
        let of = |name: &str| {
            let instruction = program.instruction(name).expect("it is there");
            prints.instruction(&program, instruction)
        };
        assert_eq!(of("negate.3002"), of("negate.3003"));
        assert_ne!(of("negate.3002"), of("negate.3004"), "other shape");
        assert_ne!(of("negate.3002"), of("abs.3005"), "other opcode");
        assert_eq!(prints.groups(&program, program.instructions()).len(), 5);
    }
}
