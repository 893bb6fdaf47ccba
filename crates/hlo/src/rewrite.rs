//! A serialised program written again with other texts: every text goes through a function, what
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
    Keep,
    Text(ProgramText),
    Message(&'static [(u32, Self)]),
}

use ProgramText::{Configuration, Name, Scope, Source};
use Rule::{Keep, Message, Text};

const HLO: &[(u32, Rule)] = &[(1, Message(MODULE)), (3, Message(BUFFERS))];

const MODULE: &[(u32, Rule)] = &[
    (1, Text(Name)),
    (2, Text(Name)),
    (3, Message(COMPUTATION)),
    (4, Message(PROGRAM_SHAPE)),
    (7, Keep), // schedule: ids
    (8, Keep), // which inputs outputs take the place of
    (12, Message(SHARDING)),
    (14, Message(SHARDING)),
    (15, Keep), // device assignment
    (17, Message(STACK_FRAMES)),
];

const COMPUTATION: &[(u32, Rule)] = &[
    (1, Text(Name)),
    (2, Message(INSTRUCTION)),
    (4, Message(PROGRAM_SHAPE)),
    (8, Text(Configuration)),
];

const PROGRAM_SHAPE: &[(u32, Rule)] = &[(1, Keep), (2, Keep), (3, Text(Name))];

/// Of the literal (8), which holds values of the user's program, nothing is kept.
const INSTRUCTION: &[(u32, Rule)] = &[
    (1, Text(Name)),
    (2, Keep), // opcode
    (3, Keep), // shape
    (7, Message(METADATA)),
    (11, Keep), // kind of fusion
    (14, Keep), // dimensions
    (15, Keep), // window
    (16, Keep), // convolution
    (17, Keep), // slice
    (20, Keep), // dynamic slice
    (21, Keep), // padding
    (28, Text(Configuration)),
    (30, Keep), // dot
    (32, Keep), // fft
    (33, Keep), // gather
    (34, Keep),
    (36, Keep), // operands
    (37, Keep), // control predecessors
    (38, Keep), // called computations
    (40, Message(SHARDING)),
    (43, Text(Configuration)),
    (48, Keep), // scatter
    (49, Keep), // replica groups
    (52, Keep), // pairs of source and target
    (63, Keep), // comparison
    (
        68,
        Message(&[(
            1,
            Message(&[(1, Text(Configuration)), (2, Text(Configuration))]),
        )]),
    ),
    (79, Text(Configuration)),
    (87, Keep), // devices of collectives, in three forms
    (90, Keep),
    (92, Keep),
    (93, Message(&[(1, Message(MESH)), (2, Keep)])),
];

const METADATA: &[(u32, Rule)] = &[
    (1, Text(Scope)),
    (2, Text(Scope)),
    (3, Text(Source)),
    (12, Text(Name)),
];

const STACK_FRAMES: &[(u32, Rule)] = &[(1, Text(Source)), (2, Text(Source)), (3, Keep), (4, Keep)];

const SHARDING: &[(u32, Rule)] = &[
    (3, Keep),
    (4, Keep),
    (5, Message(SHARDING_OF_TUPLE)),
    (8, Keep),
    (9, Keep),
    (10, Keep),
    (14, Message(NAMED_SHARDING)),
];

/// Tuples of tuples: statics may not refer to themselves, and nobody shards deeper.
const SHARDING_OF_TUPLE: &[(u32, Rule)] = &[
    (3, Keep),
    (4, Keep),
    (8, Keep),
    (9, Keep),
    (10, Keep),
    (14, Message(NAMED_SHARDING)),
];

const NAMED_SHARDING: &[(u32, Rule)] = &[
    (2, Message(MESH)),
    (3, Keep),
    (4, Keep),
    (5, Keep),
    (7, Keep),
];

const MESH: &[(u32, Rule)] = &[(1, Message(&[(1, Text(Name))])), (2, Keep)];

const BUFFERS: &[(u32, Rule)] = &[
    (
        1,
        Message(&[(3, Message(&[(1, Text(Name)), (2, Text(Name)), (3, Keep)]))]),
    ),
    (3, Keep),
    (
        4,
        Message(&[(1, Message(&[(3, Text(Name)), (4, Text(Name))]))]),
    ),
];

/// The program with other texts, in the form in which it came: an HloProto or its module alone.
pub fn rewrite(program: &[u8], text: &mut dyn FnMut(ProgramText, &[u8]) -> Vec<u8>) -> Vec<u8> {
    let module = Outline::of(program).module;
    let is_wrapped = field(program, 1).is_some_and(|inner| inner.as_ptr() == module.as_ptr());
    let mut out = Vec::with_capacity(program.len());
    let rules = if is_wrapped { HLO } else { MODULE };
    message(program, rules, text, &mut out);
    out
}

fn message(
    bytes: &[u8],
    rules: &[(u32, Rule)],
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
            Value::Varint(_) | Value::Fixed64(_) | Value::Fixed32(_) => {
                out.extend_from_slice(cursor.read_since(begin));
                continue;
            }
            // A group may hold anything, texts among it.
            Value::Group | Value::Cut(_) => continue,
        };
        let rule = rules.iter().find(|(listed, _)| *listed == field.number);
        match rule.map(|&(_, rule)| rule) {
            None => {}
            Some(Keep) => push_bytes(out, field.number, value),
            Some(Text(kind)) => push_bytes(out, field.number, &text(kind, value)),
            Some(Message(rules)) => {
                push_message(out, field.number, |out| message(value, rules, text, out));
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
    fn numbers_stay_and_groups_go() {
        // 20: 7, 21: four bytes, 22: eight bytes, 23: a group of a text, 1: "ab"
        let module = b"\xa0\x01\x07\xad\x011234\xb1\x0112345678\xbb\x01\x0a\x01a\xbc\x01\x0a\x02ab";
        let written = rewrite(module, &mut |_, text| text.to_ascii_uppercase());
        assert_eq!(
            written,
            b"\xa0\x01\x07\xad\x011234\xb1\x0112345678\x0a\x02AB"
        );
    }
}
