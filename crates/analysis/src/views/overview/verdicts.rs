//! The verdicts on the key figures: what the thresholds say, unless another figure decides what the judged
//! one means.

use stepscope_model::SaturatingSum as _;

use super::figures::{Facts, dominant_op, figure, memory_bandwidth, occupancy_of};
use super::report::Verdict;
use crate::measuring::occupation::Occupation;
use crate::measuring::steps::{PartKind, share_of};
use crate::measuring::work::MIN_OPS;
use crate::telling::format;
use crate::telling::thresholds::{Threshold, Thresholds, VerdictKind};

/// Every figure in the table of thresholds, with its verdict.
pub(super) fn verdicts(facts: &Facts<'_>, thresholds: &Thresholds) -> Vec<Verdict> {
    let verdict = |threshold: &Threshold| {
        let (value, mut explanation) = figure(facts, threshold.key);
        let judged = value.map_or(VerdictKind::Unknown, |value| threshold.judge(value));
        let tempered = value.and_then(|value| {
            waited_for(facts, thresholds, threshold, judged)
                .or_else(|| little_work(facts, threshold))
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
        "mfu_ratio" if !is_good => bound_by_memory(facts, thresholds, threshold, value)?,
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
        "occupancy_ratio" if !is_good => {
            let is_enough = occupancy_of(facts).is_some_and(|found| found.is_enough);
            is_enough.then(|| {
                told(
                    "near the roofline",
                    "Kernels that use matrix units reach this with few threads.",
                )
            })?
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

/// In a few words, and in a sentence.
type Reason = (String, String);

fn told(words: &str, sentence: &str) -> Reason {
    (words.to_owned(), sentence.to_owned())
}

fn busy_elsewhere(parts: Occupation, threshold: &Threshold) -> Option<Reason> {
    let computing = threshold.judge(parts.compute);
    (computing != VerdictKind::Good).then(|| {
        let words = format!("computing {}", format::percent(parts.compute));
        let sentence =
            "Being busy is no good news then; what they do instead is judged on its own.";
        (words, sentence.to_owned())
    })
}

/// What busy devices are busy with.
fn split(parts: Occupation) -> String {
    let whole = if parts.is_of_steps {
        "the steps"
    } else {
        "that time"
    };
    format!(
        " Of {whole}, they compute {}, only communicate {}, only copy {}.",
        format::percent(parts.compute),
        format::percent(parts.communication),
        format::percent(parts.copies),
    )
}

/// Why the bandwidth of memory is not judged.
fn not_the_limit(facts: &Facts<'_>) -> Option<Reason> {
    let bound_by = facts.utilization.bound_by.as_str();
    if is_elsewhere(facts) {
        return Some(told(
            "not bound by memory",
            "The devices mostly copy and communicate, so the bandwidth of memory is not what limits \
             them.",
        ));
    }
    match bound_by {
        "compute" => Some(told(
            "bound by compute",
            "The work is bound by compute, so the bandwidth of memory does not limit it.",
        )),
        "" => Some(told(
            "unknown if it limits",
            "It is unknown whether memory bounds the work, so this is not judged.",
        )),
        _ => None,
    }
}

/// Whether devices copy and communicate for longer than they compute.
fn is_elsewhere(facts: &Facts<'_>) -> bool {
    facts
        .occupation
        .is_some_and(|parts| parts.is_mostly_elsewhere())
}

/// Memory excuses a low MFU only where it is near its own peak, and where devices that were always busy
/// would not reach the limit either.
fn bound_by_memory(
    facts: &Facts<'_>,
    thresholds: &Thresholds,
    threshold: &Threshold,
    mfu: f64,
) -> Option<Reason> {
    let bound_by = facts.utilization.bound_by.as_str();
    if matches!(bound_by, "" | "compute") || is_elsewhere(facts) {
        return None;
    }
    let busy = facts.occupation.map(|parts| parts.busy())?;
    if busy <= 0.0 || threshold.judge(mfu / busy) == VerdictKind::Good {
        return None;
    }
    let bandwidth = if bound_by == "memory" {
        memory_bandwidth(facts).0
    } else {
        facts.utilization.bound_ratio.map(|ratio| ratio / busy)
    }?;
    let near = thresholds.judge("memory_bandwidth_ratio", bandwidth)?;
    (near == VerdictKind::Good).then(|| {
        let sentence = format!(
            "The work is bound by memory, at {} of its bandwidth, so it cannot come near the peak of \
             compute.",
            format::percent(bandwidth)
        );
        ("bound by memory".to_owned(), sentence)
    })
}

/// Short kernels cost little where hosts and gaps hold the devices up for no more than host overhead may.
fn short_kernels(facts: &Facts<'_>, thresholds: &Thresholds) -> Option<Reason> {
    let [host, idle] =
        [PartKind::HostOverhead, PartKind::Idle].map(|part| share_of(part, facts.step_parts));
    let waiting = host? + idle?;
    let judged = thresholds.judge("host_overhead_ratio", waiting)?;
    (judged == VerdictKind::Good).then(|| {
        let waiting = format::percent(waiting);
        let sentence = format!(
            "Host overhead and gaps take {waiting} of the mean step, so short kernels cost little."
        );
        (format!("overhead and gaps {waiting}"), sentence)
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
