//! Requests that wait before they are processed.

use super::{Outcome, Rule, finding, gravity};
use crate::judging::advice::evidence::{between, in_view};
use crate::judging::advice::facts::Facts;
use crate::telling::format;

pub(super) static RULE: Rule = Rule {
    id: "request_queue",
    title: "Requests wait in the queue",
    parts: &[],
    check,
};

/// Why rules about requests cannot run.
pub(super) const NO_REQUESTS: &str = "No requests or batches were annotated.";

fn check(facts: &Facts<'_>) -> Outcome {
    let report = facts.requests();
    let phases = report.phases.iter();
    let queued = phases.filter(|phase| matches!(phase.phase.as_str(), "queue" | "formation"));
    let (mut ratio, mut mean) = (0.0, 0.0);
    for phase in queued {
        ratio += phase.latency_ratio.unwrap_or(0.0);
        mean += phase.mean_ps;
    }
    let Some(latency) = report.mean_ps.filter(|_| !report.phases.is_empty()) else {
        return Outcome::Skipped(NO_REQUESTS.to_owned());
    };
    let share = format::percent(ratio);
    let Some(severity) = gravity(&facts.threshold("request_queue_ratio"), ratio) else {
        return Outcome::Passed(format!("{share} of the latency."));
    };
    let slow = report.percentiles.iter().find(|row| row.percentile >= 99.0);
    let evidence = slow.map(|row| {
        let latency = format::duration_ps(row.latency_ps as f64);
        let text = format!("p99 request: {latency}");
        between(row.start_ps, row.start_ps + row.latency_ps, text)
    });
    finding(
        &RULE,
        severity,
        format!(
            "On average, requests spend {} of {} ({share}) waiting in the queue and for their batch; up \
             to {} run at the same time.",
            format::duration_ps(mean),
            format::duration_ps(latency),
            report.concurrency_max
        ),
    )
    .why("Requests arrive faster than batches complete, or batches wait to fill up.")
    .fix(
        "Use larger batches if the device has room for them, a shorter batching timeout, more batches \
         in flight, or another replica.",
    )
    .seen(evidence)
    .seen([in_view("requests", "latency by phase".to_owned())])
    .found()
}
