//! Where the parts of a serialized program lie, without decoding them.
//!
//! [`Program`](crate::Program) keeps of an instruction what analyses of all instructions need.
//! The rest (constants, shardings, configurations of backends) is large and asked for of a few,
//! so it is read again from the bytes, for which this finds the places.

use stepscope_wire::{Fields, Value};

/// Places within the bytes of a serialized HloProto or HloModuleProto.
#[derive(Debug, Clone, Default)]
pub struct Outline<'a> {
    pub(crate) module: &'a [u8],
    /// Each an HloInstructionProto; the order is that of
    /// [`Program::instructions`](crate::Program::instructions).
    pub(crate) instructions: Vec<&'a [u8]>,
    pub(crate) buffer_assignment: Option<&'a [u8]>,
}

impl<'a> Outline<'a> {
    /// Looks through the bytes. Damage ends the outline where it stands.
    pub fn of(bytes: &'a [u8]) -> Self {
        let wrapped = field(bytes, 1).unwrap_or_default();
        let instructions = instructions(wrapped);
        if instructions.is_empty() {
            return Self {
                module: bytes,
                instructions: self::instructions(bytes),
                buffer_assignment: None,
            };
        }
        Self {
            module: wrapped,
            instructions,
            buffer_assignment: field(bytes, 3),
        }
    }
}

fn instructions(module: &[u8]) -> Vec<&[u8]> {
    let computations = fields(module, 3);
    computations
        .flat_map(|computation| fields(computation, 2))
        .collect()
}

/// The first field of this number that has a length.
pub(crate) fn field(bytes: &[u8], number: u32) -> Option<&[u8]> {
    fields(bytes, number).next()
}

/// The fields of this number that have a length.
fn fields(bytes: &[u8], number: u32) -> impl Iterator<Item = &[u8]> {
    Fields::of(bytes).filter_map(move |field| match field.value {
        Value::Bytes(value) if field.number == number => Some(value),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Draft, encode, f32};

    #[test]
    fn instructions_are_found_in_the_order_of_the_program() {
        let mut body = Draft::fused(1, "fused");
        let x = body.parameter(f32(&[2]));
        body.add("negate", f32(&[2]), &[x]);
        let mut entry = Draft::new(2, "main");
        let x = entry.parameter(f32(&[2]));
        entry.add("copy", f32(&[2]), &[x]);
        let bytes = encode(vec![body, entry]);
        let outline = Outline::of(&bytes);
        let names: Vec<&[u8]> = outline
            .instructions
            .iter()
            .filter_map(|instruction| field(instruction, 1))
            .collect();
        let expected: [&[u8]; 4] = [
            b"parameter.1000",
            b"negate.1001",
            b"parameter.2000",
            b"copy.2001",
        ];
        assert_eq!(names, expected);
        assert_eq!(Outline::of(outline.module).instructions.len(), 4);
        for length in 0..bytes.len() {
            assert!(Outline::of(&bytes[..length]).instructions.len() <= 4);
        }
    }
}
