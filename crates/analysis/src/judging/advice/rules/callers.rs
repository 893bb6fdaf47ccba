//! Which function of the program makes calls on the threads that drive the devices.

use std::collections::BTreeMap;

use stepscope_model::host_names::dispatched_function;
use stepscope_model::{HostId, LabelId, SaturatingSum as _, Session, Span, Track};

use crate::judging::advice::facts::Facts;
use crate::measuring::activity::driving_threads;
use crate::measuring::frames::Frames;
use crate::measuring::interval::Intervals;
use crate::telling::format;
use crate::telling::places::python_function;

/// Least share of the time of calls that the one who makes them has.
const MOST: f64 = 0.5;

/// Calls: which labels they have, and which of them count, by the thread and the time of each.
pub(super) struct Calls<'a> {
    pub(super) is_call: &'a dyn Fn(LabelId) -> bool,
    pub(super) counts: &'a dyn Fn(&Track, Span) -> bool,
}

/// The function that makes most of some calls.
pub(super) struct Caller {
    /// `step (train.py:12)`
    pub(super) name: String,
    /// Whether it is the program's own, and not one of a library.
    pub(super) is_own: bool,
}

/// Who makes calls.
#[derive(Default)]
struct Callers {
    all_ps: i64,
    /// Of those that count, by the program's own function, else what it calls.
    counted_ps: BTreeMap<LabelId, i64>,
}

/// The function that makes most of the calls by their time: the program's own, else what it calls. None if
/// most of them do not count, or no function makes most of those.
pub(super) fn caller(facts: &Facts<'_>, calls: &Calls<'_>) -> Option<Caller> {
    let mut callers = Callers::default();
    for &host in &facts.selected.hosts {
        callers.add_host(facts, host, calls);
    }
    let counted_ps: i64 = callers.counted_ps.values().copied().saturating_sum();
    let most = callers.counted_ps.into_iter().max_by_key(|&(_, time)| time);
    let (frame, most_ps) = most?;
    let is_most = counted_ps as f64 >= MOST * callers.all_ps as f64
        && most_ps as f64 >= MOST * counted_ps as f64;
    let name = facts.session.label_name(frame).trim_start_matches('$');
    let function = python_function(name).filter(|_| is_most)?;
    Some(Caller {
        name: format::shortened(&function),
        is_own: !facts.session.is_library_frame(name),
    })
}

/// The program's own function that launches most runs of the functions with these names, `log (train.py:7)`.
pub(super) fn launcher(facts: &Facts<'_>, is_wanted: impl Fn(&str) -> bool) -> Option<String> {
    let session = facts.session;
    let ids = (0..session.labels.len()).map(LabelId::from_index);
    let is_call: Vec<bool> = ids
        .map(|id| dispatched_function(session.label_name(id)).is_some_and(&is_wanted))
        .collect();
    let calls = Calls {
        is_call: &|label| is_call[label.index()],
        counts: &|_, _| true,
    };
    let caller = caller(facts, &calls).filter(|caller| caller.is_own)?;
    Some(caller.name)
}

impl Callers {
    fn add_host(&mut self, facts: &Facts<'_>, host: HostId, calls: &Calls<'_>) {
        let session = facts.session;
        let windows = facts.selected.host_windows(host);
        for id in driving_threads(session, &[host], facts.selected.loops()).concat() {
            if let Some(track) = session.track_having(id, calls.is_call) {
                self.add(session, &track, &windows, calls);
            }
        }
    }

    fn add(&mut self, session: &Session, track: &Track, windows: &Intervals, calls: &Calls<'_>) {
        for (number, lane) in track.lanes.iter().enumerate() {
            for (index, &label) in lane.labels().iter().enumerate() {
                let span = lane.span(index);
                if !(calls.is_call)(label) || !windows.contains_instant(span.start) {
                    continue;
                }
                self.all_ps = self.all_ps.saturating_add(span.duration().0);
                let frame = Frames::around(session, track, number, span).told();
                if let Some(frame) = frame.filter(|_| (calls.counts)(track, span)) {
                    let time = self.counted_ps.entry(frame).or_default();
                    *time = time.saturating_add(span.duration().0);
                }
            }
        }
    }
}
