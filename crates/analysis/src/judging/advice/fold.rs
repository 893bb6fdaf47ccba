//! Findings about the same time are one: the one that says why keeps the others as what it was also seen
//! as, and there is one gain for the cause.
//!
//! ```text
//! step             0        1                      2
//! compilation               ##########                     the part of the steps
//! recompilation             #########                      compilations within it
//! long steps                ############                   what the step takes beyond the median
//! ```
//!
//! A finding is about some time of each row of the steps, one per step and device. It explains another
//! one if both are about a common part of a step, and the smaller of the two times of each row sums to
//! most of that of the other.

use super::facts::{Facts, part_ps};
use super::report::AdviceFinding;
use super::rules::{EXPLAINED, MOSTLY, STEP_OUTLIERS};
use crate::judging::verdict::Severity;
use crate::measuring::steps::PartKind;

/// Folds findings into those that explain the same time. Nothing is lost: they are what that was also
/// seen as.
pub(super) fn fold(findings: &mut Vec<AdviceFinding>, facts: &Facts<'_>) {
    if facts.step_ps.is_none() {
        return;
    }
    // Whatever the host does in long steps. What devices compute in them is not what others compute.
    let is_long = |one: &AdviceFinding| one.id == STEP_OUTLIERS;
    fold_one(findings, facts, MOSTLY, is_long, |one| {
        !is_long(one) && !one.parts.contains(&PartKind::DeviceCompute)
    });
    for explained in EXPLAINED {
        let Some(least) = explained.same else {
            continue;
        };
        let is_cause = |one: &AdviceFinding| explained.is_cause(one);
        let is_effect = |one: &AdviceFinding| explained.is_effect(one);
        fold_one(findings, facts, least, is_effect, is_cause);
    }
}

/// Folds the first finding that `is_effect` accepts into the one that explains most of it, if that is this
/// share.
fn fold_one(
    findings: &mut Vec<AdviceFinding>,
    facts: &Facts<'_>,
    least: f64,
    is_effect: impl Fn(&AdviceFinding) -> bool,
    is_cause: impl Fn(&AdviceFinding) -> bool,
) {
    let Some(at) = findings.iter().position(is_effect) else {
        return;
    };
    let effect = &findings[at];
    let causes = findings.iter().enumerate().filter(|(place, one)| {
        let is_named = one.severity != Severity::Info || effect.severity == Severity::Info;
        *place != at && is_named && is_cause(one)
    });
    let shares = causes.map(|(place, one)| (place, explained(facts, one, effect)));
    let Some((cause, share)) = shares.max_by(|a, b| a.1.total_cmp(&b.1)) else {
        return;
    };
    if share < least {
        return;
    }
    let effect = findings.remove(at);
    let cause = if cause > at { cause - 1 } else { cause };
    findings[cause].take_in(effect);
}

/// The share of the time of `effect` that `cause` is about, too.
fn explained(facts: &Facts<'_>, cause: &AdviceFinding, effect: &AdviceFinding) -> f64 {
    if !effect.parts.iter().any(|part| cause.parts.contains(part)) {
        return 0.0;
    }
    let Some((own, all)) = rows_ps(facts, cause).zip(rows_ps(facts, effect)) else {
        return 0.0;
    };
    let both = own.iter().zip(&all).map(|(own, all)| own.min(*all));
    let (both, all): (f64, f64) = (both.sum(), all.iter().sum());
    if all > 0.0 { both / all } else { 0.0 }
}

/// The time of a finding in each row of the steps; none without a gain.
fn rows_ps(facts: &Facts<'_>, finding: &AdviceFinding) -> Option<Vec<f64>> {
    let bound_ps = finding.bound_ps?;
    if finding.rows_ps.is_some() {
        return finding.rows_ps.clone();
    }
    let of_row = |row: &_| {
        let parts = finding.parts.iter();
        parts.map(|&part| part_ps(row, part) as f64).sum::<f64>()
    };
    let mean_ps = facts.mean(of_row).filter(|&mean_ps| mean_ps > 0.0)?;
    let scale = (bound_ps / mean_ps).min(1.0);
    let rows = facts.rows().iter();
    Some(rows.map(|row| scale * of_row(row)).collect())
}

impl AdviceFinding {
    /// Keeps what another rule says of the same time, and is as bad. Around a compilation, steps do more
    /// because of it, such as tracing, so there the largest bound counts. Other causes leave some of the
    /// time of what they explain: one launch of many remains.
    fn take_in(&mut self, mut effect: Self) {
        self.severity = self.severity.min(effect.severity);
        let compiles = self.parts.contains(&PartKind::Compilation);
        if compiles && effect.bound_ps > self.bound_ps {
            self.gain_ps_per_step = effect.gain_ps_per_step;
            self.bound_ps = effect.bound_ps;
            self.step_ps = effect.step_ps;
            self.estimate.clone_from(&effect.estimate);
        }
        let own = std::mem::take(&mut effect.also_seen_as);
        self.also_seen_as.push(effect);
        self.also_seen_as.extend(own);
    }
}
