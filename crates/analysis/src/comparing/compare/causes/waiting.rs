//! Devices wait more or less: for input, compilation or the host, or without a recorded cause.

use super::super::cause::{MOST, cause, is_most_of, more_or_less, signed};
use super::super::host_time::{Steps, by_cause, by_place, most_changed};
use super::super::pair::Both;
use super::super::report::{BarKind, ComparedCause, Evidence, WaterfallBar};
use super::super::waterfall::in_words;
use crate::measuring::activity::Cause;
use crate::telling::format;
use crate::telling::format::duration_ps;

/// A place that takes at least this share of a difference is named.
const LEAST_NAMED: f64 = 0.25;

/// What decides whether a bar is told.
pub(super) struct Limits {
    pub(super) least_ps: f64,
    /// The difference of the step, if it is so large that a reader asks why though noise may explain it.
    pub(super) large_ps: Option<f64>,
}

impl Limits {
    fn tell(&self, bar: &WaterfallBar) -> bool {
        let is_most = |step_ps| is_most_of(bar.difference_ps, step_ps);
        let is_known = bar.evidence != Evidence::WithinNoise;
        bar.difference_ps.abs() >= self.least_ps && (is_known || self.large_ps.is_some_and(is_most))
    }
}

/// Causes from the bars of waiting. Where none of them alone is most of a large difference, but all of
/// them are, or where what was recorded decides which of them time belongs to, they are one cause.
pub(super) fn of_waiting(
    both: &Both<'_, '_>,
    bars: &[&WaterfallBar],
    limits: &Limits,
) -> Vec<ComparedCause> {
    let (by_recording, others): (Vec<&WaterfallBar>, Vec<&WaterfallBar>) = bars
        .iter()
        .copied()
        .partition(|bar| both.is_recorded_otherwise() && bar.kind != BarKind::Compilation);
    let sum = |bars: &[&WaterfallBar]| bars.iter().map(|bar| bar.difference_ps).sum::<f64>();
    if !by_recording.is_empty() {
        let together = WaterfallBar {
            kind: BarKind::Idle,
            title: String::new(),
            part: None,
            difference_ps: sum(&by_recording),
            op: None,
            evidence: both.waiting().evidence,
        };
        let told = others.iter().filter(|bar| limits.tell(bar));
        let mut causes: Vec<ComparedCause> = told.map(|bar| of_bar(both, bar)).collect();
        if limits.tell(&together) {
            causes.push(unknown_share(&together));
        }
        return causes;
    }
    let told: Vec<&WaterfallBar> = bars
        .iter()
        .copied()
        .filter(|bar| limits.tell(bar))
        .collect();
    let is_sum = limits.large_ps.is_some_and(|step_ps| {
        let is_alone = told
            .iter()
            .any(|bar| is_most_of(bar.difference_ps, step_ps));
        !is_alone && is_most_of(sum(bars), step_ps) && !is_most_of(sum(&told), step_ps)
    });
    if is_sum {
        return vec![of_sum(both, bars, sum(bars))];
    }
    told.into_iter().map(|bar| of_bar(both, bar)).collect()
}

fn of_bar(both: &Both<'_, '_>, bar: &WaterfallBar) -> ComparedCause {
    let more = more_or_less(bar.difference_ps);
    let length = duration_ps(bar.difference_ps.abs());
    let (kind, text) = match bar.kind {
        BarKind::InputWait => (
            "input_wait",
            format!(
                "devices wait {length} {more} for input per step{}",
                mostly(both, bar.difference_ps, Cause::is_input)
            ),
        ),
        BarKind::Compilation => (
            "compilation",
            format!("devices wait {length} {more} for compilation per step"),
        ),
        BarKind::HostOverhead => (
            "host_overhead",
            format!(
                "devices wait {length} {more} per step while the host does other work{}",
                mostly(both, bar.difference_ps, is_work)
            ),
        ),
        _ => (
            "idle",
            format!(
                "devices are idle {length} {more} per step {}",
                meanwhile(both, bar.difference_ps)
            ),
        ),
    };
    ComparedCause {
        evidence: Some(bar.evidence),
        ..cause(kind, text, Some(bar.difference_ps))
    }
}

/// All waiting as one cause, with what it consists of.
fn of_sum(both: &Both<'_, '_>, bars: &[&WaterfallBar], sum_ps: f64) -> ComparedCause {
    let mut largest: Vec<&&WaterfallBar> = bars
        .iter()
        .filter(|bar| bar.difference_ps * sum_ps > 0.0)
        .collect();
    largest.sort_by(|a, b| b.difference_ps.abs().total_cmp(&a.difference_ps.abs()));
    let parts = largest.iter().filter_map(|bar| {
        let part = in_words(bar.part?);
        Some(format!("{part} {}", signed(bar.difference_ps)))
    });
    let parts: Vec<String> = parts.collect();
    let text = format!(
        "devices wait {} {} per step: {}{}",
        duration_ps(sum_ps.abs()),
        more_or_less(sum_ps),
        parts.join(", "),
        mostly(both, sum_ps, |cause| cause != Cause::Device)
    );
    ComparedCause {
        evidence: Some(Evidence::WithinNoise),
        ..cause("waiting", text, Some(sum_ps))
    }
}

/// Waiting of which only the sum can be compared.
fn unknown_share(bar: &WaterfallBar) -> ComparedCause {
    let text = format!(
        "devices wait {} {} per step in all: for what cannot be compared, as other things were recorded of the \
         host",
        duration_ps(bar.difference_ps.abs()),
        more_or_less(bar.difference_ps)
    );
    ComparedCause {
        evidence: Some(bar.evidence),
        ..cause("waiting", text, Some(bar.difference_ps))
    }
}

/// Whether the host works meanwhile, on other things than input and compilation.
const fn is_work(cause: Cause) -> bool {
    !cause.is_input()
        && !matches!(
            cause,
            Cause::Compilation | Cause::Callback | Cause::Device | Cause::Blocked | Cause::Unknown
        )
}

/// `, most of it in confusion_metrics (train.py:12)`: where the host is meanwhile.
fn mostly(both: &Both<'_, '_>, difference_ps: f64, counts: impl Fn(Cause) -> bool) -> String {
    let places = both
        .sides
        .map(|side| by_place(side, Steps::Typical, &counts));
    let Some((place, change)) = most_changed(places, difference_ps) else {
        return String::new();
    };
    let share = change / difference_ps;
    let place = format::shortened(&place);
    if share >= MOST {
        format!(", most of it in {place}")
    } else if share >= LEAST_NAMED {
        format!(", {} of it in {place}", duration_ps(change.abs()))
    } else {
        String::new()
    }
}

/// What is recorded of the host while devices are idle without work of it.
fn meanwhile(both: &Both<'_, '_>, difference_ps: f64) -> String {
    let [before, after] = both.sides.map(|side| by_cause(side, Steps::Typical));
    let changed = |cause: Cause| after[cause.position()] - before[cause.position()];
    let is_mostly = |cause: Cause| is_most_of(changed(cause), difference_ps);
    if is_mostly(Cause::Device) {
        let are_several = both
            .sides
            .iter()
            .any(|side| side.selected.main_devices.len() > 1);
        let whose = if are_several {
            "they, or others of the same run,"
        } else {
            "they"
        };
        format!("although {whose} have work")
    } else if is_mostly(Cause::Blocked) {
        let mostly = mostly(both, difference_ps, |cause| cause == Cause::Blocked);
        format!("while the host waits for a device, a lock or another thread{mostly}")
    } else {
        "while nothing was recorded on the host".to_owned()
    }
}
