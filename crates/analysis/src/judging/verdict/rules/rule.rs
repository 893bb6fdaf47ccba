//! The definition of a rule, and helpers that several rules share.

use super::super::evidence::Evidence;
use super::super::report::Finding;
use crate::telling::recording;
use stepscope_model::Session;

/// A rule: the findings it can make, and how it looks for them.
pub struct Rule {
    /// Ids of its findings.
    pub ids: &'static [&'static str],
    pub(super) look: fn(&Evidence<'_>, &[Finding]) -> Vec<Finding>,
}

/// Whether one of these was already found.
pub(super) fn has(found: &[Finding], ids: &[&str]) -> bool {
    found
        .iter()
        .any(|finding| ids.contains(&finding.id.as_str()))
}

/// The findings that explain why there is no device work.
pub(super) const EXPLAIN_SILENCE: &[&str] = &[
    "cupti_missing",
    "cupti_permission",
    "cupti_rival",
    "device_tracing_off",
    "host_tracing_off",
    "no_events",
];

/// The line of code that records steps.
pub(super) fn annotate(session: &Session) -> String {
    match recording::steps(session) {
        "" => "Mark each step.".to_owned(),
        line if line.starts_with("with ") => format!("Put `{line}` around each step."),
        line => format!("Mark each step: `{line}`."),
    }
}
