//! What bounds the program: compute, memory, or neither (XProf's ComputeBound, MemoryBound,
//! TensorCoreIdle; guides: memory bandwidth). The figures are those of `roofline`.

use super::units::Units;
use super::{LITTLE_WORK, Outcome, Rule, finding, ops_seen};
use super::{float32_matmul, float64_work};
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::{AdviceEvidence, Confidence};
use crate::judging::verdict::Severity;
use crate::telling::format;
use crate::views::ops::{MOST_UNKNOWN, OpRow, unknown_flops_ratio};
use crate::views::roofline::{computing, while_computing};

pub(super) static RULE: Rule = Rule {
    id: "bound_by",
    title: "What bounds the devices",
    parts: &[],
    check,
};

/// Below this share of all work, computation is negligible.
const MIN_COMPUTATION: f64 = 0.05;

fn check(facts: &Facts<'_>) -> Outcome {
    if !facts.has_enough_work() {
        return Outcome::Skipped(LITTLE_WORK.to_owned());
    }
    // Copies and collectives have separate rules.
    let ops = &facts.ops.ops;
    let point = while_computing(facts.session, &facts.selected, ops);
    if (point.self_ps as f64) < MIN_COMPUTATION * facts.total_self_ps() as f64 {
        return Outcome::Skipped(
            "The devices mostly copy and communicate; they hardly compute.".to_owned(),
        );
    }
    let unknown = unknown_flops_ratio(facts.session, computing(ops));
    if unknown > MOST_UNKNOWN {
        return Outcome::Skipped(format!(
            "The operations of {} of the work are unknown.",
            format::percent(unknown)
        ));
    }
    let mut levels = point.levels.iter();
    let memory = levels
        .find(|level| level.level == "hbm")
        .and_then(|level| level.ratio);
    let (Some(compute), Some(memory)) = (point.compute_ratio, memory) else {
        return Outcome::Skipped(
            "The peaks of the chip or the work of its ops are unknown.".to_owned(),
        );
    };
    let threshold = facts.threshold("bound_ratio");
    let figures = format!(
        "While they compute, devices reach {} of peak FLOP/s and {} of peak memory bandwidth.",
        format::percent(compute),
        format::percent(memory)
    );
    let note = |what: &str| finding(&RULE, Severity::Info, format!("{figures} {what}"));
    if compute > threshold.good && memory < threshold.bad {
        return note("They are bound by compute.")
            .why(busy(facts))
            .fix(
                "To go faster, reduce the operations (a smaller model, sparsity) or use a smaller \
                 type (bf16, int8, fp8).",
            )
            .found();
    }
    if memory > threshold.good && compute < threshold.bad {
        return note("They are bound by memory.")
            .why("Ops move many bytes for the operations they perform.")
            .fix(
                "Use larger batches, bf16 instead of f32, fewer intermediate results (fusion, \
                 rematerialization of cheap ones), or fused attention.",
            )
            .seen(facts.largest_ops(|row| row.bound_by == "memory"))
            .found();
    }
    if memory < threshold.bad && compute < threshold.bad {
        return note("Neither is near its peak.")
            .why("Ops are too small to fill the chip, wait for one another, or are inefficient.")
            .fix(
                "Use larger batches. Look at the ops with the lowest roofline ratio, and at the gaps \
                 between ops in the timeline.",
            )
            .sure(Confidence::Medium)
            .seen(most_wasteful(facts))
            .found();
    }
    Outcome::Passed(figures)
}

/// Which units are busy, as far as the peaks say that their work was judged against; and whether that is good.
fn busy(facts: &Facts<'_>) -> String {
    let units = Units::of(facts);
    let wider = [
        (float64_work::is_found(facts), "work on f64"),
        (float32_matmul::is_found(facts), "matrix products in f32"),
    ];
    let wider = wider.into_iter().find(|(is_found, _)| *is_found);
    let end = match (units, wider) {
        (_, Some((_, what))) => format!(
            ", but with a type for which their peak is lower than for others: see the finding on {what}."
        ),
        (Units::Matrix, None) => "; this is the goal.".to_owned(),
        (Units::Other | Units::Unknown, None) => ".".to_owned(),
    };
    format!("{}{end}", units.are_busy())
}

/// The ops that lose the most time compared with their roofline.
fn most_wasteful(facts: &Facts<'_>) -> Vec<AdviceEvidence> {
    let lost =
        |row: &OpRow| row.self_ps as f64 * (1.0 - row.roofline_ratio.unwrap_or(1.0)).max(0.0);
    let mut rows: Vec<&OpRow> = computing(&facts.ops.ops).map(|op| &op.row).collect();
    rows.retain(|row| lost(row) > 0.0);
    rows.sort_by(|a, b| {
        lost(b)
            .total_cmp(&lost(a))
            .then_with(|| a.name.cmp(&b.name))
    });
    ops_seen(rows.into_iter(), 3, |row| {
        format!(
            "{} of the work, at {} of its roofline",
            format::percent(row.self_ratio),
            format::percent(row.roofline_ratio.unwrap_or(0.0))
        )
    })
}
