//! A serialized program written again with other texts: every text goes through a function, what
//! analyses need stays as it is, and all else is left out, constants among it.

use stepscope_wire::{Cursor, Value, push_bytes, push_message};

use crate::outline::{Outline, field};

/// What a text of a program is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ProgramText {
    /// Name of the module, a computation, an instruction or a parameter.
    Name,
    /// Name stack of the framework.
    Scope,
    /// A file or a function of the user's program.
    Source,
    /// A call target, a configuration, an attribute.
    Configuration,
}

/// What becomes of a field that has a length. Numbers stay; fields that are not listed go.
#[derive(Clone, Copy)]
enum Rule {
    /// A list of numbers.
    Packed,
    Text(ProgramText),
    Message(&'static [(u32, Self)]),
    /// A shape, which contains shapes.
    Shape,
}

use ProgramText::{Configuration, Name, Scope, Source};
use Rule::{Message, Packed, Shape, Text};

type Rules = &'static [(u32, Rule)];

const HLO: Rules = &[(1, Message(MODULE)), (3, Message(BUFFERS))];

const MODULE: Rules = &[
    (1, Text(Name)),
    (2, Text(Name)),
    (3, Message(COMPUTATION)),
    (4, Message(PROGRAM_SHAPE)),
    (7, Message(SCHEDULE)),
    (8, Message(ALIASES)),
    (12, Message(SHARDING)),
    (14, Message(SHARDING)),
    (15, Message(&[(3, Message(GROUP))])), // device assignment
    (17, Message(STACK_FRAMES)),
];

const COMPUTATION: Rules = &[
    (1, Text(Name)),
    (2, Message(INSTRUCTION)),
    (4, Message(PROGRAM_SHAPE)),
    (8, Text(Configuration)),
];

const PROGRAM_SHAPE: Rules = &[(1, Shape), (2, Shape), (3, Text(Name))];

/// Ids of instructions by computation.
const SCHEDULE: Rules = &[(1, Message(&[(2, Message(GROUP))]))];

/// Which inputs the outputs take the place of.
const ALIASES: Rules = &[(1, Message(&[(1, Packed), (3, Packed)]))];

/// A list of ids.
const GROUP: Rules = &[(1, Packed)];

/// A message of single numbers.
const NUMBERS: Rules = &[];

/// Of the literal (8), which holds values of the user's program, nothing is kept.
const INSTRUCTION: Rules = &[
    (1, Text(Name)),
    (2, Text(Configuration)), // opcode
    (3, Shape),
    (7, Message(METADATA)),
    (11, Text(Configuration)),               // kind of fusion
    (14, Packed),                            // dimensions
    (15, Message(&[(1, Message(NUMBERS))])), // window
    (16, Message(&[(6, Packed), (11, Packed), (12, Packed)])), // convolution
    (17, Message(NUMBERS)),                  // slice
    (20, Packed),                            // dynamic slice
    (21, Message(&[(1, Message(NUMBERS))])), // padding
    (28, Text(Configuration)),
    (30, Message(DOT)),
    (32, Packed),         // fft
    (33, Message(LISTS)), // gather
    (34, Packed),
    (36, Packed), // operands
    (37, Packed), // control predecessors
    (38, Packed), // called computations
    (40, Message(SHARDING)),
    (43, Text(Configuration)),
    (48, Message(LISTS)),      // scatter
    (49, Message(GROUP)),      // replica groups
    (51, Message(GROUP)),      // precision, whose algorithm is a number
    (52, Message(NUMBERS)),    // pairs of source and target
    (63, Text(Configuration)), // comparison
    (
        68,
        Message(&[(
            1,
            Message(&[(1, Text(Configuration)), (2, Text(Configuration))]),
        )]),
    ),
    (79, Text(Configuration)),
    // Devices of collectives, in three forms.
    (87, Message(&[(1, Message(GROUP)), (2, Message(IOTA))])),
    (90, Message(&[(1, Message(DOT)), (2, Packed), (3, Packed)])),
    (92, Message(IOTA)),
    (93, Message(&[(1, Message(MESH)), (2, Message(AXIS))])),
];

const DOT: Rules = &[(1, Packed), (2, Packed), (3, Packed), (4, Packed)];

/// Dimensions of a gather or a scatter.
const LISTS: Rules = &[
    (1, Packed),
    (2, Packed),
    (3, Packed),
    (4, Packed),
    (5, Packed),
    (6, Packed),
];

const IOTA: Rules = &[(3, Packed), (4, Packed)];

const SHAPE: Rules = &[(3, Packed), (4, Shape), (5, Message(LAYOUT)), (6, Packed)];

const LAYOUT: Rules = &[
    (1, Packed),
    (6, Message(GROUP)), // tiles
    (9, Packed),
    (13, Packed),
    (14, Packed),
];

const METADATA: Rules = &[
    (1, Text(Scope)),
    (2, Text(Scope)),
    (3, Text(Source)),
    (12, Text(Name)),
];

const STACK_FRAMES: Rules = &[
    (1, Text(Source)),
    (2, Text(Source)),
    (3, Message(NUMBERS)),
    (4, Message(NUMBERS)),
];

const SHARDING: Rules = &[
    (3, Packed),
    (4, Packed),
    (5, Message(SHARDING_OF_TUPLE)),
    (8, Packed),
    (9, Packed),
    (10, Packed),
    (14, Message(NAMED_SHARDING)),
];

/// Tuples of tuples: statics may not refer to themselves, and nobody shards deeper.
const SHARDING_OF_TUPLE: Rules = &[
    (3, Packed),
    (4, Packed),
    (8, Packed),
    (9, Packed),
    (10, Packed),
    (14, Message(NAMED_SHARDING)),
];

const NAMED_SHARDING: Rules = &[
    (2, Message(MESH)),
    (3, Message(&[(1, Message(AXIS))])),
    (4, Message(AXIS)),
    (5, Message(AXIS)),
    (7, Message(AXIS)),
];

const AXIS: Rules = &[(2, Message(NUMBERS))];

const MESH: Rules = &[(1, Message(&[(1, Text(Name))])), (2, Packed)];

const BUFFERS: Rules = &[
    (
        1,
        Message(&[(3, Message(&[(1, Text(Name)), (2, Text(Name)), (3, Packed)]))]),
    ),
    (3, Message(&[(9, Message(NUMBERS)), (10, Packed)])),
    (
        4,
        Message(&[(1, Message(&[(3, Text(Name)), (4, Text(Name))]))]),
    ),
];

/// Shapes within shapes that are followed; deeper ones are left out.
const SHAPE_DEPTH: usize = 64;

/// The program with other texts, in the form in which it came: an HloProto or its module alone.
pub fn rewrite(program: &[u8], text: &mut dyn FnMut(ProgramText, &[u8]) -> Vec<u8>) -> Vec<u8> {
    let module = Outline::of(program).module;
    let is_wrapped = field(program, 1).is_some_and(|inner| inner.as_ptr() == module.as_ptr());
    let mut out = Vec::with_capacity(program.len());
    let rules = if is_wrapped { HLO } else { MODULE };
    message(program, rules, SHAPE_DEPTH, text, &mut out);
    out
}

fn message(
    bytes: &[u8],
    rules: Rules,
    depth: usize,
    text: &mut dyn FnMut(ProgramText, &[u8]) -> Vec<u8>,
    out: &mut Vec<u8>,
) {
    let mut cursor = Cursor::new(bytes);
    loop {
        let begin = cursor.position();
        // Damage ends the message where it stands.
        let Ok(Some(field)) = cursor.whole_field() else {
            return;
        };
        let value = match field.value {
            Value::Bytes(value) => value,
            Value::Varint(_) => {
                out.extend_from_slice(cursor.read_since(begin));
                continue;
            }
            // A group may hold anything, and no field of a program that is known is of fixed
            // length: where a text takes the place of a message, its letters read like such fields.
            Value::Fixed64(_) | Value::Fixed32(_) | Value::Group | Value::Cut(_) => continue,
        };
        let rule = rules.iter().find(|(listed, _)| *listed == field.number);
        match rule.map(|&(_, rule)| rule) {
            None => {}
            Some(Packed) => push_bytes(out, field.number, value),
            Some(Shape) if depth == 0 => {}
            Some(Shape) => push_message(out, field.number, |out| {
                message(value, SHAPE, depth - 1, text, out);
            }),
            Some(Text(kind)) => push_bytes(out, field.number, &text(kind, value)),
            Some(Message(rules)) => {
                push_message(out, field.number, |out| {
                    message(value, rules, depth, text, out);
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Program;
    use crate::testing::{Draft, encode, f32};

    #[test]
    fn a_program_computes_the_same_under_other_names() {
        let mut entry = Draft::new(2, "secret");
        let x = entry.parameter(f32(&[8, 4]));
        let y = entry.parameter(f32(&[8, 4]));
        entry.add("add", f32(&[8, 4]), &[x, y]);
        let bytes = encode(vec![entry]);
        let mut seen = Vec::new();
        let written = rewrite(&bytes, &mut |kind, text| {
            seen.push(kind);
            if kind == Configuration {
                return text.to_vec();
            }
            [b"z", text].concat()
        });
        assert!(seen.contains(&Name));
        let (before, after) = (
            Program::decode(&bytes).unwrap(),
            Program::decode(&written).unwrap(),
        );
        assert_eq!(before.instructions.len(), after.instructions.len());
        for (one, other) in before.instructions.iter().zip(&after.instructions) {
            assert_eq!(format!("z{}", one.name), other.name);
            assert_eq!(
                (&one.opcode, &one.shape, &one.operand_ids),
                (&other.opcode, &other.shape, &other.operand_ids)
            );
            assert_eq!(before.cost(one), after.cost(other));
        }
        for length in 0..bytes.len() {
            rewrite(&bytes[..length], &mut |_, text| text.to_vec());
        }
    }

    #[test]
    fn numbers_stay_and_what_may_be_text_goes() {
        // 20: 7, 21: four bytes, 22: eight bytes, 23: a group of a text, 1: "ab"
        let module = b"\xa0\x01\x07\xad\x011234\xb1\x0112345678\xbb\x01\x0a\x01a\xbc\x01\x0a\x02ab";
        let written = rewrite(module, &mut |_, text| text.to_ascii_uppercase());
        assert_eq!(written, b"\xa0\x01\x07\x0a\x02AB");
    }
}
