//! A serialized program written again with other texts: every text goes through a function, what
//! analyses need stays as it is, and all else is left out, constants among it.

use rustc_hash::FxHashSet;
use stepscope_wire::{
    Cursor, Value, message_fields, number_fields, push_bytes, push_message, push_varint,
};

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
    /// A list of numbers. Letters are numbers, too: what reads like a text goes.
    Packed,
    /// Numbers of dimensions, of which a shape has few.
    Dimensions,
    /// Sizes along dimensions.
    Sizes,
    /// Ids of instructions: those that there are.
    Instructions,
    /// Ids of computations: those that there are.
    Computations,
    Text(ProgramText),
    Message(&'static [(u32, Self)]),
    /// A shape, which contains shapes.
    Shape,
}

use ProgramText::{Configuration, Name, Scope, Source};
use Rule::{Computations, Dimensions, Instructions, Message, Packed, Shape, Sizes, Text};

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
const SCHEDULE: Rules = &[(1, Message(&[(2, Message(&[(1, Instructions)]))]))];

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
    (11, Text(Configuration)), // kind of fusion
    (14, Dimensions),
    (15, Message(&[(1, Message(NUMBERS))])), // window
    (16, Message(CONVOLUTION)),
    (17, Message(NUMBERS)),                  // slice
    (20, Sizes),                             // dynamic slice
    (21, Message(&[(1, Message(NUMBERS))])), // padding
    (28, Text(Configuration)),
    (30, Message(DOT)),
    (32, Sizes),          // fft
    (33, Message(LISTS)), // gather
    (34, Sizes),
    (36, Instructions), // operands
    (37, Instructions), // control predecessors
    (38, Computations), // called
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
    (
        90,
        Message(&[(1, Message(DOT)), (2, Dimensions), (3, Dimensions)]),
    ),
    (92, Message(IOTA)),
    (93, Message(&[(1, Message(MESH)), (2, Message(AXIS))])),
];

const CONVOLUTION: Rules = &[(6, Dimensions), (11, Dimensions), (12, Dimensions)];

const DOT: Rules = &[
    (1, Dimensions),
    (2, Dimensions),
    (3, Dimensions),
    (4, Dimensions),
];

/// Dimensions of a gather or a scatter.
const LISTS: Rules = &[
    (1, Dimensions),
    (2, Dimensions),
    (3, Dimensions),
    (4, Dimensions),
    (5, Dimensions),
    (6, Dimensions),
];

const IOTA: Rules = &[(3, Packed), (4, Packed)];

const SHAPE: Rules = &[(3, Sizes), (4, Shape), (5, Message(LAYOUT)), (6, Packed)];

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
    let known = Known::of(module);
    let is_wrapped = field(program, 1).is_some_and(|inner| inner.as_ptr() == module.as_ptr());
    let mut out = Vec::with_capacity(program.len());
    let rules = if is_wrapped { HLO } else { MODULE };
    let mut writing = Writing { known, text };
    writing.message(program, rules, SHAPE_DEPTH, &mut out);
    out
}

/// Which ids there are in a module.
#[derive(Default)]
struct Known {
    instructions: FxHashSet<u64>,
    computations: FxHashSet<u64>,
}

impl Known {
    fn of(module: &[u8]) -> Self {
        let mut known = Self::default();
        for computation in message_fields(module, 3) {
            known.computations.extend(number_of(computation, 5));
            for instruction in message_fields(computation, 2) {
                known.instructions.extend(number_of(instruction, 35));
            }
        }
        known
    }
}

/// The last number in a field.
fn number_of(message: &[u8], wanted: u32) -> Option<u64> {
    let numbers = number_fields(message).into_iter().rev();
    let mut wanted = numbers.filter(|(number, _)| *number == wanted);
    wanted.next().map(|(_, value)| value)
}

struct Writing<'t> {
    known: Known,
    text: &'t mut dyn FnMut(ProgramText, &[u8]) -> Vec<u8>,
}

