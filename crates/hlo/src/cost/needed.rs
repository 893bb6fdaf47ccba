//! Operations that the model needs, as the field counts them: products alone, each once.
//!
//! | Not needed | Recognized by |
//! |---|---|
//! | what is no product | opcode: elementwise operations, reductions and the like |
//! | repeated to save memory | `.remat` in the name, `rematted_computation` in the name stack, or the same product of the same values in the same computation |
//! | hidden by a causal mask | half of a product; see [`causal`](super::causal) |
//! | of other groups than a row's own | shapes of a grouped product; see [`ragged`](super::ragged) |
//! | computed alike on several devices | shardings of the inputs; see [`copies`](super::copies) |
//!
//! Attention kernels with a causal setting compute half in the first place.

use rustc_hash::FxHashSet;

use crate::callees::callees_first;
use crate::program::{Instruction, Program};

use super::causal::Causal;
use super::copies::Copies;
use super::parts::Needed;
use super::users::Users;

impl Program {
    /// Which operations of one execution of an instruction the model needs; a fusion or call has those
    /// of its body. Together they are those of [`Program::products`].
    ///
    /// The first call follows values through the whole program, later ones look up.
    pub fn needed(&self, instruction: &Instruction) -> Needed {
        let needed = self.needed.get_or_init(|| program_needed(self));
        let found = needed.get(instruction.index.index());
        found.copied().unwrap_or_default()
    }
}

fn program_needed(program: &Program) -> Vec<Needed> {
    let mut of_instruction = vec![Needed::default(); program.instructions.len()];
    let has_products = program
        .entry()
        .is_some_and(|_| program.instructions().any(|own| is_product(program, own)));
    if !has_products {
        return of_instruction;
    }
    let users = Users::new(program);
    let causal = Causal::new(program, &users);
    let mut copies = Copies::new(program);
    let mut of_computation = vec![Needed::default(); program.computations.len()];
    for index in callees_first(program) {
        let Some(computation) = program.computations.get(index) else {
            continue;
        };
        let mut seen = FxHashSet::default();
        let mut sum = Needed::default();
        for instruction in program.instructions_of(computation) {
            let own = if is_product(program, instruction) {
                // The same values multiplied in the same way.
                let is_first = seen.insert((
                    instruction.operand_ids.as_slice(),
                    instruction.opcode.as_str(),
                    instruction.attributes().and_then(|own| own.dot.as_deref()),
                    instruction.custom_call_target.as_str(),
                ));
                let is_dot = instruction
                    .attributes()
                    .is_some_and(|own| own.dot.is_some());
                let is_repeated = instruction.is_rematerialized || (is_dot && !is_first);
                product(
                    program,
                    instruction,
                    is_repeated,
                    causal.as_ref(),
                    copies.as_mut(),
                )
            } else {
                of_callees(program, &of_computation, instruction)
            };
            of_instruction[instruction.index.index()] = own;
            sum.add_times(&own, 1.0);
        }
        of_computation[index] = sum;
    }
    of_instruction
}

fn is_product(program: &Program, instruction: &Instruction) -> bool {
    let is_kind = matches!(
        instruction.opcode.as_str(),
        "dot" | "ragged-dot" | "scaled-dot" | "convolution" | "custom-call"
    );
    is_kind && program.cost(instruction).flops > 0.0
}

fn product(
    program: &Program,
    instruction: &Instruction,
    is_repeated: bool,
    causal: Option<&Causal<'_>>,
    copies: Option<&mut Copies>,
) -> Needed {
    let all = Needed::all(program.products(instruction));
    if is_repeated {
        return all.as_repeated();
    }
    let is_half = causal.is_some_and(|causal| causal.is_half_masked(instruction));
    let visible = if is_half { 0.5 } else { 1.0 };
    let groups = program.dense_groups(instruction).unwrap_or(1);
    let visible = visible / groups as f64;
    let own = copies.map_or(1.0, |copies| copies.needed_ratio(program, instruction));
    Needed {
        products: all.products.scaled(visible * own),
        repeated: 0.0,
        masked: all.total() * (1.0 - visible),
        copied: all.total() * visible * (1.0 - own),
    }
}

fn of_callees(program: &Program, of_computation: &[Needed], instruction: &Instruction) -> Needed {
    let called = instruction.called_computation_ids.iter();
    let called = called.filter_map(|id| {
        let index = program.computation_by_id.get(id)?.index();
        of_computation.get(index)
    });
    let mut sum = Needed::default();
    match instruction.opcode.as_str() {
        "conditional" => {
            let most = called.max_by(|left, right| left.total().total_cmp(&right.total()));
            sum = most.copied().unwrap_or_default();
        }
        "fusion" | "call" | "while" | "async-start" => {
            for callee in called {
                sum.add_times(callee, 1.0);
            }
        }
        _ => {}
    }
    // The compiler repeats whole fusions, whose bodies say nothing of it.
    if instruction.name.contains(".remat") {
        sum.as_repeated()
    } else {
        sum
    }
}
