//! The device is idle while the host does other work: dispatch, Python (guides: host overhead).

use super::{NO_STEPS, Outcome, Rule, finding, gravity};
use crate::advice::facts::{Facts, part_ps};
use crate::format;
use crate::overview::PartKind;

pub(super) static RULE: Rule = Rule {
    id: "host_bound",
    title: "The host cannot keep up",
    check,
};

fn check(facts: &Facts<'_>) -> Outcome {
    let part = |row: &_| part_ps(row, PartKind::HostOverhead) as f64;
    let (Some(step), Some((place, time))) = (facts.step_ps, facts.worst(part)) else {
        return Outcome::Skipped(NO_STEPS.to_owned());
    };
    let share = format::percent(time / step);
    let Some(severity) = gravity(&facts.threshold("host_bound_ratio"), time / step) else {
        return Outcome::Passed(format!("At most {share} of a step."));
    };
    finding(
        &RULE,
        severity,
        format!(
            "{} is idle for {} of a step ({share}) while its host does other work than input and \
             compilation: Python, dispatch, bookkeeping.",
            facts.place_name(place),
            format::duration_ps(time)
        ),
    )
    .why("Work is launched one piece at a time, and the next launch waits for Python.")
    .fix(
        "Put the whole step into one jitted function; several steps into one with jax.lax.scan; do \
         not read results (float(loss), block_until_ready, print) in every step; keep logging and \
         checkpoints out of the loop.",
    )
    .code(
        "@jax.jit\ndef many_steps(state, batches):\n    return jax.lax.scan(train_step, state, batches)",
    )
    .gain(Some(time), "the median over steps of this part on the device that has most of it")
    .seen(facts.longest(place, PartKind::HostOverhead))
    .found()
}
