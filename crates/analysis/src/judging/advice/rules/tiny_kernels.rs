//! Kernels so short that launching them takes longer than running them (guides: many kernels below
//! 0.1 ms).

use std::collections::BTreeMap;
use stepscope_model::SaturatingSum as _;

use super::{Outcome, Rule, WAITING, finding, gravity, no_steps, waiting};
use crate::judging::advice::evidence::in_view;
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::{AdviceEvidence, Confidence};
use crate::telling::format;
use crate::views::kernels::Launching;

pub(super) static RULE: Rule = Rule {
    id: "tiny_kernels",
    title: "Many tiny kernels",
    parts: WAITING,
    check,
};

/// A kernel is tiny below this (the guides' bound for kernels that were not fused).
const TINY_PS: f64 = 1e8;
/// What a launch costs at most while the device waits for it, where launch calls are not recorded.
const LAUNCH_PS: f64 = 1e7;

/// Time of the mean step in which the host is in launch calls; none without steps or calls.
pub(super) fn launching_ps(kernels: &Launching) -> Option<f64> {
    let times: Vec<f64> = kernels
        .steps
        .iter()
        .map(|row| row.launch_ps as f64)
        .collect();
    (!times.is_empty()).then(|| times.iter().sum::<f64>() / times.len() as f64)
}

/// Launches in the queue in the mean, of the device with most of them; 0 where calls are not
/// recorded.
pub(super) fn depth(kernels: &Launching) -> f64 {
    let main = kernels.devices.iter().max_by_key(|device| device.launched);
    main.map_or(0.0, |device| device.queue_mean)
}

/// What tiny kernels cost.
struct Tiny {
    /// Share of launches.
    ratio: f64,
    launches: i64,
    /// Time of a step, or of a recording without steps, in which the device waits for its host,
    /// blamed on them.
    blamed: f64,
    waits: f64,
    step: f64,
}

fn tiny(facts: &Facts<'_>, kernels: &Launching) -> Option<Tiny> {
    let ((_, waits), step) = waiting(facts).zip(facts.period_ps())?;
    let launches: i64 = kernels
        .rows
        .iter()
        .map(|row| row.occurrences)
        .saturating_sum();
    let short = kernels.rows.iter().filter(|row| row.mean_ps < TINY_PS);
    let short: i64 = short.map(|row| row.occurrences).saturating_sum();
    let ratio = short as f64 / launches.max(1) as f64;
    let devices = facts.working().count().max(1) as f64;
    // Small kernels do no harm as long as the queue of the device never runs empty.
    let cost = match launching_ps(kernels) {
        Some(time) => time * ratio,
        None => short as f64 / facts.step_count() / devices * LAUNCH_PS,
    };
    Some(Tiny {
        ratio,
        launches,
        blamed: waits.min(cost),
        waits,
        step,
    })
}

/// The rule has a finding.
pub(super) fn is_found(facts: &Facts<'_>) -> bool {
    matches!(check(facts), Outcome::Found(_))
}

fn check(facts: &Facts<'_>) -> Outcome {
    let Some(kernels) = facts.kernels() else {
        return Outcome::Skipped("Only GPUs run kernels.".to_owned());
    };
    let Some(tiny) = tiny(facts, kernels) else {
        return Outcome::Skipped(no_steps(facts));
    };
    let (calls, estimate) = match launching_ps(kernels) {
        Some(time) => (
            format!(
                " The host is in launch calls for {} of a step; the queue holds {:.1} launches on \
                 average.",
                format::duration_ps(time),
                depth(kernels)
            ),
            "time in launch calls of tiny kernels, at most the time in which devices wait",
        ),
        None => (
            String::new(),
            "10 µs for each tiny launch, at most the time in which devices wait",
        ),
    };
    let text = format!(
        "{} of {} kernel launches are of kernels that take less than {} on average, and devices \
         wait for their host for {} of {}.{calls}",
        format::percent(tiny.ratio),
        tiny.launches,
        format::duration_ps(TINY_PS),
        format::percent(tiny.waits / tiny.step),
        facts.period()
    );
    let Some(severity) = gravity(
        &facts.threshold("tiny_kernel_ratio"),
        tiny.blamed / tiny.step,
    ) else {
        return Outcome::Passed(text);
    };
    finding(&RULE, severity, text)
        .why("Each launch costs the host some microseconds; a kernel that is shorter leaves the device waiting.")
        .fix(
            "Put more into one jitted function, so that XLA can fuse it; fewer branches; larger \
             batches; CUDA graphs (command buffers), which launch many kernels at once.",
        )
        .fix_elsewhere(
            "Put more into one compiled function, so that the compiler can fuse it; fewer branches; \
             larger batches; CUDA graphs, which launch many kernels at once.",
        )
        .gain(Some(tiny.blamed), estimate)
        .sure(Confidence::Medium)
        .seen(most_launched(kernels))
        .found()
}

/// The tiny kernels that are launched most, each name once.
fn most_launched(kernels: &Launching) -> Vec<AdviceEvidence> {
    // Templates of C++ differ where nobody reads on.
    let mut sums: BTreeMap<String, (i64, i64)> = BTreeMap::new();
    for row in kernels.rows.iter().filter(|row| row.mean_ps < TINY_PS) {
        let sum = sums.entry(format::shortened(&row.name)).or_default();
        *sum = (
            sum.0.saturating_add(row.occurrences),
            sum.1.saturating_add(row.total_ps),
        );
    }
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_by(|a, b| b.1.0.cmp(&a.1.0).then_with(|| a.0.cmp(&b.0)));
    let shown = sums.into_iter().take(3).map(|(name, (count, total))| {
        let mean = format::duration_ps(total as f64 / count.max(1) as f64);
        in_view("kernels", format!("{name}: {count} launches of {mean}"))
    });
    shown.collect()
}
