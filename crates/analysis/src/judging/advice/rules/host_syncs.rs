//! The host stops repeatedly to wait for the device within a step (guides: synchronization, too many
//! `block_until_ready`, results read in the loop).

use std::borrow::Cow;
use std::cmp::Reverse;

use stepscope_model::host_names::{dispatched_function, is_buffer_wait};
use stepscope_model::{Activity, Direction, HostId, Session, SliceKind, Span, StepOrigin, Track};

use super::host_causes::answering;
use super::own_python::without_own_python;
use super::{NO_WORK, Outcome, Rule, WAITING, finding, gravity, no_steps, waiting};
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::Confidence;
use crate::measuring::activity::{ThreadTime, driving_threads, is_conversion, levels};
use crate::measuring::interval::Intervals;
use crate::measuring::steps::median;
use crate::measuring::work::NO_LEVEL;
use crate::telling::format;

pub(super) static RULE: Rule = Rule {
    id: "host_syncs",
    title: "Many host syncs per step",
    parts: WAITING,
    check,
};

/// Below this share of a step, the device hardly waits, no matter how often the host does.
const MIN_WAITING: f64 = 0.05;
/// Kinds of stops.
const WAIT: u8 = 0;
const COPY: u8 = 1;
/// How XLA:CPU calls the ops of a program that it runs on the thread that launches it.
const RUN: &str = "ThunkExecutor::Execute";
/// Shorter waits are for locks, not for results.
const MIN_STOP_PS: i64 = 5_000_000;

const FIX: &str = "Keep what the loop needs on the device (jnp.where or lax.cond instead of if, arrays instead of \
                   float()); collect metrics and read them once every many steps; call block_until_ready \
                   only to measure.";
const FIX_ELSEWHERE: &str =
    "Keep what the loop needs on the device; collect metrics and read them once every many steps.";
const CODE: &str = "metrics.append(loss)                      # an array, not float(loss)\nif step % 100 == 0:\n    log(jax.device_get(metrics))";

fn check(facts: &Facts<'_>) -> Outcome {
    let Some(waiting) = waiting(facts) else {
        return Outcome::Skipped(no_steps(facts));
    };
    if !facts.has_work() {
        return Outcome::Skipped(NO_WORK.to_owned());
    }
    let idle = waiting.told(facts);
    if waiting.ratio < MIN_WAITING {
        return Outcome::Passed(format!("Devices are idle for only {idle}."));
    }
    if facts.session.step_origin != Some(StepOrigin::Annotation) {
        return Outcome::Skipped(
            "Steps were not annotated on the host, so it is unknown which syncs belong to them."
                .to_owned(),
        );
    }
    let stops = facts
        .selected
        .hosts
        .iter()
        .map(|&host| Stops::of(facts, host));
    let Some(most) = stops.max_by(|a, b| a.per_step.total_cmp(&b.per_step)) else {
        return Outcome::Skipped(no_steps(facts));
    };
    let (waited, own_python) = without_own_python(facts, &waiting);
    let text = format!(
        "The host waits for the device {} in the median step ({} to copy results), and devices are \
         idle for {idle}.{own_python}",
        format::counted(most.per_step, "time"),
        format::counted(most.copies_per_step, "time")
    );
    let Some(severity) = gravity(&facts.threshold("host_syncs_count"), most.per_step) else {
        return Outcome::Passed(text);
    };
    let evidence = most.busiest.map(|(step, span)| {
        let number = facts.session.steps[step].number;
        crate::judging::advice::evidence::at(span, format!("step {number}"))
    });
    finding(&RULE, severity, text)
        .why(
            "Each sync drains the device's queue: the device waits until the host has received the \
             result, run Python and launched more work.",
        )
        .fix(if facts.trains() { FIX } else { answering(facts) })
        .fix_elsewhere(if facts.trains() { FIX_ELSEWHERE } else { answering(facts) })
        .code(if facts.trains() { CODE } else { "" })
        .gain(
            Some(waited * (1.0 - 1.0 / most.per_step.max(1.0))),
            "time in which devices are idle while their host works or waits, minus the share of one sync",
        )
        .sure(Confidence::Low)
        .seen(evidence)
        .found()
}

/// Syncs of a host per step, as medians.
struct Stops {
    per_step: f64,
    copies_per_step: f64,
    /// The step with most of them.
    busiest: Option<(usize, Span)>,
}

