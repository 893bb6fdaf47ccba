//! Memory that grew between the first and the last snapshot: a possible leak, by allocating stack.

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
        return Outcome::Skipped("Requires two memory snapshots, a few steps apart.".to_owned());
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
    .fix("Convert the arrays that are kept to numbers (float(loss)), or keep only the last one.")
    .fix_elsewhere("Convert the arrays that are kept to numbers, or keep only the last one.")
    .sure(Confidence::Medium)
    .seen([in_view("heap", "what grew, by stack".to_owned())])
    .found()
}
