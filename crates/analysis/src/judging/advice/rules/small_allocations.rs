//! Many small allocations in every step (guides: many small allocations).

use super::{Outcome, Rule, finding, fullest, gravity, no_steps};
use crate::judging::advice::evidence::in_view;
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::Confidence;
use crate::telling::format;

pub(super) static RULE: Rule = Rule {
    id: "small_allocations",
    title: "Many small allocations",
    parts: &[],
    check,
};

fn check(facts: &Facts<'_>) -> Outcome {
    let (row, count) = match fullest(facts, |row| Some(row.small_allocations as f64)) {
        Ok(found) => found,
        Err(outcome) => return outcome,
    };
    if facts.step_ps.is_none() {
        return Outcome::Skipped(no_steps(facts));
    }
    let per_step = count / facts.step_count();
    let text = format!(
        "{per_step:.1} allocations of 4 KiB or less per step on {}, out of {:.1} in total.",
        row.device,
        row.allocations as f64 / facts.step_count()
    );
    let Some(severity) = gravity(&facts.threshold("small_allocations_count"), per_step) else {
        return Outcome::Passed(text);
    };
    finding(&RULE, severity, text)
        .why(
            "Each small array is a separate result or copy: scalars and metrics that are computed \
             outside the step, or trees with small leaves.",
        )
        .fix(format!(
            "Compute metrics within the jitted step and return them as one array; combine the \
             optimizer's counters. Fewer results also make each call cheaper. Fragmentation: {} at the \
             peak.",
            format::percent(row.fragmentation_ratio)
        ))
        .fix_elsewhere(format!(
            "Compute metrics within the step and return them as one array; combine the optimizer's \
             counters. Fewer results also make each call cheaper. Fragmentation: {} at the peak.",
            format::percent(row.fragmentation_ratio)
        ))
        .sure(Confidence::Medium)
        .seen([in_view("memory", "what allocates".to_owned())])
        .found()
}
