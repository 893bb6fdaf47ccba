//! `host_tracing_off`: host_tracer_level=0 records no host threads, and on XLA:CPU no ops either.

use super::Rule;
use crate::judging::verdict::evidence::{Evidence, listed};
use crate::judging::verdict::report::{Finding, Severity};

pub(super) const RULE: Rule = Rule {
    ids: &["host_tracing_off"],
    look,
};

fn look(evidence: &Evidence<'_>, _: &[Finding]) -> Vec<Finding> {
    let hosts = &evidence.session.hosts;
    let silent: Vec<&str> = hosts
        .iter()
        .filter(|host| !host.records_threads())
        .map(|host| host.name.as_str())
        .collect();
    if silent.is_empty() {
        return Vec::new();
    }
    let of = if silent.len() == hosts.len() {
        String::new()
    } else {
        format!(" on {}", listed(&silent))
    };
    let what = format!("Host tracing was off{of} (host_tracer_level=0).");
    let fix = "Set `options.host_tracer_level = 2`, the default.";
    let finding = if evidence.has_work() {
        Finding::new("host_tracing_off", Severity::Warning, what)
            .why("Steps, launches, input and compilation on the host are not recorded.")
    } else {
        Finding::new("host_tracing_off", Severity::Bad, what)
            .why("On CPU, ops are events of host threads, so no device work was recorded.")
    };
    vec![finding.fix(fix)]
}
