//! One op takes most of the time (guides: one op > 50 %).

use super::{LITTLE_WORK, Outcome, Rule, finding, gravity};
use crate::advice::facts::{Facts, of_op};
use crate::advice::report::Confidence;
use crate::format;

pub(super) static RULE: Rule = Rule {
    id: "dominating_op",
    title: "One op dominates",
    check,
};

fn check(facts: &Facts<'_>) -> Outcome {
    // Collectives and copies have rules of their own.
    let rows = facts.ops.rows.iter();
    let rows = rows.filter(|row| !matches!(row.class.as_str(), "collective" | "copy"));
    let largest = rows.max_by_key(|row| row.self_ps);
    let Some(row) = largest.filter(|_| facts.has_enough_work()) else {
        return Outcome::Skipped(LITTLE_WORK.to_owned());
    };
    let share = format::percent(row.self_ratio);
    let name = format::shortened(&row.name);
    let Some(severity) = gravity(&facts.threshold("dominating_op_ratio"), row.self_ratio) else {
        return Outcome::Passed(format!("The largest, {name}, takes {share} of the work."));
    };
    // Without peaks nobody knows how fast it could be.
    let wasted = row
        .roofline_ratio
        .map(|ratio| row.self_ps as f64 * (1.0 - ratio).max(0.0));
    let roofline = row.roofline_ratio.map_or_else(String::new, |ratio| {
        format!(
            " It reaches {} of what the chip can do.",
            format::percent(ratio)
        )
    });
    finding(
        &RULE,
        severity,
        format!(
            "{name} ({}) takes {share} of the devices' work.{roofline}",
            row.category
        ),
    )
    .why("Whatever is done elsewhere cannot matter as much as this op.")
    .fix(
        "Profile it alone; try another algorithm or precision for it; for matrix products and \
         attention a library or a Pallas kernel.",
    )
    .gain(
        wasted.and_then(|wasted| facts.per_step(wasted)),
        "its time × (1 − its roofline ratio)",
    )
    .sure(Confidence::Medium)
    .seen([of_op(row, format!("{name}: {share} of the work"))])
    .found()
}
