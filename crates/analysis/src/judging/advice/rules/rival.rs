//! Another thread that runs Python while the thread that launches the steps cannot.
//!
//! ```text
//! loop     [call]                         [call]     nothing recorded in between, or its own Python
//! other     [ genexpr ][ genexpr ][ genexpr ][ …     holds the interpreter
//! device        [ run ]                       [ run ]
//! ```
//!
//! Only one thread of a process runs Python at a time, so the loop has to wait for its turn. A thread that
//! computes in the function in which it was when the recording began records hardly any calls: see
//! [`silent_rival`].

use std::cmp::Reverse;

use rustc_hash::FxHashMap;
use stepscope_model::{
    Activity, HostId, LabelId, Picos, SaturatingSum as _, Session, SliceKind, Span, Track, TrackId,
};

use crate::judging::advice::facts::{Facts, Place};
use crate::judging::advice::report::{AdviceFinding, Confidence};
use crate::measuring::activity::{Activities, Awaits, Cause, driving_threads, own_tracks};
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
    place: Place,
    counts: impl Fn(Cause) -> bool,
) -> Option<Rival> {
    rival_within(facts, place.0, &gaps_of(facts, place, counts))
}

/// The same where the loop reads results, although they are ready: a device without work has computed what is
/// read, and the runtime hardly waits for it. A read needs the interpreter to go on. None where nothing
/// records the runtime's waits.
pub(super) fn rival_of_reads(facts: &Facts<'_>, place: Place) -> Option<Rival> {
    let session = facts.session;
    let gaps = gaps_of(facts, place, |cause| cause == Cause::Transfer);
    let (awaits, mut waits) = (Awaits::of(session), Vec::new());
    let driving = driving_threads(session, &[place.0], facts.selected.loops());
    for id in driving.into_iter().flatten() {
        let track = session.track_in_passing(id);
        waits.extend(awaits.on(id, &track).into_iter().map(|one| one.span));
    }
    let is_known = !waits.is_empty();
    let waited_ps = Intervals::union_of(waits).intersect(&gaps).duration().0;
    let is_ready = (waited_ps as f64) < MIN_SHARE * gaps.duration().0 as f64;
    (is_known && is_ready)
        .then(|| rival_within(facts, place.0, &gaps))
        .flatten()
}

