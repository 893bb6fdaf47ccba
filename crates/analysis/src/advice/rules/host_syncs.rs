//! The host stops for the device again and again within a step (guides: synchronisation, too many
//! `block_until_ready`, results read in the loop).

use stepscope_model::{Activity, Direction, HostId, Span, StepOrigin};

use super::{Outcome, Rule, WAITING, finding, gravity, no_steps, waiting};
use crate::activity::{OwnTime, driving_threads, levels};
use crate::advice::facts::Facts;
use crate::advice::report::Confidence;
use crate::format;
use crate::interval::Intervals;
use crate::steps::median;
use crate::work::{NO_LEVEL, add_levels};

pub(super) static RULE: Rule = Rule {
    id: "host_syncs",
    title: "The host stops for the device many times a step",
    parts: WAITING,
    check,
};

/// Below this share of a step the device hardly waits, however often the host does.
const MIN_WAITING: f64 = 0.05;
/// Shorter waits are locks rather than results.
const MIN_STOP_PS: i64 = 5_000_000;

fn check(facts: &Facts<'_>) -> Outcome {
    let Some((ratio, time)) = waiting(facts) else {
        return Outcome::Skipped(no_steps(facts));
    };
    let share = format::percent(ratio);
    if ratio < MIN_WAITING {
        return Outcome::Passed(format!(
            "Devices wait for their host for {share} of a step only."
        ));
    }
    if facts.session.step_origin != Some(StepOrigin::Annotation) {
        return Outcome::Skipped(
            "Steps were not annotated on the host, so nobody knows which stops belong to them."
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
    let text = format!(
        "The host stops for the device {} times in a median step ({} to copy results), and devices \
         wait for it for {share} of a step.",
        most.per_step, most.copies_per_step
    );
    let Some(severity) = gravity(&facts.threshold("host_syncs_count"), most.per_step) else {
        return Outcome::Passed(text);
    };
    let evidence = most.busiest.map(|(step, span)| {
        let number = facts.session.steps[step].number;
        crate::advice::evidence::at(span, format!("step {number}"))
    });
    finding(&RULE, severity, text)
        .why(
            "Each time the queue of the device runs empty: it waits until the host has taken the \
             result, run Python and launched more.",
        )
        .fix(
            "Keep what the loop needs on the device (jnp.where or lax.cond instead of if, arrays \
             instead of float()); gather metrics and read them once in many steps; \
             block_until_ready only to measure.",
        )
        .fix_elsewhere(
            "Keep what the loop needs on the device; gather metrics and read them once in many steps.",
        )
        .code("metrics.append(loss)                      # an array, not float(loss)\nif step % 100 == 0:\n    log(jax.device_get(metrics))")
        .gain(
            Some(time * (1.0 - 1.0 / most.per_step.max(1.0))),
            "the time in which devices wait for their host, for all stops but one",
        )
        .sure(Confidence::Low)
        .seen(evidence)
        .found()
}

/// Stops of a host in its steps, medians.
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
            Activity::Blocked => 0,
            Activity::Transfer(Direction::DeviceToHost) => 1,
            _ => NO_LEVEL,
        });
        let steps: Vec<(usize, Span)> = facts
            .selected
            .step_positions()
            .into_iter()
            .filter_map(|step| {
                let spans = session.steps[step].spans.iter();
                let mut own = spans.filter(|span| span.host == host && span.device.is_none());
                own.next().map(|span| (step, span.span))
            })
            .collect();
        let windows = Intervals::union_of(steps.iter().map(|(_, span)| *span).collect());
        let mut lists = vec![Vec::new(), Vec::new()];
        let own_time = OwnTime::of(session);
        let mut of_profiler = Intervals::default();
        for track in driving_threads(session, &[host]).into_iter().flatten() {
            let track = session.track(track);
            add_levels(track, &level, windows.spans(), &mut lists);
            of_profiler = of_profiler.union(&own_time.within(track, windows.spans()));
        }
        let times = lists.into_iter().map(Intervals::union_of_sorted);
        // Stops of the profiler are no stops of the program.
        let mut times = times.map(|times| times.subtract(&of_profiler));
        let blocked = times.next().unwrap_or_default();
        let copies = times.next().unwrap_or_default();
        let all = blocked.union(&copies);
        let count = |times: &Intervals, span: Span| {
            let within = times.clip(span);
            let long = within.spans().iter();
            long.filter(|stop| stop.duration().0 >= MIN_STOP_PS).count() as f64
        };
        let of_steps = |times: &Intervals| -> Vec<f64> {
            steps.iter().map(|&(_, span)| count(times, span)).collect()
        };
        let counts = of_steps(&all);
        let busiest = (0..steps.len()).max_by(|&a, &b| counts[a].total_cmp(&counts[b]));
        Self {
            per_step: median(&counts),
            copies_per_step: median(&of_steps(&copies)),
            busiest: busiest.map(|at| steps[at]),
        }
    }
}
