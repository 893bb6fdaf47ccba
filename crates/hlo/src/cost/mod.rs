//! What instructions cost: operations and bytes, after XLA's HloCostAnalysis.
//!
//! The rules are those of XLA (one operation per element of an elementwise instruction, two per
//! multiply-add of a product), except where they are known to mislead a reader of profiles:
//!
//! - Asynchronous pairs are charged once, to the `-start`; XLA charges the `-done` again.
//! - Bytes in host memory (`S(5)`) do not count: the figure is compared with device bandwidth.
//! - Reads through a bitcast and reads by a gather in a fusion count what is read, not the whole
//!   operand; a fusion that ends in a scatter rewrites its rows in place.
//! - Tuples of results count their parts, not their pointer tables; the workspace that matrix and
//!   convolution library calls return beside their result does not count.
//! - A Fourier transform over several dimensions adds the logarithms of the lengths where XLA
//!   multiplies them.
//! - Library calls for gradients of convolutions count the products of the forward convolution,
//!   which is what they compute, in whatever order their operands stand.

mod amount;
mod bytes;
mod causal;
pub(crate) mod copies;
mod fusion;
mod library;
mod matmul;
mod needed;
mod parts;
mod product_type;
mod products;
mod ragged;
mod sizes;
#[cfg(test)]
mod tests;
mod users;

use crate::callees::callees_first;
use crate::opcode::{is_async_completion, is_elementwise, is_free, is_transcendental};
use crate::program::{Instruction, Program};

pub use amount::{Cost, CostBasis};
use bytes::{bytes_accessed, operand_elements};
pub use parts::Needed;
pub(crate) use product_type::ProductsByComputation;
pub use product_type::{ProductType, Products};
use users::Users;

impl Program {
    /// What one execution of an instruction costs; see [`Cost`].
    ///
    /// The first call computes the whole program, later ones look up.
    pub fn cost(&self, instruction: &Instruction) -> Cost {
        let costs = self.costs.get_or_init(|| program_costs(self));
        costs
            .get(instruction.index.index())
            .copied()
            .unwrap_or_default()
    }
}

/// Costs of all instructions of a program, in their order.
fn program_costs(program: &Program) -> Vec<Cost> {
    let mut costs = Costs {
        program,
        users: Users::new(program),
        of_computation: vec![Cost::default(); program.computations.len()],
    };
    let mut of_instruction = vec![Cost::default(); program.instructions.len()];
    for index in callees_first(program) {
        let Some(computation) = program.computations.get(index) else {
            continue;
        };
        let mut total = Cost::default();
        for instruction in program.instructions_of(computation) {
            let cost = costs.instruction_cost(instruction).saturated();
            of_instruction[instruction.index.index()] = cost;
            total = total.plus(cost);
        }
        costs.of_computation[index] = total;
    }
    of_instruction
}

/// What is known while costs are computed, callees first.
struct Costs<'a> {
    program: &'a Program,
    users: Users,
    of_computation: Vec<Cost>,
}

