//! `events_dropped`, `recorder_reported`: messages from the profiler itself.

use stepscope_model::WarningKind;

use super::{Rule, cupti};
use crate::judging::verdict::evidence::Evidence;
use crate::judging::verdict::report::{Finding, Severity};
use crate::telling::format;

pub(super) const RULE: Rule = Rule {
    ids: &["events_dropped", "recorder_reported"],
    look,
};

fn look(evidence: &Evidence<'_>, _: &[Finding]) -> Vec<Finding> {
    let warnings = evidence.warnings(&[WarningKind::Recorder]);
    let mut texts: Vec<String> = warnings
        .iter()
        .filter(|warning| !cupti::is_told(&warning.message))
        .map(|warning| format!("{}: {}", warning.host, warning.message))
        .collect();
    let is_drop = |text: &String| text.to_lowercase().contains("drop");
    let dropped: Vec<String> = texts.extract_if(.., |text| is_drop(text)).collect();
    let dropped = told(&dropped).map(|what| {
        Finding::new("events_dropped", Severity::Warning, what)
            .why(
                "The tracer's buffer was full. From then on, busy time, counts and totals are too \
             small.",
            )
            .fix(
                "Capture fewer steps, or enlarge the tracer's buffer: \
             `options.advanced_configuration = {\"gpu_max_activity_api_events\": 8388608, \
             \"gpu_max_callback_api_events\": 8388608}`.",
            )
    });
    let other = told(&texts).map(|what| {
        Finding::new("recorder_reported", Severity::Warning, what)
            .why("The profiler itself wrote this into the profile.")
    });
    dropped.into_iter().chain(other).collect()
}

fn told(texts: &[String]) -> Option<String> {
    let first = texts.first()?.trim_end_matches('.');
    Some(match texts.len() - 1 {
        0 => format!("{first}."),
        more => format!("{first} ({}).", format::counted(more, "more message")),
    })
}
