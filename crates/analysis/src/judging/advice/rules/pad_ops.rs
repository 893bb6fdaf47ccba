//! Ops that pad arrays (padding waste by the program itself).

use stepscope_model::hlo::name_stack::{Pass, pass};
use stepscope_model::hlo::{Instruction, Program};

use super::{Outcome, Rule, SHARE_OF_WORK, finding, share};
use crate::judging::advice::facts::Facts;
use crate::judging::advice::programs::ops_with;
use crate::judging::advice::report::Confidence;
use crate::measuring::steps::PartKind;
use crate::views::ops::OpRow;

pub(super) static RULE: Rule = Rule {
    id: "pad_ops",
    title: "Array padding",
    parts: &[PartKind::DeviceCompute],
    check,
};

/// A pad, or a fusion that XLA named after one.
fn pads(row: &OpRow) -> bool {
    row.class != "matmul"
        && (row.category == "pad" || row.name.split(['_', '.', '-']).any(|word| word == "pad"))
}

/// Whether all that an instruction pads, alone or in its fusion, are gradients of slices: what was not
/// part of the slice has a gradient of zero.
fn is_gradient(program: &Program, instruction: &Instruction) -> bool {
    let bodies = program.called_computations(instruction);
    let inside = bodies.flat_map(|body| program.instructions_of(body));
    let mut pads = std::iter::once(instruction)
        .chain(inside)
        .filter(|one| one.opcode == "pad")
        .peekable();
    pads.peek().is_some() && pads.all(|pad| pass(&pad.op_name) == Pass::Backward)
}

fn check(facts: &Facts<'_>) -> Outcome {
    let gradients = ops_with(facts.programs(), &facts.ops, |program, row, instruction| {
        pads(row) && is_gradient(program, instruction)
    });
    let pads = |row: &OpRow| pads(row) && !gradients.has(row);
    let found = match share(facts, "pad_ops_ratio", pads) {
        Ok(found) => found,
        Err(outcome) => return outcome,
    };
    finding(
        &RULE,
        found.severity,
        format!("{} of the devices' work pads arrays.", found.text),
    )
    .why("An array is copied into a larger one, and the following ops also compute the padding.")
    .fix(format!(
        "Choose sizes that need no padding: batches and vocabularies divisible by {}128, and \
         convolutions with built-in padding (padding=\"SAME\") instead of jnp.pad.",
        if facts.is_divided() {
            "the number of shards and by "
        } else {
            ""
        }
    ))
    .gain(found.per_step, SHARE_OF_WORK)
    .sure(Confidence::Medium)
    .seen(facts.largest_ops(pads))
    .found()
}
