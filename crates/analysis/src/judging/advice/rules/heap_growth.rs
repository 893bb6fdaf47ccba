//! Memory that grew between the first and the last snapshot: a leak, by who allocated it.

use super::{Outcome, Rule, finding, gravity};
use crate::judging::advice::evidence::in_view;
use crate::judging::advice::facts::Facts;
use crate::judging::advice::report::Confidence;
use crate::views::heap::growth;

pub(super) static RULE: Rule = Rule {
    id: "heap_growth",
    title: "Memory grew between snapshots",
    parts: &[],
    check,
};

fn check(facts: &Facts<'_>) -> Outcome {
    let Some(grown) = growth::growth(facts.session) else {
        return Outcome::Skipped("Needs two memory snapshots, some steps apart.".to_owned());
    };
    let Some(severity) = gravity(&facts.threshold("heap_growth_ratio"), grown.ratio()) else {
        return Outcome::Passed(grown.totals());
    };
    finding(
        &RULE,
        severity,
        format!("{} {}", grown.totals(), grown.largest()),
    )
    .why(growth::WHY)
    .fix("Turn what is kept into numbers (float(loss)), or keep the last one only.")
    .fix_elsewhere("Turn what is kept into numbers, or keep the last one only.")
    .sure(Confidence::Medium)
    .seen([in_view("heap", "what grew, by stack".to_owned())])
    .found()
}
