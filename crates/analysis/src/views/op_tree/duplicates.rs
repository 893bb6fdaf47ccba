//! Duplicate ops: those whose HLO text is identical except for names.
//!
//! ```text
//! %fusion.3 = f32[8] fusion(f32[8] %p.1, f32[8] %p.2), calls=%body.3      →  0 = f32[8] fusion(f32[8] 1, f32[8] 2), calls=3
//! %fusion.7 = f32[8] fusion(f32[8] %p.9, f32[8] %p.4), calls=%body.9      →  the same
//! ```
//!
//! Names become numbers in order of appearance, first in the text of the op and then in that of the
//! computations it calls, so the comparison includes which values each instruction uses. Identical
//! layers of a model become one op with a count.

use std::hash::Hasher;

use rustc_hash::{FxHashMap, FxHasher};
use stepscope_model::{OpId, Session};

/// Maximum number of instructions of called computations that are compared; the rest is ignored.
const MAX_INSTRUCTIONS: usize = 4096;

/// A hash that duplicate ops have in common; none if there is no text to compare.
pub(super) fn likeness(session: &Session, op: OpId) -> Option<u64> {
    let op = session.op(op);
    let mut names = Names::default();
    let expression = session.text(op.expression);
    let hlo = session.program(op.program).hlo.as_ref();
    let instruction = hlo.and_then(|hlo| hlo.instruction(session.text(op.name)));
    match (instruction, hlo) {
        _ if !expression.is_empty() => names.read(expression),
        (Some(instruction), Some(hlo)) => names.read(&hlo.text(instruction)),
        _ => return None,
    }
    if let (Some(instruction), Some(hlo)) = (instruction, hlo) {
        let bodies = hlo.called_computations(instruction);
        let inside = bodies.flat_map(|body| hlo.instructions_of(body));
        for instruction in inside.take(MAX_INSTRUCTIONS) {
            names.read(&hlo.text(instruction));
        }
    }
    Some(names.hasher.finish())
}

/// The text read so far, with names replaced by numbers.
#[derive(Default)]
struct Names {
    numbers: FxHashMap<String, u32>,
    hasher: FxHasher,
}

impl Names {
    fn read(&mut self, text: &str) {
        let mut rest = text;
        while let Some(start) = rest.find('%') {
            self.hasher.write(&rest.as_bytes()[..start]);
            let after = &rest[start + 1..];
            let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
            let length = after.find(|c| !is_of_name(c)).unwrap_or(after.len());
            let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
            let (name, behind) = after.split_at(length);
            let number = match self.numbers.get(name) {
                Some(&number) => number,
                None => *self.numbers.entry(name.to_owned()).or_insert(next),
            };
            self.hasher.write_u32(number);
            rest = behind;
        }
        self.hasher.write(rest.as_bytes());
        self.hasher.write_u8(0xff);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likeness_of(texts: &[&str]) -> u64 {
        let mut names = Names::default();
        for text in texts {
            names.read(text);
        }
        names.hasher.finish()
    }

    #[test]
    fn names_do_not_matter_and_wiring_does() {
        let first = "%fusion.3 = f32[8] fusion(f32[8] %p.1, f32[8] %p.2), calls=%body.3";
        let renamed = "%fusion.7 = f32[8] fusion(f32[8] %p.9, f32[8] %p.4), calls=%body.9";
        let rewired = "%fusion.7 = f32[8] fusion(f32[8] %p.9, f32[8] %p.9), calls=%body.9";
        let reshaped = "%fusion.7 = f32[9] fusion(f32[8] %p.9, f32[8] %p.4), calls=%body.9";
        assert_eq!(likeness_of(&[first]), likeness_of(&[renamed]));
        assert_ne!(likeness_of(&[first]), likeness_of(&[rewired]));
        assert_ne!(likeness_of(&[first]), likeness_of(&[reshaped]));
        assert_ne!(
            likeness_of(&[first, "%a = add"]),
            likeness_of(&[first, "%a = mul"])
        );
    }
}
