//! Time passes between the end of a step and the start of the next: loading, checkpoints, logging or
//! evaluation outside of what the program annotates. The step time does not contain it.

use std::collections::BTreeMap;

use stepscope_model::{DeviceId, ProgramId, SaturatingSum as _, Span};

use super::compilation::is_steady;
use super::host_causes::{Causes, gaps_between, title_of, why_of};
use super::{Outcome, Rule, finding, gravity, no_steps};
use crate::judging::advice::facts::Facts;
use crate::measuring::activity::{CAUSES, Cause};
use crate::measuring::interval::Intervals;
use crate::measuring::selection::device_span;
use crate::telling::format;
use crate::views::idle::IdleDevice;
use crate::views::what_if::change::is_removable;

pub(super) static RULE: Rule = Rule {
    id: "between_steps",
    title: "Time between steps",
    parts: &[],
    check,
};

/// What to do about things of several kinds.
const LESS: &str = "Do it in the background, or less often.";

/// What to do about an evaluation, or whatever else runs on the devices.
const RARELY: &str = "Run it less often, or launch all of it before reading its first result, and read \
                      the results together.";

/// From this share of the time between steps on, programs that run in it explain it.
const MOSTLY: f64 = 0.5;

/// Programs that run on a device between steps.
struct Runs {
    device: String,
    /// The one that runs longest: its name, how often and how long it runs.
    longest: (String, usize, i64),
    others: usize,
}

impl Runs {
    /// None unless most of the time between steps passes from the first such run in it to the last.
    fn between(facts: &Facts<'_>, device: DeviceId) -> Option<Self> {
        let session = facts.session;
        let steps = session.steps.iter();
        let steps = steps.filter_map(|step| device_span(step, session, device));
        let steps = Intervals::union_of(steps.collect());
        let gaps = steps.spans().windows(2);
        let gaps = gaps.map(|pair| Span::new(pair[0].end, pair[1].start));
        let runs = session
            .program_runs
            .iter()
            .filter(|run| run.device == device);
        let mut hulls: BTreeMap<Span, Span> = BTreeMap::new();
        let mut programs: BTreeMap<ProgramId, (usize, i64)> = BTreeMap::new();
        let gaps: Vec<Span> = gaps.collect();
        for run in runs {
            let at = gaps.partition_point(|gap| gap.end <= run.span.start);
            let Some(&gap) = gaps.get(at).filter(|gap| gap.start <= run.span.start) else {
                continue;
            };
            let hull = hulls.entry(gap).or_insert(run.span);
            *hull = hull.hull(run.span);
            let own = programs.entry(run.program).or_default();
            *own = (own.0 + 1, own.1.saturating_add(run.span.duration().0));
        }
        let sum = |spans: &mut dyn Iterator<Item = Span>| {
            spans.map(|span| span.duration().0).saturating_sum() as f64
        };
        let all_ps = sum(&mut gaps.iter().copied());
        if sum(&mut hulls.into_values()) < MOSTLY * all_ps || programs.is_empty() {
            return None;
        }
        let others = programs.len() - 1;
        let (program, (count, total_ps)) = programs.into_iter().max_by_key(|(_, own)| own.1)?;
        let name = session.program(program).name.clone();
        Some(Self {
            device: session.device_title(device),
            longest: (name, count, total_ps),
            others,
        })
    }

    fn title(&self) -> String {
        format!("{} runs between steps", self.longest.0)
    }

    /// ` In it, GPU:0 runs jit_evaluate 18 times, for 1.234 ms in all, and 2 other programs.`
    fn told(&self) -> String {
        let (name, count, total_ps) = &self.longest;
        let others = match self.others {
            0 => String::new(),
            others => format!(", and {}", format::counted(others, "other program")),
        };
        format!(
            " In it, {} runs {name} {}, for {} in all{others}.",
            self.device,
            format::counted(*count, "time"),
            format::duration_ps(*total_ps as f64),
        )
    }
}

