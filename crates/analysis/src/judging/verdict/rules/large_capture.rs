//! `large_capture`, `many_steps`: more data than needed.

use stepscope_model::Framework;

use super::Rule;
use crate::judging::verdict::evidence::Evidence;
use crate::judging::verdict::limits;
use crate::judging::verdict::report::{Finding, Severity};
use crate::telling::format;

pub(super) const RULE: Rule = Rule {
    ids: &["large_capture", "many_steps"],
    look,
};

fn look(evidence: &Evidence<'_>, _: &[Finding]) -> Vec<Finding> {
    let (size, events) = (evidence.size_bytes, evidence.event_count);
    let steps = evidence.session.steps.len();
    let mut found = Vec::new();
    if size >= limits::LARGE_BYTES || events >= limits::LARGE_EVENTS {
        let what = format!(
            "The capture has {} and {events} events.",
            format::bytes(size as f64)
        );
        found.push(
            Finding::new("large_capture", Severity::Warning, what)
                .why(
                    "Stopping the profiler delayed the program, and other tools open the capture \
                 slowly or, above 2 GiB, not at all.",
                )
                .fix(match evidence.session.framework() {
                    Framework::Jax => {
                        "Capture 5 to 10 steps, with `options.python_tracer_level = 0`."
                    }
                    _ => "Capture 5 to 10 steps, without Python.",
                }),
        );
    }
    if steps > limits::MANY_STEPS {
        let what = format!("{} were captured.", format::counted(steps, "step"));
        found.push(
            Finding::new("many_steps", Severity::Info, what)
                .why("Ten steps are nearly as informative. More make the file larger and stopping slower.")
                .fix("Capture 5 to 10 steps, or only one of many hosts."),
        );
    }
    found
}
