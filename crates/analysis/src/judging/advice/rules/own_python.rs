//! Python of the program itself in the gaps of devices: what it takes has nothing to do with how often
//! the host launches programs or waits for them.

use stepscope_model::SaturatingSum as _;

use super::Waiting;
use crate::judging::advice::facts::Facts;
use crate::measuring::activity::Cause;
use crate::telling::format;
use crate::views::idle::GapRow;

/// Shares below this are not worth a sentence, and may be Python's part of each launch.
const MIN_SHARE: f64 = 0.5;

/// The time per step in which devices wait while the host does anything but run the program's own
/// Python, and a sentence about that if it is most of the time.
pub(super) fn without_own_python(facts: &Facts<'_>, waiting: &Waiting) -> (f64, String) {
    let share = own_share(facts);
    if share < MIN_SHARE {
        return (waiting.time, String::new());
    }
    let told = format!(
        " For {} of that time the program runs Python of its own, which is not counted here.",
        format::percent(share)
    );
    (waiting.time * (1.0 - share), told)
}

/// The share of the longest gaps of these parts in which the host is in Python other than that of
/// libraries.
fn own_share(facts: &Facts<'_>) -> f64 {
    let counted = |gap: &&GapRow| !gap.cause.is_input() && gap.cause != Cause::Compilation;
    let gaps: Vec<&GapRow> = facts.gaps().longest.iter().filter(counted).collect();
    let is_own = |gap: &&&GapRow| {
        let has_line = gap.what.contains(".py:") || !gap.python.is_empty();
        gap.cause == Cause::Python && has_line && !facts.session.is_library_frame(&gap.what)
    };
    let own = gaps.iter().filter(is_own).map(|gap| gap.cause_ps);
    let own_ps = own.saturating_sum() as f64;
    let all_ps = gaps.iter().map(|gap| gap.duration_ps).saturating_sum() as f64;
    if all_ps > 0.0 { own_ps / all_ps } else { 0.0 }
}
