//! `capture_cost`: captured steps were longer than those just before the capture.

use stepscope_model::Host;

use super::Rule;
use crate::judging::verdict::evidence::Evidence;
use crate::judging::verdict::limits;
use crate::judging::verdict::report::{Finding, Severity};
use crate::telling::format;

pub(super) const RULE: Rule = Rule {
    ids: &["capture_cost"],
    look,
};

/// Recording is the reason if it explains at least this share of the difference.
const MOSTLY: f64 = 0.5;
/// What recording an event of a host costs at most, as measured for calls of Python (`docs/guides/overhead.md`).
const MOST_PER_EVENT_NS: f64 = 2e3;

/// What recording costs a step of a host at most; unknown if other devices than CPUs are recorded, too.
fn most_per_step_ns(evidence: &Evidence<'_>, host: &Host) -> Option<f64> {
    let steps = evidence.session.steps.len();
    let is_known = steps > 0 && evidence.is_cpu_only();
    is_known.then(|| host.event_count as f64 / steps as f64 * MOST_PER_EVENT_NS)
}

fn look(evidence: &Evidence<'_>, _: &[Finding]) -> Vec<Finding> {
    let hosts = evidence.session.hosts.iter();
    let costs = hosts.filter_map(|host| Some((host, host.manifest.as_ref()?.cost?)));
    let costs = costs.filter_map(|(host, cost)| Some((cost.step_ratio()?, host, cost)));
    let Some((ratio, host, cost)) = costs.max_by(|a, b| a.0.total_cmp(&b.0)) else {
        return Vec::new();
    };
    if ratio <= limits::CAPTURE_COST_RATIO {
        return Vec::new();
    }
    let severity = if ratio > limits::CAPTURE_COST_BAD_RATIO {
        Severity::Bad
    } else {
        Severity::Warning
    };
    let time = |ns: Option<f64>| format::duration_ps(ns.unwrap_or(0.0) * 1e3);
    let what = format!(
        "Captured steps took {}, {} longer than the {} just before the capture ({}).",
        time(cost.step_ns),
        format::percent(ratio),
        format::counted(cost.steps_before.unwrap_or(0), "step"),
        time(cost.step_before_ns)
    );
    let more_ns = cost.step_ns.unwrap_or(0.0) - cost.step_before_ns.unwrap_or(0.0);
    let most_ns = most_per_step_ns(evidence, host);
    if let Some(most_ns) = most_ns.filter(|&most| most < MOSTLY * more_ns) {
        let why = format!(
            "Recording explains at most {} of that: a step has {}, each of which costs up to {}. \
             Other processes may have taken the cores, or these steps had other input.",
            time(Some(most_ns)),
            format::counted((most_ns / MOST_PER_EVENT_NS).round(), "recorded event"),
            time(Some(MOST_PER_EVENT_NS))
        );
        let fix = "Capture again, or compare with steps after the capture.";
        return vec![
            Finding::new("capture_cost", Severity::Warning, what)
                .why(why)
                .fix(fix),
        ];
    }
    let fix = if cost.python_call_ns.is_some() {
        "Turn off the Python tracer (`python_tracer_level=0`), unless you are looking for slow Python."
    } else {
        "Capture more steps: the first ones after a pause may be slower. If you use \
         `wait=\"step\"`, switch to `wait=\"window\"`."
    };
    vec![
        Finding::new("capture_cost", severity, what)
            .why("Recording slows the program down, so these steps are not typical.")
            .fix(fix),
    ]
}
