//! Texts about what hosts do while their devices wait, for the rules about idle time.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::judging::advice::evidence::between;
use crate::judging::advice::facts::{Facts, Place};
use crate::judging::advice::programs::BusyProgram;
use crate::judging::advice::report::AdviceEvidence;
use crate::measuring::activity::{Activities, CAUSES, Cause};
use crate::measuring::selection::main_series;
use crate::measuring::steps::StepParts;
use crate::telling::format;
use crate::telling::places::python_function;
use crate::views::idle::{GapRow, OWN_CODE};
use stepscope_model::{Activity, Direction, LabelId, SaturatingSum as _};

/// Number of causes and gaps that a finding names.
const TOLD: usize = 3;
/// Causes with a smaller share of the counted time are not named.
const MIN_SHARE: f64 = 0.05;
/// Minimum share of the counted time for a cause to be the main one.
const MAIN_SHARE: f64 = 0.5;
/// From this share of the gaps on, a place stands for all of them.
const ALL_SHARE: f64 = 0.9;
/// If gaps too short to have a cause make up more than this share of idle time, the text says so.
pub(super) const MAX_SHORT: f64 = 0.1;

/// Why devices of XLA:CPU take longer for all they do.
pub(super) const BUSY_CORES: &str = "XLA:CPU computes on the cores of its host, and other processes, or other threads of \
                                     this one, may have taken them.";

