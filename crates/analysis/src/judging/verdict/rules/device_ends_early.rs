//! `device_ends_early`: the host went on with its steps, and a device recorded nothing of them.

use stepscope_model::{DeviceId, StepOrigin};

use super::Rule;
use crate::judging::verdict::evidence::{Evidence, listed};
use crate::judging::verdict::limits;
use crate::judging::verdict::report::{Finding, Severity};
use crate::telling::format;

pub(super) const RULE: Rule = Rule {
    ids: &["device_ends_early"],
    look,
};

fn look(evidence: &Evidence<'_>, _: &[Finding]) -> Vec<Finding> {
    let session = evidence.session;
    if session.step_origin != Some(StepOrigin::Annotation) {
        return Vec::new();
    }
    let silent: Vec<(DeviceId, usize)> = evidence
        .working()
        .map(|device| (device, silent_steps(evidence, device)))
        .filter(|&(_, count)| count >= limits::SILENT_STEPS)
        .collect();
    let Some(&(_, longest)) = silent.iter().max_by_key(|(_, count)| *count) else {
        return Vec::new();
    };
    let titles: Vec<String> = silent
        .iter()
        .map(|&(device, _)| session.device_title(device))
        .collect();
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let what = format!(
        "{} recorded nothing in the last {} of {}.",
        listed(&titles),
        format::counted(longest, "step"),
        session.steps.len(),
    );
    vec![
        Finding::new("device_ends_early", Severity::Warning, what)
            .why("The tracer's buffer was full or it stopped early, while the program went on.")
            .fix(
                "Capture fewer steps, or give the tracer more room: \
             `options.advanced_configuration = {\"gpu_max_activity_api_events\": 8388608}`.",
            ),
    ]
}

/// Steps at the end without work of the device, after steps with work, on a host that annotated them.
fn silent_steps(evidence: &Evidence<'_>, device: DeviceId) -> usize {
    let session = evidence.session;
    let Some(work) = evidence.work[device.index()] else {
        return 0;
    };
    let host = session.device(device).host;
    let own = session
        .steps
        .iter()
        .rev()
        .filter(|step| step.spans.iter().any(|span| span.host == host));
    let has_work = |step: &stepscope_model::Step| {
        step.spans
            .iter()
            .any(|span| span.device == Some(device) && span.work.is_some())
    };
    let silent = own
        .clone()
        .take_while(|step| {
            let start = step.spans.iter().map(|span| span.span.start).min();
            !has_work(step) && start.is_some_and(|start| start >= work.end)
        })
        .count();
    // A device that worked in no step did something else.
    if own.skip(silent).any(has_work) {
        silent
    } else {
        0
    }
}
