//! TPU kernels whose pipeline waits for its inputs or outputs (regions that Pallas kernels record).

use super::{Outcome, Rule, finding, gravity};
use crate::judging::advice::evidence::in_view;
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::{AdviceEvidence, Confidence};
use crate::measuring::steps::PartKind;
use crate::telling::format;
use crate::views::ops::{OpRegion, regions_within};
use stepscope_model::SaturatingSum as _;

pub(super) static RULE: Rule = Rule {
    id: "kernel_input_wait",
    title: "Kernels waiting for inputs",
    parts: &[PartKind::DeviceCompute],
    check,
};

/// Waits for inputs and outputs in the pipeline that Pallas puts around a kernel's body.
const PIPELINE_WAIT: &str = "ep_wait";

fn check(facts: &Facts<'_>) -> Outcome {
    let regions = regions_within(facts.session, &facts.selected);
    if regions.is_empty() {
        return Outcome::Skipped("No kernel recorded regions.".to_owned());
    }
    // Other waits, such as those for a dependency, belong to the program, not to the kernel.
    let is_pipeline = |region: &&OpRegion| region.name.starts_with(PIPELINE_WAIT);
    let waits: Vec<&OpRegion> = regions.iter().filter(is_pipeline).collect();
    let waiting: i64 = waits.iter().map(|region| region.total_ps).saturating_sum();
    let ratio = waiting as f64 / facts.total_self_ps().max(1) as f64;
    let share = format::percent(ratio);
    let Some(severity) = gravity(&facts.threshold("kernel_wait_ratio"), ratio) else {
        return Outcome::Passed(format!("{share} of the work."));
    };
    let evidence = waits.iter().take(3).map(|region| {
        let wait = format::duration_ps(region.total_ps as f64);
        let name = format::shortened(&region.op);
        AdviceEvidence {
            program_id: region.program_id.clone(),
            op: region.op.clone(),
            ..in_view("ops", format!("{name}: {wait} in {}", region.name))
        }
    });
    finding(
        &RULE,
        severity,
        format!("For {share} of the devices' work, kernels wait for blocks to be copied in or out."),
    )
    .why(
        "A kernel's pipeline copies the next block while it computes on the current one. If the copy \
         takes longer, the compute units idle: there are too few operations per byte, or blocks are \
         too small.",
    )
    .fix(
        "Use larger blocks, so that data is read less often; more buffers for the late operand \
         (pl.Buffered); a grid whose innermost dimension keeps the largest operand in place; or \
         narrower types for operands.",
    )
    .gain(
        facts.per_step(waiting as f64),
        "share of the work that is these waits × time per step in which ops run",
    )
    .sure(Confidence::Medium)
    .seen(evidence)
    .found()
}