impl Costs<'_> {
    fn instruction_cost(&self, instruction: &Instruction) -> Cost {
        let opcode = instruction.opcode.as_str();
        if is_free(opcode) || is_async_completion(opcode) {
            return Cost::default();
        }
        match opcode {
            "fusion" => {
                let bytes = fusion::bytes_accessed(self.program, &self.users, instruction);
                self.callee_sum(instruction).with_bytes(bytes)
            }
            "call" | "while" => self.callee_sum(instruction),
            "async-start" if !instruction.called_computation_ids.is_empty() => {
                self.callee_sum(instruction)
            }
            "conditional" => self.callees(instruction).fold(Cost::default(), Cost::max),
            _ => {
                let estimate = instruction
                    .attributes()
                    .and_then(|attributes| attributes.cost_estimate.as_ref())
                    .map_or(0, |estimate| estimate.bytes_accessed);
                let bytes = match estimate {
                    0 => bytes_accessed(self.program, instruction),
                    estimate => estimate as f64,
                };
                self.operations(instruction).with_bytes(bytes)
            }
        }
    }

    /// Operations of an instruction that is not a wrapper; bytes are left at zero.
    fn operations(&self, instruction: &Instruction) -> Cost {
        let opcode = instruction.opcode.as_str();
        let result_elements = instruction.shape.element_count() as f64;
        let operand_elements = |index| operand_elements(self.program, instruction, index);
        match opcode {
            "dot" | "ragged-dot" | "scaled-dot" => matmul::dot(self.program, instruction),
            "convolution" => matmul::convolution(self.program, instruction),
            "custom-call" => matmul::custom_call(self.program, instruction),
            "rng" | "rng-bit-generator" => Cost::of_transcendentals(result_elements),
            "all-reduce" | "all-reduce-start" => Cost::of_flops(result_elements),
            "reduce" => {
                let first_result_elements = instruction.shape.first_leaf().element_count() as f64;
                let reductions = operand_elements(0) - first_result_elements;
                self.first_callee(instruction).operations_times(reductions)
            }
            "reduce-window" => {
                let first_result_elements = instruction.shape.first_leaf().element_count() as f64;
                let reductions = (window_size(instruction) - 1.0) * first_result_elements;
                self.first_callee(instruction).operations_times(reductions)
            }
            "select-and-scatter" => self.select_and_scatter(instruction, operand_elements(1)),
            "map" => self
                .first_callee(instruction)
                .operations_times(result_elements),
            "scatter" => {
                let operand_count = instruction.operand_ids.len().saturating_sub(1) / 2;
                let updates = operand_elements(operand_count + 1);
                self.first_callee(instruction).operations_times(updates)
            }
            "sort" => {
                let elements = operand_elements(0);
                Cost::of_flops(elements * elements.max(1.0).log2().ceil())
            }
            "fft" => Cost::of_flops(8.0 * fft_passes(instruction) * operand_elements(0)),
            "triangular-solve" => {
                let rank = last_dimension(self.program, instruction);
                Cost::of_flops(2.0 * rank * operand_elements(1))
            }
            "cholesky" => {
                let rank = last_dimension(self.program, instruction);
                Cost::of_flops((rank * operand_elements(0) / 3.0).floor())
            }
            _ if is_transcendental(opcode) => Cost::of_transcendentals(result_elements),
            _ if is_elementwise(opcode) => Cost::of_flops(result_elements),
            _ => Cost::default(),
        }
    }

    /// Every window picks one element, which is then scattered.
    fn select_and_scatter(&self, instruction: &Instruction, source_elements: f64) -> Cost {
        let mut callees = self.callees(instruction);
        let select = callees.next().unwrap_or_default();
        let scatter = callees.next().unwrap_or_default();
        let selections = source_elements * (window_size(instruction) - 1.0);
        select
            .operations_times(selections)
            .plus(scatter.operations_times(source_elements))
    }

    fn callees(&self, instruction: &Instruction) -> impl Iterator<Item = Cost> {
        let called = instruction.called_computation_ids.iter();
        called.filter_map(|id| {
            let index = self.program.computation_by_id.get(id)?.index();
            self.of_computation.get(index).copied()
        })
    }

    fn first_callee(&self, instruction: &Instruction) -> Cost {
        self.callees(instruction).next().unwrap_or_default()
    }

    fn callee_sum(&self, instruction: &Instruction) -> Cost {
        self.callees(instruction).fold(Cost::default(), Cost::plus)
    }
}

/// Taps of a window, over all its dimensions.
fn window_size(instruction: &Instruction) -> f64 {
    let window = instruction
        .attributes()
        .map_or(&[][..], |attributes| &attributes.window);
    window
        .iter()
        .map(|dimension| dimension.size.max(0) as f64)
        .product()
}

/// Butterfly passes over the data of a Fourier transform: the sum of log2 of its lengths.
fn fft_passes(instruction: &Instruction) -> f64 {
    let lengths = instruction
        .attributes()
        .map_or(&[][..], |attributes| &attributes.fft_length);
    lengths
        .iter()
        .map(|&length| (length.max(1) as f64).log2().floor())
        .sum()
}

/// Size of the last dimension of the first operand.
fn last_dimension(program: &Program, instruction: &Instruction) -> f64 {
    let operand = program.operand(instruction, 0);
    let last = operand.and_then(|operand| operand.shape.dimensions.last().copied());
    last.map_or(0.0, |size| size.max(0) as f64)
}
