//! Which calls of a C method `get` look something up in a dictionary: the tracer names it like that of a
//! `SimpleQueue`, in which threads wait.
//!
//! ```text
//! dictionary    [get][get][get][get][get]…    thousands, each over at once
//! queue         [get                     ]    one for each thing that is taken, often a wait
//! ```

use std::sync::Arc;

use stepscope_model::host_names::is_method_get;
use stepscope_model::{LabelId, Session};

/// Looking something up takes less.
const LEAST_WAIT_PS: i64 = 10_000_000;
/// A thread that takes from a queue waits in at least one of so many calls.
const CALLS_PER_WAIT: i64 = 100;

/// The labels of such calls; found once per session.
pub(super) struct Lookups(Vec<LabelId>);

impl Lookups {
    /// Those of a session: all calls with this name, if for less than half of their time a thread takes
    /// something from a queue. A thread that does may also look up what it needs to launch.
    pub(super) fn of(session: &Session) -> Arc<Self> {
        session.memo.get_or_compute(|| {
            let ids = (0..session.labels.len()).map(LabelId::from_index);
            let named = ids.filter(|&id| is_method_get(session.label_name(id)));
            let named: Vec<LabelId> = named.collect();
            let (queued_ps, all_ps) = times(session, &named);
            let are_lookups = queued_ps.saturating_mul(2) < all_ps;
            Self(if are_lookups { named } else { Vec::new() })
        })
    }

    pub(super) fn has(&self, label: LabelId) -> bool {
        self.0.contains(&label)
    }

    pub(super) fn labels(&self) -> impl Iterator<Item = LabelId> {
        self.0.iter().copied()
    }
}

/// Time of calls that wait, on threads that take something from a queue, and of all calls.
fn times(session: &Session, named: &[LabelId]) -> (i64, i64) {
    let (mut queued_ps, mut all_ps) = (0i64, 0i64);
    if named.is_empty() {
        return (queued_ps, all_ps);
    }
    for id in session.track_ids() {
        let is_named = |label: LabelId| named.contains(&label);
        if session.track(id).device.is_some() || !session.track(id).may_have(is_named) {
            continue;
        }
        let track = session.track_in_passing(id);
        let (mut calls, mut waits, mut waited_ps) = (0i64, 0i64, 0i64);
        for lane in &track.lanes {
            let calls_here = lane.labels().iter().zip(lane.durations());
            for (_, &duration) in calls_here.filter(|(label, _)| named.contains(label)) {
                calls += 1;
                all_ps = all_ps.saturating_add(duration);
                if duration >= LEAST_WAIT_PS {
                    waits += 1;
                    waited_ps = waited_ps.saturating_add(duration);
                }
            }
        }
        if waits.saturating_mul(CALLS_PER_WAIT) >= calls {
            queued_ps = queued_ps.saturating_add(waited_ps);
        }
    }
    (queued_ps, all_ps)
}
