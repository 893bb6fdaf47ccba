//! The host spends the step launching (guides: high kernel-launch share).

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

/// With more launches in the queue in the mean the device does not run dry.
const DEEP_QUEUE: f64 = 4.0;

fn check(facts: &Facts<'_>) -> Outcome {
    let Some(kernels) = facts.kernels() else {
        return Outcome::Skipped("Only GPUs run kernels.".to_owned());
    };
    let (Some(launching), Some((_, waits)), Some(step)) =
        (launching_ps(kernels), waiting(facts), facts.step_ps)
    else {
        let how = match recording::host_threads(facts.session) {
            "" => String::new(),
            line => format!(": {line}"),
        };
        return Outcome::Skipped(format!("Needs steps and the host's launch calls{how}."));
    };
    let calls: i64 = kernels.steps.iter().map(|row| row.calls).saturating_sum();
    let calls = calls as f64 / kernels.steps.len().max(1) as f64;
    let queue = depth(kernels);
    let text = format!(
        "The host is in launch calls for {} of a mean step ({}), {calls:.0} calls; {queue:.1} \
         launches are queued on average.",
        format::duration_ps(launching),
        format::percent(launching / step),
    );
    let gravity = gravity(&facts.threshold("launch_ratio"), launching / step);
    let is_told = tiny_kernels::is_found(facts);
    let Some(severity) = gravity.filter(|_| queue < DEEP_QUEUE && !is_told) else {
        return Outcome::Passed(text);
    };
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
        .why("The queue of the device runs empty while the host prepares the next launch.")
        .fix(
            "Fewer and larger kernels: more in one jitted function, larger batches; CUDA graphs \
             (command buffers), which launch many kernels with one call.",
        )
        .fix_elsewhere(
            "Fewer and larger kernels: more in one compiled function, larger batches; CUDA graphs, \
             which launch many kernels with one call.",
        )
        .code("XLA_FLAGS=\"--xla_gpu_graph_min_graph_size=1\"    # command buffers for short sequences too")
        .gain(
            Some(launching.min(waits)),
            "time in launch calls, at most the time in which devices wait for their host",
        )
        .sure(Confidence::Medium)
        .seen(evidence)
        .found()
}
