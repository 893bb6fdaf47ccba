//! Gains that a replay gives instead of an upper bound, alone and together with what they overlap.

use stepscope_model::Session;

use super::report::{AdviceFinding, AdviceTogether};
use crate::measuring::selection::Selected;
use crate::telling::Note;
use crate::views::what_if::Scenarios;

/// Slices of work up to which a session is replayed for advice, so that it stays quick.
const MOST_SLICES: usize = 400_000;

/// Replaces the gains of findings that a change models. Says why if the replay was refused.
pub(super) fn replay(
    session: &Session,
    selected: &Selected<'_>,
    findings: &mut [AdviceFinding],
) -> Option<Note> {
    let models =
        |finding: &AdviceFinding| !finding.change.is_empty() && finding.gain_ps_per_step.is_some();
    if session.steps.is_empty() || !findings.iter().any(models) {
        return None;
    }
    if slices(session) > MOST_SLICES {
        return Some(
            Note::info(
                "gains-not-replayed",
                "The recording is large, so gains are upper bounds and were not replayed.",
            )
            .with_hint("`stepscope what_if PATH` replays them"),
        );
    }
    let scenarios = match Scenarios::of(session, selected) {
        Ok(scenarios) => scenarios,
        Err(why) => {
            return Some(Note::info(
                "gains-not-replayed",
                format!("Gains are upper bounds and were not replayed: {why}"),
            ));
        }
    };
    for finding in findings.iter_mut().filter(|finding| models(finding)) {
        let Some(gain) = scenarios.gain(&[&finding.change]) else {
            continue;
        };
        finding.is_replayed = true;
        finding.gain_ps_per_step = Some(gain.likely.max(0.0));
        finding.low_gain_ps_per_step = Some(gain.low.max(0.0));
        finding.high_gain_ps_per_step = Some(gain.high.max(0.0));
        finding.step_ps = Some(scenarios.before_ps());
        let changes = finding.change.split("; ");
        let options: Vec<String> = changes.map(|one| format!("--change {one}")).collect();
        finding.estimate = format!("replayed: `stepscope what_if PATH {}`", options.join(" "));
    }
    None
}

/// Adds what findings that overlap give together.
pub(super) fn add_together(
    session: &Session,
    selected: &Selected<'_>,
    findings: &mut [AdviceFinding],
) {
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
    if !findings.iter().any(overlaps) {
        return;
    }
    let Ok(scenarios) = Scenarios::of(session, selected) else {
        return;
    };
    for finding in findings.iter_mut().filter(|finding| overlaps(finding)) {
        let others = replayed
            .iter()
            .filter(|(id, change)| finding.overlaps.contains(id) && *change != finding.change);
        let together = others.filter_map(|(id, change)| {
            let gain = scenarios.gain(&[&finding.change, change])?;
            Some(AdviceTogether {
                id: id.clone(),
                gain_ps_per_step: gain.likely.max(0.0),
            })
        });
        finding.together = together.collect();
    }
}

/// Slices on the tracks of devices.
fn slices(session: &Session) -> usize {
    let devices = session.device_ids();
    devices
        .flat_map(|device| session.work_tracks(device))
        .map(|(_, track)| track.slice_count())
        .sum()
}
