//! What hosts do while their devices wait, in words: for the rules about idle time.

use crate::judging::advice::evidence::between;
use crate::judging::advice::facts::{Facts, Place};
use crate::judging::advice::report::AdviceEvidence;
use crate::measuring::activity::{CAUSES, Cause};
use crate::telling::format;
use crate::views::idle::GapRow;
use stepscope_model::SaturatingSum as _;

/// Causes and gaps that are told.
const TOLD: usize = 3;
/// A cause with less of the time of all that count is not told.
const MIN_SHARE: f64 = 0.05;
/// Share of the time of all that count from which on a cause is the one to name.
const MAIN_SHARE: f64 = 0.5;
/// Share of idle time in gaps too short to have a cause from which on a word is due.
const MAX_SHORT: f64 = 0.1;

/// Causes and their times, most first.
pub(super) struct Causes(Vec<(Cause, f64)>);

impl Causes {
    /// Of the steps of one place: the mean of each over them.
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
        Self::of(times, counts)
    }

    /// By a time for each cause.
    pub(super) fn of(times: impl Fn(Cause) -> f64, counts: impl Fn(Cause) -> bool) -> Self {
        let counted = CAUSES.into_iter().filter(|&cause| counts(cause));
        let mut all: Vec<(Cause, f64)> = counted.map(|cause| (cause, times(cause))).collect();
        let sum: f64 = all.iter().map(|(_, time)| time).sum();
        all.retain(|&(_, time)| time > MIN_SHARE * sum);
        all.sort_by(|a, b| b.1.total_cmp(&a.1));
        Self(all)
    }

    /// The cause that has most of the time.
    pub(super) fn main(&self) -> Option<Cause> {
        let sum: f64 = self.0.iter().map(|(_, time)| time).sum();
        let &(cause, time) = self.0.first()?;
        (time >= MAIN_SHARE * sum).then_some(cause)
    }

    /// `sleeping 20.1 ms, in wait_for_quota (train.py:23); running Python 0.3 ms`, and which gaps do
    /// not count, where that is a good part of them.
    pub(super) fn told(&self, facts: &Facts<'_>) -> String {
        let told = self.0.iter().take(TOLD);
        let all: Vec<String> = told
            .map(|&(cause, time)| {
                let place = place_of(facts, cause);
                format!("{} {}{place}", cause.meaning(), format::duration_ps(time))
            })
            .collect();
        let gaps = facts.gaps();
        let left_out = if gaps.short_ratio > MAX_SHORT {
            let length = format::duration_ps(gaps.min_gap_ps as f64);
            format!(" (gaps shorter than {length} left out)")
        } else {
            String::new()
        };
        format!("{}{left_out}", all.join("; "))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// What a finding about a cause is called.
pub(super) const fn title_of(cause: Cause) -> &'static str {
    match cause {
        Cause::Compilation => "The host compiles",
        Cause::DataLoading => "Waiting for input",
        Cause::GarbageCollection => "Garbage collection holds the devices up",
        Cause::Checkpoint => "Checkpoints hold the devices up",
        Cause::Profiler => "The profiler holds the devices up",
        Cause::Transfer => "Copies hold the devices up",
        Cause::Dispatch => "The host cannot keep up",
        Cause::Sleep => "The host sleeps",
        Cause::Python => "Python holds the devices up",
        Cause::Runtime => "The runtime holds the devices up",
        Cause::Annotation => "The host holds the devices up",
        Cause::Callback => "The program calls Python",
        Cause::Device => "The device pauses between its ops",
        Cause::Blocked => "The host waits between launches",
        Cause::Unknown => "Device idle, cause not recorded",
    }
}

/// Why a device waits where the host does this.
pub(super) const fn why_of(cause: Cause) -> &'static str {
    match cause {
        Cause::Dispatch => {
            "Work is launched one piece at a time, and the next launch waits for the host."
        }
        Cause::Blocked => {
            "The host waits for a result before it launches more, so the device runs dry between the \
             end of one piece of work and the launch of the next."
        }
        Cause::Sleep => "The loop sleeps on the thread that launches the next step.",
        Cause::Transfer => "The copy is made on the thread that launches the next step.",
        Cause::Callback => {
            "The device stops, its operands go to the host, Python runs, and the result goes back."
        }
        Cause::Device => {
            "The program was launched, and its host holds nothing up: the device waits for a core, a \
             copy or another device, or does something that was not recorded."
        }
        Cause::Unknown => {
            "Between one launch and the next the host waits for another process, or does something \
             that was not recorded."
        }
        _ => "It runs on the thread that launches the next step, which comes that much later.",
    }
}

/// `, in wait_for_quota (train.py:23)`: the longest gap of the cause tells.
pub(super) fn place_of(facts: &Facts<'_>, cause: Cause) -> String {
    // The first calls of a thread may come before its Python is traced.
    let is_told = |gap: &&GapRow| cause != Cause::Callback || !gap.python.is_empty();
    let mut gaps = facts.gaps().longest.iter();
    let Some(gap) = gaps.find(|gap| gap.cause == cause && is_told(gap)) else {
        return String::new();
    };
    let named = match gap.python.split_once(' ') {
        Some((line, function)) => format!("{function} ({line})"),
        None => match (gap.annotation.as_str(), gap.what.as_str()) {
            ("", "") => return String::new(),
            ("", what) => what.to_owned(),
            (annotation, _) => annotation.to_owned(),
        },
    };
    format!(", in {}", format::shortened(&named))
}

/// The longest gaps of a device that have some causes, with the call and the line of Python in them.
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

fn seen(gap: &GapRow) -> AdviceEvidence {
    let words = [&gap.python, &gap.what, &gap.annotation];
    let doing = words.into_iter().find(|text| !text.is_empty());
    let doing = doing.map_or_else(
        || gap.cause.meaning().to_owned(),
        |text| format::shortened(text),
    );
    let length = format::duration_ps(gap.duration_ps as f64);
    let text = format!("a gap of {length} on {}: {doing}", gap.device);
    AdviceEvidence {
        step: gap.step,
        device: gap.device.clone(),
        ..between(gap.start_ps, gap.start_ps + gap.duration_ps, text)
    }
}
