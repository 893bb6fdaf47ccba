//! `truncated`, `damaged`: a file ends early, or it or parts of it cannot be decoded.

use stepscope_model::{Warning, WarningKind};

use super::Rule;
use crate::judging::verdict::evidence::Evidence;
use crate::judging::verdict::report::{Finding, Severity};
use crate::telling::format;

pub(super) const RULE: Rule = Rule {
    ids: &["truncated", "damaged"],
    look,
};

fn look(evidence: &Evidence<'_>, _: &[Finding]) -> Vec<Finding> {
    let truncated = evidence.warnings(&[WarningKind::Truncated]);
    let damaged = evidence.warnings(&[WarningKind::Unread, WarningKind::Damaged]);
    let truncated = told(&truncated).map(|what| {
        Finding::new("truncated", Severity::Bad, what)
            .why(
                "The capture was stopped while the file was being written, or the copy is \
             incomplete. The figures include everything before the break.",
            )
            .fix(
                "Copy the file again and compare the sizes, or repeat the capture with enough \
             disk space.",
            )
    });
    let damaged = told(&damaged).map(|what| {
        Finding::new("damaged", Severity::Warning, what)
            .why("The figures exclude what could not be decoded.")
            .fix("Compare the file with the original, or repeat the capture.")
    });
    truncated.into_iter().chain(damaged).collect()
}

/// The first warning, and how many more there are.
fn told(warnings: &[&Warning]) -> Option<String> {
    let first = warnings.first()?;
    let host = match first.host.as_str() {
        "" => String::new(),
        host => format!("{host}: "),
    };
    let rest = match warnings.len() - 1 {
        0 => String::new(),
        more => format!(" ({} more)", format::counted(more, "place")),
    };
    Some(format!("{host}{}{rest}.", first.message))
}
