//! Changes worth trying that need no name of an op: the page offers them as buttons.

use rayon::prelude::*;
use stepscope_model::Session;

use super::measure::Pace;
use super::tornado::likely_gain;
use crate::views::replay::Replay;
use crate::views::replay::path::Kinds;

/// All of them, in the order in which they are offered.
const KNOWN: [&str; 8] = [
    "hide:collectives",
    "overlap",
    "network:2",
    "expected:compute",
    "align",
    "no-input-wait",
    "no-waits",
    "no-launch-gaps",
];

/// A change that gains a smaller share of the time per step is not worth a try.
const LEAST_GAIN: f64 = 1e-3;

/// Those that concern something in the recording and shorten a step, whose time is `before` ps.
pub(super) fn offers(
    session: &Session,
    replay: &Replay,
    kinds: &Kinds,
    pace: &Pace<'_>,
    before: f64,
) -> Vec<String> {
    let is_worth = |text: &&&str| {
        let gain = likely_gain(session, replay, kinds, pace, before, text);
        gain.ok()
            .flatten()
            .is_some_and(|gain| gain >= LEAST_GAIN * before)
    };
    KNOWN
        .par_iter()
        .filter(is_worth)
        .map(|text| (*text).to_owned())
        .collect()
}
