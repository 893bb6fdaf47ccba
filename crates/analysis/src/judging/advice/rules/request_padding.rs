//! Batches of requests that are mostly padding.

use super::request_queue::NO_REQUESTS;
use super::{Outcome, Rule, finding, gravity};
use crate::judging::advice::evidence::{between, in_view};
use crate::judging::advice::facts::Facts;
use crate::telling::format;

pub(super) static RULE: Rule = Rule {
    id: "request_padding",
    title: "Padding of batches",
    parts: &[],
    check,
};

fn check(facts: &Facts<'_>) -> Outcome {
    let report = facts.requests();
    let Some(ratio) = report.padding_ratio else {
        let why = if report.batches.is_empty() {
            NO_REQUESTS
        } else {
            "Batches do not say how large they are: TraceAnnotation(\"process_batch\", \
             padding_amount=n, batch_size_after_padding=m)."
        };
        return Outcome::Skipped(why.to_owned());
    };
    let share = format::percent(ratio);
    let Some(severity) = gravity(&facts.threshold("request_padding_ratio"), ratio) else {
        return Outcome::Passed(format!("{share} of the batches."));
    };
    let sized = report
        .batches
        .iter()
        .filter(|batch| batch.padding.is_some());
    let worst = sized.max_by_key(|batch| batch.padding);
    let evidence = worst.map(|batch| {
        let (padding, size) = (batch.padding.unwrap_or(0), batch.size.unwrap_or(0));
        let text = format!("a batch of {size} with {padding} of padding");
        between(
            batch.start_ps,
            batch.start_ps + batch.duration_ps.max(1),
            text,
        )
    });
    finding(
        &RULE,
        severity,
        format!("{share} of what {} compute is padding.", format::counted(report.batches.len(), "batch").replace("batchs", "batches")),
    )
    .why("Batches are filled up to the sizes that programs were compiled for, and the device computes the padding like everything else.")
    .fix("More sizes to compile for (allowed batch sizes, sequence buckets), a batcher that waits a little longer, or sequences packed into one row.")
    .seen(evidence)
    .seen([in_view("requests", "batches and their padding".to_owned())])
    .found()
}
