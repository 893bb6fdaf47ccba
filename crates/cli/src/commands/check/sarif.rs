//! A result as SARIF 2.1.0: broken budgets, values beyond their limit, and what cannot be checked.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use stepscope_analysis::comparing::check::{CheckReport, CheckVerdict, CheckedBudget};

use super::told::Told;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The file.
pub(super) fn text(result: &Told<'_>) -> String {
    let report = result.report;
    let rules = rules(report);
    let results = report
        .rows
        .iter()
        .filter(|row| row.verdict != CheckVerdict::Passed)
        .map(|row| found(result, row, &rules));
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": {
                    "name": "stepscope",
                    "version": env!("CARGO_PKG_VERSION"),
                    "informationUri": env!("CARGO_PKG_REPOSITORY"),
                    "rules": rules.iter().map(|row| rule(row)).collect::<Vec<_>>(),
                }
            },
            "invocations": [{
                "commandLine": result.command,
                "executionSuccessful": true,
            }],
            "results": results.collect::<Vec<_>>(),
        }],
    });
    // Values of these types always serialize.
    serde_json::to_string_pretty(&log).unwrap_or_default() + "\n"
}

/// One row per metric: what may break.
fn rules(report: &CheckReport) -> Vec<&CheckedBudget> {
    let mut rules: Vec<&CheckedBudget> = Vec::new();
    for row in &report.rows {
        if !rules.iter().any(|known| known.metric == row.metric) {
            rules.push(row);
        }
    }
    rules
}

fn rule(row: &CheckedBudget) -> Value {
    json!({
        "id": row.metric,
        "shortDescription": { "text": format!("{} is within its budget", row.title) },
    })
}

fn found(result: &Told<'_>, row: &CheckedBudget, rules: &[&CheckedBudget]) -> Value {
    let report = result.report;
    let level = match row.verdict {
        CheckVerdict::Broken => "error",
        CheckVerdict::Unknown if !report.is_passed => "error",
        CheckVerdict::Unknown => "warning",
        CheckVerdict::WithinNoise | CheckVerdict::Passed => "note",
    };
    let mut message = format!("{} is {}: {}", row.budget, row.verdict.name(), row.text);
    if row.verdict == CheckVerdict::Broken {
        for cause in &report.causes {
            message.push('\n');
            message.push_str(&cause.text);
        }
    }
    let mut found = json!({
        "ruleId": row.metric,
        "ruleIndex": rules.iter().position(|known| known.metric == row.metric),
        "level": level,
        "message": { "text": message },
        "partialFingerprints": { "stepscopeBudget/v1": row.budget },
        "properties": {
            "verdict": row.verdict,
            "unit": row.unit,
            "baseline": row.baseline,
            "limit": row.limit,
            "value": row.value,
            "low": row.low,
            "high": row.high,
        },
    });
    if let Some(place) = result.places.find(row, &report.causes) {
        found["locations"] = json!([{
            "physicalLocation": {
                "artifactLocation": { "uri": uri(&place.file) },
                "region": { "startLine": place.line },
            }
        }]);
    }
    found
}

/// Everything but what the path of a URI has as it is: unreserved characters (RFC 3986), slashes.
const PATH: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~')
    .remove(b'/');

/// A path as a reference to a file.
fn uri(path: &str) -> String {
    let path = path.replace('\\', "/");
    let scheme = if path.starts_with('/') { "file://" } else { "" };
    format!("{scheme}{}", utf8_percent_encode(&path, PATH))
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn paths_become_references() {
        assert_eq!(uri("model/my train.py"), "model/my%20train.py");
        assert_eq!(uri("/srv/train.py"), "file:///srv/train.py");
    }
}