/// What to do about results that are what the program is for.
pub(super) fn answering(facts: &Facts<'_>) -> &'static str {
    let series = main_series(facts.session).map(|series| facts.session.text(series).to_lowercase());
    let is_called_training = series.is_some_and(|series| series.contains("train"));
    let main = facts.programs().first();
    if is_called_training || main.is_some_and(BusyProgram::differentiates) {
        LEARNING
    } else if main.is_some_and(BusyProgram::may_continue) {
        FEEDING
    } else {
        ANSWERING
    }
}

/// Where gradients are computed, or steps are called training, nobody waits for an answer.
const LEARNING: &str = "Launch the next run before reading the results of this one, and read only once every many runs. \
                        If the next run needs what is read, keep the loop in one program (jax.lax.scan or \
                        jax.lax.while_loop).";

/// Where a run may get what the run before it returned.
const FEEDING: &str = "If each run continues from the results of the one before, as decoding does, keep the loop in one \
                       program (jax.lax.while_loop), or read only every few runs whether it has ended. Put several \
                       requests into a batch, or serve them from several threads.";
const ANSWERING: &str = "Launch the next batch before reading the results of the last one. If each run answers a \
                         request, the device has time for more of them: put several into a batch, or serve \
                         them from several threads.";

/// Causes and their times, largest first.
pub(super) struct Causes {
    times: Vec<(Cause, f64)>,
    /// Copies are mostly results that the host reads.
    reads_results: bool,
}

impl Causes {
    /// Mean time of each cause over the steps of one place.
    pub(super) fn of_place(
        facts: &Facts<'_>,
        place: Place,
        counts: impl Fn(Cause) -> bool,
    ) -> Self {
        let own = facts.gaps().steps.iter();
        let own: Vec<&[i64]> = own
            .filter(|step| place.1.is_some_and(|device| step.device_index == device.0))
            .map(|step| step.causes_ps.as_slice())
            .collect();
        let times = |cause: Cause| {
            let all: i64 = own
                .iter()
                .map(|step| step[cause.position()])
                .saturating_sum();
            all as f64 / own.len().max(1) as f64
        };
        Self {
            reads_results: reads_results(facts, place),
            ..Self::of(times, counts)
        }
    }

    /// Causes that `counts` accepts, given the time of each.
    pub(super) fn of(times: impl Fn(Cause) -> f64, counts: impl Fn(Cause) -> bool) -> Self {
        let counted = CAUSES.into_iter().filter(|&cause| counts(cause));
        let mut all: Vec<(Cause, f64)> = counted.map(|cause| (cause, times(cause))).collect();
        let sum: f64 = all.iter().map(|(_, time)| time).sum();
        all.retain(|&(_, time)| time > MIN_SHARE * sum);
        all.sort_by(|a, b| b.1.total_cmp(&a.1));
        Self {
            times: all,
            reads_results: false,
        }
    }

    /// The cause with at least half of the time.
    pub(super) fn main(&self) -> Option<Cause> {
        let sum: f64 = self.times.iter().map(|(_, time)| time).sum();
        let &(cause, time) = self.times.first()?;
        (time >= MAIN_SHARE * sum).then_some(cause)
    }

    /// The cause with the most time, however little that is.
    pub(super) fn longest(&self) -> Option<Cause> {
        Some(self.times.first()?.0)
    }

    /// Time of all of them.
    pub(super) fn sum_ps(&self) -> f64 {
        self.times.iter().map(|(_, time)| time).sum()
    }

    /// Time of the main cause.
    pub(super) fn main_ps(&self) -> Option<f64> {
        self.main()?;
        Some(self.times.first()?.1)
    }

    /// `sleeping 20.1 ms, in wait_for_quota (train.py:23); running Python 0.3 ms`. If a large share of
    /// gaps is excluded, the text says which.
    pub(super) fn told(&self, facts: &Facts<'_>) -> String {
        let told = self.times.iter().take(TOLD);
        let all: Vec<String> = told
            .map(|&(cause, time)| {
                let is_read = self.reads_results && cause == Cause::Transfer;
                let (meaning, place) = if is_read {
                    let names = names_of_reads(facts);
                    let place = place_among(facts, cause, |gap| names.contains(gap.what.as_str()));
                    ("reading results of the device", place)
                } else if cause == Cause::Python && is_between_calls(facts) {
                    ("between recorded calls", place_of(facts, cause))
                } else if cause == Cause::Python && mostly_in(facts, cause, is_file_call) {
                    ("in system calls on files", place_of(facts, cause))
                } else if cause == Cause::Python && has_no_gap(facts, cause) {
                    ("running Python or between recorded calls", String::new())
                } else {
                    (cause.meaning(), place_of(facts, cause))
                };
                format!("{meaning} {}{place}", format::duration_ps(time))
            })
            .collect();
        let gaps = facts.gaps();
        let left_out = if gaps.short_ratio > MAX_SHORT {
            let length = format::duration_ps(gaps.min_gap_ps as f64);
            format!(" (excluding gaps shorter than {length})")
        } else {
            String::new()
        };
        format!("{}{left_out}", all.join("; "))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// Whether the main cause is that the host reads results.
    pub(super) fn is_reading(&self) -> bool {
        self.reads_results && self.main() == Some(Cause::Transfer)
    }
}

/// The time of a cause in each row of the steps.
pub(super) fn of_cause_ps(facts: &Facts<'_>, cause: Cause) -> Vec<f64> {
    let steps = facts.gaps().steps.iter();
    let times: BTreeMap<(u32, i64), i64> = steps
        .map(|step| {
            let time_ps = step.causes_ps[cause.position()];
            ((step.device_index, step.start_ps), time_ps)
        })
        .collect();
    let of_row = |row: &StepParts| {
        let place = (row.device?.0, row.span.start.0);
        times.get(&place).map(|&time_ps| time_ps as f64)
    };
    let rows = facts.rows().iter();
    rows.map(|row| of_row(row).unwrap_or(0.0)).collect()
}

/// Whether the host copies mostly to itself in the gaps of a place in which it copies: it reads results
/// (`float(loss)`, `np.asarray`), which blocks the launch of the next step.
pub(super) fn reads_results(facts: &Facts<'_>, (_, device): Place) -> bool {
    let names = names_of_reads(facts);
    let (mut reads_ps, mut all_ps) = (0i64, 0i64);
    for gap in &facts.gaps().longest {
        let is_own = device.is_none_or(|device| device.0 == gap.device_index);
        if is_own && gap.cause == Cause::Transfer {
            all_ps = all_ps.saturating_add(gap.cause_ps);
            if names.contains(gap.what.as_str()) {
                reads_ps = reads_ps.saturating_add(gap.cause_ps);
            }
        }
    }
    all_ps > 0 && reads_ps as f64 >= MAIN_SHARE * all_ps as f64
}

/// Names of the calls that copy from a device to the host, as gaps have them.
fn names_of_reads<'a>(facts: &Facts<'a>) -> BTreeSet<&'a str> {
    let session = facts.session;
    let activities = Activities::of(session);
    let labels = (0..session.labels.len()).map(LabelId::from_index);
    let is_read =
        |id: &LabelId| activities.label(*id) == Activity::Transfer(Direction::DeviceToHost);
    let names = labels
        .filter(is_read)
        .map(|id| session.label_name(id).trim_start_matches('$'));
    names.collect()
}

