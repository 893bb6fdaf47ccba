//! Bytes allocated beyond those requested: blocks rounded up (padding waste of the allocator).

use super::{Outcome, Rule, finding, fullest, gravity};
use crate::judging::advice::evidence::in_view;
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::Confidence;
use crate::telling::format;
use stepscope_model::SaturatingSum as _;

pub(super) static RULE: Rule = Rule {
    id: "memory_rounding",
    title: "Memory lost to rounding",
    parts: &[],
    check,
};

/// Below this share of the capacity, the loss does not matter.
const MIN_SHARE: f64 = 0.01;

fn check(facts: &Facts<'_>) -> Outcome {
    let (row, ratio) = match fullest(facts, |row| row.rounding_ratio) {
        Ok(found) => found,
        Err(outcome) => return outcome,
    };
    let share = format::percent(ratio);
    // Only of what was allocated during the recording: the requested size of the rest is unknown.
    let own = facts.memory().alive.iter().filter(|alive| {
        alive.kind == "allocation" && alive.allocator == row.allocator && alive.host == row.host
    });
    let alive: i64 = own.map(|alive| alive.bytes).saturating_sum();
    let lost = ratio * alive as f64;
    let matters = lost > MIN_SHARE * row.capacity_bytes as f64;
    let gravity = gravity(&facts.threshold("rounding_ratio"), ratio);
    let Some(severity) = gravity.filter(|_| matters) else {
        return Outcome::Passed(format!("{share} of what {} allocated.", row.allocator));
    };
    finding(
        &RULE,
        severity,
        format!(
            "{share} of the bytes that {} allocated were not requested: about {} at the peak.",
            row.allocator,
            format::bytes(lost)
        ),
    )
    .why("Blocks are rounded up to the allocator's granularity, and arrays on TPUs to whole tiles.")
    .fix(
        "Use fewer and larger arrays. On TPUs, make last dimensions multiples of 128 and \
         second-to-last ones multiples of 8.",
    )
    .sure(Confidence::Low)
    .seen([in_view("memory", "allocations".to_owned())])
    .found()
}
