//! Free memory in pieces while memory is scarce (guides: many small allocations, fragmentation).

use super::{Outcome, Rule, finding, gravity, memory_headroom::missing};
use crate::advice::facts::{Facts, in_view};
use crate::format;

pub(super) static RULE: Rule = Rule {
    id: "fragmentation",
    title: "Fragmented device memory",
    check,
};

/// Fragments do no harm while most of the memory is free.
const SCARCE: f64 = 0.7;

fn check(facts: &Facts<'_>) -> Outcome {
    let devices = facts
        .memory
        .allocators
        .iter()
        .filter(|row| !row.device.is_empty());
    let worst = devices.max_by(|a, b| a.fragmentation_ratio.total_cmp(&b.fragmentation_ratio));
    let Some(row) = worst else {
        return missing(facts);
    };
    let share = format::percent(row.fragmentation_ratio);
    let full = row.peak_ratio.unwrap_or(0.0);
    let text = format!(
        "{share} of {} at the peak, when it is {} full.",
        row.allocator,
        format::percent(full)
    );
    let gravity = gravity(
        &facts.threshold("fragmentation_ratio"),
        row.fragmentation_ratio,
    );
    let Some(severity) = gravity.filter(|_| full > SCARCE) else {
        return Outcome::Passed(text);
    };
    let small = row.small_allocations as f64 / row.allocations.max(1) as f64;
    finding(
        &RULE,
        severity,
        format!(
            "Free memory is in pieces: {text} {} of its allocations are of 4 KiB or less.",
            format::percent(small)
        ),
    )
    .why("A large block does not fit although enough bytes are free in all.")
    .fix("Allocate large arrays first and keep them; let XLA allocate all of the memory at once (the default), not piece by piece.")
    .code("XLA_PYTHON_CLIENT_PREALLOCATE=true XLA_PYTHON_CLIENT_MEM_FRACTION=0.92")
    .seen([in_view("memory", "fragmentation over time".to_owned())])
    .found()
}
