//! Bytes that cross the boundary of a fusion: what is inside never touches memory.

use crate::program::{Computation, Instruction, Program};
use crate::shape::{HOST_MEMORY_SPACE, Shape};

use super::bytes::all_operands;
use super::users::Users;

/// Longest chain of bitcasts that is looked through.
const MAX_BITCASTS: usize = 16;

/// Users of one parameter that are followed before it is taken to be read whole.
const MAX_VISITS: usize = 1024;

/// Nesting of bitcasts and fusions that is followed.
const MAX_DEPTH: usize = 16;

/// Outputs, parts of the operands that are read, and constants too large to sit in the code.
pub(super) fn bytes_accessed(program: &Program, users: &Users, fusion: &Instruction) -> f64 {
    let Some(body) = program.called_computations(fusion).next() else {
        return fusion.shape.device_byte_size() as f64 + all_operands(program, fusion);
    };
    let inside = program.instructions_of(body).iter();
    let read: f64 = inside
        .map(|instruction| match instruction.opcode.as_str() {
            "parameter" => parameter_bytes(program, users, fusion, instruction, body) as f64,
            "constant" if instruction.shape.element_count() > 1 => {
                instruction.shape.byte_size() as f64
            }
            _ => 0.0,
        })
        .sum();
    read + written_bytes(program, fusion, body)
}

fn written_bytes(program: &Program, fusion: &Instruction, body: &Computation) -> f64 {
    let Some(root) = program.root(body) else {
        return fusion.shape.device_byte_size() as f64;
    };
    if root.opcode != "tuple" {
        return output_bytes(program, root, &fusion.shape) as f64;
    }
    let outputs = program.operands(root).zip(&fusion.shape.tuple_shapes);
    outputs
        .map(|(output, shape)| output_bytes(program, output, shape) as f64)
        .sum()
}

/// Bytes written for one output of a fusion; an update in place writes the update only.
fn output_bytes(program: &Program, output: &Instruction, shape: &Shape) -> u64 {
    if shape.memory_space() == HOST_MEMORY_SPACE {
        return 0;
    }
    let mut producer = output;
    for _ in 0..MAX_BITCASTS {
        match program.operand(producer, 0) {
            Some(operand) if producer.opcode == "bitcast" => producer = operand,
            _ => break,
        }
    }
    let update = match producer.opcode.as_str() {
        "dynamic-update-slice" => program.operand(producer, 1),
        "scatter" => scatter_update(program, producer, 0),
        _ => None,
    };
    let whole = shape.device_byte_size();
    update.map_or(whole, |update| update.shape.byte_size().min(whole))
}

/// Updates for operand `index` of a scatter, whose operands are `n` arrays, indices, `n` updates.
fn scatter_update<'a>(
    program: &'a Program,
    scatter: &Instruction,
    index: usize,
) -> Option<&'a Instruction> {
    let array_count = scatter.operand_ids.len().saturating_sub(1) / 2;
    if index >= array_count {
        None
    } else {
        program.operand(scatter, index + array_count + 1)
    }
}

/// Bytes read of the operand that a parameter stands for.
fn parameter_bytes(
    program: &Program,
    users: &Users,
    fusion: &Instruction,
    parameter: &Instruction,
    body: &Computation,
) -> u64 {
    let number = parameter
        .attributes()
        .map_or(0, |attributes| attributes.parameter_number);
    let operand = usize::try_from(number)
        .ok()
        .and_then(|index| program.operand(fusion, index));
    let available = operand.unwrap_or(parameter).shape.device_byte_size();
    if available == 0 {
        return 0;
    }
    let mut reads = Reads {
        program,
        users,
        visits_left: MAX_VISITS,
    };
    reads
        .bytes(parameter, body.root_id, MAX_DEPTH)
        .min(available)
}

/// Follows the users of a value, within a budget.
struct Reads<'a> {
    program: &'a Program,
    users: &'a Users,
    visits_left: usize,
}

impl Reads<'_> {
    /// Bytes read of a value: the slices where only slices are taken, else all of it.
    fn bytes(&mut self, value: &Instruction, root_id: i64, depth_left: usize) -> u64 {
        let whole = value.shape.byte_size();
        if value.id == root_id || depth_left == 0 {
            return whole;
        }
        let mut sum = 0u64;
        let mut previous = None;
        for &user in self.users.of(value) {
            if previous.replace(user) == Some(user) {
                continue;
            }
            let Some(user) = self.program.instructions.get(user as usize) else {
                continue;
            };
            if self.visits_left == 0 {
                return whole;
            }
            self.visits_left -= 1;
            sum = sum.saturating_add(self.bytes_of_user(value, user, root_id, depth_left));
            if sum >= whole {
                return whole;
            }
        }
        sum
    }

    fn bytes_of_user(
        &mut self,
        value: &Instruction,
        user: &Instruction,
        root_id: i64,
        depth_left: usize,
    ) -> u64 {
        let whole = value.shape.byte_size();
        let is_only_first_operand = user.operand_ids.first() == Some(&value.id)
            && !user.operand_ids[1..].contains(&value.id);
        match user.opcode.as_str() {
            "bitcast" | "get-tuple-element" => self.bytes(user, root_id, depth_left - 1),
            "fusion" => self.bytes_of_fusion(value, user, depth_left - 1),
            "slice" | "dynamic-slice" | "gather" if is_only_first_operand => user.shape.byte_size(),
            // The target of an update is the output itself.
            "dynamic-update-slice" if is_only_first_operand => 0,
            "scatter" if is_only_first_operand => {
                scatter_update(self.program, user, 0).map_or(whole, |u| u.shape.byte_size())
            }
            _ => whole,
        }
    }

    /// Bytes that a fusion inside a fusion reads of a value.
    fn bytes_of_fusion(
        &mut self,
        value: &Instruction,
        fusion: &Instruction,
        depth_left: usize,
    ) -> u64 {
        let whole = value.shape.byte_size();
        let program = self.program;
        let Some(body) = program.called_computations(fusion).next() else {
            return whole;
        };
        // The scan below is paid for out of the same budget.
        self.visits_left = self
            .visits_left
            .saturating_sub(body.instruction_count() / 16);
        let mut sum = 0u64;
        for parameter in program.instructions_of(body) {
            if parameter.opcode != "parameter" {
                continue;
            }
            let number = parameter.attributes().map_or(0, |a| a.parameter_number);
            let operand = usize::try_from(number)
                .ok()
                .and_then(|n| fusion.operand_ids.get(n));
            if operand == Some(&value.id) {
                sum = sum.saturating_add(self.bytes(parameter, body.root_id, depth_left));
            }
        }
        sum.min(whole)
    }
}
