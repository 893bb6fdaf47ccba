//! `recorded_as_sums`: events without times, which the timeline cannot show.

use super::Rule;
use crate::judging::verdict::evidence::Evidence;
use crate::judging::verdict::report::{Finding, Severity};
use crate::telling::format;

pub(super) const RULE: Rule = Rule {
    ids: &["recorded_as_sums"],
    look,
};

fn look(evidence: &Evidence<'_>, _: &[Finding]) -> Vec<Finding> {
    let count = evidence.session.aggregates.len();
    if count == 0 {
        return Vec::new();
    }
    let what = format!(
        "{} recorded as sums without times.",
        match count {
            1 => "1 event is".to_owned(),
            count => format!("{} are", format::counted(count, "event")),
        }
    );
    vec![
        Finding::new("recorded_as_sums", Severity::Info, what)
            .why("They are included in tables, but not in the timeline or in busy time."),
    ]
}
