//! Memory that grew between the first and the last snapshot: a leak, by who allocated it.

use super::{Outcome, Rule, finding, gravity};
use crate::advice::evidence::in_view;
use crate::advice::facts::Facts;
use crate::advice::report::Confidence;
use crate::format;
use crate::heap::{Heap, HeapOptions, HeapReport, HeapStackRow};
use crate::registry::Analysis;

pub(super) static RULE: Rule = Rule {
    id: "heap_growth",
    title: "Memory grew between snapshots",
    parts: &[],
    check,
};

/// Growth below this is no leak that anybody would look for, bytes.
const MIN_BYTES: i64 = 1 << 20;
/// Stacks that are told.
const TOLD: usize = 3;

fn check(facts: &Facts<'_>) -> Outcome {
    let snapshots = facts.session.heap.snapshots.len();
    if snapshots < 2 {
        return Outcome::Skipped("Needs two memory snapshots, some steps apart.".to_owned());
    }
    let options = HeapOptions {
        against: Some("first".to_owned()),
        ..HeapOptions::default()
    };
    let Ok(report) = Heap::run(facts.session, &options) else {
        return Outcome::Skipped("The memory snapshots cannot be compared.".to_owned());
    };
    let change = report.change_bytes.unwrap_or(0);
    let before = report.total_bytes - change;
    let ratio = change as f64 / before.max(1) as f64;
    let severity = gravity(&facts.threshold("heap_growth_ratio"), ratio);
    let Some(severity) = severity.filter(|_| change >= MIN_BYTES) else {
        return Outcome::Passed(format!(
            "{} alive in the first snapshot, {} in the last.",
            format::bytes(before as f64),
            format::bytes(report.total_bytes as f64)
        ));
    };
    let grown = grown(&report);
    let words: Vec<String> = grown
        .iter()
        .map(|(row, bytes)| {
            let at = match row.source.as_str() {
                "" => String::new(),
                source => format!(" ({source})"),
            };
            format!("{}{at} +{}", row.site, format::bytes(*bytes as f64))
        })
        .collect();
    finding(
        &RULE,
        severity,
        format!(
            "{} alive in the first of {snapshots} snapshots, {} in the last: {} more. What grew most: {}.",
            format::bytes(before as f64),
            format::bytes(report.total_bytes as f64),
            format::bytes(change as f64),
            words.join("; ")
        ),
    )
    .why("Something is allocated in every step and kept: a list of losses or metrics that are still arrays, a cache, captured tracers.")
    .fix("Turn what is kept into numbers (float(loss)), or keep the last one only.")
    .fix_elsewhere("Turn what is kept into numbers, or keep the last one only.")
    .sure(Confidence::Medium)
    .seen([in_view("heap", "what grew, by stack".to_owned())])
    .found()
}

/// The stacks that grew most, and by how much.
fn grown(report: &HeapReport) -> Vec<(&HeapStackRow, i64)> {
    let changes = report.rows.iter();
    let mut grown: Vec<(&HeapStackRow, i64)> = changes
        .filter_map(|row| Some((row, row.change_bytes?)))
        .filter(|&(_, bytes)| bytes > 0)
        .collect();
    grown.sort_by_key(|&(row, bytes)| (std::cmp::Reverse(bytes), row.site.clone()));
    grown.truncate(TOLD);
    grown
}
