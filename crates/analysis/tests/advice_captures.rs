//! What `advice` says of real captures: the first finding, and none that is not true.

use serde_json::Value;

use crate::support::{all_captures, ask, open};

fn findings(report: &Value) -> Vec<(String, f64)> {
    let all = report["findings"].as_array().cloned().unwrap_or_default();
    all.iter()
        .map(|found| {
            let id = found["id"].as_str().unwrap_or_default().to_owned();
            (id, found["gain_ps_per_step"].as_f64().unwrap_or(0.0))
        })
        .collect()
}

#[test]
fn the_first_finding_of_every_capture() {
    for capture in all_captures() {
        let session = open(&capture);
        let report = ask(&session, "advice", &[]);
        let found = findings(&report);
        for finding in report["findings"].as_array().into_iter().flatten() {
            println!(
                "## {} {}",
                capture.name,
                serde_json::to_string_pretty(finding).unwrap_or_default()
            );
        }
        for key in ["passed", "skipped"] {
            for check in report[key].as_array().into_iter().flatten() {
                println!(
                    "-- {} {key} {}: {}",
                    capture.name, check["id"], check["text"]
                );
            }
        }
        let severities = report["findings"].as_array().into_iter().flatten();
        let severities = severities.map(|one| match one["severity"].as_str() {
            Some("bad") => 0,
            Some("warning") => 1,
            _ => 2,
        });
        let ranks: Vec<(i32, f64)> = severities
            .zip(&found)
            .map(|(one, of)| (one, of.1))
            .collect();
        assert!(
            ranks.is_sorted_by(|a, b| a.0 < b.0 || a.0 == b.0 && a.1 >= b.1),
            "{}: {found:?} {ranks:?}",
            capture.name
        );
    }
}