impl Writing<'_> {
    fn message(&mut self, bytes: &[u8], rules: Rules, depth: usize, out: &mut Vec<u8>) {
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
                // length: where a text takes the place of a message, its letters read like such
                // fields.
                Value::Fixed64(_) | Value::Fixed32(_) | Value::Group | Value::Cut(_) => continue,
            };
            let rule = rules.iter().find(|(listed, _)| *listed == field.number);
            let Some(&(number, rule)) = rule else {
                continue;
            };
            match rule {
                Packed | Dimensions | Sizes | Instructions | Computations => {
                    let kept = self.numbers(rule, value);
                    // An empty list is as none at all.
                    if !kept.is_empty() || value.is_empty() {
                        push_bytes(out, number, &kept);
                    }
                }
                Shape if depth == 0 => {}
                Shape => push_message(out, number, |out| {
                    self.message(value, SHAPE, depth - 1, out);
                }),
                Text(kind) => push_bytes(out, number, &(self.text)(kind, value)),
                Message(rules) => push_message(out, number, |out| {
                    self.message(value, rules, depth, out);
                }),
            }
        }
    }

    /// Of a packed list, the numbers that may be what the field says.
    fn numbers(&self, rule: Rule, packed: &[u8]) -> Vec<u8> {
        let numbers: Vec<u64> = Value::Bytes(packed)
            .numbers()
            .map_while(Result::ok)
            .collect();
        let all = |is_kept: bool| if is_kept { packed.to_vec() } else { Vec::new() };
        match rule {
            Instructions => written(&numbers, |id| self.known.instructions.contains(&id)),
            Computations => written(&numbers, |id| self.known.computations.contains(&id)),
            Dimensions => all(numbers.iter().all(|&dimension| dimension < MOST_DIMENSIONS)),
            Sizes => all(!(is_text(packed) && are_more_than_any_memory(&numbers))),
            _ => all(!(is_text(packed) && is_repetitive(packed, &numbers))),
        }
    }
}

/// More dimensions than a shape may have; letters are larger.
const MOST_DIMENSIONS: u64 = 32;
/// Elements of an array that no memory holds.
const MOST_ELEMENTS: u64 = 1 << 38;
/// Letters from which a list is taken for a text.
const SHORTEST_TEXT: usize = 7;

fn written(numbers: &[u64], is_kept: impl Fn(u64) -> bool) -> Vec<u8> {
    let mut out = Vec::new();
    for &number in numbers.iter().filter(|&&number| is_kept(number)) {
        push_varint(&mut out, number);
    }
    out
}

/// Whether a list could be letters, digits and signs.
fn is_text(packed: &[u8]) -> bool {
    std::str::from_utf8(packed).is_ok_and(|text| !text.contains(char::is_control))
}

fn are_more_than_any_memory(sizes: &[u64]) -> bool {
    let elements = sizes
        .iter()
        .try_fold(1_u64, |all, size| all.checked_mul(*size));
    elements.is_none_or(|elements| elements > MOST_ELEMENTS)
}

/// Devices and the like are listed once each; the letters of a text repeat, or are of any alphabet.
fn is_repetitive(packed: &[u8], numbers: &[u64]) -> bool {
    let distinct: FxHashSet<u64> = numbers.iter().copied().collect();
    packed.len() >= SHORTEST_TEXT && (distinct.len() < numbers.len() || !packed.is_ascii())
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
    fn lists_keep_what_is_there_and_no_letters() {
        let mut entry = Draft::new(2, "main");
        let x = entry.parameter(f32(&[64, 96, 64]));
        entry.add("add", f32(&[64, 96, 64]), &[x, x]);
        let bytes = encode(vec![entry]);
        let known = Known::of(Outline::of(&bytes).module);
        assert!(known.instructions.len() == 2 && known.computations.contains(&2));
        let ids: Vec<u64> = known.instructions.iter().copied().collect();
        let writing = Writing {
            known,
            text: &mut |_, text| text.to_vec(),
        };
        let kept = |rule: Rule, numbers: &[u64]| {
            let written = writing.numbers(rule, &written(numbers, |_| true));
            let kept = Value::Bytes(&written).numbers().map_while(Result::ok);
            kept.collect::<Vec<u64>>()
        };
        assert_eq!(kept(Instructions, &[ids[0], 99, ids[1]]), ids);
        assert_eq!(kept(Computations, &[2, 77]), [2]);
        assert_eq!(kept(Dimensions, &[0, 3, 1]), [0, 3, 1]);
        for sizes in [
            &[64, 96, 64, 64][..],
            &[1 << 30, 1 << 20],
            &[96; 5],
            &[4096; 9],
        ] {
            assert_eq!(kept(Sizes, sizes), sizes);
        }
        let devices: Vec<u64> = (32..96).collect();
        assert_eq!(kept(Packed, &devices), devices);
        let text: Vec<u64> = b"u8123456"
            .iter()
            .map(|&letter| u64::from(letter))
            .collect();
        for rule in [Instructions, Computations, Dimensions, Sizes] {
            assert_eq!(kept(rule, &text), [0; 0]);
        }
        let text: Vec<u64> = b"555-123-4567"
            .iter()
            .map(|&letter| u64::from(letter))
            .collect();
        assert_eq!(kept(Packed, &text), [0; 0]);
    }

    #[test]
    fn numbers_stay_and_what_may_be_text_goes() {
        // 20: 7, 21: four bytes, 22: eight bytes, 23: a group of a text, 1: "ab"
        let module = b"\xa0\x01\x07\xad\x011234\xb1\x0112345678\xbb\x01\x0a\x01a\xbc\x01\x0a\x02ab";
        let written = rewrite(module, &mut |_, text| text.to_ascii_uppercase());
        assert_eq!(written, b"\xa0\x01\x07\x0a\x02AB");
    }
}
