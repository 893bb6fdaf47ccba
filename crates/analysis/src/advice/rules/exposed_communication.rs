//! Communication that no computation hides (guides: large all-reduce, poor overlap).

use super::{NO_STEPS, Outcome, Rule, finding, gravity};
use crate::advice::facts::{Facts, largest_ops, part_ps};
use crate::advice::report::Confidence;
use crate::format;
use crate::overview::PartKind;
use crate::verdict::Severity;

pub(super) static RULE: Rule = Rule {
    id: "exposed_communication",
    title: "Communication that nothing hides",
    check,
};

fn check(facts: &Facts<'_>) -> Outcome {
    let exposed = |row: &_| part_ps(row, PartKind::Collectives) as f64;
    let Some((step, mean)) = facts.step_ps.zip(facts.mean(exposed)) else {
        return Outcome::Skipped(NO_STEPS.to_owned());
    };
    let ratio = mean / step;
    let share = format::percent(ratio);
    let gravity = gravity(&facts.threshold("exposed_collectives_ratio"), ratio);
    let is_cpu = facts.is_cpu_only();
    let Some(severity) = gravity.map(|found| if is_cpu { Severity::Warning } else { found }) else {
        return Outcome::Passed(format!("{share} of a step, mean over devices."));
    };
    let compute = facts
        .mean(|row| part_ps(row, PartKind::DeviceCompute) as f64)
        .unwrap_or(0.0);
    let typical = facts.typical(exposed);
    let least = typical
        .iter()
        .map(|(_, time)| *time)
        .fold(f64::INFINITY, f64::min);
    let most = typical.iter().map(|(_, time)| *time).fold(0.0, f64::max);
    let waits = if most - least > 0.2 * most {
        format!(
            " From {} to {} on different devices: the difference is waiting for the last to arrive.",
            format::duration_ps(least),
            format::duration_ps(most)
        )
    } else {
        String::new()
    };
    finding(
        &RULE,
        severity,
        format!(
            "Devices communicate for {} of a step ({share}) without computing anything.{waits}",
            format::duration_ps(mean)
        ),
    )
    .why(
        "A collective that the next op needs at once cannot run beside anything; a small one costs \
         its latency whatever its size.",
    )
    .fix(if facts.is_cpu_only() {
        "Virtual devices of XLA:CPU share the cores of their host and wait for one another's turns, so \
         this says little about accelerators: judge communication there."
    } else {
        "Let the compiler overlap it (latency hiding scheduler, asynchronous collectives); join many \
         small ones; accumulate gradients over several batches; choose a sharding that communicates \
         less, or within a host rather than between hosts."
    })
    .code(if facts.is_cpu_only() { "" } else { "XLA_FLAGS=\"--xla_gpu_enable_latency_hiding_scheduler=true\"    # GPU; TPUs do it by default" })
    .gain(
        (!facts.is_cpu_only()).then(|| least.min(compute)),
        "what the device that waits least communicates, as far as there is computation to hide it behind",
    )
    .sure(if facts.is_cpu_only() { Confidence::Low } else { Confidence::Medium })
    .seen(largest_ops(facts, |row| row.class == "collective"))
    .found()
}
