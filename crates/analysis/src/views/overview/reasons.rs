//! Why a figure is neither good nor bad: another one decides what it means.

use stepscope_model::Class;

use super::figures::{Facts, memory_bandwidth};
use crate::measuring::occupation::Occupation;
use crate::measuring::steps::{PartKind, share_of};
use crate::telling::format;
use crate::telling::thresholds::{Threshold, Thresholds, VerdictKind};

/// In a few words, and in a sentence.
pub(super) type Reason = (String, String);

pub(super) fn told(words: &str, sentence: &str) -> Reason {
    (words.to_owned(), sentence.to_owned())
}

/// Devices that are busy without computing.
pub(super) fn busy_elsewhere(parts: Occupation, threshold: &Threshold) -> Option<Reason> {
    let computing = threshold.judge(parts.compute);
    (computing != VerdictKind::Good).then(|| {
        let words = format!("computing {}", format::percent(parts.compute));
        let sentence =
            "Being busy is no good news then; what they do instead is judged on its own.";
        (words, sentence.to_owned())
    })
}

/// What busy devices are busy with.
pub(super) fn split(parts: Occupation) -> String {
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
pub(super) fn not_the_limit(facts: &Facts<'_>) -> Option<Reason> {
    let bound_by = facts.utilization.bound_by.as_str();
    if let Some(parts) = facts.occupation.filter(Occupation::is_mostly_elsewhere) {
        let mostly = if parts.copies > parts.communication {
            "copy"
        } else {
            "communicate"
        };
        let sentence = format!(
            "The devices mostly {mostly}, so how fast they read memory while they compute is not what \
             limits them."
        );
        return Some((format!("devices mostly {mostly}"), sentence));
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

/// MFU is a share of the peak of matrix products.
pub(super) fn no_products(facts: &Facts<'_>) -> Option<Reason> {
    let classes = [Class::Matmul, Class::Attention].map(Class::name);
    let is_unknown = facts.measured.iter().any(|op| op.op.is_none());
    let has_product = (facts.measured.iter()).any(|op| classes.contains(&op.row.class.as_str()));
    (!has_product && !is_unknown).then(|| {
        told(
            "no matrix products",
            "The program has no matrix products, whose peak this is a share of.",
        )
    })
}

/// Memory excuses a low MFU only where it is near its own peak, and where devices that were always busy
/// would not reach the limit either.
pub(super) fn bound_by_memory(
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
pub(super) fn short_kernels(facts: &Facts<'_>, thresholds: &Thresholds) -> Option<Reason> {
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
