//! Kernels so short that launching them takes longer than running them (guides: many kernels below
//! 0.1 ms).

use std::collections::BTreeMap;
use stepscope_model::SaturatingSum as _;

use super::op_dispatch::OpDispatch;
use super::step_waits;
use super::{Outcome, Rule, WAITING, Waiting, finding, gravity, no_steps, waiting};
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

/// Shorter launches are tiny (the guides' bound for unfused kernels), as in `kernels`.
const TINY_PS: f64 = 1e8;
/// With fewer launches, kernels are not many.
const LEAST_LAUNCHES: i64 = 20;
/// Assumed upper bound of the cost of a launch if launch calls were not recorded.
const LAUNCH_PS: f64 = 1e7;

/// Mean time per step that the host spends in launch calls; none without steps or calls.
pub(super) fn launching_ps(kernels: &Launching) -> Option<f64> {
    let times: Vec<f64> = kernels
        .steps
        .iter()
        .map(|row| row.launch_ps as f64)
        .collect();
    (!times.is_empty()).then(|| times.iter().sum::<f64>() / times.len() as f64)
}

/// Mean number of queued launches on the device with the most launches; 0 if calls were not recorded.
pub(super) fn depth(kernels: &Launching) -> f64 {
    let main = kernels.devices.iter().max_by_key(|device| device.launched);
    main.map_or(0.0, |device| device.queue_mean)
}

/// What tiny kernels cost.
struct Tiny {
    /// Share of launches that are of tiny kernels.
    ratio: f64,
    launches: i64,
    /// Time per step, or in a recording without steps, that the device waits for its host because of
    /// them.
    blamed: f64,
    waiting: Waiting,
    step: f64,
}

fn tiny(facts: &Facts<'_>, kernels: &Launching) -> Option<Tiny> {
    let (waiting, step) = waiting(facts).zip(facts.period_ps())?;
    let bins = kernels.durations.iter();
    let launches = bins.clone().map(|bin| bin.occurrences).saturating_sum();
    let short = bins.filter(|bin| (bin.start_ps as f64) < TINY_PS);
    let short = short.map(|bin| bin.occurrences).saturating_sum();
    let ratio = short as f64 / launches.max(1) as f64;
    let devices = facts.working().count().max(1) as f64;
    // Tiny kernels do no harm as long as the device's queue never runs empty.
    let cost = match launching_ps(kernels) {
        Some(time) => time * ratio,
        None => short as f64 / facts.step_count() / devices * LAUNCH_PS,
    };
    Some(Tiny {
        ratio,
        launches,
        // What passes between steps is not between kernels.
        blamed: waiting
            .time
            .min(cost)
            .min(step_waits::left_ps(facts).unwrap_or(f64::INFINITY)),
        waiting,
        step,
    })
}

/// Whether the rule has a finding.
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
    if tiny.launches < LEAST_LAUNCHES {
        let kernels = format::counted(tiny.launches, "kernel");
        return Outcome::Passed(format!("Only {kernels} launched."));
    }
    if let Some(ops) = OpDispatch::of(facts) {
        return op_by_op(facts, &ops, &tiny);
    }
    let (calls, estimate) = match launching_ps(kernels) {
        Some(time) => (
            format!(
                " The host spends {} per step in launch calls; {:.1} launches are queued on average.",
                format::duration_ps(time),
                depth(kernels)
            ),
            "time in launch calls of tiny kernels, at most the time in which devices are idle while their \
             host works or waits",
        ),
        None => (
            String::new(),
            "10 µs per launch of a tiny kernel, at most the time in which devices are idle while their \
             host works or waits",
        ),
    };
    let text = format!(
        "{} of {} kernel launches take less than {}, and devices are idle for {}.{calls}",
        format::percent(tiny.ratio),
        tiny.launches,
        format::duration_ps(TINY_PS),
        tiny.waiting.told(facts)
    );
    let Some(severity) = gravity(
        &facts.threshold("tiny_kernel_ratio"),
        tiny.blamed / tiny.step,
    ) else {
        return Outcome::Passed(text);
    };
    finding(&RULE, severity, text)
        .why(
            "Each launch costs the host a few microseconds. If a kernel is shorter than that, the \
             device has to wait.",
        )
        .fix(
            "Put more into one jitted function, so that XLA can fuse it; use fewer branches, larger \
             batches, or CUDA graphs (command buffers), which launch many kernels with one call.",
        )
        .fix_elsewhere(
            "Put more into one compiled function, so that the compiler can fuse it; use fewer \
             branches, larger batches, or CUDA graphs, which launch many kernels with one call.",
        )
        .gain(Some(tiny.blamed), estimate)
        .sure(Confidence::Medium)
        .seen(most_launched(kernels))
        .found()
}

/// The outcome where the framework launches op by op: judged by the median step, since a few long steps say
/// nothing of what is launched.
fn op_by_op(facts: &Facts<'_>, ops: &OpDispatch, tiny: &Tiny) -> Outcome {
    let blamed = (ops.dispatch_ps * tiny.ratio)
        .min(ops.waiting_ps)
        .min(step_waits::left_ps(facts).unwrap_or(f64::INFINITY));
    let share = |time: f64| format::percent(time / ops.step_ps);
    let text = format!(
        "{} of {} kernel launches take less than {}. In the median step, {} is idle for {} ({}) while its \
         host works or waits, and the host dispatches ops for {}.",
        format::percent(tiny.ratio),
        tiny.launches,
        format::duration_ps(TINY_PS),
        facts.place_name(ops.place),
        format::duration_ps(ops.waiting_ps),
        share(ops.waiting_ps),
        format::duration_ps(ops.dispatch_ps),
    );
    let threshold = facts.threshold("tiny_kernel_ratio");
    let Some(severity) = gravity(&threshold, blamed / ops.step_ps) else {
        return Outcome::Passed(text);
    };
    finding(&RULE, severity, text)
        .titled("Ops are launched one by one".to_owned())
        .why(
            "PyTorch's eager mode dispatches each op on the host, which takes longer than the kernel that \
             it launches, so the device waits for the next one.",
        )
        .fix(
            "Compile the model: `torch.compile(model)` fuses ops, and `mode=\"reduce-overhead\"` launches \
             them as CUDA graphs; `torch.cuda.make_graphed_callables` does that without a compiler. \
             Update all parameters in a few kernels: `torch.optim.AdamW(…, fused=True)`. Use larger \
             batches.",
        )
        .gain(
            Some(blamed),
            "time in which ops of tiny kernels are dispatched in the median step, at most the time in \
             which the device is idle while its host works or waits",
        )
        .of_step(ops.step_ps)
        .sure(Confidence::Medium)
        .seen(facts.kernels().map_or_else(Vec::new, most_launched))
        .found()
}

/// The most-launched tiny kernels, by shortened name.
fn most_launched(kernels: &Launching) -> Vec<AdviceEvidence> {
    // C++ templates often differ only beyond the part of the name that is shown.
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
