//! What programs are called with and return, to tell programs of one name apart.

use stepscope_model::hlo::{Instruction, Program, Shape};

/// Arrays in the same place with other sizes, of which only the first may be a batch.
const OTHER_BATCH: f64 = 0.75;
/// Arrays in the same place with other sizes and as many dimensions.
const OTHER_SIZES: f64 = 0.25;

/// Dimensions of the arguments and of the results of a program, in order.
pub(super) struct Given<'a> {
    arguments: Vec<&'a [i64]>,
    results: Vec<&'a [i64]>,
}

/// What a program is called with and returns; nothing where its entry is unknown.
pub(super) fn given(hlo: &Program) -> Given<'_> {
    let entry = hlo.entry();
    let instructions = entry.map_or(&[][..], |entry| hlo.instructions_of(entry));
    let parameters = instructions.iter().filter(|one| one.opcode == "parameter");
    Given {
        arguments: parameters.flat_map(arrays).collect(),
        results: entry
            .and_then(|entry| hlo.root(entry))
            .map(arrays)
            .unwrap_or_default(),
    }
}

fn arrays(instruction: &Instruction) -> Vec<&[i64]> {
    let arrays = instruction.shape.arrays().into_iter();
    arrays
        .map(|shape: &Shape| shape.dimensions.as_slice())
        .collect()
}

impl Given<'_> {
    /// 1 if all arrays have the same sizes, 0 if none has as many dimensions. Scalars say nothing, unless
    /// there is nothing else; neither do element types, which are the same program in another precision.
    pub(super) fn likeness(&self, other: &Self) -> f64 {
        let mut sum = 0.0;
        let mut count = 0usize;
        for (own, others) in [
            (&self.arguments, &other.arguments),
            (&self.results, &other.results),
        ] {
            for place in 0..own.len().max(others.len()) {
                let (left, right) = (own.get(place), others.get(place));
                if [left, right]
                    .into_iter()
                    .flatten()
                    .all(|one| one.is_empty())
                {
                    continue;
                }
                count += 1;
                sum += left
                    .zip(right)
                    .map_or(0.0, |(left, right)| alike(left, right));
            }
        }
        if count == 0 { 1.0 } else { sum / count as f64 }
    }
}

fn alike(left: &[i64], right: &[i64]) -> f64 {
    if left == right {
        1.0
    } else if left.len() != right.len() {
        0.0
    } else if left[1..] == right[1..] {
        OTHER_BATCH
    } else {
        OTHER_SIZES
    }
}
