//! Time passes between the end of a step and the start of the next: loading, checkpoints, logging or
//! evaluation outside of what the program annotates. The step time does not contain it.

use stepscope_model::{DeviceId, SaturatingSum as _};

use super::host_causes::{Causes, gaps_between, title_of, why_of};
use super::{Outcome, Rule, finding, gravity, no_steps};
use crate::judging::advice::facts::Facts;
use crate::measuring::activity::{CAUSES, Cause};
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

fn check(facts: &Facts<'_>) -> Outcome {
    let Some(time) = facts.step_time.as_ref().filter(|_| facts.step_ps.is_some()) else {
        return Outcome::Skipped(no_steps(facts));
    };
    let (period_ps, ratio) = (time.period_ps(), time.between_ratio());
    let share = format::percent(ratio);
    let Some(severity) = gravity(&facts.threshold("between_steps_ratio"), ratio) else {
        return Outcome::Passed(format!("{share} of the time from step to step."));
    };
    let pairs = time.count.saturating_sub(1).max(1) as f64;
    let idle = facts.gaps().devices.iter().map(|device| {
        let causes = causes_between(facts, device);
        (DeviceId(device.device_index), causes)
    });
    let sum = |causes: &[i64]| causes.iter().copied().saturating_sum();
    let most = idle.max_by_key(|(_, causes)| sum(causes));
    let (device, causes_ps) = most.map_or((None, Vec::new()), |(id, causes)| (Some(id), causes));
    let idle_ps = (sum(&causes_ps) as f64 / pairs).min(time.between);
    let of_cause = |cause: Cause| {
        let time = causes_ps.get(cause.position()).copied().unwrap_or(0);
        time as f64 / pairs
    };
    let causes = Causes::of(of_cause, |_| true);
    let main = causes.main().filter(|&cause| cause != Cause::Unknown);
    let doing = device
        .filter(|_| idle_ps > 0.0)
        .map_or_else(String::new, |device| {
            format!(
                " {} is idle for {} of it. Meanwhile on its host: {}.",
                facts.session.device_title(device),
                format::duration_ps(idle_ps),
                causes.told(facts),
            )
        });
    let change = main.filter(|&cause| is_removable(cause)).map(change_of);
    let title = main.map_or(RULE.title.to_owned(), |cause| {
        format!("{} between steps", title_of(cause))
    });
    finding(
        &RULE,
        severity,
        format!(
            "From the end of a step to the start of the next, {} pass ({share} of the {} from step to \
             step). The step time does not contain them.{doing}",
            format::duration_ps(time.between),
            format::duration_ps(period_ps),
        ),
    )
    .titled(title)
    .why(main.map_or("The loop does other things between the steps that it annotates.", why_of))
    .fix(
        format!(
            "{} To see this time in the step time, annotate the whole iteration.",
            main.map_or(LESS, |cause| cause.remedy(facts.session.framework()))
        ),
    )
    .gain(Some(idle_ps), "idle time of the device between steps")
    .of_step(period_ps)
    .without(change.unwrap_or_default())
    .seen(gaps_between(facts))
    .found()
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
