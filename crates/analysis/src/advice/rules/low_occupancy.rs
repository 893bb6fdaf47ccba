//! Kernels bound by compute that cannot fill the chip (guides: occupancy > 50 %).

use super::{Outcome, Rule, finding, gravity};
use crate::advice::facts::{Facts, in_view};
use crate::advice::report::Confidence;
use crate::format;

pub(super) static RULE: Rule = Rule {
    id: "low_occupancy",
    title: "Low occupancy of heavy kernels",
    check,
};

fn check(facts: &Facts<'_>) -> Outcome {
    let verdict = facts
        .overview
        .verdicts
        .iter()
        .find(|verdict| verdict.key == "occupancy_ratio");
    let Some((verdict, value)) = verdict.and_then(|verdict| Some((verdict, verdict.value?))) else {
        let why = verdict.map_or_else(String::new, |verdict| verdict.explanation.clone());
        return Outcome::Skipped(why);
    };
    let share = format::percent(value);
    let Some(severity) = gravity(&facts.threshold("kernel_occupancy_ratio"), value) else {
        return Outcome::Passed(format!("{share} by time."));
    };
    let rows = facts.kernels.iter().flat_map(|report| &report.rows);
    let low = rows.filter(|row| row.occupancy.is_some_and(|own| own < 0.5));
    let evidence = low.take(3).map(|row| {
        let own = format::percent(row.occupancy.unwrap_or(0.0));
        let registers = row
            .registers
            .map_or_else(String::new, |count| format!(", {count} registers"));
        in_view(
            "kernels",
            format!("{}: {own}{registers}", format::shortened(&row.name)),
        )
    });
    finding(
        &RULE,
        severity,
        format!("Compute-bound kernels could fill {share} of the threads of a multiprocessor. {}", verdict.explanation),
    )
    .why(
        "Each thread takes so many registers or so much shared memory that few fit. Kernels for \
         matrix units do well with few threads, so low occupancy alone is not yet slow.",
    )
    .fix("Check the tensor-core use and the roofline of these kernels first; then try other tile sizes (Triton, Pallas) or let XLA autotune.")
    .sure(Confidence::Low)
    .seen(evidence)
    .found()
}
