//! The same on recorded captures, of XLA:CPU and of an NVIDIA H100: the cause that was planted in the
//! program, and what it took by the program's own clock.

use std::path::Path;

use serde_json::{Value, json};
use stepscope_mcp::Agent;
use stepscope_testing::corpus::repository_root;

use super::{WITHIN, ask, finding};

/// Captures below `fixtures`, and the finding that names their cause.
const RECORDED: &[(&str, &str)] = &[
    ("causes-cpu/checkpoints-at", "host_bound"),
    ("causes-cpu/garbage-at", "host_bound"),
    ("causes-cpu/python-between-at", "host_bound"),
    ("causes-cpu/reading-dataset-at", "input_wait"),
    ("causes-cpu/sleep-between-at", "host_bound"),
    ("causes-h100/checkpoints-at", "host_bound"),
    ("causes-h100/garbage-at", "host_bound"),
    ("causes-h100/python-between-at", "host_bound"),
    ("causes-h100/queue-loader-at", "input_wait"),
    ("causes-h100/sleep-between-at", "host_bound"),
];

/// What the cause took per step, picoseconds.
fn truth_ps(folder: &Path) -> f64 {
    let text = std::fs::read_to_string(folder.join("truth.json")).expect("the truth is there");
    let truth: Value = serde_json::from_str(&text).expect("the truth is JSON");
    let figure = |key: &str| truth[key].as_f64().expect("a number");
    figure("cause_s") / figure("steps") * 1e12
}

/// Every `21.63 ms` of a sentence.
fn milliseconds(text: &str) -> Vec<f64> {
    let words: Vec<&str> = text.split([' ', ';', ',']).collect();
    let pairs = words.windows(2).filter(|pair| pair[1].starts_with("ms"));
    pairs.filter_map(|pair| pair[0].parse().ok()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn recorded_causes_stand_first_with_their_figure() {
    let mut wrong = Vec::new();
    for (name, cause) in RECORDED {
        let folder = repository_root().join("fixtures").join(name);
        let truth_ps = truth_ps(&folder);
        let agent = Agent::new(&[folder], None);
        let report = ask(&agent, "report", json!({})).await;
        let first = &report["findings"][0]["id"];
        let found = finding(&report, cause);
        let gain_ps = found.and_then(|found| found["gain_ps_per_step"].as_f64());
        let what = found.and_then(|found| found["what"].as_str());
        // The cause may be one of several of its kind, each with its time.
        let mut told = what.map(milliseconds).unwrap_or_default().into_iter();
        let is_near = |ps: f64| (ps / truth_ps - 1.0).abs() <= WITHIN;
        let is_right = gain_ps.is_some_and(is_near) || told.any(|told| is_near(told * 1e9));
        if first != cause || !is_right {
            wrong.push(format!("{name}: {first}, {gain_ps:?} of {truth_ps}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
