//! Another thread that runs Python while the thread that launches the steps cannot.
//!
//! ```text
//! loop     [call]                         [call]     nothing recorded in between, or its own Python
//! other     [ genexpr ][ genexpr ][ genexpr ][ …     holds the interpreter
//! device        [ run ]                       [ run ]
//! ```
//!
//! Only one thread of a process runs Python at a time, so the loop has to wait for its turn.

use rustc_hash::FxHashMap;
use stepscope_model::host_names::is_library_frame;
use stepscope_model::{
    Activity, HostId, LabelId, Picos, SaturatingSum as _, Session, SliceKind, Span, Track, TrackId,
};

use crate::judging::advice::facts::{Facts, Place};
use crate::measuring::activity::{Activities, Cause, driving_threads, own_tracks};
use crate::measuring::interval::Intervals;
use crate::measuring::work::{NO_LEVEL, add_levels};
use crate::telling::format;
use crate::telling::places::python_function;

/// A thread that runs Python for a smaller share of the gaps does not explain them.
const MIN_SHARE: f64 = 0.5;

/// Levels of Python's frames.
const RUNS: u8 = 0;
const WAITS: u8 = 1;

/// Such a thread.
pub(super) struct Rival {
    pub(super) thread: TrackId,
    /// `burn (train.py:46) on thread 1234`
    pub(super) place: String,
    /// Share of the gaps in which it runs Python.
    pub(super) share: f64,
}

/// The thread that runs Python for most of the longest gaps with these causes; none if none does for
/// at least half of them.
pub(super) fn rival(
    facts: &Facts<'_>,
    (host, device): Place,
    counts: impl Fn(Cause) -> bool,
) -> Option<Rival> {
    let gaps = facts.gaps().longest.iter();
    let own = gaps.filter(|gap| {
        let is_own = device.is_none_or(|device| device.0 == gap.device_index);
        is_own && counts(gap.cause)
    });
    let span = |start: i64, length: i64| Span::new(Picos(start), Picos(start + length));
    let gaps = Intervals::union_of(own.map(|gap| span(gap.start_ps, gap.duration_ps)).collect());
    rival_within(facts, host, &gaps)
}

/// The same for any times in which the loop cannot go on.
pub(super) fn rival_within(facts: &Facts<'_>, host: HostId, gaps: &Intervals) -> Option<Rival> {
    let session = facts.session;
    let all_ps = gaps.duration().0;
    if all_ps == 0 {
        return None;
    }
    let levels = levels(session);
    let driving = driving_threads(session, &[host], facts.selected.loops());
    let others =
        own_tracks(session, host).filter(|id| !driving.iter().flatten().any(|own| own == id));
    let runs = |label: LabelId| levels[label.index()] == RUNS;
    let found = others.filter_map(|id| {
        let track = session.track_having(id, runs)?;
        let mut spans = vec![Vec::new(), Vec::new()];
        add_levels(&track, &levels, gaps.spans(), &mut spans);
        let mut times = spans.into_iter().map(Intervals::union_of_sorted);
        let running = times.next()?.subtract(&times.next()?);
        let share = running.intersect(gaps).duration().0 as f64 / all_ps as f64;
        (share >= MIN_SHARE).then_some((share, track, id))
    });
    let (share, track, id) = found.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let thread = match session.text(track.name) {
        "" => "a thread without a name".to_owned(),
        name => format!("thread {name}"),
    };
    let place = match longest_frame(session, &track, gaps, &levels) {
        Some(frame) => format!("{frame} on {thread}"),
        None => thread,
    };
    Some(Rival {
        thread: id,
        place,
        share,
    })
}

/// Whether Python's frames run or wait, by label.
fn levels(session: &Session) -> Vec<u8> {
    let activities = Activities::of(session);
    let ids = (0..session.labels.len()).map(LabelId::from_index);
    let level = ids.map(|id| match activities.label(id) {
        _ if session.label(id).kind != SliceKind::Python => NO_LEVEL,
        Activity::Blocked | Activity::Sleep => WAITS,
        _ => RUNS,
    });
    level.collect()
}

/// The frame of the program's own files that takes most of the gaps: `burn (train.py:46)`.
fn longest_frame(
    session: &Session,
    track: &Track,
    gaps: &Intervals,
    levels: &[u8],
) -> Option<String> {
    let mut times: FxHashMap<LabelId, i64> = FxHashMap::default();
    for lane in &track.lanes {
        for &gap in gaps.spans() {
            for index in lane.overlapping(gap) {
                let label = lane.labels()[index];
                if levels[label.index()] == RUNS {
                    let within = lane.span(index).intersection(gap);
                    let length = within.map_or(0, |within| within.duration().0);
                    let time = times.entry(label).or_default();
                    *time = [*time, length].iter().saturating_sum();
                }
            }
        }
    }
    let mut named: Vec<(i64, &str)> = times
        .into_iter()
        .map(|(label, time)| (time, session.label_name(label).trim_start_matches('$')))
        .filter(|(_, name)| name.contains(".py:") && !is_library_frame(name))
        .collect();
    named.sort_unstable_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    let function = python_function(named.first()?.1)?;
    Some(format::shortened(&function))
}

impl Rival {
    /// ` Meanwhile, …`
    pub(super) fn told(&self) -> String {
        format!(
            " For {} of the longest of these gaps, another thread runs Python: {}.",
            format::percent(self.share),
            self.place
        )
    }

    /// Why the loop waits for it.
    pub(super) const WHY: &'static str = "Only one thread of a process runs Python at a time (the global interpreter lock), so the thread \
         that launches the next step probably waits until the other one lets go.";

    /// Why a queue stays empty meanwhile.
    pub(super) const WHY_FILLER: &'static str = "Only one thread of a process runs Python at a time (the global interpreter lock), so the thread \
         that fills the queue probably waits until the other one lets go.";

    /// What to change.
    pub(super) const FIX: &'static str = "Move that thread's work to another process, or into calls that release the lock (NumPy, \
         compiled code, I/O); do it in fewer, larger pieces between steps.";
}
