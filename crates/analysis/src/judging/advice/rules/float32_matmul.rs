//! Matrix products in f32 where bf16 would do (XProf's low precision tip).

use rustc_hash::FxHashSet;
use stepscope_model::hlo::{Instruction, PrimitiveType, Program};
use stepscope_model::{DeviceKind, ProductType, SliceKind, is_16_bit_product, product_name};

use super::{CPU_ONLY, NO_HLO, Outcome, Rule, finding, share};
use crate::judging::advice::facts::Facts;
use crate::judging::advice::programs::ops_with;
use crate::judging::advice::report::Confidence;
use crate::measuring::steps::PartKind;
use crate::views::ops::{OpRow, Peaks, common_peaks};

pub(super) static RULE: Rule = Rule {
    id: "float32_matmul",
    title: "Matrix products in f32",
    parts: &[PartKind::DeviceCompute],
    check,
};

/// Whether most operations of the products that an instruction computes multiply 32-bit numbers, as
/// the program has them. Scales, biases and sums do not matter: products of fp8 have those in f32.
pub(super) fn is_float32(program: &Program, instruction: &Instruction) -> bool {
    let products = program.products(instruction);
    let wide = |product| matches!(product_name(product), "f32" | "tf32");
    let in_32_bits = products.parts().filter(|(product, _)| wide(*product));
    let flops: f64 = in_32_bits.map(|(_, flops)| flops).sum();
    let unknown = products.get(ProductType::Unknown);
    if unknown * 2.0 < products.total() {
        return flops * 2.0 > products.total();
    }
    has_f32_factors(program, instruction)
}

/// Where the type of the products is unknown: whether an operand is f32 and none is narrower.
fn has_f32_factors(program: &Program, instruction: &Instruction) -> bool {
    let types = || {
        let operands = program.operands(instruction);
        operands.map(|operand| operand.shape.first_leaf().element_type)
    };
    let is_narrow = |element: PrimitiveType| element.is_floating_point() && element.bits() < 32;
    types().any(|element| element == PrimitiveType::F32) && !types().any(is_narrow)
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

/// The peak of products of a type; none if devices differ, or it is unknown.
fn rate(peaks: &Peaks, product: ProductType) -> Option<f64> {
    Some(peaks.products[product.index()]?.per_second)
}

/// The peak of 16-bit products.
fn rate_of_16_bits(peaks: &Peaks) -> Option<f64> {
    let rates = [ProductType::Bf16, ProductType::F16].map(|product| rate(peaks, product));
    rates.into_iter().flatten().max_by(f64::total_cmp)
}

/// The share of a product's time that its operations do not need at the peak of 16-bit types; half
/// where that is unknown. Products often gain more than the ratio of the peaks: half the bytes, other
/// layouts.
fn saved_in_16_bits(row: &OpRow, peak: Option<f64>) -> f64 {
    let ratio = row.flop_rate.zip(peak);
    ratio.map_or(0.5, |(own, narrow)| (1.0 - own / narrow).clamp(0.0, 1.0))
}

/// Whether most of the time of these ops goes to products at the highest precision, on devices that
/// multiply f32 in tf32 by default.
fn at_highest_precision(
    facts: &Facts<'_>,
    peaks: &Peaks,
    is_wide: impl Fn(&OpRow) -> bool,
) -> bool {
    let usual = rate(peaks, ProductType::F32);
    let Some((usual, highest)) = usual.zip(rate(peaks, ProductType::F32Highest)) else {
        return false;
    };
    let is_highest = |program: &Program, _: &OpRow, instruction: &Instruction| {
        let products = program.products(instruction);
        products.get(ProductType::F32Highest) * 2.0 > products.total()
    };
    let exact = ops_with(facts.programs(), &facts.ops, is_highest);
    let (all_ps, _) = facts.ops_per_step(&is_wide);
    let (exact_ps, _) = facts.ops_per_step(|row| is_wide(row) && exact.has(row));
    highest < usual && exact_ps * 2 > all_ps
}

/// Whether the rule has a finding.
pub(super) fn is_found(facts: &Facts<'_>) -> bool {
    matches!(check(facts), Outcome::Found(_))
}

fn check(facts: &Facts<'_>) -> Outcome {
    if facts.is_cpu_only() {
        return Outcome::Skipped(CPU_ONLY.to_owned());
    }
    if facts.programs().is_empty() {
        return Outcome::Skipped(NO_HLO.to_owned());
    }
    let narrow = in_16_bits(facts);
    let is_product = |program: &Program, row: &OpRow, instruction: &Instruction| {
        let key = (row.program_id.clone(), row.name.clone());
        row.class == "matmul" && is_float32(program, instruction) && !narrow.contains(&key)
    };
    let wide = ops_with(facts.programs(), &facts.ops, is_product);
    let is_wide = |row: &OpRow| wide.has(row);
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
    let peaks = common_peaks(facts.session, &facts.working().collect::<Vec<_>>());
    let peak = rate_of_16_bits(&peaks);
    let finding = if at_highest_precision(facts, &peaks, is_wide) {
        finding
            .why(
                "Most of them ask for the highest precision, which these GPUs compute without matrix \
                 units. By default, they multiply f32 in tf32.",
            )
            .fix(
                "Ask for it only where the accuracy requires it (`precision=`, \
                 jax_default_matmul_precision), or cast weights and activations to bf16.",
            )
            .fix_elsewhere(
                "Ask for it only where the accuracy requires it, or cast weights and activations to \
                 bf16.",
            )
    } else {
        finding
            .why("Matrix units compute bf16 at least twice as fast as f32, with half the bytes.")
            .fix(
                "Cast weights and activations to bf16 for the products, and keep sums and the \
                 optimizer in f32.",
            )
    };
    finding
        .gain(
            facts.weighted_per_step(|row| {
                if is_wide(row) {
                    saved_in_16_bits(row, peak)
                } else {
                    0.0
                }
            }),
            "time of these ops beyond their operations at the peak of 16-bit types, half of it where \
             those are unknown",
        )
        .sure(Confidence::Medium)
        .found()
}