/// The longest gaps of a place with these causes.
fn gaps_of(facts: &Facts<'_>, (_, device): Place, counts: impl Fn(Cause) -> bool) -> Intervals {
    let gaps = facts.gaps().longest.iter();
    let own = gaps.filter(|gap| {
        let is_own = device.is_none_or(|device| device.0 == gap.device_index);
        is_own && counts(gap.cause)
    });
    let span = |start: i64, length: i64| Span::new(Picos(start), Picos(start + length));
    Intervals::union_of(own.map(|gap| span(gap.start_ps, gap.duration_ps)).collect())
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
    let thread = thread_name(session, &track);
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

/// A thread asks for the interpreter, and gets it after this time at the earliest if another one computes
/// in Python (`sys.getswitchinterval`), less what clocks may differ by.
const SWITCH_PS: i64 = 4_500_000_000;
/// A thread with fewer calls may have ended, or wait for something since the recording began.
const MIN_CALLS: usize = 5;
/// At least one call for so many gaps shows that it goes on.
const GAPS_PER_CALL: usize = 20;

/// Launches that take so long are at least this share of the gaps.
const MIN_SLOW: f64 = 0.05;

/// The thread that is between recorded calls of Python for most of the longest gaps in which the loop runs
/// Python or launches, if some launches take as long as it takes to get the interpreter from a thread that
/// computes: on a host whose interpreter is free, they take far less.
///
/// ```text
/// loop     [call]                         [call]
/// other   [sleep]                            [sleep]    in between, the code of its own loop
/// ```
pub(super) fn silent_rival(facts: &Facts<'_>, (host, device): Place) -> Option<Rival> {
    let gaps = facts.gaps().longest.iter().filter(|gap| {
        let is_own = device.is_none_or(|device| device.0 == gap.device_index);
        is_own && needs_interpreter(gap.cause)
    });
    let slow = gaps
        .clone()
        .filter(|gap| gap.cause == Cause::Dispatch && gap.cause_ps >= SWITCH_PS);
    let slow_ps = slow.map(|gap| gap.cause_ps).saturating_sum();
    let spans: Vec<Span> = gaps
        .map(|gap| Span::new(Picos(gap.start_ps), Picos(gap.start_ps + gap.duration_ps)))
        .collect();
    let count = spans.len();
    let gaps = Intervals::union_of(spans);
    let all_ps = gaps.duration().0;
    if all_ps == 0 || (slow_ps as f64) < MIN_SLOW * all_ps as f64 {
        return None;
    }
    let session = facts.session;
    let labels = session.labels.iter();
    let is_python: Vec<bool> = labels
        .map(|label| label.kind == SliceKind::Python)
        .collect();
    let driving = driving_threads(session, &[host], facts.selected.loops());
    let others =
        own_tracks(session, host).filter(|id| !driving.iter().flatten().any(|own| own == id));
    let found = others.filter_map(|id| {
        let track = session.track_having(id, |label| is_python[label.index()])?;
        let lanes = track.lanes.iter();
        let calls: usize = lanes
            .map(|lane| {
                let labels = lane.labels().iter();
                labels.filter(|label| is_python[label.index()]).count()
            })
            .sum();
        if calls < MIN_CALLS || calls * GAPS_PER_CALL < count {
            return None;
        }
        let recorded = track.lanes.iter().flat_map(|lane| {
            let within = gaps.spans().iter().flat_map(|&gap| lane.overlapping(gap));
            within.map(|index| lane.span(index)).collect::<Vec<_>>()
        });
        let recorded = Intervals::union_of(recorded.collect());
        let between = gaps.subtract(&recorded).clip(track.extent()?);
        let share = between.duration().0 as f64 / all_ps as f64;
        (share >= MIN_SHARE).then_some((share, track, id))
    });
    let (share, track, id) = found.max_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(Rival {
        thread: id,
        place: thread_name(session, &track),
        share,
    })
}

/// Whether a thread that does this runs Python, or has to before it goes on.
pub(super) const fn needs_interpreter(cause: Cause) -> bool {
    matches!(cause, Cause::Python | Cause::Dispatch)
}

fn thread_name(session: &Session, track: &Track) -> String {
    match session.text(track.name) {
        "" => "a thread without a name".to_owned(),
        name => format!("thread {name}"),
    }
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

/// The frame that takes most of the gaps, if possible of the program's own files: `burn (train.py:46)`.
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
    let mut named: Vec<(bool, i64, &str)> = times
        .into_iter()
        .map(|(label, time)| {
            let name = session.label_name(label).trim_start_matches('$');
            (session.is_library_frame(name), time, name)
        })
        .filter(|(_, _, name)| name.contains(".py:"))
        .collect();
    // A function that was running when the recording began has no frame, but what it calls has.
    named.sort_unstable_by_key(|&(is_library, time, name)| (is_library, Reverse(time), name));
    let function = python_function(named.first()?.2)?;
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

    /// ` Meanwhile, …`, where the cores are what both want.
    pub(super) fn takes_cores(&self) -> String {
        format!(
            " For {} of these steps, another thread of the process computes: {}.",
            format::percent(self.share),
            self.place
        )
    }

    /// A finding about gaps that [`silent_rival`] may explain.
    pub(super) fn explains(&self, finding: AdviceFinding) -> AdviceFinding {
        let what = format!(
            "{} For {} of the longest of these gaps, another thread of Python is between recorded calls: {}, \
             in the code of its own loop, or in a native call.",
            finding.what,
            format::percent(self.share),
            self.place
        );
        AdviceFinding { what, ..finding }
            .titled(Self::SILENT.to_owned())
            .why(Self::WHY)
            .fix(Self::FIX)
            .sure(Confidence::Medium)
    }

    /// A finding about reads of results that are ready.
    pub(super) fn delays_reads(&self, finding: AdviceFinding) -> AdviceFinding {
        let what = format!("{}{}", finding.what, self.told());
        AdviceFinding { what, ..finding }
            .titled("Another thread holds the interpreter".to_owned())
            .why(Self::WHY)
            .fix(Self::FIX)
            .sure(Confidence::Medium)
    }

    /// The title where a thread records nothing that shows that it runs Python.
    const SILENT: &'static str = "Another thread may hold the interpreter";

    /// Why the loop waits for it.
    pub(super) const WHY: &'static str = "Only one thread of a process runs Python at a time (the global interpreter lock), so the thread \
         that launches the next step probably waits until the other one lets go.";

    /// Why ops of XLA:CPU take longer meanwhile.
    pub(super) const WHY_CORES: &'static str =
        "XLA:CPU computes on the cores of its host, and that thread takes some of them.";

    /// What to change where cores are short.
    pub(super) const FIX_CORES: &'static str = "Do that thread's work when no step runs, or in a process on other cores; limit the threads of its \
         library (OMP_NUM_THREADS, OPENBLAS_NUM_THREADS, MKL_NUM_THREADS).";

    /// Why a queue stays empty meanwhile.
    pub(super) const WHY_FILLER: &'static str = "Only one thread of a process runs Python at a time (the global interpreter lock), so the thread \
         that fills the queue probably waits until the other one lets go.";

    /// What to change.
    pub(super) const FIX: &'static str = "Move that thread's work to another process, or into calls that release the lock (NumPy, \
         compiled code, I/O); do it in fewer, larger pieces between steps.";
}
