//! Memory that grows from step to step: a leak.

use super::{Outcome, Rule, finding, no_memory};
use crate::judging::advice::evidence::in_view;
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::Confidence;
use crate::judging::verdict::Severity;
use crate::telling::format;

pub(super) static RULE: Rule = Rule {
    id: "memory_growth",
    title: "Memory grows from step to step",
    parts: &[],
    check,
};

/// Memory that is full after fewer steps at this pace is grave; after more than that nobody knows.
const GRAVE_STEPS: f64 = 1e5;
const KNOWN_STEPS: f64 = 1e7;

fn check(facts: &Facts<'_>) -> Outcome {
    let allocators = &facts.memory().allocators;
    if allocators.is_empty() {
        return no_memory(facts);
    }
    let known = allocators.iter().filter_map(|row| {
        Some((
            row,
            row.growth_bytes_per_step?,
            row.growth_confidence_ratio?,
        ))
    });
    let known: Vec<_> = known.collect();
    if known.is_empty() {
        return Outcome::Skipped("Needs five steps in which memory was in use.".to_owned());
    }
    let growing = known.iter().filter(|(row, _, _)| row.is_growing);
    let Some((row, slope, sure)) = growing.max_by(|a, b| a.1.total_cmp(&b.1)) else {
        return Outcome::Passed("The low points of the steps do not rise.".to_owned());
    };
    let left = if *slope > 0.0 {
        row.headroom_bytes as f64 / slope
    } else {
        f64::INFINITY
    };
    let mut what = format!(
        "{} has {} more in use at the low point of each step than at the one before ({} sure).",
        row.allocator,
        format::bytes(*slope),
        format::percent(*sure)
    );
    if left < KNOWN_STEPS {
        what = format!("{what} At this pace it is full in {left:.0} steps.");
    }
    let severity = if left < GRAVE_STEPS {
        Severity::Bad
    } else {
        Severity::Warning
    };
    finding(&RULE, severity, what)
        .why("Something is allocated in every step and kept: a list of losses or metrics that are still arrays, a cache, captured tracers.")
        .fix("Turn what is kept into numbers, and compare two memory snapshots some steps apart to see who allocated.")
        .fix_elsewhere("Turn what is kept into numbers; see who allocates in every step.")
        .code("losses.append(float(loss))            # not the array\njax.profiler.save_device_memory_profile(f\"memory_{step}.prof\")")
        .sure(Confidence::Medium)
        .seen([in_view("memory", "low points of the steps".to_owned())])
        .found()
}
