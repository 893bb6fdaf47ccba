//! The verdicts on the key figures: what the thresholds say, unless another figure decides what the judged
//! one means.

use stepscope_model::SaturatingSum as _;

use super::figures::{Facts, dominant_op, figure, occupancy_of};
use super::reasons::{
    bound_by_memory, busy_elsewhere, no_products, not_the_limit, short_kernels, split, told,
};
use super::report::Verdict;
use crate::measuring::steps::{PartKind, share_of};
use crate::measuring::work::MIN_OPS;
use crate::telling::format;
use crate::telling::thresholds::{Threshold, Thresholds, VerdictKind};
use crate::views::ops::{MOST_UNKNOWN, unknown_flops_ratio};

/// Every figure in the table of thresholds, with its verdict.
pub(super) fn verdicts(facts: &Facts<'_>, thresholds: &Thresholds) -> Vec<Verdict> {
    let verdict = |threshold: &Threshold| {
        let (value, mut explanation) = figure(facts, threshold.key);
        let judged = value.map_or(VerdictKind::Unknown, |value| threshold.judge(value));
        let tempered = value.and_then(|value| {
            waited_for(facts, thresholds, threshold, judged)
                .or_else(|| little_work(facts, threshold))
                .or_else(|| mostly_unknown(facts, threshold, judged))
                .or_else(|| low_occupancy(facts, threshold, judged))
                .or_else(|| tempered(facts, thresholds, threshold, value, judged))
        });
        if threshold.key == "device_busy_ratio" {
            explanation.extend(facts.occupation.map(split));
        }
        let tempered = tempered.unwrap_or_else(|| Tempered {
            verdict: judged,
            judged_as: String::new(),
            thresholds: threshold.text(),
            explanation: String::new(),
        });
        if !tempered.explanation.is_empty() {
            explanation = format!("{explanation} {}", tempered.explanation);
        }
        Verdict {
            key: threshold.key.to_owned(),
            title: threshold.title.to_owned(),
            value,
            verdict: tempered.verdict,
            thresholds: tempered.thresholds,
            judged_as: tempered.judged_as,
            is_larger_better: threshold.is_larger_better,
            explanation,
        }
    };
    thresholds.entries().iter().map(verdict).collect()
}

/// A verdict that is not that of the figure's own thresholds.
struct Tempered {
    verdict: VerdictKind,
    /// What decides it, in a few words: a neutral verdict is told with this in place of the thresholds,
    /// for the word would contradict them.
    judged_as: String,
    thresholds: String,
    /// The same in a sentence.
    explanation: String,
}

/// A few ops are no program whose devices can be judged.
fn little_work(facts: &Facts<'_>, threshold: &Threshold) -> Option<Tempered> {
    const OF_DEVICES: [&str; 9] = [
        "device_busy_ratio",
        "communication_ratio",
        "copy_ratio",
        "mfu_ratio",
        "memory_bandwidth_ratio",
        "kernel_duration_ps",
        "occupancy_ratio",
        "dominant_op_ratio",
        "top_op_ps",
    ];
    if !OF_DEVICES.contains(&threshold.key) || facts.selected.worked_steps() > 0 {
        return None;
    }
    let labels = facts.totals.iter().flat_map(|totals| totals.labels.iter());
    let ran: i64 = labels.map(|(_, one)| one.occurrences).saturating_sum();
    (ran < MIN_OPS).then(|| Tempered {
        verdict: VerdictKind::Neutral,
        judged_as: "too little work".to_owned(),
        thresholds: threshold.text(),
        explanation: format!(
            "The devices ran {} in all, which says little about a program.",
            format::counted(ran, "op")
        ),
    })
}

