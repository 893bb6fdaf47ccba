//! What it gives if hosts launch ahead instead of waiting for their devices.

use stepscope_model::Session;

use crate::measuring::selection::Selected;
use crate::views::what_if::Scenarios;
use crate::views::what_if::change::NO_WAITS;

/// Slices of work up to which a session is replayed for advice, so that it stays quick.
const MOST_SLICES: usize = 400_000;

/// The gain of `what_if --change no-waits` within steps, in picoseconds per step; none where the steps
/// are not replayed.
pub(super) fn ahead_ps(session: &Session, selected: &Selected<'_>) -> Option<f64> {
    if session.steps.is_empty() || is_large(session) {
        return None;
    }
    let scenarios = Scenarios::of(session, selected).ok()?;
    let gain = if scenarios.has_time_between() {
        scenarios.gain_within_steps(&[NO_WAITS])?
    } else {
        scenarios.gain(&[NO_WAITS])?
    };
    Some(gain.likely)
}

/// Whether a session is too large to be replayed for advice.
pub(super) fn is_large(session: &Session) -> bool {
    let devices = session.device_ids();
    let slices: usize = devices
        .flat_map(|device| session.work_tracks(device))
        .map(|(_, track)| track.slice_count())
        .sum();
    slices > MOST_SLICES
}
