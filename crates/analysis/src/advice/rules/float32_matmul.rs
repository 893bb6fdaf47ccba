//! Matrix products in f32 where bf16 would do (XProf's low precision tip).

use super::{NO_WORK, Outcome, Rule, finding, gravity};
use crate::advice::facts::{Facts, largest_ops};
use crate::advice::report::Confidence;
use crate::format;
use crate::ops::OpRow;

pub(super) static RULE: Rule = Rule {
    id: "float32_matmul",
    title: "Matrix products in f32",
    check,
};

/// An op of class matmul of which some operand is f32.
fn is_float32(facts: &Facts<'_>, row: &OpRow) -> bool {
    if row.class != "matmul" {
        return false;
    }
    let program = facts
        .session
        .programs
        .iter()
        .find(|program| program.id.to_string() == row.program_id);
    let Some(hlo) = program.and_then(|program| program.hlo.as_ref()) else {
        return false;
    };
    let Some(instruction) = hlo.instruction(&row.name) else {
        return false;
    };
    // Indices and predicates aside, all that goes in is f32: nothing was cast down before.
    let types = || {
        let operands = hlo.operands(instruction);
        operands.map(|operand| operand.shape.first_leaf().element_type.name())
    };
    types().any(|name| name == "f32") && !types().any(|name| matches!(name, "bf16" | "f16"))
}

fn check(facts: &Facts<'_>) -> Outcome {
    if !facts.has_work() {
        return Outcome::Skipped(NO_WORK.to_owned());
    }
    if facts.is_cpu_only() {
        return Outcome::Skipped("CPUs gain little from bf16.".to_owned());
    }
    if facts
        .session
        .programs
        .iter()
        .all(|program| program.hlo.is_none())
    {
        return Outcome::Skipped(
            "The types of ops stand in the HLO, which the profile does not have.".to_owned(),
        );
    }
    let (total, per_step) = facts.ops_per_step(|row| is_float32(facts, row));
    let ratio = total as f64 / facts.ops.total_self_ps as f64;
    let share = format::percent(ratio);
    let Some(severity) = gravity(&facts.threshold("float32_matmul_ratio"), ratio) else {
        return Outcome::Passed(format!("{share} of the work."));
    };
    finding(
        &RULE,
        severity,
        format!("{share} of the devices' work are matrix products and convolutions of f32."),
    )
    .why("Matrix units compute bf16 at least twice as fast as f32, and it takes half the bytes.")
    .fix(
        "Cast weights and activations to bf16 for the products and keep the sums and the optimiser in \
         f32. On TPUs f32 products are already computed in bf16 passes unless a higher precision is \
         asked for: see that jax_default_matmul_precision is not \"highest\".",
    )
    .code("model = MyModel(dtype=jnp.bfloat16, param_dtype=jnp.float32)   # flax")
    .gain(
        per_step.map(|time| time / 2.0),
        "half of the time of these ops: bf16 at twice the rate",
    )
    .sure(Confidence::Medium)
    .seen(largest_ops(facts, |row| is_float32(facts, row)))
    .found()
}
