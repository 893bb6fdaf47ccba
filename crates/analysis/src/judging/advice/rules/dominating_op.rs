//! One op takes most of the time (guides: one op > 50 %).

use super::known_ops::Known;
use super::python_ops::is_python;
use super::{
    LEAST_OF_STEP, LITTLE_WORK, Outcome, Rule, SHARE_OF_WORK, finding, gravity, is_control,
    ops_seen,
};
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::Confidence;
use crate::judging::verdict::Severity;
use crate::measuring::steps::PartKind;
use crate::telling::format;
use crate::views::ops::OpRow;
use stepscope_model::DeviceKind;

pub(super) static RULE: Rule = Rule {
    id: "dominating_op",
    title: "One op dominates",
    parts: &[PartKind::DeviceCompute],
    check,
};

fn check(facts: &Facts<'_>) -> Outcome {
    let threshold = facts.threshold("dominating_op_ratio");
    // Collectives, copies, Python and loops have separate rules.
    let has_own_rule = |row: &OpRow| {
        let is_moving = matches!(row.class.as_str(), "collective" | "copy");
        is_moving || is_python(row) || is_control(row)
    };
    let first = facts.rows_of_ops().next().filter(|row| has_own_rule(row));
    if let Some(row) = first.filter(|row| gravity(&threshold, row.self_ratio).is_some()) {
        return Outcome::Skipped(format!(
            "{} takes {} of the work; communication, copies, callbacks and loops have separate checks.",
            format::shortened(&row.name),
            format::percent(row.self_ratio)
        ));
    }
    let largest = facts.rows_of_ops().find(|row| !has_own_rule(row));
    let Some(row) = largest.filter(|_| facts.has_enough_work()) else {
        return Outcome::Skipped(LITTLE_WORK.to_owned());
    };
    let share = format::percent(row.self_ratio);
    let name = format::shortened(&row.name);
    let Some(severity) = gravity(&threshold, row.self_ratio) else {
        return Outcome::Passed(format!(
            "The largest compute op, {name}, takes {share} of the work."
        ));
    };
    // Most of little work is not much.
    let is_it = |one: &OpRow| one.name == row.name && one.program_id == row.program_id;
    let of_step = facts.weighted_per_step(|one| f64::from(is_it(one)));
    let of_step = of_step.zip(facts.step_ps).map(|(op, step)| op / step);
    if let Some(of_step) = of_step.filter(|&ratio| ratio < LEAST_OF_STEP) {
        return Outcome::Skipped(format!(
            "{name} takes {share} of the work, but only {} of the step.",
            format::percent(of_step)
        ));
    }
    let known = Known::of(facts, row);
    let gain = facts.above_roofline(&[row]);
    // Without peaks, it is unknown how fast the op could be: a fact, and no judgment.
    let severity = match (&known, gain) {
        (Some(_), _) => severity.max(Severity::Warning),
        (None, Some(_)) => severity,
        (None, None) => Severity::Info,
    };
    let roofline = row.roofline_ratio.map_or_else(String::new, |ratio| {
        format!(
            " It reaches {} of its roofline, bound by {}.",
            format::percent(ratio),
            row.bound_by
        )
    });
    let found = finding(
        &RULE,
        severity,
        format!(
            "{name} ({}) takes {share} of the devices' work.{roofline}{}",
            row.category,
            known.as_ref().map_or("", |known| &known.what)
        ),
    )
    .why("Improvements elsewhere matter less than this op.")
    .fix(
        known
            .as_ref()
            .map_or_else(|| fix(facts, row), |known| known.fix.to_owned()),
    );
    let found = match known {
        Some(_) => {
            let (_, per_step) = facts.ops_per_step(is_it);
            found.gain(per_step, SHARE_OF_WORK)
        }
        None => found.gain(gain, "its time × (1 − its roofline ratio)"),
    };
    found
        .sure(Confidence::Medium)
        .seen(ops_seen(std::iter::once(row), 1, |_| {
            format!("{share} of the work")
        }))
        .found()
}

/// What to change about the op: a kernel of a library is not advised where one already runs.
fn fix(facts: &Facts<'_>, row: &OpRow) -> String {
    let is_convolution = row.category.contains("convolution") || row.name.contains("-conv.");
    let is_product = is_convolution || matches!(row.class.as_str(), "matmul" | "attention");
    // XLA:CPU names fusions after the library that runs them.
    let is_library = row.category == "custom-call" || row.name.starts_with("ynn_");
    if is_product && is_library {
        return "It already runs in a kernel of a library or one written by hand, so look at what it \
                is asked to do: smaller types (bfloat16, float8) if the accuracy allows it, fewer and \
                larger products, dimensions that fill the kernel's tiles (multiples of 128), or another \
                algorithm."
            .to_owned();
    }
    let mut kinds = facts.working().map(|id| facts.session.device(id).kind);
    let library = match kinds.next() {
        _ if !is_product => "",
        Some(DeviceKind::NvidiaGpu) => {
            "; compare it with a library's kernel (cuBLAS, cuDNN) or a Pallas kernel"
        }
        Some(DeviceKind::AmdGpu) => {
            "; compare it with a library's kernel (hipBLASLt, MIOpen) or a Pallas kernel"
        }
        Some(DeviceKind::Tpu) => "; compare it with a Pallas kernel",
        _ => "",
    };
    format!("Profile it alone. Try another algorithm or precision{library}.")
}
