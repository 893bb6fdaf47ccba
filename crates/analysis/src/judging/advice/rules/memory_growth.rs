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

/// It is bad if memory will be full in fewer steps at this rate. Longer projections than `KNOWN_STEPS`
/// are unreliable and are not shown.
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
        return Outcome::Skipped("Requires five steps in which memory was in use.".to_owned());
    }
    let growing = known.iter().filter(|(row, _, _)| row.is_growing);
    let Some((row, slope, sure)) = growing.max_by(|a, b| a.1.total_cmp(&b.1)) else {
        return Outcome::Passed("The minimum memory use per step does not rise.".to_owned());
    };
    let left = if *slope > 0.0 {
        row.headroom_bytes as f64 / slope
    } else {
        f64::INFINITY
    };
    let mut what = format!(
        "Minimum memory use on {} grows by {} per step ({} confidence).",
        row.allocator,
        format::bytes(*slope),
        format::percent(*sure)
    );
    if left < KNOWN_STEPS {
        what = format!("{what} At this rate, memory is full in {left:.0} steps.");
    }
    let severity = if left < GRAVE_STEPS {
        Severity::Bad
    } else {
        Severity::Warning
    };
    finding(&RULE, severity, what)
        .why(
            "Something is allocated in every step and kept: a list of losses or metrics that are \
             still arrays, a cache, or captured tracers.",
        )
        .fix(
            "Convert the arrays that are kept to numbers. Compare two memory snapshots a few \
             steps apart to see what allocated them.",
        )
        .fix_elsewhere("Convert the arrays that are kept to numbers, and check what allocates in every step.")
        .code("losses.append(float(loss))            # not the array\njax.profiler.save_device_memory_profile(f\"memory_{step}.prof\")")
        .sure(Confidence::Medium)
        .seen([in_view("memory", "minimum memory use per step".to_owned())])
        .found()
}
