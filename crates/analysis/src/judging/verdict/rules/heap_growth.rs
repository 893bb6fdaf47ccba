//! `heap_growth`: memory that grew between the snapshots of the session.

use super::Rule;
use crate::judging::verdict::evidence::Evidence;
use crate::judging::verdict::limits;
use crate::judging::verdict::report::{Finding, Severity};
use crate::views::heap::growth;

pub(super) const RULE: Rule = Rule {
    ids: &["heap_growth"],
    look,
};

fn look(evidence: &Evidence<'_>, _: &[Finding]) -> Vec<Finding> {
    let grown = growth::growth(evidence.session);
    let grown = grown.filter(|grown| grown.ratio() > limits::HEAP_GROWTH_RATIO);
    let finding = grown.map(|grown| {
        let what = format!("Memory grew: {} {}", grown.totals(), grown.largest());
        Finding::new("heap_growth", Severity::Warning, what)
            .why(growth::WHY)
            .fix("See `stepscope heap PATH --against first`.")
    });
    finding.into_iter().collect()
}