fn check(facts: &Facts<'_>) -> Outcome {
    let Some(time) = facts.step_time.as_ref().filter(|_| facts.step_ps.is_some()) else {
        return Outcome::Skipped(no_steps(facts));
    };
    let (period_ps, ratio) = (time.period_ps(), time.between_ratio());
    let share = format::percent(ratio);
    let threshold = facts.threshold("between_steps_ratio");
    let passed = || Outcome::Passed(format!("{share} of the time from step to step."));
    if gravity(&threshold, ratio).is_none() {
        return passed();
    }
    let pairs = time.count.saturating_sub(1).max(1) as f64;
    let idle = facts.gaps().devices.iter().map(|device| {
        let causes = causes_between(facts, device);
        (DeviceId(device.device_index), causes)
    });
    let sum = |causes: &[i64]| causes.iter().copied().saturating_sum();
    let most = idle.max_by_key(|(_, causes)| sum(causes));
    let (device, causes_ps) = most.map_or((None, Vec::new()), |(id, causes)| (Some(id), causes));
    let of_cause = |cause: Cause| {
        let time = causes_ps.get(cause.position()).copied().unwrap_or(0);
        time as f64 / pairs
    };
    // The first calls of functions compile, which ends with the warm-up.
    let once_ps = if is_steady(facts) {
        0.0
    } else {
        of_cause(Cause::Compilation)
    };
    let idle_ps = (sum(&causes_ps) as f64 / pairs).min(time.between) - once_ps;
    let without_ps = (period_ps - once_ps).max(f64::EPSILON);
    let Some(severity) = gravity(&threshold, (time.between - once_ps) / without_ps) else {
        return passed();
    };
    let causes = Causes::of(of_cause, |cause| {
        once_ps <= 0.0 || cause != Cause::Compilation
    });
    let main = causes.main().filter(|&cause| cause != Cause::Unknown);
    let doing = device
        .filter(|_| idle_ps > 0.0)
        .map_or_else(String::new, |device| {
            format!(
                " {} is idle for {} of it{}. Meanwhile on its host: {}.",
                facts.session.device_title(device),
                format::duration_ps(idle_ps),
                compiled_once(once_ps),
                causes.told(facts),
            )
        });
    let runs = device.and_then(|device| Runs::between(facts, device));
    let change = main.filter(|&cause| is_removable(cause)).map(change_of);
    // What compiles again and again takes the time, whatever runs then.
    let named = runs.as_ref().filter(|_| main != Some(Cause::Compilation));
    let title = match (named, main) {
        (Some(runs), _) => runs.title(),
        (None, Some(cause)) => format!("{} between steps", title_of(cause)),
        (None, None) => RULE.title.to_owned(),
    };
    finding(
        &RULE,
        severity,
        format!(
            "From the end of a step to the start of the next, {} pass ({share} of the {} from step to \
             step). The step time does not contain them.{}{doing}",
            format::duration_ps(time.between),
            format::duration_ps(period_ps),
            runs.as_ref().map_or_else(String::new, Runs::told),
        ),
    )
    .titled(title)
    .why(match (named, main) {
        (None, Some(cause)) => why_of(cause),
        _ => "The loop does other things between the steps that it annotates.",
    })
    .fix(format!(
        "{} To see this time in the step time, annotate the whole iteration.",
        match (named, main) {
            (Some(_), _) => RARELY,
            (None, Some(cause)) => cause.remedy(facts.session.framework()),
            (None, None) => LESS,
        }
    ))
    .gain(Some(idle_ps), "idle time of the device between steps")
    .of_step(period_ps)
    .without(change.unwrap_or_default())
    .seen(gaps_between(facts))
    .found()
}

/// `, without 1.234 ms in which functions are compiled for the first time`
fn compiled_once(once_ps: f64) -> String {
    if once_ps <= 0.0 {
        return String::new();
    }
    let time = format::duration_ps(once_ps);
    format!(", without {time} in which functions are compiled for the first time")
}

/// The idle time of a device outside of all steps, those of other series too, by the position of its
/// cause.
fn causes_between(facts: &Facts<'_>, device: &IdleDevice) -> Vec<i64> {
    let gaps = facts.gaps();
    let own = gaps.steps.iter().chain(&gaps.other_steps);
    let own: Vec<_> = own
        .filter(|step| step.device_index == device.device_index)
        .collect();
    let between = |cause: Cause| {
        let position = cause.position();
        let within = own.iter().map(|step| step.causes_ps[position]);
        (device.causes_ps[position] - within.saturating_sum()).max(0)
    };
    CAUSES.into_iter().map(between).collect()
}

/// The change of `what_if` without a cause.
fn change_of(cause: Cause) -> String {
    if cause.is_input() {
        "no-input-wait".to_owned()
    } else {
        format!("no-host:{}", cause.name())
    }
}
