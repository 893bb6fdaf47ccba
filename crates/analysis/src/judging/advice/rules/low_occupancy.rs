//! Kernels bound by compute that cannot fill the chip (guides: occupancy > 50 %).

use super::{Outcome, Rule, finding, gravity};
use crate::judging::advice::evidence::in_view;
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::{AdviceEvidence, Confidence};
use crate::telling::format;
use crate::views::overview::{compute_bound_kernels, occupancy};

pub(super) static RULE: Rule = Rule {
    id: "low_occupancy",
    title: "Low occupancy of heavy kernels",
    parts: &[],
    check,
};

/// Kernels below are named.
const LOW: f64 = 0.5;

fn check(facts: &Facts<'_>) -> Outcome {
    let (value, explanation) = occupancy(facts.session, facts.rows_of_ops(), &facts.totals);
    let Some(value) = value else {
        return Outcome::Skipped(explanation);
    };
    let share = format::percent(value);
    let Some(severity) = gravity(&facts.threshold("kernel_occupancy_ratio"), value) else {
        return Outcome::Passed(format!("{share} by time."));
    };
    let rows = facts
        .kernels()
        .into_iter()
        .flat_map(|kernels| &kernels.rows);
    let heavy = compute_bound_kernels(facts.session, facts.rows_of_ops(), &facts.totals);
    let low = rows.filter(|row| {
        row.occupancy.is_some_and(|own| own < LOW) && heavy.contains(&row.name.as_str())
    });
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
        severity,
        format!(
            "Compute-bound kernels could fill {share} of the threads of a multiprocessor. {explanation}"
        ),
    )
    .why(
        "Each thread takes so many registers or so much shared memory that few fit. Kernels for \
         matrix units do well with few threads, so low occupancy alone is not yet slow.",
    )
    .fix("Check the tensor-core use and the roofline of these kernels first; then try other tile sizes (Triton, Pallas) or let XLA autotune.")
    .fix_elsewhere(
        "Check the tensor-core use of these kernels first; then try other tile sizes, or another \
         library.",
    )
    .sure(Confidence::Low)
    .seen(evidence)
    .found()
}
