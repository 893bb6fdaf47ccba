//! `program_failed`: according to the manifest, the program or its profiler ended with an error.

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
        let error = manifest
            .error
            .as_deref()
            .unwrap_or("no reason was recorded");
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
                "The profiled code failed on {host}: {}.",
                error.trim_end_matches('.')
            ),
        )
        .why("The last step may be cut short. The figures include everything before it.")
        .fix("Check the program's own output."),
    ]
}
