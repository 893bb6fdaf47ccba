//! Gains that a replay gives instead of an upper bound, alone and together with what they overlap.

use super::facts::Facts;
use super::report::{AdviceFinding, AdviceTogether};
use super::rules::BETWEEN_STEPS;
use crate::telling::{Note, format, shell};
use crate::views::what_if::{Bounded, Scenarios};

/// A replayed gain below this share of the bound says that most of it is hidden behind other work.
pub(super) const MOSTLY_HIDDEN: f64 = 0.5;

/// The replay of a session for findings that a change models; none if there are none. An error says
/// why gains stay upper bounds.
pub(super) fn scenarios<'f, 'a>(
    facts: &'f Facts<'a>,
    findings: &[AdviceFinding],
) -> Result<Option<&'f Scenarios<'a>>, Note> {
    let found = facts.scenarios();
    let Some(found) = found.filter(|_| findings.iter().any(is_modeled)) else {
        return Ok(None);
    };
    found.as_ref().map(Some).map_err(Note::clone)
}

fn is_modeled(finding: &AdviceFinding) -> bool {
    !finding.change.is_empty() && finding.gain_ps_per_step.is_some()
}

/// Replaces the gains of findings that a change models.
pub(super) fn replay(scenarios: &Scenarios<'_>, findings: &mut [AdviceFinding]) {
    for finding in findings.iter_mut().filter(|finding| is_modeled(finding)) {
        let Some((gain, step_ps)) = gain(scenarios, finding, &[&finding.change]) else {
            continue;
        };
        // The change may remove more than a fix can, such as all of the time of collectives.
        let bound_ps = finding.bound_ps.unwrap_or(f64::INFINITY);
        let within = |gain_ps: f64| gain_ps.min(bound_ps).max(0.0);
        let changes = finding.change.split("; ");
        let options: Vec<String> = changes
            .map(|one| format!("--change {}", shell::word(one)))
            .collect();
        let replayed = format!("replayed: `stepscope what_if PATH {}`", options.join(" "));
        let is_hidden = gain.likely < MOSTLY_HIDDEN * bound_ps;
        if is_hidden && scenarios.has_one_host() && is_of_host(&finding.change) {
            // The devices waited for this and for nothing else that is known: the replay holds on to
            // gaps that the recording does not explain.
            let least = format::duration_ps(gain.likely.max(0.0));
            finding.estimate = format!("{}; at least {least}, {replayed}", finding.estimate);
            continue;
        }
        finding.is_replayed = true;
        finding.gain_ps_per_step = Some(within(gain.likely));
        finding.low_gain_ps_per_step = Some(within(gain.low));
        finding.high_gain_ps_per_step = Some(within(gain.high));
        finding.step_ps = Some(step_ps);
        finding.estimate = if gain.likely > bound_ps {
            if gain.likely > CLEARLY_MORE * bound_ps {
                finding.what.push_str(&more_replayed(gain.likely, bound_ps));
            }
            format!("{replayed}; at most {}", finding.estimate)
        } else {
            replayed
        };
    }
}

/// A replayed gain that is this many times the bound is another size to whoever asks `what_if`.
const CLEARLY_MORE: f64 = 1.1;

/// Why `what_if` gives more for the change than the finding does.
fn more_replayed(likely_ps: f64, bound_ps: f64) -> String {
    format!(
        " `what_if` gives {} for it; counted here is at most what was seen of it, {}.",
        format::duration_ps(likely_ps),
        format::duration_ps(bound_ps)
    )
}

/// Whether a change removes what a host does while devices wait for it.
fn is_of_host(change: &str) -> bool {
    change.starts_with("no-host:") || change.starts_with("no-input-wait")
}

/// What changes save of the time that a finding is about, and what that is a share of: steps, or where
/// time passes between steps and the finding is about that, the time from step to step.
fn gain(
    scenarios: &Scenarios<'_>,
    finding: &AdviceFinding,
    changes: &[&str],
) -> Option<(Bounded, f64)> {
    if finding.id == BETWEEN_STEPS {
        return Some((scenarios.gain_between_steps(changes)?, finding.step_ps?));
    }
    scenarios.gain_of_steps(changes)
}

/// Adds what findings that overlap give together.
pub(super) fn add_together(scenarios: &Scenarios<'_>, findings: &mut [AdviceFinding]) {
    let replayed: Vec<(String, String)> = findings
        .iter()
        .filter(|finding| finding.is_replayed)
        .map(|finding| (finding.id.clone(), finding.change.clone()))
        .collect();
    let overlaps = |finding: &AdviceFinding| {
        finding.is_replayed
            && finding
                .overlaps
                .iter()
                .any(|id| replayed.iter().any(|one| one.0 == *id))
    };
    for finding in findings.iter_mut().filter(|finding| overlaps(finding)) {
        let others = replayed
            .iter()
            .filter(|(id, change)| finding.overlaps.contains(id) && *change != finding.change);
        let together = others.filter_map(|(id, change)| {
            let (gain, _) = gain(scenarios, finding, &[&finding.change, change])?;
            Some(AdviceTogether {
                id: id.clone(),
                gain_ps_per_step: gain.likely.max(0.0),
            })
        });
        finding.together = together.collect();
    }
}
