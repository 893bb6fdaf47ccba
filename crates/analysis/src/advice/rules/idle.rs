//! The device is idle and nothing recorded says why (guides: device idle gaps).

use super::{NO_STEPS, Outcome, Rule, finding, gravity};
use crate::advice::facts::{Facts, part_ps};
use crate::advice::report::Confidence;
use crate::format;
use crate::overview::PartKind;

pub(super) static RULE: Rule = Rule {
    id: "idle",
    title: "Idle device",
    check,
};

fn check(facts: &Facts<'_>) -> Outcome {
    let part = |row: &_| part_ps(row, PartKind::Idle) as f64;
    let (Some(step), Some((place, time))) = (facts.step_ps, facts.worst(part)) else {
        return Outcome::Skipped(NO_STEPS.to_owned());
    };
    let share = format::percent(time / step);
    let Some(severity) = gravity(&facts.threshold("idle_ratio"), time / step) else {
        return Outcome::Passed(format!("At most {share} of a step."));
    };
    finding(
        &RULE,
        severity,
        format!(
            "{} is idle for {} of a step ({share}) while its host waits or recorded nothing.",
            facts.place_name(place),
            format::duration_ps(time)
        ),
    )
    .why(
        "Between one launch and the next the host waits for results or for another process, or does \
         something that no annotation names.",
    )
    .fix(
        "Look at the gaps in the timeline. Launch the next step before reading the results of the \
         last one; fewer block_until_ready. Where the host shows nothing, record it: \
         host_tracer_level=2 and jax.profiler.TraceAnnotation around what the loop does.",
    )
    .code("with jax.profiler.TraceAnnotation(\"load batch\"):\n    batch = next(loader)")
    .gain(Some(time), "the median over steps of this part on the device that has most of it")
    .sure(Confidence::Medium)
    .seen(facts.longest(place, PartKind::Idle))
    .found()
}
