//! Problems with the capture itself that make figures misleading: findings of `verdict`, including the
//! cost of the Python tracer.

use super::{Outcome, Rule, finding};
use crate::judging::advice::evidence::in_view;
use crate::judging::advice::facts::Facts;
use crate::judging::verdict::{Severity, findings};

pub(super) static RULE: Rule = Rule {
    id: "capture_quality",
    title: "Quality of the capture",
    parts: &[],
    check,
};

/// Findings of `verdict` that other rules report in more detail if there are steps.
const TOLD_OF_STEPS: &[&str] = &["compilation"];
/// Findings of `verdict` that other rules always report in more detail.
const TOLD_ELSEWHERE: &[&str] = &["heap_growth"];

fn check(facts: &Facts<'_>) -> Outcome {
    let Ok(all) = findings(facts.session) else {
        return Outcome::Skipped("The capture cannot be judged.".to_owned());
    };
    let has_steps = facts.step_ps.is_some();
    let doubtful = all.into_iter().filter(|found| {
        let id = found.id.as_str();
        let is_told = TOLD_ELSEWHERE.contains(&id) || has_steps && TOLD_OF_STEPS.contains(&id);
        found.severity != Severity::Info && !is_told
    });
    let found: Vec<_> = doubtful
        .map(|found| {
            let words = found.id.replace('_', " ").replace("hlo", "HLO");
            finding(&RULE, found.severity, found.what)
                .titled(format!("Capture: {words}"))
                .why(found.why)
                .fix(found.fix)
                .seen([in_view("verdict", "what the capture contains".to_owned())])
        })
        .collect();
    if found.is_empty() {
        return Outcome::Passed("Nothing is wrong with the capture.".to_owned());
    }
    Outcome::Found(found)
}
