//! A finding that says why comes before the one that says what, and is as bad: the first line that a user
//! reads should be the one to act on. What is about the same time was folded into one ([`super::fold`]).

use super::report::AdviceFinding;
use super::rules::{EXPLAINED, IDLE, STEP_OUTLIERS};
use crate::judging::verdict::Severity;

/// A cause with so much of the gain of what it explains comes first.
const MOSTLY: f64 = 0.8;

/// A share that few steps take is bad sooner than one of all steps: what costs more comes before it.
pub(super) fn long_steps_by_gain(findings: &mut [AdviceFinding]) {
    let gain = |one: &AdviceFinding| one.gain_ps_per_step.unwrap_or(0.0);
    let Some(long) = findings.iter().position(|one| one.id == STEP_OUTLIERS) else {
        return;
    };
    let own = gain(&findings[long]);
    // What devices are idle for without a known reason says too little of the program.
    let costs_more = |one: &AdviceFinding| {
        let is_known = !one.may_be_chance && one.id != IDLE;
        one.severity == Severity::Warning && is_known && gain(one) > own
    };
    if findings.iter().any(costs_more) {
        let severity = findings[long].severity;
        findings[long].severity = severity.max(Severity::Warning);
    }
}

/// Moves causes in front of what they explain. Findings are ranked.
pub(super) fn causes_first(findings: &mut [AdviceFinding]) {
    for explained in EXPLAINED {
        let effect = findings.iter().position(|one| explained.is_effect(one));
        if let Some(effect) = effect {
            move_before(findings, effect, |one| explained.is_cause(one));
        }
    }
    // Long steps have any cause that takes time of the same part of a step.
    if let Some(long) = findings.iter().position(|one| one.id == STEP_OUTLIERS) {
        let parts = findings[long].parts.clone();
        move_before(findings, long, |one| {
            one.parts.iter().any(|part| parts.contains(part))
        });
    }
}

/// Moves the first finding after `effect` that explains most of it in front of it.
fn move_before(
    findings: &mut [AdviceFinding],
    effect: usize,
    explains: impl Fn(&AdviceFinding) -> bool,
) {
    let gain = |one: &AdviceFinding| one.gain_ps_per_step.unwrap_or(0.0);
    let least = MOSTLY * gain(&findings[effect]);
    let is_cause =
        |one: &AdviceFinding| one.severity != Severity::Info && gain(one) >= least && explains(one);
    let cause = findings[effect + 1..].iter().position(is_cause);
    if let Some(cause) = cause {
        findings[effect..=effect + 1 + cause].rotate_right(1);
        findings[effect].severity = findings[effect].severity.min(findings[effect + 1].severity);
    }
}
