//! `program_failed`: the program or its profiler ended with an error, says the manifest.

use super::Rule;
use crate::judging::verdict::evidence::Evidence;
use crate::judging::verdict::report::{Finding, Severity};

pub(super) const RULE: Rule = Rule {
    ids: &["program_failed"],
    look,
};

fn look(evidence: &Evidence<'_>, _: &[Finding]) -> Vec<Finding> {
    let failed = evidence.session.hosts.iter().find_map(|host| {
        let manifest = host.manifest.as_ref()?;
        let error = manifest.error.as_deref().unwrap_or("no reason was written");
        (manifest.success == Some(false)).then_some((host.name.as_str(), error))
    });
    let Some((host, error)) = failed else {
        return Vec::new();
    };
    let error = error.lines().next().unwrap_or_default();
    vec![
        Finding::new(
            "program_failed",
            Severity::Warning,
            format!(
                "The profiled code did not end well on {host}: {}.",
                error.trim_end_matches('.')
            ),
        )
        .why("The last step may be cut short; what came before is in the figures.")
        .fix("Read what the program itself printed."),
    ]
}
