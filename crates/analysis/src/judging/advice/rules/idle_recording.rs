//! For sessions without steps: how long the devices were idle in the whole recording, and why.

use stepscope_model::DeviceId;

use super::host_causes::{Causes, longest_gaps, title_of, why_of};
use super::{LITTLE_WORK, NO_WORK, Outcome, Rule, finding, gravity};
use super::{compilation, program_runs};
use crate::judging::advice::facts::Facts;
use crate::measuring::activity::Cause;
use crate::measuring::steps::PartKind;
use crate::telling::format;

pub(super) static RULE: Rule = Rule {
    id: "idle_recording",
    title: "Device idle in the recording",
    parts: &[PartKind::HostOverhead, PartKind::Idle],
    check,
};

/// Where no cause has half of the time.
const SEVERAL: &str = "Several things keep the host from launching the next work, none of them for half of the time: begin \
                       with the one that takes longest.";

fn check(facts: &Facts<'_>) -> Outcome {
    if facts.step_ps.is_some() {
        // Other rules check idle time per step.
        return Outcome::Found(Vec::new());
    }
    if !facts.has_enough_work() {
        return Outcome::Skipped(LITTLE_WORK.to_owned());
    }
    let devices = facts.gaps().devices.iter();
    let known = devices.filter_map(|device| Some((device, device.idle_ratio?)));
    let Some((device, ratio)) = known.max_by(|a, b| a.1.total_cmp(&b.1)) else {
        return Outcome::Skipped(NO_WORK.to_owned());
    };
    let id = DeviceId(device.device_index);
    let place = (facts.session.device(id).host, Some(id));
    let share = format::percent(ratio);
    let Some(severity) = gravity(&facts.threshold("idle_ratio"), ratio) else {
        return Outcome::Passed(format!("At most {share} of the recording."));
    };
    let causes = Causes::of(|cause| device.causes_ps[cause.position()] as f64, |_| true);
    let main = causes.main();
    let doing = if causes.is_empty() {
        String::new()
    } else {
        format!(" Meanwhile on its host: {}.", causes.told(facts))
    };
    // Launching, and the Python and the pauses between launches, are one cause.
    let is_of_launches = |cause: Cause| {
        matches!(
            cause,
            Cause::Dispatch | Cause::Python | Cause::Device | Cause::Unknown
        )
    };
    let op_by_op = program_runs::op_by_op(facts, id, device.idle_ps)
        .filter(|_| main.is_none_or(is_of_launches));
    let title = match op_by_op {
        Some(_) => "Many short programs",
        None => main.map_or(RULE.title, title_of),
    };
    let why = match op_by_op {
        Some(_) => program_runs::WHY,
        None if main.is_none() && !causes.is_empty() => SEVERAL,
        None => why_of(main.unwrap_or(Cause::Unknown)),
    };
    let remedy = match main {
        _ if op_by_op.is_some() => program_runs::FIX,
        Some(Cause::Compilation) if compilation::is_steady(facts) => compilation::FIX_STEADY,
        Some(cause) => cause.remedy(facts.session.framework()),
        None => match causes.longest() {
            Some(cause) => cause.remedy(facts.session.framework()),
            None => "Look at the gaps in the timeline.",
        },
    };
    finding(
        &RULE,
        severity,
        format!(
            "{} is idle for {} of {} observed ({share}). Without steps, this covers the whole \
             recording.{doing}{}",
            device.device,
            format::duration_ps(device.idle_ps as f64),
            format::duration_ps(device.window_ps as f64),
            op_by_op.unwrap_or_default(),
        ),
    )
    .titled(title.to_owned())
    .why(why)
    .fix(remedy)
    .seen(longest_gaps(facts, place, |_| true))
    .found()
}
