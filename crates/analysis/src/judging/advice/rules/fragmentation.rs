//! Fragmented free memory while memory is scarce (guides: fragmentation).

use super::{Outcome, Rule, finding, fullest, gravity};
use crate::judging::advice::evidence::in_view;
use crate::judging::advice::facts::Facts;
use crate::telling::format;

pub(super) static RULE: Rule = Rule {
    id: "fragmentation",
    title: "Fragmented device memory",
    parts: &[],
    check,
};

/// Fragmentation does not matter below this share of used memory.
const SCARCE: f64 = 0.7;

fn check(facts: &Facts<'_>) -> Outcome {
    let (row, ratio) = match fullest(facts, |row| Some(row.fragmentation_ratio)) {
        Ok(found) => found,
        Err(outcome) => return outcome,
    };
    let full = row.peak_ratio.unwrap_or(0.0);
    let text = format!(
        "{} on {} at its peak, with memory {} full.",
        format::percent(ratio),
        row.allocator,
        format::percent(full)
    );
    let gravity = gravity(&facts.threshold("fragmentation_ratio"), ratio);
    let Some(severity) = gravity.filter(|_| full > SCARCE) else {
        return Outcome::Passed(text);
    };
    finding(
        &RULE,
        severity,
        format!("Free memory is fragmented: {text}"),
    )
    .why("A large block does not fit although enough bytes are free in total.")
    .fix(
        "Allocate large arrays first and keep them. Let XLA preallocate the memory (the \
             default) instead of growing it piece by piece.",
    )
    .code("XLA_PYTHON_CLIENT_PREALLOCATE=true XLA_PYTHON_CLIENT_MEM_FRACTION=0.92")
    .seen([in_view("memory", "fragmentation over time".to_owned())])
    .found()
}
