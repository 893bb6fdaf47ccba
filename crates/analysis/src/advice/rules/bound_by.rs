//! What bounds the program: compute, memory, or neither (XProf's ComputeBound, MemoryBound,
//! TensorCoreIdle).

use super::{LITTLE_WORK, Outcome, Rule, finding};
use crate::advice::facts::{Facts, largest_ops, of_op, part_ps};
use crate::advice::report::Confidence;
use crate::format;
use crate::ops::OpRow;
use crate::overview::PartKind;
use crate::verdict::Severity;

pub(super) static RULE: Rule = Rule {
    id: "bound_by",
    title: "What bounds the devices",
    check,
};

/// Work and time of the ops that compute; copies and collectives have rules of their own.
fn computing<'a>(facts: &'a Facts<'_>) -> impl Iterator<Item = &'a OpRow> {
    let rows = facts.ops.rows.iter();
    rows.filter(|row| !matches!(row.class.as_str(), "collective" | "copy"))
}

/// Below this share of all work there is too little computation to speak of.
const MIN_COMPUTATION: f64 = 0.05;

fn check(facts: &Facts<'_>) -> Outcome {
    if !facts.has_enough_work() {
        return Outcome::Skipped(LITTLE_WORK.to_owned());
    }
    let time_ps: i64 = computing(facts).map(|row| row.self_ps).sum();
    if (time_ps as f64) < MIN_COMPUTATION * facts.ops.total_self_ps as f64 {
        return Outcome::Skipped(
            "The devices hardly compute; they copy and communicate.".to_owned(),
        );
    }
    let working = |id: &stepscope_model::DeviceId| {
        let title = facts.session.device_title(*id);
        let mut devices = facts.ops.devices.iter();
        devices.any(|device| device.device == title && device.self_ps > 0)
    };
    let chip = facts
        .session
        .device_ids()
        .find(working)
        .map(|id| &facts.session.device(id).chip);
    let peaks = chip.and_then(|chip| {
        let flops = chip.peak_flops.as_ref()?.per_second;
        Some((flops, chip.peak_bandwidth.as_ref()?.per_second))
    });
    let sum = |work: fn(&OpRow) -> Option<f64>| -> f64 {
        computing(facts)
            .filter_map(|row| Some(work(row)? * row.executions as f64))
            .sum()
    };
    let seconds = time_ps as f64 * 1e-12;
    let (flops, bytes) = (sum(|row| row.flops), sum(|row| row.bytes));
    let (Some((peak_flops, peak_bytes)), true) = (peaks, flops > 0.0 && bytes > 0.0) else {
        return Outcome::Skipped(
            "The peaks of the chip, or the work of its ops, are not known.".to_owned(),
        );
    };
    let (compute, memory) = (flops / seconds / peak_flops, bytes / seconds / peak_bytes);
    let threshold = facts.threshold("bound_ratio");
    let figures = format!(
        "While they compute, devices reach {} of their peak of operations and {} of their memory \
         bandwidth.",
        format::percent(compute),
        format::percent(memory)
    );
    let note = |what: &str| finding(&RULE, Severity::Info, format!("{figures} {what}"));
    if compute > threshold.good && memory < threshold.bad {
        return note("They are bound by compute.")
            .why("The matrix units are busy; that is what one wants.")
            .fix("To go faster: fewer operations (a smaller model, sparsity) or a smaller type (bf16, int8, fp8).")
            .found();
    }
    if memory > threshold.good && compute < threshold.bad {
        return note("They are bound by memory.")
            .why("Ops move more bytes than they compute with.")
            .fix(
                "Larger batches, bf16 instead of f32, fewer intermediate results (fusion, \
                 rematerialisation of cheap ones), fused attention.",
            )
            .seen(largest_ops(facts, |row| row.bound_by == "memory"))
            .found();
    }
    if memory < threshold.bad && compute < threshold.bad {
        let waste = 1.0 - compute.max(memory);
        let busy = facts.mean(|row| part_ps(row, PartKind::DeviceCompute) as f64);
        return note("Neither is near its peak.")
            .why("Ops are too small to fill the chip, wait for one another, or are slow for their work.")
            .fix(
                "Larger batches; look at the ops with the lowest roofline ratio and at what is between \
                 ops in the timeline.",
            )
            .gain(
                busy.map(|busy| busy * waste),
                "time of computation × (1 − the larger utilisation): what a chip at its peak would save",
            )
            .sure(Confidence::Low)
            .seen(most_wasteful(facts))
            .found();
    }
    Outcome::Passed(figures)
}

/// The ops that lose most against their roofline.
fn most_wasteful(facts: &Facts<'_>) -> Vec<crate::advice::report::AdviceEvidence> {
    let lost =
        |row: &OpRow| row.self_ps as f64 * (1.0 - row.roofline_ratio.unwrap_or(1.0)).max(0.0);
    let mut rows: Vec<&OpRow> = computing(facts).filter(|row| lost(row) > 0.0).collect();
    rows.sort_by(|a, b| {
        lost(b)
            .total_cmp(&lost(a))
            .then_with(|| a.name.cmp(&b.name))
    });
    let shown = rows.into_iter().take(3).map(|row| {
        let reached = format::percent(row.roofline_ratio.unwrap_or(0.0));
        let share = format::percent(row.self_ratio);
        let name = format::shortened(&row.name);
        of_op(
            row,
            format!("{name}: {share} of the work, at {reached} of its roofline"),
        )
    });
    shown.collect()
}