impl Stops {
    fn of(facts: &Facts<'_>, host: HostId) -> Self {
        let session = facts.session;
        let level = levels(session, |activity| match activity {
            Activity::Blocked => WAIT,
            Activity::Transfer(Direction::DeviceToHost) => COPY,
            _ => NO_LEVEL,
        });
        let steps: Vec<(usize, Span)> = facts
            .selected
            .step_positions()
            .into_iter()
            .filter_map(|step| {
                let own = session.steps[step].annotation(host)?;
                Some((step, own.span))
            })
            .collect();
        let windows = Intervals::union_of(steps.iter().map(|(_, span)| *span).collect());
        let labels = session.labels.iter();
        let is_call: Vec<bool> = labels
            .map(|label| dispatched_function(session.text(label.name)).is_some())
            .collect();
        let labels = session.labels.iter();
        let is_run: Vec<bool> = labels
            .map(|label| session.text(label.name).starts_with(RUN))
            .collect();
        let conversions = Conversions::of(session);
        let own_time = ThreadTime::of_profiler(session);
        let mut found: Vec<Stop> = Vec::new();
        for track in driving_threads(session, &[host], facts.selected.loops())
            .into_iter()
            .flatten()
        {
            let track = &*session.track_in_passing(track);
            // Syncs of the profiler are not syncs of the program.
            let of_profiler = own_time.within(track, windows.spans());
            let level = conversions.without_own(track, &level);
            let of_thread =
                stops_of(track, &level, (&is_call, &is_run), windows.spans()).into_iter();
            found.extend(of_thread.filter(|stop| !of_profiler.contains_instant(stop.span.start)));
        }
        let of_steps = |is_counted: fn(&Stop) -> bool| -> Vec<f64> {
            let count = |&(_, span): &(usize, Span)| {
                let within = |stop: &&Stop| span.contains_instant(stop.span.start);
                found
                    .iter()
                    .filter(within)
                    .filter(|&stop| is_counted(stop))
                    .count() as f64
            };
            steps.iter().map(count).collect()
        };
        let counts = of_steps(|_| true);
        let busiest = (0..steps.len()).max_by(|&a, &b| counts[a].total_cmp(&counts[b]));
        Self {
            per_step: median(&counts),
            copies_per_step: median(&of_steps(|stop| stop.is_copy)),
            busiest: busiest.map(|at| steps[at]),
        }
    }
}

/// NumPy's conversions, which read a result only if what they convert is an array of JAX.
struct Conversions {
    is_own: Vec<bool>,
    is_wait: Vec<bool>,
}

impl Conversions {
    fn of(session: &Session) -> Self {
        let labels = session.labels.iter();
        let is_own = labels.map(|label| {
            label.kind == SliceKind::Python && is_conversion(session.text(label.name))
        });
        let labels = session.labels.iter();
        let is_wait = labels.map(|label| is_buffer_wait(session.text(label.name)));
        Self {
            is_own: is_own.collect(),
            is_wait: is_wait.collect(),
        }
    }

    /// The levels of a thread. Where the runtime records its waits for buffers, these are the stops, with the
    /// frames of JAX around them: a conversion without one is of an array of NumPy.
    fn without_own<'a>(&self, track: &Track, levels: &'a [u8]) -> Cow<'a, [u8]> {
        if !track.may_have(|label| self.is_wait[label.index()]) {
            return Cow::Borrowed(levels);
        }
        let own = levels.iter().zip(&self.is_own);
        let without = own.map(|(&level, &is_own)| if is_own { NO_LEVEL } else { level });
        Cow::Owned(without.collect())
    }
}

/// One call in which the host waits for the device.
struct Stop {
    span: Span,
    is_copy: bool,
}

/// The waiting calls of a thread that begin within the windows. A call counts once, no matter how many
/// runtime waits are nested in it; consecutive calls count separately.
///
/// XLA:CPU may run a program within the call that launches it, with its thread pools and the Python
/// that it calls. That is no stop where it says so; whatever else waits there, the loop waits once.
fn stops_of(
    track: &Track,
    level: &[u8],
    (is_call, is_run): (&[bool], &[bool]),
    windows: &[Span],
) -> Vec<Stop> {
    let mut found: Vec<Stop> = Vec::new();
    let (mut calls, mut runs): (Vec<Span>, Vec<Span>) = (Vec::new(), Vec::new());
    for lane in &track.lanes {
        for index in windows.iter().flat_map(|&window| lane.starting_in(window)) {
            let label = lane.labels()[index].index();
            if is_call[label] {
                calls.push(lane.span(index));
            }
            if is_run[label] {
                runs.push(lane.span(index));
            }
            let level = level[label];
            if level != NO_LEVEL && lane.durations()[index] >= MIN_STOP_PS {
                found.push(Stop {
                    span: lane.span(index),
                    is_copy: level == COPY,
                });
            }
        }
    }
    let calls = Intervals::union_of(calls);
    let runs = Intervals::union_of(runs);
    let of_run = |stop: &Stop| {
        let around = |spans: &Intervals| spans.clip(stop.span).duration() == stop.span.duration();
        around(&runs) && around(&calls)
    };
    found.retain(|stop| !of_run(stop));
    for stop in &mut found {
        let around = calls
            .spans()
            .partition_point(|call| call.end <= stop.span.start);
        if let Some(call) = calls
            .spans()
            .get(around)
            .filter(|call| call.contains(stop.span))
        {
            *stop = Stop {
                span: *call,
                is_copy: false,
            };
        }
    }
    found.sort_by_key(|stop| (stop.span.start, Reverse(stop.span.end)));
    let mut until = None;
    found.retain(|stop| {
        let is_nested = until.is_some_and(|until| stop.span.end <= until);
        if !is_nested {
            until = Some(stop.span.end);
        }
        !is_nested
    });
    found
}
