//! Compute-bound kernels that cannot fill the chip (guides: occupancy > 50 %).

use stepscope_model::SaturatingSum as _;

use super::{LEAST_OF_STEP, Outcome, Rule, finding, gravity};
use crate::judging::advice::evidence::in_view;
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::{AdviceEvidence, Confidence};
use crate::judging::verdict::Severity;
use crate::telling::format;
use crate::views::overview::{NO_OCCUPANCY, compute_bound_kernels, occupancy};

pub(super) static RULE: Rule = Rule {
    id: "low_occupancy",
    title: "Low occupancy of heavy kernels",
    parts: &[],
    check,
};

/// Kernels with a lower occupancy are named.
const LOW: f64 = 0.5;

fn check(facts: &Facts<'_>) -> Outcome {
    let Some(found) = occupancy(facts.session, facts.rows_of_ops(), &facts.totals) else {
        return Outcome::Skipped(NO_OCCUPANCY.to_owned());
    };
    let share = format::percent(found.ratio);
    let threshold = facts.threshold("kernel_occupancy_ratio");
    if found.is_enough || gravity(&threshold, found.ratio).is_none() {
        return Outcome::Passed(format!("{share} by time."));
    }
    let heavy = compute_bound_kernels(facts.session, facts.rows_of_ops(), &facts.totals);
    let rows = facts
        .kernels()
        .into_iter()
        .flat_map(|kernels| &kernels.rows)
        .filter(|row| row.occupancy.is_some() && heavy.contains(&row.name.as_str()));
    let heavy_ps = rows.clone().map(|row| row.total_ps).saturating_sum() as f64;
    let of_work = heavy_ps / facts.total_self_ps().max(1) as f64;
    let worked = facts.worked_per_step().zip(facts.step_ps);
    let of_step = worked.map(|(worked, step)| of_work * worked / step);
    if let Some(of_step) = of_step.filter(|&ratio| ratio < LEAST_OF_STEP) {
        return Outcome::Skipped(format!(
            "It is {share} by time, but in kernels that take only {} of the step.",
            format::percent(of_step)
        ));
    }
    let low = rows.filter(|row| row.occupancy.is_some_and(|own| own < LOW));
    let evidence = low.take(3).map(|row| {
        let own = format::percent(row.occupancy.unwrap_or(0.0));
        let limit = match row.occupancy_limit.as_str() {
            "" => String::new(),
            limit => format!(", limited by {limit}"),
        };
        AdviceEvidence {
            op: row.name.clone(),
            ..in_view(
                "kernels",
                format!("{}: {own}{limit}", format::shortened(&row.name)),
            )
        }
    });
    finding(
        &RULE,
        // By itself, it does not say that a kernel is slow.
        Severity::Warning,
        format!(
            "Compute-bound kernels that are not known to be near their rooflines can fill only {share} of \
             a multiprocessor's threads. They take {} ({} of the work).",
            format::duration_ps(heavy_ps),
            format::percent(of_work)
        ),
    )
    .why(
        "Threads need so many registers or so much shared memory that few of them fit. Kernels for \
         matrix units do well with few threads, so low occupancy alone does not mean they are slow.",
    )
    .fix(
        "First check the tensor-core use and roofline of these kernels. Then try other tile sizes \
         (Triton, Pallas) or let XLA autotune.",
    )
    .fix_elsewhere(
        "First check the tensor-core use of these kernels. Then try other tile sizes or another \
         library.",
    )
    .sure(Confidence::Low)
    .seen(evidence)
    .found()
}
