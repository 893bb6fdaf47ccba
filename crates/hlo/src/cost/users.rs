//! Who uses which value.

use crate::program::{Instruction, Program};

/// Who uses the value of each instruction: `flat[start[i]..start[i + 1]]` are the users of `i`.
pub(super) struct Users {
    start: Vec<usize>,
    flat: Vec<u32>,
}

impl Users {
    pub(super) fn new(program: &Program) -> Self {
        let edges: Vec<(u32, u32)> = program
            .instructions
            .iter()
            .flat_map(|user| {
                let operands = user
                    .operand_ids
                    .iter()
                    .filter_map(|id| program.by_id.get(id));
                operands.map(|operand| (operand.0, user.index.0))
            })
            .collect();
        let mut start = vec![0usize; program.instructions.len() + 1];
        for &(operand, _) in &edges {
            start[operand as usize + 1] += 1;
        }
        for index in 1..start.len() {
            start[index] += start[index - 1];
        }
        let mut next = start.clone();
        let mut flat = vec![0; edges.len()];
        for (operand, user) in edges {
            let slot = &mut next[operand as usize];
            flat[*slot] = user;
            *slot += 1;
        }
        Self { start, flat }
    }

    /// Users in order; one that uses the value twice comes twice in a row.
    pub(super) fn of(&self, instruction: &Instruction) -> &[u32] {
        let index = instruction.index.index();
        match (self.start.get(index), self.start.get(index + 1)) {
            (Some(&start), Some(&end)) => self.flat.get(start..end).unwrap_or_default(),
            _ => &[],
        }
    }
}
