//! Work on f64, mostly because `jax_enable_x64` was set for something else.

use stepscope_model::hlo::{Instruction, PrimitiveType, Program, Shape};
use stepscope_model::{DeviceKind, OperandType, ProductType};

use super::{NO_HLO, Outcome, Rule, finding, share};
use crate::judging::advice::facts::Facts;
use crate::judging::advice::programs::ops_with;
use crate::judging::advice::report::Confidence;
use crate::measuring::steps::PartKind;
use crate::telling::format;
use crate::views::ops::{OpRow, Peaks, common_peaks};

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

/// Whether the rule has a finding.
pub(super) fn is_found(facts: &Facts<'_>) -> bool {
    matches!(check(facts), Outcome::Found(_))
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
    let kinds: Vec<DeviceKind> = facts.kinds().collect();
    let peaks = common_peaks(facts.session, &facts.working().collect::<Vec<_>>());
    let rate = |product: ProductType| Some(peaks.products[product.index()]?.per_second);
    // Rates of f64 where a chip's table has them, and not the stated peak of all else.
    let ratio = rate(ProductType::F64).zip(rate(ProductType::F32));
    let ratio = ratio.map(|(wide, narrow)| (wide / narrow).clamp(0.0, 1.0));
    let ratio = ratio.filter(|_| computes_f64(&peaks));
    finding(
        &RULE,
        found.severity,
        format!(
            "{} of the devices' work reads or writes arrays of f64.",
            found.text
        ),
    )
    .why(why(&kinds, ratio))
    .fix(
        "Unless the model needs it, do not set jax_enable_x64. If one part needs it, cast only its \
         arrays, and check that NumPy arrays of float64 do not reach the others.",
    )
    .fix_elsewhere(
        "Unless the model needs it, compute in f32. If one part needs it, cast only its arrays.",
    )
    .code("jax.config.update(\"jax_enable_x64\", False)")
    .seen(facts.largest_ops(is_wide))
    .gain(
        facts.weighted_per_step(|row| if is_wide(row) { saved(row, ratio) } else { 0.0 }),
        estimate(ratio),
    )
    .sure(Confidence::Medium)
    .found()
}

/// Whether the peak of f64 is one of f64.
fn computes_f64(peaks: &Peaks) -> bool {
    let peak = peaks.products[ProductType::F64.index()];
    peak.is_some_and(|peak| peak.computed_in == Some(OperandType::F64))
}

/// The share of an op's time that f32 would not take: half where bytes decide, and else what the ratio of the
/// peaks leaves. Where that is unknown, all of it.
fn saved(row: &OpRow, ratio: Option<f64>) -> f64 {
    match ratio {
        Some(_) if row.bound_by == "memory" => 0.5,
        Some(ratio) => 1.0 - ratio,
        None => 1.0,
    }
}

const fn estimate(ratio: Option<f64>) -> &'static str {
    match ratio {
        Some(_) => {
            "the time of these ops, less what they would take in f32: half where bytes decide, and else \
             the peak of f64 \u{f7} the peak of f32"
        }
        None => {
            "the time of these ops: f32 saves about half of it where bytes decide, and more where \
             arithmetic does"
        }
    }
}

/// Why f64 is slow on these devices.
fn why(kinds: &[DeviceKind], ratio: Option<f64>) -> String {
    let bytes = "An array of f64 has twice the bytes of f32.";
    let rate = match (kinds.first(), ratio) {
        _ if kinds.windows(2).any(|two| two[0] != two[1]) => {
            "Accelerators compute f64 at a fraction of the rate of f32.".to_owned()
        }
        (Some(DeviceKind::Tpu | DeviceKind::SparseCore), _) => "TPUs emulate f64.".to_owned(),
        (Some(DeviceKind::Cpu), _) => {
            "A CPU computes half as many numbers at a time, and XLA:CPU has its fastest kernels for f32 \
             only."
                .to_owned()
        }
        (_, Some(ratio)) if ratio < 1.0 => format!(
            "This chip multiplies f64 at {} of the rate at which it multiplies f32 by default.",
            format::percent(ratio)
        ),
        (_, Some(_)) => "This chip multiplies f64 as fast as f32.".to_owned(),
        _ => "Most GPUs compute f64 at 1/32 or 1/64 of the rate of f32; those for data centers at a half or \
              less."
            .to_owned(),
    };
    format!("{bytes} {rate}")
}
