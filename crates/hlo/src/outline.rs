//! Where the parts of a serialised program lie, without decoding them.
//!
//! [`Program`](crate::Program) keeps of an instruction what analyses of all instructions need.
//! The rest (constants, shardings, configurations of backends) is large and asked for of a few,
//! so it is read again from the bytes, for which this finds the places.

use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};

/// Places within the bytes of a serialised HloProto or HloModuleProto.
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
    let computations = Fields(module).filter(|&(number, _)| number == 3);
    computations
        .flat_map(|(_, computation)| Fields(computation))
        .filter_map(|(number, instruction)| (number == 2).then_some(instruction))
        .collect()
}

/// The first field of this number that has a length.
pub(crate) fn field(bytes: &[u8], number: u32) -> Option<&[u8]> {
    let mut fields = Fields(bytes).filter(|&(found, _)| found == number);
    fields.next().map(|(_, value)| value)
}

/// The fields of a message that have a length, with their numbers; ends at the first damage.
struct Fields<'a>(&'a [u8]);

impl<'a> Iterator for Fields<'a> {
    type Item = (u32, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        while !self.0.is_empty() {
            let (number, wire_type) = decode_key(&mut self.0).ok()?;
            if wire_type == WireType::LengthDelimited {
                let length = usize::try_from(decode_varint(&mut self.0).ok()?).ok()?;
                let (value, rest) = self.0.split_at_checked(length)?;
                self.0 = rest;
                return Some((number, value));
            }
            skip_field(wire_type, number, &mut self.0, DecodeContext::default()).ok()?;
        }
        None
    }
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
