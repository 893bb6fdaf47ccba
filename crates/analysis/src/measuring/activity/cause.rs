//! Why a device waits: causes by decreasing priority, each with its title, meaning and remedy.

use serde::Serialize;
use stepscope_model::{
    Activity, Direction, Framework, HostId, SaturatingSum as _, Session, Span, TrackId,
};
use ts_rs::TS;

use super::{COMPILATION, INPUT, Loops, WAIT};
use crate::measuring::interval::Intervals;

/// Why a device waits: what its host is doing during the gap. Each instant belongs to the first of
/// these causes that applies to a driving thread; compilation counts on any thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export)]
pub enum Cause {
    /// Something is traced, lowered, compiled, or read from the compilation cache.
    Compilation,
    /// The host loads input or waits for it.
    DataLoading,
    /// The host copies to the device. With data loading, this is the part *input wait* of a step.
    CopyToDevice,
    /// Python or JAX collects garbage.
    GarbageCollection,
    /// A checkpoint is written or read.
    Checkpoint,
    /// The profiler starts, stops, or waits for the results of a step.
    Profiler,
    /// Data is copied to the host, or in a direction that was not recorded.
    Transfer,
    /// The host dispatches a program to the device.
    Dispatch,
    /// The program sleeps.
    Sleep,
    /// Python runs.
    Python,
    /// The runtime or a library is working.
    Runtime,
    /// The host is inside an annotation of the program, and nothing more specific was recorded.
    Annotation,
    /// The program running on the device calls Python. Takes precedence over all other causes.
    Callback,
    /// The device had work but paused: between ops of a program, or before a program that had already
    /// been launched. Takes precedence over whatever the host does.
    Device,
    /// The host itself waits for a device, a lock or another thread.
    Blocked,
    /// Nothing was recorded on the host.
    Unknown,
}

/// All causes by priority (except [`Cause::Callback`] and [`Cause::Device`]). Arrays by cause use the
/// same order.
pub(crate) const CAUSES: [Cause; 16] = [
    Cause::Compilation,
    Cause::DataLoading,
    Cause::CopyToDevice,
    Cause::GarbageCollection,
    Cause::Checkpoint,
    Cause::Profiler,
    Cause::Transfer,
    Cause::Dispatch,
    Cause::Sleep,
    Cause::Python,
    Cause::Runtime,
    Cause::Annotation,
    Cause::Callback,
    Cause::Device,
    Cause::Blocked,
    Cause::Unknown,
];

/// Picoseconds by cause, in the order of [`CAUSES`].
pub(crate) type CauseTimes = [i64; CAUSES.len()];

impl Cause {
    /// The cause that corresponds to an activity of a driving thread.
    pub(crate) const fn of(activity: Activity) -> Self {
        match activity {
            Activity::Compile(_) => Self::Compilation,
            Activity::Input(_) => Self::DataLoading,
            Activity::GarbageCollection => Self::GarbageCollection,
            Activity::Checkpoint => Self::Checkpoint,
            Activity::Profiler => Self::Profiler,
            Activity::Transfer(Direction::HostToDevice) => Self::CopyToDevice,
            Activity::Transfer(_) => Self::Transfer,
            Activity::Dispatch => Self::Dispatch,
            Activity::Sleep => Self::Sleep,
            Activity::Python => Self::Python,
            Activity::Runtime => Self::Runtime,
            Activity::Other => Self::Annotation,
            Activity::Blocked => Self::Blocked,
            Activity::None => Self::Unknown,
        }
    }

    /// Whether the host provides input meanwhile, as [`super::is_input`] says of what it does.
    pub(crate) const fn is_input(self) -> bool {
        matches!(self, Self::DataLoading | Self::CopyToDevice)
    }

