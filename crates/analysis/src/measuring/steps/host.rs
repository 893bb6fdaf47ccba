//! What a host did, for the three parts of a step that describe the host while its devices are idle.

use stepscope_model::{Activity, HostId, Session, Span};

use crate::measuring::activity::{COMPILATION, INPUT, Loops, WAIT, host_times, is_input};
use crate::measuring::interval::Intervals;
use crate::measuring::work::NO_LEVEL;

/// Times of a host by activity.
#[derive(Debug, Clone, Default)]
pub(super) struct HostActivity {
    /// Any thread compiles.
    pub(super) compilation: Intervals,
    /// A driving thread loads input, waits for it, or copies to a device.
    pub(super) input: Intervals,
    /// A driving thread does anything else except wait. The profiler's own work is excluded.
    pub(super) overhead: Intervals,
}

const OVERHEAD: u8 = 3;
const LEVELS: usize = 4;

fn level_of(activity: Activity) -> u8 {
    match activity {
        Activity::Compile(_) => COMPILATION,
        activity if is_input(activity) => INPUT,
        Activity::Blocked => WAIT,
        Activity::Profiler => NO_LEVEL,
        _ => OVERHEAD,
    }
}

/// What each host did within a span of time.
pub(super) fn host_activities(
    session: &Session,
    (hosts, loops): (&[HostId], Loops),
    within: Span,
) -> Vec<(HostId, HostActivity)> {
    let times = host_times(session, (hosts, loops), &[within], level_of, LEVELS);
    times
        .into_iter()
        .map(|(host, levels)| {
            let mut levels = levels.into_iter();
            let mut take = || levels.next().unwrap_or_default();
            let (compilation, input, _waits, overhead) = (take(), take(), take(), take());
            let activity = HostActivity {
                compilation,
                input,
                overhead,
            };
            (host, activity)
        })
        .collect()
}