/// The title of a finding about a cause.
pub(super) const fn title_of(cause: Cause) -> &'static str {
    match cause {
        Cause::Compilation => "The host compiles",
        Cause::DataLoading => "Waiting for input",
        Cause::CopyToDevice => "Copying to the device",
        Cause::GarbageCollection => "Garbage collection delays the devices",
        Cause::Checkpoint => "Checkpoints delay the devices",
        Cause::Profiler => "The profiler delays the devices",
        Cause::Transfer => "Copies delay the devices",
        Cause::Dispatch => "The host cannot keep up",
        Cause::Sleep => "The host sleeps",
        Cause::Python => "Python delays the devices",
        Cause::Runtime => "The runtime delays the devices",
        Cause::Annotation => "The host delays the devices",
        Cause::Callback => "The program calls Python",
        Cause::Device => "Device pauses",
        Cause::Blocked => "The host waits between launches",
        Cause::Unknown => "Device idle, cause not recorded",
    }
}

/// Why a device waits while the host does this.
pub(super) const fn why_of(cause: Cause) -> &'static str {
    match cause {
        Cause::Dispatch => "Work is launched piece by piece, and each launch waits for the host.",
        Cause::Blocked => {
            "The host waits for a result before it launches more work, so the device runs out of work \
             until the next launch."
        }
        Cause::Sleep => "The loop sleeps on the thread that launches the next step.",
        Cause::CopyToDevice | Cause::Transfer => {
            "The thread that launches the next step copies, or waits for another thread that does."
        }
        Cause::Callback => {
            "The device stops, its operands go to the host, Python runs, and the result goes back."
        }
        Cause::Device => {
            "The program was already launched, so the host does not cause the delay: the device waits \
             for a core, a copy or another device, or does something that was not recorded."
        }
        Cause::Unknown => {
            "Between launches, the host waits for another process or does something that was not \
             recorded."
        }
        _ => "It runs on the thread that launches the next step and delays that launch.",
    }
}

/// `, in wait_for_quota (train.py:23)`: where the host was for most of the gaps with this cause.
pub(super) fn place_of(facts: &Facts<'_>, cause: Cause) -> String {
    place_among(facts, cause, |_| true)
}

/// The same of copies to the device. While the host reads a result, another thread makes them.
pub(super) fn place_of_copies(facts: &Facts<'_>) -> String {
    let reads = names_of_reads(facts);
    place_among(facts, Cause::CopyToDevice, |gap| {
        !reads.contains(gap.what.as_str())
    })
}

/// The same for the gaps of one step.
pub(super) fn place_in_step(facts: &Facts<'_>, cause: Cause, step: i64) -> String {
    place_among(facts, cause, |gap| gap.step == Some(step))
}

/// The same among some of the gaps.
fn place_among(facts: &Facts<'_>, cause: Cause, counts: impl Fn(&GapRow) -> bool) -> String {
    // The first calls on a thread may happen before its Python is traced.
    let is_told = |gap: &&GapRow| cause != Cause::Callback || !gap.python.is_empty();
    let gaps = facts.gaps().longest.iter();
    let mut times: BTreeMap<String, i64> = BTreeMap::new();
    for gap in gaps.filter(|gap| gap.cause == cause && is_told(gap) && counts(gap)) {
        let time = times.entry(named(gap)).or_default();
        *time = time.saturating_add(gap.cause_ps);
    }
    let all_ps: i64 = times.values().saturating_sum();
    times.remove("");
    let most = times
        .into_iter()
        .max_by_key(|(name, time)| (*time, Reverse(name.clone())));
    let Some((name, time)) = most else {
        return String::new();
    };
    let share = time as f64 / all_ps.max(1) as f64;
    let how = if share >= ALL_SHARE {
        "in"
    } else if share >= MAIN_SHARE {
        "mostly in"
    } else {
        "for example in"
    };
    format!(", {how} {}", format::shortened(&name))
}

