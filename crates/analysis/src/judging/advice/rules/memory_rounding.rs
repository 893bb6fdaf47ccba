//! Bytes that nobody asked for: blocks rounded up (padding waste of the allocator).

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

/// Below this share of the capacity nobody needs to care.
const MIN_SHARE: f64 = 0.01;

fn check(facts: &Facts<'_>) -> Outcome {
    let (row, ratio) = match fullest(facts, |row| row.rounding_ratio) {
        Ok(found) => found,
        Err(outcome) => return outcome,
    };
    let share = format::percent(ratio);
    // Of what was allocated in the recording: nobody knows what the rest was asked for.
    let own = facts.memory().alive.iter().filter(|alive| {
        alive.kind == "allocation" && alive.allocator == row.allocator && alive.host == row.host
    });
    let alive: i64 = own.map(|alive| alive.bytes).saturating_sum();
    let lost = ratio * alive as f64;
    let matters = lost > MIN_SHARE * row.capacity_bytes as f64;
    let gravity = gravity(&facts.threshold("rounding_ratio"), ratio);
    let Some(severity) = gravity.filter(|_| matters) else {
        return Outcome::Passed(format!("{share} of what {} handed out.", row.allocator));
    };
    finding(
        &RULE,
        severity,
        format!(
            "{share} of the bytes that {} handed out were not asked for: at the peak about {}.",
            row.allocator,
            format::bytes(lost)
        ),
    )
    .why("Blocks are rounded up to the allocator's grain, and arrays on TPUs to whole tiles.")
    .fix("Fewer and larger arrays; on TPUs last dimensions that are multiples of 128 and second last ones of 8.")
    .sure(Confidence::Low)
    .seen([in_view("memory", "allocations".to_owned())])
    .found()
}
