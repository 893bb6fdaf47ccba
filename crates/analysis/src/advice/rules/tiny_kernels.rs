//! Kernels so short that launching them takes longer than running them (guides: many kernels below
//! 0.1 ms, high kernel-launch share).

use super::{Outcome, Rule, finding, gravity};
use crate::advice::facts::{Facts, in_view, part_ps};
use crate::advice::report::Confidence;
use crate::format;
use crate::overview::PartKind;

pub(super) static RULE: Rule = Rule {
    id: "tiny_kernels",
    title: "Many tiny kernels",
    check,
};

/// A kernel is tiny below this (the guides' bound for kernels that were not fused).
const TINY_PS: f64 = 1e8;
/// What a launch costs at most while the device waits for it.
const LAUNCH_PS: f64 = 1e7;

fn check(facts: &Facts<'_>) -> Outcome {
    let Some(kernels) = facts
        .kernels
        .as_ref()
        .filter(|report| !report.rows.is_empty())
    else {
        return Outcome::Skipped("Only GPUs run kernels.".to_owned());
    };
    let launches: i64 = kernels.rows.iter().map(|row| row.occurrences).sum();
    let tiny = kernels.rows.iter().filter(|row| row.mean_ps < TINY_PS);
    let tiny: i64 = tiny.map(|row| row.occurrences).sum();
    let share = tiny as f64 / launches.max(1) as f64;
    let gaps = facts
        .mean(|row| (part_ps(row, PartKind::Idle) + part_ps(row, PartKind::HostOverhead)) as f64);
    let Some((gaps, step)) = gaps.zip(facts.step_ps) else {
        return Outcome::Skipped(super::NO_STEPS.to_owned());
    };
    let text = format!(
        "{} of {launches} kernel launches are shorter than {}, and devices wait between kernels for {} \
         of a step.",
        format::percent(share),
        format::duration_ps(TINY_PS),
        format::percent(gaps / step)
    );
    // Small kernels do no harm as long as the queue of the device never runs empty.
    let steps = facts.overview.step_series.len().max(1) as f64;
    let per_step = tiny as f64 / steps / facts.working_devices();
    let blamed = gaps.min(per_step * LAUNCH_PS);
    let Some(severity) = gravity(&facts.threshold("tiny_kernel_ratio"), blamed / step) else {
        return Outcome::Passed(text);
    };
    let mut rows: Vec<_> = kernels
        .rows
        .iter()
        .filter(|row| row.mean_ps < TINY_PS)
        .collect();
    rows.sort_by(|a, b| {
        b.occurrences
            .cmp(&a.occurrences)
            .then_with(|| a.name.cmp(&b.name))
    });
    let evidence = rows.into_iter().take(3).map(|row| {
        let (name, mean) = (
            format::shortened(&row.name),
            format::duration_ps(row.mean_ps),
        );
        in_view(
            "kernels",
            format!("{name}: {} launches of {mean}", row.occurrences),
        )
    });
    finding(&RULE, severity, text)
        .why("Each launch costs the host some microseconds; a kernel that is shorter leaves the device waiting.")
        .fix(
            "Put more into one jitted function, so that XLA can fuse it; fewer branches; larger \
             batches; CUDA graphs (command buffers), which launch many kernels at once.",
        )
        .gain(Some(blamed), "10 µs for each tiny launch, at most the time between kernels")
        .sure(Confidence::Medium)
        .seen(evidence)
        .found()
}