/// Whether most of the time in Python is between recorded calls: what the host does then is not known.
pub(super) fn is_between_calls(facts: &Facts<'_>) -> bool {
    mostly_in(facts, Cause::Python, |gap| gap.what == OWN_CODE)
}

/// Whether a gap is spent in a system call on files, as Python's `os` module names them.
pub(super) fn is_file_call(gap: &GapRow) -> bool {
    const CALLS: [&str; 10] = [
        "fsync",
        "fdatasync",
        "sync",
        "write",
        "writev",
        "pwrite",
        "read",
        "readv",
        "pread",
        "sendfile",
    ];
    let call = gap.what.strip_prefix("posix ");
    call.is_some_and(|call| CALLS.contains(&call))
}

/// Whether no gap is mostly due to the cause: it takes a part of gaps with another one, and nothing says what is
/// done in it.
pub(super) fn has_no_gap(facts: &Facts<'_>, cause: Cause) -> bool {
    facts.gaps().longest.iter().all(|gap| gap.cause != cause)
}

/// Whether gaps of this kind are most of the time that the cause takes.
pub(super) fn mostly_in(facts: &Facts<'_>, cause: Cause, is: fn(&GapRow) -> bool) -> bool {
    let (mut within_ps, mut all_ps) = (0_i64, 0_i64);
    for gap in (facts.gaps().longest.iter()).filter(|gap| gap.cause == cause) {
        all_ps = all_ps.saturating_add(gap.cause_ps);
        if is(gap) {
            within_ps = within_ps.saturating_add(gap.cause_ps);
        }
    }
    within_ps as f64 > MAIN_SHARE * all_ps as f64
}

/// Where the host was in a gap: the Python function, the annotation or the call; empty if none is known.
fn named(gap: &GapRow) -> String {
    match python_function(&gap.python) {
        Some(function) => function,
        None if gap.annotation.is_empty() => gap.what.clone(),
        None => gap.annotation.clone(),
    }
}

/// The longest gaps of a device with accepted causes, each with its Python line, call or annotation.
pub(super) fn longest_gaps(
    facts: &Facts<'_>,
    (_, device): Place,
    counts: impl Fn(Cause) -> bool,
) -> Vec<AdviceEvidence> {
    let has_steps = facts.step_ps.is_some();
    let name = device.map(|device| facts.session.device_title(device));
    let is_own = |gap: &GapRow| name.as_ref().is_none_or(|name| *name == gap.device);
    let gaps = facts.gaps().longest.iter();
    let told =
        gaps.filter(|gap| counts(gap.cause) && is_own(gap) && (gap.step.is_some() || !has_steps));
    told.take(TOLD).map(seen).collect()
}

/// The longest gaps between steps, of any device.
pub(super) fn gaps_between(facts: &Facts<'_>) -> Vec<AdviceEvidence> {
    let gaps = facts.gaps().longest.iter();
    let between = gaps.filter(|gap| gap.step.is_none());
    between.take(TOLD).map(seen).collect()
}

fn seen(gap: &GapRow) -> AdviceEvidence {
    let words = [&gap.python, &gap.what, &gap.annotation];
    let doing = words.into_iter().find(|text| !text.is_empty());
    let doing = doing.map_or_else(
        || gap.cause.meaning().to_owned(),
        |text| format::shortened(text),
    );
    let length = format::duration_ps(gap.duration_ps as f64);
    let text = format!("gap of {length} on {}: {doing}", gap.device);
    AdviceEvidence {
        step: gap.step,
        device: gap.device.clone(),
        ..between(gap.start_ps, gap.start_ps + gap.duration_ps, text)
    }
}
