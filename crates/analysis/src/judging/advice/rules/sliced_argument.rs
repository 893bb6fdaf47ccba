//! Arrays that go to the device in every step, of which a step uses a part: a whole data set that is an
//! argument of the step.
//!
//! ```text
//! train_step(state, X, i)      X: f32[60000,256] ──► dynamic-slice ──► f32[512,256]
//! ```

use stepscope_model::hlo::{Instruction, Program};

use super::uses::{Use, is_only_taken};
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::AdviceFinding;
use crate::judging::advice::values::rearranges;
use crate::telling::format;

/// Copying fewer bytes takes no time worth a word.
const MIN_BYTES: u64 = 1 << 20;
/// Least share of the bytes of all arguments that the program does not change.
const MOST: f64 = 0.5;
/// A part of at most this share is a slice.
const PART: f64 = 0.25;

/// Such an array.
pub(super) struct SlicedArgument {
    program: String,
    name: String,
    bytes: u64,
    /// Bytes of what the program takes of it, at most.
    part: u64,
}

impl SlicedArgument {
    /// The one that is most of what a busy program is called with and does not change.
    pub(super) fn of(facts: &Facts<'_>) -> Option<Self> {
        // A slice outside of jit leaves the rest of the array to others.
        let busy = facts.programs().iter();
        let mut jitted = busy.filter(|one| !facts.session.program(one.id).is_single_op());
        jitted.find_map(|program| {
            let hlo = program.hlo;
            let signature = hlo.signature()?;
            let given = signature.arguments.iter().filter(|one| !one.is_updated);
            let all: u64 = given.map(|one| one.shape.byte_size()).sum();
            let parameters = hlo.instructions_of(hlo.entry()?).iter();
            let parameters = parameters.filter(|one| one.opcode == "parameter");
            let largest = parameters
                .filter(|one| !one.shape.is_tuple())
                .filter(|one| one.shape.byte_size() as f64 >= MOST * all as f64)
                .filter(|one| one.shape.byte_size() >= MIN_BYTES);
            let found = largest.filter_map(|one| {
                let part = part_of(hlo, one)?;
                (part as f64 <= PART * one.shape.byte_size() as f64).then_some((one, part))
            });
            let (argument, part) = found.max_by_key(|(one, _)| one.shape.byte_size())?;
            Some(Self {
                program: facts.session.program(program.id).name.clone(),
                name: named(argument).to_owned(),
                bytes: argument.shape.byte_size(),
                part,
            })
        })
    }

    /// A finding about copies to the device that are of this array.
    pub(super) fn told(&self, finding: AdviceFinding) -> AdviceFinding {
        let why = format!(
            "{} is called with `{}`, an array of {}, of which it only takes a part of {}: the whole array \
             goes to the device for every call.",
            format::shortened(&self.program),
            format::shortened(&self.name),
            format::bytes(self.bytes as f64),
            format::bytes(self.part as f64),
        );
        let name = &self.name;
        finding
            .titled("A whole array is copied for a part of it".to_owned())
            .why(why)
            .fix(
                "Put it on the device once, before the loop. If it does not fit there, take the part on \
                 the host and copy only that.",
            )
            .code(&format!(
                "{name} = jax.device_put({name})     # once, before the loop"
            ))
    }
}

/// What the program calls an argument: `batch` of `batch['x']`.
fn named(argument: &Instruction) -> &str {
    let name = if argument.op_name.is_empty() {
        &argument.name
    } else {
        &argument.op_name
    };
    name.split(['[', '.']).next().unwrap_or(name)
}

/// The bytes of the largest slice of an argument by a position that the program computes; none if it
/// is used for anything else.
fn part_of(program: &Program, argument: &Instruction) -> Option<u64> {
    let mut part = None;
    let is_sliced = is_only_taken(program, argument, |value, user| {
        let is_first = user.operand_ids.first() == Some(&value.id);
        match user.opcode.as_str() {
            "dynamic-slice" | "gather" if is_first => {
                part = part.max(Some(user.shape.byte_size()));
                Use::Takes
            }
            opcode if rearranges(opcode) => Use::PassesOn,
            _ => Use::Other,
        }
    });
    part.filter(|_| is_sliced)
}
