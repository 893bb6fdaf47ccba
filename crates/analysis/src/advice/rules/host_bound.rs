//! The device is idle while the host does other work: dispatch, Python (guides: host overhead).

use super::{Outcome, PART_ESTIMATE, Rule, finding, part};
use crate::activity::{CAUSES, Cause};
use crate::advice::evidence::between;
use crate::advice::facts::{Facts, Place};
use crate::advice::report::AdviceEvidence;
use crate::format;
use crate::idle::GapRow;
use crate::overview::PartKind;

pub(super) static RULE: Rule = Rule {
    id: "host_bound",
    title: "The host cannot keep up",
    parts: &[PartKind::HostOverhead],
    check,
};

/// Causes and gaps that are told.
const TOLD: usize = 3;
/// A cause with less of the gaps is not told.
const MIN_SHARE: f64 = 0.05;
/// Share of idle time in gaps too short to have a cause from which on a word is due.
const MAX_SHORT: f64 = 0.1;

fn check(facts: &Facts<'_>) -> Outcome {
    let found = match part(facts, "host_bound_ratio", RULE.parts) {
        Ok(found) => found,
        Err(outcome) => return outcome,
    };
    let is_work = |cause: Cause| {
        !matches!(
            cause,
            Cause::Compilation | Cause::DataLoading | Cause::Blocked | Cause::Unknown
        )
    };
    let causes = causes(facts, found.place, is_work);
    let doing = match causes.as_slice() {
        [] => "Python, dispatch, bookkeeping".to_owned(),
        causes => told(facts, causes),
    };
    let remedy = causes
        .first()
        .map(|&(cause, _)| cause.remedy(facts.session.framework()));
    finding(
        &RULE,
        found.severity,
        format!(
            "{} is idle for {} while its host does other work than input and compilation: {doing}.",
            facts.place_name(found.place),
            found.text
        ),
    )
    .why("Work is launched one piece at a time, and the next launch waits for the host.")
    .fix(format!(
        "{}Put the whole step into one jitted function, several steps into one with jax.lax.scan; do \
         not read results (float(loss), block_until_ready, print) in every step; keep logging and \
         checkpoints out of the loop.",
        remedy.map_or_else(String::new, |remedy| format!("{remedy} ")),
    ))
    .fix_elsewhere(format!(
        "{}Put the whole step into one compiled function, several steps into one call; do not read \
         results in every step; keep logging and checkpoints out of the loop.",
        remedy.map_or_else(String::new, |remedy| format!("{remedy} ")),
    ))
    .code(
        "@jax.jit\ndef many_steps(state, batches):\n    return jax.lax.scan(train_step, state, batches)",
    )
    .gain(Some(found.time), PART_ESTIMATE)
    .of_step(found.step_ps)
    .seen(facts.longest(found.place, PartKind::HostOverhead))
    .seen(longest_gaps(facts, found.place, is_work))
    .found()
}

/// What the host of a device did in its gaps within steps, mean over steps, most time first.
pub(super) fn causes(
    facts: &Facts<'_>,
    (_, device): Place,
    counts: impl Fn(Cause) -> bool,
) -> Vec<(Cause, f64)> {
    let steps = facts.gaps().steps.iter();
    let steps: Vec<_> = steps
        .filter(|step| device.is_none_or(|device| step.device_index == device.0))
        .collect();
    let rows = steps.len().max(1) as f64;
    let mut sums: Vec<(Cause, f64)> = CAUSES
        .into_iter()
        .filter(|&cause| counts(cause))
        .map(|cause| {
            let times = steps.iter().map(|step| step.causes_ps[cause.position()]);
            (cause, times.sum::<i64>() as f64 / rows)
        })
        .collect();
    let all: f64 = sums.iter().map(|(_, time)| time).sum();
    sums.retain(|&(_, time)| time > MIN_SHARE * all);
    sums.sort_by(|a, b| b.1.total_cmp(&a.1));
    sums
}

/// `running Python 1.2 ms; sleeping 0.3 ms (means over steps)`, and which gaps do not count, where
/// that is a good part of them.
pub(super) fn told(facts: &Facts<'_>, causes: &[(Cause, f64)]) -> String {
    let all: Vec<String> = causes
        .iter()
        .take(TOLD)
        .map(|&(cause, time)| format!("{} {}", cause.meaning(), format::duration_ps(time)))
        .collect();
    let gaps = facts.gaps();
    let left_out = if gaps.short_ratio > MAX_SHORT {
        let length = format::duration_ps(gaps.min_gap_ps as f64);
        format!(", without gaps shorter than {length}")
    } else {
        String::new()
    };
    format!("{} (its means over steps{left_out})", all.join("; "))
}

/// The longest gaps of a device that have some causes, with the call and the line of Python in them.
pub(super) fn longest_gaps(
    facts: &Facts<'_>,
    (_, device): Place,
    counts: impl Fn(Cause) -> bool,
) -> Vec<AdviceEvidence> {
    let gaps = facts.gaps().longest.iter();
    let name = device.map(|device| facts.session.device_title(device));
    let is_own = |gap: &GapRow| name.as_ref().is_none_or(|name| *name == gap.device);
    let within_steps = gaps.filter(|gap| counts(gap.cause) && gap.step.is_some() && is_own(gap));
    within_steps.take(TOLD).map(seen).collect()
}

fn seen(gap: &GapRow) -> AdviceEvidence {
    let words = [&gap.python, &gap.what, &gap.annotation];
    let doing = words.into_iter().find(|text| !text.is_empty());
    let doing = doing.map_or_else(
        || gap.cause.meaning().to_owned(),
        |text| format::shortened(text),
    );
    let length = format::duration_ps(gap.duration_ps as f64);
    let text = format!("a gap of {length} on {}: {doing}", gap.device);
    AdviceEvidence {
        step: gap.step,
        device: gap.device.clone(),
        ..between(gap.start_ps, gap.start_ps + gap.duration_ps, text)
    }
}
