//! Matrix products in f32 where bf16 would do (XProf's low precision tip).

use rustc_hash::FxHashSet;
use stepscope_model::hlo::{Instruction, Program};
use stepscope_model::{DeviceKind, SliceKind, is_16_bit_product};

use super::{CPU_ONLY, NO_HLO, Outcome, Rule, finding, share};
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::Confidence;
use crate::measuring::steps::PartKind;
use crate::views::ops::OpRow;

pub(super) static RULE: Rule = Rule {
    id: "float32_matmul",
    title: "Matrix products in f32",
    parts: &[PartKind::DeviceCompute],
    check,
};

/// Indices and predicates aside, all that goes in is f32: nothing was cast down before.
pub(super) fn is_float32(program: &Program, instruction: &Instruction) -> bool {
    let types = || {
        let operands = program.operands(instruction);
        operands.map(|operand| operand.shape.first_leaf().element_type.name())
    };
    types().any(|name| name == "f32") && !types().any(|name| matches!(name, "bf16" | "f16"))
}

/// Ops, by id of the program and name, whose kernels say that they multiply 16-bit numbers: the
/// library casts what the op gets.
fn in_16_bits(facts: &Facts<'_>) -> FxHashSet<(String, String)> {
    let session = facts.session;
    let labels = session.labels.iter();
    let kernels = labels.filter(|label| label.kind == SliceKind::Kernel);
    let narrow = kernels.filter(|label| is_16_bit_product(session.text(label.name)));
    let ops = narrow.filter_map(|label| Some(session.op(label.op?)));
    ops.map(|op| {
        let program = session.program(op.program).id.to_string();
        (program, session.text(op.name).to_owned())
    })
    .collect()
}

fn check(facts: &Facts<'_>) -> Outcome {
    if facts.is_cpu_only() {
        return Outcome::Skipped(CPU_ONLY.to_owned());
    }
    if facts.programs().is_empty() {
        return Outcome::Skipped(NO_HLO.to_owned());
    }
    let narrow = in_16_bits(facts);
    let mut wide: FxHashSet<(&str, &str)> = FxHashSet::default();
    for program in facts.programs() {
        for (row, instruction) in program.executed(&facts.ops) {
            let key = (row.program_id.clone(), row.name.clone());
            let is_wide = is_float32(program.hlo, instruction) && !narrow.contains(&key);
            if row.class == "matmul" && is_wide {
                wide.insert((&row.program_id, &row.name));
            }
        }
    }
    let is_wide = |row: &OpRow| wide.contains(&(row.program_id.as_str(), row.name.as_str()));
    let found = match share(facts, "float32_matmul_ratio", is_wide) {
        Ok(found) => found,
        Err(outcome) => return outcome,
    };
    let mut kinds = facts.working().map(|id| facts.session.device(id).kind);
    let is_tpu = kinds.any(|kind| kind == DeviceKind::Tpu);
    let finding = finding(
        &RULE,
        found.severity,
        format!(
            "{} of the devices' work are matrix products and convolutions of f32.",
            found.text
        ),
    )
    .code("model = MyModel(dtype=jnp.bfloat16, param_dtype=jnp.float32)   # flax")
    .seen(facts.largest_ops(is_wide));
    if is_tpu {
        return finding
            .why(
                "TPUs compute products of f32 in passes of bf16: one by default, so that only the \
                 bytes are twice as many; three or six at a higher precision.",
            )
            .fix(
                "See that jax_default_matmul_precision is not \"highest\" or \"float32\"; cast weights \
                 and activations to bf16 to halve what is read.",
            )
            .fix_elsewhere(
                "See that no higher precision is asked for; cast weights and activations to bf16 to \
                 halve what is read.",
            )
            .sure(Confidence::Low)
            .found();
    }
    finding
        .why(
            "Matrix units compute bf16 at least twice as fast as f32, and it takes half the bytes.",
        )
        .fix(
            "Cast weights and activations to bf16 for the products and keep the sums and the \
             optimizer in f32.",
        )
        .gain(
            found.per_step.map(|time| time / 2.0),
            "half of the time of these ops: bf16 at twice the rate",
        )
        .sure(Confidence::Medium)
        .found()
}
