//! Bytes that instructions other than fusions read and write in device memory.

use crate::opcode::{is_convolution_target, is_matmul_target};
use crate::primitive_type::PrimitiveType;
use crate::program::{Instruction, Program};
use crate::shape::Shape;

/// Size of a pointer in the table that a tuple consists of.
const POINTER_BYTES: u64 = 8;

/// Results plus operands, unless the opcode reads or writes only part of them.
pub(super) fn bytes_accessed(program: &Program, instruction: &Instruction) -> f64 {
    let operand = |index| operand_bytes(program, instruction, index);
    let result = instruction.shape.device_byte_size() as f64;
    match instruction.opcode.as_str() {
        "tuple" => (instruction.shape.tuple_shapes.len() as u64 * POINTER_BYTES) as f64,
        "slice" => 2.0 * result,
        "dynamic-slice" | "gather" => 2.0 * result + operand(1),
        "dynamic-update-slice" => 2.0 * operand(1) + operand(2),
        "scatter" => {
            let operand_count = instruction.operand_ids.len().saturating_sub(1) / 2;
            let updates = operand_count + 1..=2 * operand_count;
            3.0 * updates.map(operand).sum::<f64>() + operand(operand_count)
        }
        "triangular-solve" => result + operand(0) / 2.0 + operand(1),
        "cholesky" => operand(0),
        "infeed" => result,
        "outfeed" | "send" => all_operands(program, instruction),
        "recv" => leading_result(&instruction.shape, 0),
        "copy-start" => leading_result(&instruction.shape, 0) + operand(0),
        // The result of these is (operand, result, …): the operand must not count twice.
        "all-gather-start" | "collective-permute-start" if instruction.shape.is_tuple() => {
            leading_result(&instruction.shape, 1) + all_operands(program, instruction)
        }
        "custom-call" => {
            custom_call_result(instruction) as f64 + all_operands(program, instruction)
        }
        _ => result + all_operands(program, instruction),
    }
}

/// Elements of operand `index`; zero where it does not exist.
pub(super) fn operand_elements(program: &Program, instruction: &Instruction, index: usize) -> f64 {
    let operand = program.operand(instruction, index);
    operand.map_or(0.0, |operand| operand.shape.element_count() as f64)
}

fn operand_bytes(program: &Program, instruction: &Instruction, index: usize) -> f64 {
    let operand = program.operand(instruction, index);
    operand.map_or(0.0, |operand| operand.shape.device_byte_size() as f64)
}

pub(super) fn all_operands(program: &Program, instruction: &Instruction) -> f64 {
    let operands = program.operands(instruction);
    operands
        .map(|operand| operand.shape.device_byte_size() as f64)
        .sum()
}

/// Bytes of element `index` of a tuple, or of the array that stands in its place.
fn leading_result(shape: &Shape, index: usize) -> f64 {
    shape
        .tuple_shapes
        .get(index)
        .unwrap_or(shape)
        .device_byte_size() as f64
}

/// Library calls return `(result, workspace)`: counting the workspace would reward its size.
fn custom_call_result(instruction: &Instruction) -> u64 {
    let shape = &instruction.shape;
    let target = instruction.custom_call_target.as_str();
    if !is_matmul_target(target) && !is_convolution_target(target) {
        return shape.device_byte_size();
    }
    match shape.tuple_shapes.split_last() {
        Some((last, results)) if !results.is_empty() && is_workspace(last) => {
            results.iter().fold(0, |sum, result| {
                sum.saturating_add(result.device_byte_size())
            })
        }
        _ => shape.device_byte_size(),
    }
}

fn is_workspace(shape: &Shape) -> bool {
    let is_bytes = matches!(shape.element_type, PrimitiveType::S8 | PrimitiveType::U8);
    is_bytes && shape.dimensions.len() == 1
}
