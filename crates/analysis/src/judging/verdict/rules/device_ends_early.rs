//! `device_ends_early`: the host continued its steps, but a device recorded nothing of them.

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
            .why("The tracer's buffer was full or the tracer stopped early, while the program continued.")
            .fix(
                "Capture fewer steps, or enlarge the tracer's buffer: \
             `options.advanced_configuration = {\"gpu_max_activity_api_events\": 8388608}`.",
            ),
    ]
}

/// Number of final steps that the device's host annotated but in which the device did no work; 0 if the
/// device worked in none of the earlier steps.
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
        .filter(|step| !step.on_host(host).is_empty());
    let has_work = |step: &stepscope_model::Step| {
        step.on_host(host)
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
    // A device without work in any step did something else.
    if own.skip(silent).any(has_work) {
        silent
    } else {
        0
    }
}
