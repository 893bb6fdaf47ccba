//! Request batches that contain much padding.

use super::request_queue::NO_REQUESTS;
use super::{Outcome, Rule, finding, gravity};
use crate::judging::advice::evidence::{between, in_view};
use crate::judging::advice::facts::Facts;
use crate::telling::format;

pub(super) static RULE: Rule = Rule {
    id: "request_padding",
    title: "Batch padding",
    parts: &[],
    check,
};

fn check(facts: &Facts<'_>) -> Outcome {
    let report = facts.requests();
    let Some(ratio) = report.padding_ratio else {
        let why = if report.batches.is_empty() {
            NO_REQUESTS
        } else {
            "The sizes of batches were not recorded. To record them: TraceAnnotation(\"process_batch\", \
             padding_amount=n, batch_size_after_padding=m)."
        };
        return Outcome::Skipped(why.to_owned());
    };
    let share = format::percent(ratio);
    let Some(severity) = gravity(&facts.threshold("request_padding_ratio"), ratio) else {
        return Outcome::Passed(format!("{share} of what batches compute."));
    };
    let sized = report
        .batches
        .iter()
        .filter(|batch| batch.padding.is_some());
    let worst = sized.max_by_key(|batch| batch.padding);
    let evidence = worst.map(|batch| {
        let (padding, size) = (batch.padding.unwrap_or(0), batch.size.unwrap_or(0));
        let text = format!("batch of {size}, {padding} of it padding");
        between(
            batch.start_ps,
            batch.start_ps + batch.duration_ps.max(1),
            text,
        )
    });
    finding(
        &RULE,
        severity,
        format!(
            "{share} of what {} compute is padding.",
            format::counted(report.batches.len(), "batch").replace("batchs", "batches")
        ),
    )
    .why(
        "Batches are padded to the sizes that programs were compiled for, and the device computes \
         the padding like everything else.",
    )
    .fix(
        "Compile for more sizes (allowed batch sizes, sequence buckets), let the batcher wait a \
         little longer, or pack several sequences into one row.",
    )
    .seen(evidence)
    .seen([in_view("requests", "batches and their padding".to_owned())])
    .found()
}
