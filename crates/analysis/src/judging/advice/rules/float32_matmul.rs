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

/// Whether an operand is f32 and none is a 16-bit float. Indices and predicates do not matter.
pub(super) fn is_float32(program: &Program, instruction: &Instruction) -> bool {
    let types = || {
        let operands = program.operands(instruction);
        operands.map(|operand| operand.shape.first_leaf().element_type.name())
    };
    types().any(|name| name == "f32") && !types().any(|name| matches!(name, "bf16" | "f16"))
}

/// Ops, by program id and name, whose kernels multiply 16-bit numbers according to their names: the
/// library casts the operands.
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
            "{} of the devices' work is spent on matrix products and convolutions in f32.",
            found.text
        ),
    )
    .code("model = MyModel(dtype=jnp.bfloat16, param_dtype=jnp.float32)   # flax")
    .seen(facts.largest_ops(is_wide));
    if is_tpu {
        return finding
            .why(
                "TPUs compute f32 products in bf16 passes. By default there is one pass, so only the \
                 bytes double; higher precisions take three or six passes.",
            )
            .fix(
                "Make sure that jax_default_matmul_precision is not \"highest\" or \"float32\". Cast \
                 weights and activations to bf16 to read half as many bytes.",
            )
            .fix_elsewhere(
                "Make sure that no higher precision is set. Cast weights and activations to bf16 to \
                 read half as many bytes.",
            )
            .sure(Confidence::Low)
            .found();
    }
    finding
        .why(
            "Matrix units compute bf16 at least twice as fast as f32, with half the bytes.",
        )
        .fix(
            "Cast weights and activations to bf16 for the products, and keep sums and the optimizer \
             in f32.",
        )
        .gain(
            found.per_step.map(|time| time / 2.0),
            "half the time of these ops, assuming that bf16 runs at twice the rate",
        )
        .sure(Confidence::Medium)
        .found()
}
