//! Ops that seem faster than the chip can be: their figures are unreliable.

use super::{LITTLE_WORK, Outcome, Rule, finding, ops_seen, share};
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::Confidence;
use crate::judging::verdict::Severity;
use crate::telling::format;
use crate::views::ops::{OpRow, is_over_peak};

pub(super) static RULE: Rule = Rule {
    id: "over_peak",
    title: "Ops above the roofline",
    parts: &[],
    check,
};

fn is_over(row: &OpRow) -> bool {
    is_over_peak(row.roofline_ratio)
}

fn check(facts: &Facts<'_>) -> Outcome {
    if !facts.has_enough_work() {
        return Outcome::Skipped(LITTLE_WORK.to_owned());
    }
    if facts.rows_of_ops().all(|row| row.roofline_ratio.is_none()) {
        return Outcome::Skipped(
            "The peaks of the chip or the work of its ops are unknown.".to_owned(),
        );
    }
    let found = match share(facts, "over_peak_ratio", is_over) {
        Ok(found) => found,
        Err(outcome) => return outcome,
    };
    let rows = facts.rows_of_ops().filter(|row| is_over(row));
    finding(
        &RULE,
        found.severity.max(Severity::Warning),
        format!(
            "{} of the devices' work is spent on ops that seem faster than the chip can be, so their \
             rooflines and rates are unreliable.",
            found.text
        ),
    )
    .why(
        "Bytes are counted as moved although they stay in a cache or in on-chip memory, the recorded \
         peak is too low, or part of the op's time was recorded elsewhere.",
    )
    .fix("Judge these ops by their time. Check in `roofline` which peak they exceed and where it comes from.")
    .sure(Confidence::Medium)
    .seen(ops_seen(rows, 3, |row| {
        format!(
            "{} of its {} roofline, {} of the work",
            format::percent(row.roofline_ratio.unwrap_or(0.0)),
            row.bound_by,
            format::percent(row.self_ratio)
        )
    }))
    .found()
}
