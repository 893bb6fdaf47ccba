//! A softmax over the rows of a matrix product, and the product that uses it.
//!
//! ```text
//! product ──► max of each row ──► exp(x − max) ──► ÷ ──► product over the same rows
//! ```
//!
//! The maximum tells it from what also has an exponential, such as `silu` in an MLP; that both products
//! are of one pass, from the loss, whose gradient multiplies by the softmax of the logits.

use std::cell::RefCell;
use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use stepscope_model::hlo::name_stack::{Pass, pass};
use stepscope_model::hlo::{Instruction, InstructionIndex, Program};

use crate::judging::advice::programs::{Users, product, sides};

/// Maximum number of ops to follow between the two products.
const MAX_STEPS: usize = 6;
/// Maximum number of values to visit after one product.
const MAX_VALUES: usize = 64;

/// The softmaxes of a program.
pub(super) struct Softmaxes<'a> {
    hlo: &'a Program,
    users: Users,
    traits: RefCell<FxHashMap<InstructionIndex, Traits>>,
}

/// What an instruction computes, alone or in its fusion.
#[derive(Clone, Copy, Default)]
struct Traits {
    has_exponential: bool,
    /// The longest rows of which it takes the maximum, and the number of elements of all.
    rows: Option<(u64, u64)>,
}

impl<'a> Softmaxes<'a> {
    pub(super) fn of(hlo: &'a Program) -> Self {
        Self {
            hlo,
            users: Users::of(hlo),
            traits: RefCell::default(),
        }
    }

    /// The ops from a product through a softmax of its rows to the product that uses it.
    pub(super) fn after(
        &self,
        first: &'a Instruction,
    ) -> Option<(Vec<&'a Instruction>, &'a Instruction)> {
        let size = first.shape.first_leaf().element_count();
        // Value, number of ops since the product, whether an exponential was among them.
        let mut open: Vec<(&Instruction, usize, bool)> = vec![(first, 0, false)];
        let mut seen: BTreeSet<InstructionIndex> = BTreeSet::new();
        let (mut between, mut seconds) = (Vec::new(), Vec::new());
        let mut row = None;
        while let Some((value, steps, is_after)) = open.pop() {
            if steps >= MAX_STEPS || seen.len() >= MAX_VALUES {
                continue;
            }
            for user in self.users.of_value(self.hlo, value) {
                let traits = self.traits(user);
                if product(self.hlo, user).is_some() {
                    if (is_after || traits.has_exponential) && user.index != first.index {
                        seconds.push(user);
                    }
                    continue;
                }
                if !is_after {
                    let rows = traits.rows.filter(|&(_, all)| all == size);
                    row = row.max(rows.map(|(length, _)| length));
                }
                let keeps_size = user.opcode == "fusion" && user.shape.is_tuple()
                    || user.shape.first_leaf().element_count() == size;
                if keeps_size && seen.insert(user.index) {
                    between.push(user);
                    open.push((user, steps + 1, is_after || traits.has_exponential));
                }
            }
        }
        let row = row?;
        let second = (seconds.into_iter()).find(|second| self.is_over(first, second, row))?;
        Some((between, second))
    }

    /// Whether the second product multiplies by rows of this length, in the same pass as the first.
    fn is_over(&self, first: &Instruction, second: &Instruction, row: u64) -> bool {
        let inner = product(self.hlo, second).unwrap_or(second);
        let outer = product(self.hlo, first).unwrap_or(first);
        let passes = [&outer.op_name, &inner.op_name].map(|name| pass(name));
        let is_one_pass = passes[0] == passes[1] || passes.contains(&Pass::Unknown);
        // Compilers take the maximum of long rows in two stages.
        let contracted = sides(self.hlo, inner).map(|[_, _, contracted]| contracted);
        is_one_pass && contracted.is_none_or(|contracted| contracted.is_multiple_of(row))
    }

    fn traits(&self, instruction: &Instruction) -> Traits {
        if instruction.opcode != "fusion" {
            return self.of_one(instruction);
        }
        if let Some(&known) = self.traits.borrow().get(&instruction.index) {
            return known;
        }
        let bodies = self.hlo.called_computations(instruction);
        let inside = bodies.flat_map(|body| self.hlo.instructions_of(body));
        let found = inside.fold(Traits::default(), |found, inner| {
            let one = self.of_one(inner);
            Traits {
                has_exponential: found.has_exponential || one.has_exponential,
                rows: found.rows.max(one.rows),
            }
        });
        self.traits.borrow_mut().insert(instruction.index, found);
        found
    }

    fn of_one(&self, instruction: &Instruction) -> Traits {
        Traits {
            has_exponential: instruction.opcode == "exponential",
            rows: self.rows(instruction),
        }
    }

    /// Length of the rows of which a reduction takes the maximum, and the number of elements of all.
    fn rows(&self, reduction: &Instruction) -> Option<(u64, u64)> {
        if reduction.opcode != "reduce" || reduction.shape.is_tuple() {
            return None;
        }
        let mut functions = self.hlo.called_computations(reduction);
        let root = self.hlo.root(functions.next()?)?;
        if root.opcode != "maximum" {
            return None;
        }
        let from = (self.hlo.operand(reduction, 0)?.shape.first_leaf()).element_count();
        let to = reduction.shape.first_leaf().element_count();
        // A maximum of everything is that of a quantized tensor.
        (to > 1 && from > to).then(|| (from / to, from))
    }
}