    /// The name on the wire and in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compilation => "compilation",
            Self::DataLoading => "data_loading",
            Self::CopyToDevice => "copy_to_device",
            Self::GarbageCollection => "garbage_collection",
            Self::Checkpoint => "checkpoint",
            Self::Profiler => "profiler",
            Self::Transfer => "transfer",
            Self::Dispatch => "dispatch",
            Self::Sleep => "sleep",
            Self::Python => "python",
            Self::Runtime => "runtime",
            Self::Annotation => "annotation",
            Self::Callback => "callback",
            Self::Device => "device",
            Self::Blocked => "blocked",
            Self::Unknown => "unknown",
        }
    }

    /// The title that people see.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Compilation => "Compilation",
            Self::DataLoading => "Data loading",
            Self::CopyToDevice => "Copy to device",
            Self::GarbageCollection => "Garbage collection",
            Self::Checkpoint => "Checkpoint",
            Self::Profiler => "Profiler",
            Self::Transfer => "Other copies",
            Self::Dispatch => "Dispatch",
            Self::Sleep => "Sleep",
            Self::Python => "Python",
            Self::Runtime => "Runtime",
            Self::Annotation => "Annotation",
            Self::Callback => "Callback",
            Self::Device => "Device pauses",
            Self::Blocked => "Blocked",
            Self::Unknown => "Not recorded",
        }
    }

    /// What the host is doing, as a phrase.
    pub(crate) const fn meaning(self) -> &'static str {
        match self {
            Self::Compilation => "tracing, lowering, compiling",
            Self::DataLoading => "loading or waiting for input",
            Self::CopyToDevice => "copying to the device",
            Self::GarbageCollection => "collecting garbage",
            Self::Checkpoint => "writing or reading a checkpoint",
            Self::Profiler => "in the profiler: starting, stopping, waiting for a step",
            Self::Transfer => "copying to the host or between devices",
            Self::Dispatch => "dispatching a program to the device",
            Self::Sleep => "sleeping",
            Self::Python => "running Python",
            Self::Runtime => "in the runtime or a library",
            Self::Annotation => "in an annotation, no further detail recorded",
            Self::Callback => "running a Python callback",
            Self::Device => "device pauses with work to do",
            Self::Blocked => "waiting for a device, lock or thread",
            Self::Unknown => "nothing recorded on the host",
        }
    }

    /// What to do about it, in the framework's terms.
    pub(crate) const fn remedy(self, framework: Framework) -> &'static str {
        let is_jax = matches!(framework, Framework::Jax);
        match self {
            Self::Compilation => {
                "Warm up before the loop and keep shapes and static arguments fixed; see `stepscope \
                 compile`."
            }
            Self::DataLoading => {
                "Load batches ahead of time on other threads or processes; see `stepscope input`."
            }
            Self::GarbageCollection => {
                "Call `gc.freeze()` after set-up, or `gc.disable()` and collect between steps."
            }
            Self::Checkpoint => "Write checkpoints asynchronously, or less often.",
            Self::Profiler => {
                "This is profiler overhead. Wait only at the end of the window \
                 (`wait=\"window\"`), and ignore the first and last steps."
            }
            Self::CopyToDevice if is_jax => {
                "Put data on the device ahead of time with `jax.device_put`, and only once if every \
                 step uses it; see `stepscope input`."
            }
            Self::CopyToDevice => {
                "Put data on the device ahead of time, and only once if every step uses it; see \
                 `stepscope input`."
            }
            Self::Transfer => {
                "Read results less often. Place arrays that a step needs on another device there once, \
                 before the loop. The timeline shows which of the two these copies are."
            }
            Self::Dispatch if is_jax => {
                "Do more work per call: larger jitted functions, `lax.scan` over several steps."
            }
            Self::Dispatch => {
                "Do more work per call: larger compiled functions, several steps in one call."
            }
            Self::Sleep => {
                "Move the sleep off the thread that launches steps, or wait on the event instead of \
                 polling for it."
            }
            Self::Python => "Move work out of the loop, or dispatch the next step before it.",
            Self::Runtime => {
                "Look at the longest gaps on the timeline: their slices name the call."
            }
            Self::Annotation if is_jax => {
                "Turn on the Python tracer (`python_tracer_level = 1`) to see what runs inside."
            }
            Self::Annotation => "Record Python calls to see what runs inside.",
            Self::Callback => {
                "Write the function in jax.numpy, or call it between steps; see `stepscope advice`."
            }
            Self::Device => {
                "Look at the ops around the gaps on the timeline. Either what ran between them was \
                 not recorded, or the device waited for a core, a copy or another device."
            }
            Self::Blocked => {
                "The host is waiting too: check what other threads and devices are doing, and block \
                 less often."
            }
            Self::Unknown if is_jax => {
                "Record host events and Python: `options.host_tracer_level = 2; \
                 options.python_tracer_level = 1`."
            }
            Self::Unknown => "Record host events and Python.",
        }
    }

    /// Its position in [`CAUSES`].
    pub(crate) const fn position(self) -> usize {
        self as usize
    }
}

/// Level of an activity when every cause has its own level; see [`super::host_times`].
pub(crate) const fn level_of(activity: Activity) -> u8 {
    match Cause::of(activity) {
        Cause::Compilation => COMPILATION,
        Cause::DataLoading => INPUT,
        Cause::Blocked => WAIT,
        // The levels of work follow in the order of priority.
        cause => cause as u8 + 1,
    }
}

/// Levels of [`level_of`]: every cause except `Unknown`.
const LEVELS: usize = CAUSES.len() - 1;

/// What each host did, by cause. The times are disjoint: each instant belongs to the first cause that
/// applies. `Unknown` is the remainder and has no entry.
pub(crate) fn claimed(
    session: &Session,
    (hosts, loops): (&[HostId], Loops),
    windows: &[Span],
) -> Vec<(HostId, Vec<Intervals>)> {
    let times = super::host_times(session, (hosts, loops), windows, level_of, LEVELS);
    let claimed = times.into_iter();
    claimed
        .map(|(host, levels)| (host, by_priority(levels)))
        .collect()
}

