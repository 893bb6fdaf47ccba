//! What is wrong with the capture itself, so that figures mislead: findings of `verdict`.

use super::{Outcome, Rule, finding};
use crate::advice::facts::{Facts, in_view};
use crate::verdict::Severity;

pub(super) static RULE: Rule = Rule {
    id: "capture_quality",
    title: "Quality of the capture",
    check,
};

fn check(facts: &Facts<'_>) -> Outcome {
    let doubtful = facts
        .capture
        .iter()
        .filter(|found| found.severity != Severity::Info);
    let found: Vec<_> = doubtful
        .map(|found| {
            let what = found.what.clone();
            finding(&RULE, found.severity, what)
                .why(found.why.clone())
                .fix(found.fix.clone())
                .seen([in_view("verdict", found.id.replace('_', " "))])
        })
        .collect();
    if found.is_empty() {
        return Outcome::Passed("Nothing is wrong with the capture.".to_owned());
    }
    Outcome::Found(found)
}
