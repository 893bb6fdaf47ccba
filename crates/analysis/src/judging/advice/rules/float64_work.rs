//! Work on f64, mostly because `jax_enable_x64` was set for something else.

use stepscope_model::hlo::{Instruction, PrimitiveType, Program, Shape};

use super::{NO_HLO, Outcome, Rule, finding, share};
use crate::judging::advice::facts::Facts;
use crate::judging::advice::programs::ops_with;
use crate::judging::advice::report::Confidence;
use crate::measuring::steps::PartKind;
use crate::views::ops::OpRow;

pub(super) static RULE: Rule = Rule {
    id: "float64_work",
    title: "Work on f64",
    parts: &[PartKind::DeviceCompute],
    check,
};

/// Whether an instruction reads or writes an array of f64 or c128. Scalars, such as a learning rate,
/// do not decide how fast an op is.
fn is_float64(program: &Program, instruction: &Instruction) -> bool {
    let is_wide = |shape: &Shape| {
        let wide = [PrimitiveType::F64, PrimitiveType::C128];
        wide.contains(&shape.element_type) && shape.element_count() > 1
    };
    let mut operands = program.operands(instruction);
    is_wide(instruction.shape.first_leaf())
        || operands.any(|operand| is_wide(operand.shape.first_leaf()))
}

fn check(facts: &Facts<'_>) -> Outcome {
    if facts.programs().is_empty() {
        return Outcome::Skipped(NO_HLO.to_owned());
    }
    let wide = ops_with(facts.programs(), &facts.ops, |program, _, instruction| {
        is_float64(program, instruction)
    });
    let is_wide = |row: &OpRow| wide.has(row);
    let found = match share(facts, "float64_work_ratio", is_wide) {
        Ok(found) => found,
        Err(outcome) => return outcome,
    };
    finding(
        &RULE,
        found.severity,
        format!("{} of the devices' work reads or writes arrays of f64.", found.text),
    )
    .why(
        "An array of f64 has twice the bytes of f32. Matrix units compute f64 at a fraction of the \
         rate, most GPUs without them at 1/32 or 1/64, and TPUs emulate it. A CPU computes half as many \
         numbers at a time, and XLA:CPU has its fastest kernels for f32 only.",
    )
    .fix(
        "Unless the model needs it, do not set jax_enable_x64. If one part needs it, cast only its \
         arrays, and check that NumPy arrays of float64 do not reach the others.",
    )
    .code("jax.config.update(\"jax_enable_x64\", False)")
    .seen(facts.largest_ops(is_wide))
    .gain(
        found.per_step,
        "the time of these ops: f32 saves about half of it where bytes decide, and more where arithmetic does",
    )
    .sure(Confidence::Medium)
    .found()
}
