//! `heap_growth`: memory that grew between the snapshots of the session.

use super::Rule;
use crate::heap::growth;
use crate::verdict::evidence::Evidence;
use crate::verdict::limits;
use crate::verdict::report::{Finding, Severity};

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
