//! The widths of what is multiplied, and what they make of operations.

use crate::program::{Instruction, Program};

use super::amount::Cost;

pub(super) fn operand_bits(program: &Program, instruction: &Instruction, index: usize) -> u64 {
    let operand = program.operand(instruction, index);
    operand.map_or(0, |operand| operand.shape.element_type.bits())
}

/// Width of the wider factor: the narrower one is widened to it.
pub(super) fn widest_input_bits(program: &Program, instruction: &Instruction) -> u64 {
    let bits = |index| operand_bits(program, instruction, index);
    bits(0).max(bits(1))
}

/// In units of the fp16 peak, by the width of what is multiplied.
pub(super) fn adjusted(flops: f64, input_bits: u64) -> Cost {
    let divisor = match input_bits {
        1..=4 => 4.0,
        5..=8 => 2.0,
        _ => 1.0,
    };
    Cost {
        flops: flops / divisor,
        model_flops: flops,
        ..Cost::default()
    }
}
