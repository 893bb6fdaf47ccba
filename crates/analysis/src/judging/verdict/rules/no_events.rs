//! `no_events`: the profile contains no slices at all.

use super::{Rule, has};
use crate::judging::verdict::evidence::Evidence;
use crate::judging::verdict::report::{Finding, Severity};

pub(super) const RULE: Rule = Rule {
    ids: &["no_events"],
    look,
};

fn look(evidence: &Evidence<'_>, found: &[Finding]) -> Vec<Finding> {
    let session = evidence.session;
    let is_empty = session.slice_count() == 0 && session.aggregates.is_empty();
    let all_off = session.hosts.iter().all(|host| {
        host.number("option host_tracer_level") == Some(0)
            && host.number("option python_tracer_level") == Some(0)
    });
    // Of a file that breaks off, it is unknown what the rest held.
    let is_told = has(found, &["damaged"]);
    if !is_empty || is_told || (all_off && has(found, &["host_tracing_off"])) {
        return Vec::new();
    }
    vec![
        Finding::new(
            "no_events",
            Severity::Bad,
            "The profile has no events at all.",
        )
        .why("Nothing traceable ran between start and stop, or another process did the work.")
        .fix(
            "Run the step inside `with jax.profiler.trace(log_dir):`, in the process that owns \
             the devices, and end it with `jax.block_until_ready(result)`.",
        ),
    ]
}