/// [`claimed`] of a host that these threads alone drive, ascending.
pub(crate) fn claimed_by(
    session: &Session,
    host: HostId,
    threads: &[TrackId],
    windows: &[Span],
) -> Vec<Intervals> {
    let driving = [(host, threads.to_vec())];
    let mut times = super::times_of_threads(session, &driving, windows, level_of, LEVELS);
    times
        .pop()
        .map_or_else(Vec::new, |(_, levels)| by_priority(levels))
}

fn by_priority(mut levels: Vec<Intervals>) -> Vec<Intervals> {
    // Levels have waits third, causes have them last.
    let waits = levels.remove(usize::from(WAIT));
    levels.push(waits);
    let mut taken = Intervals::default();
    levels
        .into_iter()
        .map(|own| {
            let rest = own.subtract(&taken);
            if !rest.spans().is_empty() {
                taken = taken.union(&rest);
            }
            rest
        })
        .collect()
}

/// Divides pieces of time, sorted by start, by cause. Each row sums to the length of its piece.
pub(crate) fn cause_times(pieces: &[Span], causes: &[Intervals]) -> Vec<CauseTimes> {
    let mut rows: Vec<CauseTimes> = vec![[0; CAUSES.len()]; pieces.len()];
    for (position, times) in causes.iter().enumerate().take(CAUSES.len() - 1) {
        let spans = times.spans();
        let mut first = 0;
        for (piece, row) in pieces.iter().zip(&mut rows) {
            while spans.get(first).is_some_and(|span| span.end <= piece.start) {
                first += 1;
            }
            let within = spans[first..]
                .iter()
                .take_while(|span| span.start < piece.end);
            row[position] = within
                .filter_map(|span| span.intersection(*piece))
                .map(|span| span.duration().0)
                .saturating_sum();
        }
    }
    for (piece, row) in pieces.iter().zip(&mut rows) {
        let known: i64 = row.iter().saturating_sum();
        row[Cause::Unknown.position()] = piece.duration().0 - known;
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use stepscope_model::Picos;

    fn intervals(pairs: &[(i64, i64)]) -> Intervals {
        let span = |&(start, length): &(i64, i64)| Span::new(Picos(start), Picos(start + length));
        Intervals::union_of(pairs.iter().map(span).collect())
    }

    #[test]
    fn input_is_the_same_for_causes_and_activities() {
        use stepscope_model::{CompilePhase, InputStage};
        let transfers = [
            Direction::HostToDevice,
            Direction::DeviceToHost,
            Direction::Other,
        ];
        let transfers = transfers.map(Activity::Transfer);
        let others = [
            Activity::None,
            Activity::Compile(CompilePhase::Trace),
            Activity::GarbageCollection,
            Activity::Checkpoint,
            Activity::Profiler,
            Activity::Dispatch,
            Activity::Blocked,
            Activity::Sleep,
            Activity::Python,
            Activity::Runtime,
            Activity::Other,
        ];
        let loading = [InputStage::Wait, InputStage::Read, InputStage::Load].map(Activity::Input);
        for activity in loading.into_iter().chain(transfers).chain(others) {
            let is_input = super::super::is_input(activity);
            assert_eq!(Cause::of(activity).is_input(), is_input, "{activity:?}");
        }
    }

    #[test]
    fn causes_stand_where_they_say() {
        for (position, cause) in CAUSES.into_iter().enumerate() {
            assert_eq!(cause.position(), position);
        }
    }

    proptest! {
        #[test]
        fn each_instant_has_its_first_cause(
            levels in prop::collection::vec(
                prop::collection::vec((0i64..60, 0i64..12), 0..5), LEVELS..=LEVELS,
            ),
            pieces in prop::collection::vec((0i64..70, 1i64..20), 1..6),
        ) {
            let levels: Vec<Intervals> = levels.iter().map(|pairs| intervals(pairs)).collect();
            let mut pieces: Vec<Span> = pieces
                .iter()
                .map(|&(start, length)| Span::new(Picos(start), Picos(start + length)))
                .collect();
            pieces.sort_unstable();
            let rows = cause_times(&pieces, &by_priority(levels.clone()));
            // Levels are compilation, input, waits, work; causes have waits last.
            let order: Vec<usize> = [0, 1].into_iter().chain(3..LEVELS).chain([2]).collect();
            for (piece, row) in pieces.iter().zip(rows) {
                let mut expected: CauseTimes = [0; CAUSES.len()];
                for instant in piece.start.0..piece.end.0 {
                    let covers = |level: &&usize| {
                        levels[**level].spans().iter().any(|s| s.contains_instant(Picos(instant)))
                    };
                    let first = order.iter().find(covers);
                    let cause = first.map_or(CAUSES.len() - 1, |level| {
                        order.iter().position(|other| other == level).unwrap_or(0)
                    });
                    expected[cause] += 1;
                }
                prop_assert_eq!(row, expected);
            }
        }
    }
}
