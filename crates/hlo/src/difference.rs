//! What differs between two programs that one function became, each compiled from the same shapes.
//!
//! ```text
//! ops differ                   static argument, branch in Python
//! ops alike, values differ     number in the program: static argument, closure
//! all alike                    nothing that the program shows: a function made anew
//! ```

use std::collections::HashSet;
use std::sync::Arc;

use crate::fingerprint::Fingerprints;
use crate::outline::Outline;
use crate::program::{Computation, Instruction, Program};
use crate::source::SourceLocation;

/// A program and the bytes that it was decoded from.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// The program.
    pub program: &'a Program,
    /// Its serialized HLO.
    pub bytes: &'a [u8],
}

/// What differs between two programs.
#[derive(Debug, Clone, PartialEq)]
pub enum Difference {
    /// The same ops with the same values.
    None,
    /// The same ops, on other values; in the order of the program.
    Values(Vec<ChangedValue>),
    /// Other ops.
    Ops {
        /// Instructions of the second program of which the first has none alike.
        changed: usize,
        /// Where the first of these comes from, if it is known.
        source: Option<Arc<SourceLocation>>,
    },
}

/// A constant of another value.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangedValue {
    /// Its shape, with layout.
    pub shape: String,
    /// Values before and after as HLO text writes them, if they are few.
    pub values: Option<(String, String)>,
    /// Where it comes from, if it is known.
    pub source: Option<Arc<SourceLocation>>,
}

/// Compares two programs. Takes time in proportion to their size.
pub fn difference(before: Side<'_>, after: Side<'_>) -> Difference {
    let prints = [before, after].map(|side| Fingerprints::of(side.program));
    if prints[0].of_entry(before.program) != prints[1].of_entry(after.program) {
        return ops(before.program, after.program, &prints);
    }
    let mut pairs = Pairs {
        sides: [before, after],
        outlines: [before, after].map(|side| Outline::of(side.bytes)),
        seen: HashSet::new(),
        found: Vec::new(),
    };
    if let (Some(a), Some(b)) = (before.program.entry(), after.program.entry()) {
        pairs.computations(a, b);
    }
    if pairs.found.is_empty() {
        Difference::None
    } else {
        Difference::Values(pairs.found)
    }
}

fn ops(before: &Program, after: &Program, prints: &[Fingerprints; 2]) -> Difference {
    let known: HashSet<u64> = before
        .instructions()
        .map(|instruction| prints[0].instruction(before, instruction))
        .collect();
    let is_new =
        |instruction: &&Instruction| !known.contains(&prints[1].instruction(after, instruction));
    let new: Vec<&Instruction> = after.instructions().filter(is_new).collect();
    Difference::Ops {
        changed: new.len(),
        source: new
            .iter()
            .find_map(|instruction| instruction.source.clone()),
    }
}

/// Walks through two programs of the same ops.
struct Pairs<'a> {
    sides: [Side<'a>; 2],
    outlines: [Outline<'a>; 2],
    /// Computations of the second program that were walked through.
    seen: HashSet<i64>,
    found: Vec<ChangedValue>,
}

impl Pairs<'_> {
    fn computations(&mut self, before: &Computation, after: &Computation) {
        if !self.seen.insert(after.id) {
            return;
        }
        let [old, new] = self.sides.map(|side| side.program);
        let of = after;
        let pairs = old.instructions_of(before).iter();
        for (before, after) in pairs.zip(new.instructions_of(of)) {
            if after.opcode == "constant" {
                self.constants(before, after, new.instructions_of(of));
            }
            let called = old.called_computations(before);
            for (before, after) in called.zip(new.called_computations(after)) {
                self.computations(before, after);
            }
        }
    }

    /// `around` is the computation of the second one. Constants that the compiler made say nothing of
    /// their source, but what uses them does.
    fn constants(&mut self, before: &Instruction, after: &Instruction, around: &[Instruction]) {
        let [old, new] = self.sides.map(|side| side.program);
        let before = old.details(&self.outlines[0], before);
        let details = new.details(&self.outlines[1], after);
        if before.literal_hash == details.literal_hash {
            return;
        }
        let users = || {
            around
                .iter()
                .filter(|one| one.operand_ids.contains(&after.id))
        };
        let source = after.source.clone();
        let changed = ChangedValue {
            shape: after.shape.to_string(),
            values: before.constant.zip(details.constant),
            source: source.or_else(|| users().find_map(|user| user.source.clone())),
        };
        // A number may stand in the program several times.
        if !self.found.contains(&changed) {
            self.found.push(changed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Draft, encode, f32};

    /// A fusion of one op.
    fn program(opcode: &str) -> Vec<u8> {
        let mut body = Draft::fused(1, "fused");
        let x = body.parameter(f32(&[2]));
        body.add(opcode, f32(&[2]), &[x]);
        let mut entry = Draft::new(2, "main");
        let x = entry.parameter(f32(&[2]));
        entry.add_with("fusion", f32(&[2]), &[x], |instruction| {
            instruction.called_computation_ids = vec![1];
        });
        encode(vec![body, entry])
    }

    fn compare(before: &str, after: &str) -> Difference {
        let bytes = [before, after].map(program);
        let programs =
            [&bytes[0], &bytes[1]].map(|bytes| Program::decode(bytes).expect("it decodes"));
        let [before, after] = [0, 1].map(|index| Side {
            program: &programs[index],
            bytes: &bytes[index],
        });
        difference(before, after)
    }

    #[test]
    fn the_same_program_has_no_difference() {
        assert_eq!(compare("negate", "negate"), Difference::None);
    }

    #[test]
    fn ops_without_one_alike_are_counted() {
        let found = compare("negate", "abs");
        let Difference::Ops { changed, .. } = found else {
            panic!("{found:?}");
        };
        assert_eq!(changed, 2, "the fusion and what is in it");
    }
}
