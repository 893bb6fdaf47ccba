//! Matrix products of 16-bit types that do not use the matrix units (tensor-core use).

use stepscope_model::SaturatingSum as _;
use stepscope_model::is_16_bit_product;

use super::float32_matmul::is_float32;
use super::{Outcome, Rule, finding, gravity};
use crate::judging::advice::evidence::in_view;
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::{AdviceEvidence, Confidence};
use crate::measuring::steps::PartKind;
use crate::telling::format;
use crate::views::kernels::MatrixOp;

pub(super) static RULE: Rule = Rule {
    id: "matrix_units",
    title: "Matrix products without matrix units",
    parts: &[PartKind::DeviceCompute],
    check,
};

fn check(facts: &Facts<'_>) -> Outcome {
    let Some(kernels) = facts.kernels() else {
        return Outcome::Skipped("Only GPUs run kernels.".to_owned());
    };
    // Products of f32 have a separate rule.
    let is_narrow = |op: &&MatrixOp| {
        let mut programs = facts.programs().iter();
        let program = programs.find(|program| program.title == op.program);
        let found = program.and_then(|program| Some((program, program.hlo.instruction(&op.op)?)));
        found.is_some_and(|(program, instruction)| !is_float32(program.hlo, instruction))
    };
    let eligible: Vec<&MatrixOp> = kernels
        .matrix_ops
        .iter()
        .filter(|op| op.is_eligible)
        .filter(is_narrow)
        .collect();
    if eligible.is_empty() {
        let mut narrow = kernels
            .rows
            .iter()
            .filter(|row| is_16_bit_product(&row.name));
        return Outcome::Skipped(narrow.next().map_or_else(
            || "No matrix products of 16-bit types are known to have run.".to_owned(),
            |row| {
                format!(
                    "Kernels such as {} compute products of 16-bit types, but have no HLO op, so it \
                     is unknown which other kernels should use matrix units.",
                    format::shortened(&row.name)
                )
            },
        ));
    }
    let plain: i64 = eligible.iter().map(|op| op.plain_ps).saturating_sum();
    let ratio = plain as f64 / facts.total_self_ps().max(1) as f64;
    let share = format::percent(ratio);
    let Some(severity) = gravity(&facts.threshold("matrix_units_ratio"), ratio) else {
        return Outcome::Passed(format!("{share} of the work."));
    };
    let mut rows = eligible;
    rows.sort_by(|a, b| b.plain_ps.cmp(&a.plain_ps).then_with(|| a.op.cmp(&b.op)));
    let evidence = rows
        .into_iter()
        .filter(|op| op.plain_ps > 0)
        .take(3)
        .map(|op| {
            let time = format::duration_ps(op.plain_ps as f64);
            AdviceEvidence {
                program_id: op.program_id.clone(),
                op: op.op.clone(),
                ..in_view(
                    "ops",
                    format!("{}: {time} without them", format::shortened(&op.op)),
                )
            }
        });
    finding(
        &RULE,
        severity,
        format!(
            "{share} of the devices' work is spent on matrix products of 16-bit types in kernels that \
             do not use tensor cores."
        ),
    )
    .why(
        "Libraries fall back to ordinary kernels if dimensions or strides are not multiples of 8 \
         elements, or if autotuning is off.",
    )
    .fix("Make the dimensions of these products multiples of 8, preferably 64, and keep autotuning on.")
    .code("XLA_FLAGS=\"--xla_gpu_autotune_level=4\"    # the default")
    .sure(Confidence::Low)
    .seen(evidence)
    .found()
}