/// A rate that counts unknown operations as none is a bound from below, and no bad news.
fn mostly_unknown(
    facts: &Facts<'_>,
    threshold: &Threshold,
    judged: VerdictKind,
) -> Option<Tempered> {
    let is_rate = ["mfu_ratio", "memory_bandwidth_ratio"].contains(&threshold.key);
    if !is_rate || judged == VerdictKind::Good {
        return None;
    }
    let unknown = unknown_flops_ratio(facts.session, facts.measured.iter());
    (unknown > MOST_UNKNOWN).then(|| {
        let share = format::percent(unknown);
        Tempered {
            verdict: VerdictKind::Unknown,
            judged_as: format!("{share} unknown"),
            thresholds: threshold.text(),
            explanation: format!(
                "The operations of {share} of device time are unknown and count as none, so the true \
                 figure may be much larger."
            ),
        }
    })
}

/// What takes less of a step is not worth a look.
pub(crate) const LEAST_OF_STEP: f64 = 0.1;

/// Low occupancy by itself does not say that a kernel is slow.
fn low_occupancy(
    facts: &Facts<'_>,
    threshold: &Threshold,
    judged: VerdictKind,
) -> Option<Tempered> {
    if threshold.key != "occupancy_ratio" || judged == VerdictKind::Good {
        return None;
    }
    let found = occupancy_of(facts)?;
    let of_work = found.total_ps / facts.ops.total_self_ps.max(1) as f64;
    let busy = facts.occupation.map_or(1.0, |parts| parts.busy());
    let (verdict, (judged_as, explanation)) = if found.is_enough {
        let words = "Kernels that use matrix units reach this with few threads.";
        (VerdictKind::Neutral, told("near the roofline", words))
    } else if of_work * busy < LEAST_OF_STEP {
        let share = format::percent(of_work * busy);
        let words = format!("These kernels take only {share} of the time.");
        (
            VerdictKind::Neutral,
            (format!("{share} of the time"), words),
        )
    } else {
        let words = "Low occupancy alone does not mean that a kernel is slow.";
        (VerdictKind::Warning, told("", words))
    };
    Some(Tempered {
        verdict,
        judged_as,
        thresholds: threshold.text(),
        explanation,
    })
}

/// The verdict where another figure decides what the judged one means: devices that are busy without
/// computing are neither good nor bad news, since what they do instead has its own verdict, and so is a
/// peak that does not bound the program.
fn tempered(
    facts: &Facts<'_>,
    thresholds: &Thresholds,
    threshold: &Threshold,
    value: f64,
    judged: VerdictKind,
) -> Option<Tempered> {
    let is_good = judged == VerdictKind::Good;
    let (judged_as, explanation) = match threshold.key {
        "device_busy_ratio" if is_good => busy_elsewhere(facts.occupation?, threshold)?,
        "memory_bandwidth_ratio" => not_the_limit(facts)?,
        "mfu_ratio" if !is_good => {
            no_products(facts).or_else(|| bound_by_memory(facts, thresholds, threshold, value))?
        }
        "kernel_duration_ps" if !is_good => short_kernels(facts, thresholds)?,
        "top_op_ps" => {
            let share = dominant_op(facts).0.unwrap_or_default();
            let by_share = thresholds.judge("dominant_op_ratio", share)?;
            if (by_share == VerdictKind::Good) == is_good {
                return None;
            }
            told(
                "its share decides",
                "Its share of the work decides: Largest op has the verdict.",
            )
        }
        _ => return None,
    };
    Some(Tempered {
        verdict: VerdictKind::Neutral,
        judged_as,
        thresholds: threshold.text(),
        explanation,
    })
}

/// See [`Thresholds::compilation_in_steps`].
fn waited_for(
    facts: &Facts<'_>,
    thresholds: &Thresholds,
    threshold: &Threshold,
    judged: VerdictKind,
) -> Option<Tempered> {
    let ratio = share_of(PartKind::Compilation, facts.step_parts)
        .filter(|_| threshold.key == "compilation_ps")?;
    let (verdict, thresholds) = thresholds.compilation_in_steps(judged, ratio)?;
    Some(Tempered {
        verdict,
        judged_as: format!("{} of the mean step", format::percent(ratio)),
        thresholds,
        explanation: "How long the mean step waits for it decides the verdict.".to_owned(),
    })
}
