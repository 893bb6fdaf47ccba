//! The host spends much of the step in launch calls (guides: high kernel-launch share).

use super::tiny_kernels::{self, depth, launching_ps};
use super::{Outcome, Rule, WAITING, finding, gravity, waiting};
use crate::judging::advice::evidence::between;
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::{AdviceEvidence, Confidence};
use crate::telling::format;
use crate::telling::recording;
use stepscope_model::SaturatingSum as _;

pub(super) static RULE: Rule = Rule {
    id: "launch_overhead",
    title: "The host is busy launching kernels",
    parts: WAITING,
    check,
};

/// With at least this mean number of queued launches, the device does not run out of work.
const DEEP_QUEUE: f64 = 4.0;

fn check(facts: &Facts<'_>) -> Outcome {
    let Some(kernels) = facts.kernels() else {
        return Outcome::Skipped("Only GPUs run kernels.".to_owned());
    };
    let (Some(launching), Some(waiting), Some(step)) =
        (launching_ps(kernels), waiting(facts), facts.step_ps)
    else {
        let how = match recording::host_threads(facts.session) {
            "" => String::new(),
            line => format!(": {line}"),
        };
        return Outcome::Skipped(format!("Requires steps and the host's launch calls{how}."));
    };
    let calls: i64 = kernels.steps.iter().map(|row| row.calls).saturating_sum();
    let calls = calls as f64 / kernels.steps.len().max(1) as f64;
    let queue = depth(kernels);
    let text = format!(
        "The host spends {} of the mean step ({}) in {calls:.0} launch calls; {queue:.1} launches are \
         queued on average.",
        format::duration_ps(launching),
        format::percent(launching / step),
    );
    let gravity = gravity(&facts.threshold("launch_ratio"), launching / step);
    let Some(severity) = gravity.filter(|_| queue < DEEP_QUEUE) else {
        return Outcome::Passed(text);
    };
    // That finding tells it already, so nothing has passed.
    if tiny_kernels::is_found(facts) {
        return Outcome::Found(Vec::new());
    }
    let worst = kernels.steps.iter().max_by_key(|row| row.launch_ps);
    let evidence = worst.map(|row| {
        let length = format::duration_ps(row.launch_ps as f64);
        AdviceEvidence {
            step: Some(row.step),
            ..between(
                row.start_ps,
                row.end_ps,
                format!(
                    "step {} on {}: {length} in launch calls",
                    row.step, row.host
                ),
            )
        }
    });
    finding(&RULE, severity, text)
        .why("The device's queue drains while the host prepares the next launch.")
        .fix(
            "Use fewer and larger kernels: put more into one jitted function, or use larger batches. \
             CUDA graphs (command buffers) launch many kernels with one call.",
        )
        .fix_elsewhere(
            "Use fewer and larger kernels: put more into one compiled function, or use larger batches. \
             CUDA graphs launch many kernels with one call.",
        )
        .code("XLA_FLAGS=\"--xla_gpu_graph_min_graph_size=1\"    # command buffers for short sequences too")
        .gain(
            Some(launching.min(waiting.time)),
            "time in launch calls, at most the time in which devices are idle while their host works or \
             waits",
        )
        .without("no-launch-gaps")
        .sure(Confidence::Medium)
        .seen(evidence)
        .found()
}
