//! `capture_cost`: captured steps were longer than those just before the capture.

use super::Rule;
use crate::judging::verdict::evidence::Evidence;
use crate::judging::verdict::limits;
use crate::judging::verdict::report::{Finding, Severity};
use crate::telling::format;

pub(super) const RULE: Rule = Rule {
    ids: &["capture_cost"],
    look,
};

fn look(evidence: &Evidence<'_>, _: &[Finding]) -> Vec<Finding> {
    let hosts = evidence.session.hosts.iter();
    let costs = hosts.filter_map(|host| host.manifest.as_ref()?.cost);
    let costs = costs.filter_map(|cost| Some((cost.step_ratio()?, cost)));
    let Some((ratio, cost)) = costs.max_by(|a, b| a.0.total_cmp(&b.0)) else {
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
