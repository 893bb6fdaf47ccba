//! Analyses agree with each other: no rule of `advice` passes what `overview` calls bad, and no share
//! of a time is more than all of it.

use serde_json::Value;
use stepscope_analysis::catalogue::ANALYSES;
use stepscope_model::Session;
use stepscope_testing::corpus::Capture;

use crate::support::{all_captures, ask, drawn, open};

/// A verdict of the overview, and the rules that look at the same figure.
const SAME: [(&str, &[&str]); 8] = [
    ("host_overhead_ratio", &["host_bound"]),
    ("occupancy_ratio", &["low_occupancy"]),
    ("dominant_op_ratio", &["dominating_op"]),
    ("compilation_ps", &["compilation_time", "compilation"]),
    ("peak_memory_ratio", &["memory_headroom"]),
    ("communication_ratio", &["exposed_communication"]),
    ("copy_ratio", &["host_transfers", "device_copies"]),
    (
        "device_busy_ratio",
        &[
            "input_wait",
            "compilation",
            "host_bound",
            "idle",
            "exposed_communication",
            "host_transfers",
            "device_copies",
            "python_callback",
        ],
    ),
];

fn list(report: &Value, key: &str) -> Vec<Value> {
    report[key].as_array().cloned().unwrap_or_default()
}

fn ids(report: &Value, key: &str) -> Vec<String> {
    let ids = list(report, key).into_iter();
    ids.filter_map(|one| Some(one["id"].as_str()?.to_owned()))
        .collect()
}

/// Of verdicts and rules on the same figure: a bad one passes nowhere.
fn check_agreement(name: &str, session: &Session) {
    let (overview, advice) = (ask(session, "overview", &[]), ask(session, "advice", &[]));
    let (found, passed) = (ids(&advice, "findings"), ids(&advice, "passed"));
    for verdict in list(&overview, "verdicts") {
        let key = verdict["key"].as_str().unwrap_or_default();
        let Some((_, rules)) = SAME.iter().find(|(known, _)| *known == key) else {
            continue;
        };
        let is_found = rules.iter().any(|rule| found.iter().any(|id| id == rule));
        let is_passed = rules.iter().all(|rule| passed.iter().any(|id| id == rule));
        if verdict["verdict"] == "bad" {
            assert!(
                is_found || !is_passed,
                "{name}: {key} is bad and {rules:?} pass"
            );
        }
    }
}

/// Parts of the mean step that are beyond the `bad` threshold of a rule are a finding of it.
fn check_parts(name: &str, session: &Session) {
    let (overview, advice) = (ask(session, "overview", &[]), ask(session, "advice", &[]));
    let passed = ids(&advice, "passed");
    let share = |part: &str| {
        let parts = list(&overview, "step_parts");
        let found = parts.iter().find(|one| one["part"] == part);
        found.and_then(|one| one["ratio"].as_f64()).unwrap_or(0.0)
    };
    for (part, bad, rule) in [
        ("host_overhead", 0.2, "host_bound"),
        ("idle", 0.3, "idle"),
        ("input_wait", 0.2, "input_wait"),
        ("compilation", 0.1, "compilation"),
        ("collectives", 0.3, "exposed_communication"),
        ("host_to_device", 0.15, "host_transfers"),
        ("device_to_host", 0.15, "host_transfers"),
        ("device_to_device", 0.15, "device_copies"),
    ] {
        let share = share(part);
        let is_passed = passed.iter().any(|id| id == rule);
        assert!(
            share <= bad || !is_passed,
            "{name}: {part} {share}, {rule} passes"
        );
    }
}

#[test]
fn no_rule_passes_what_the_overview_calls_bad() {
    for capture in all_captures() {
        let session = open(&capture);
        check_agreement(&capture.name, &session);
        check_parts(&capture.name, &session);
    }
}

/// Seven steps that are quick and one in which the device idles for nine tenths of all time.
#[test]
fn one_long_step_is_idle_in_both() {
    let session = drawn(&["
        host vm
        thread python
        repeat 7 every 100us
          0..100us train #step_num=$i,_r=1#
        end
          700..6700us train #step_num=7,_r=1#
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        repeat 7 every 100us
          1..99us dot.1
        end
          701..799us dot.1
    "]);
    check_agreement("drawing", &session);
    check_parts("drawing", &session);
    let advice = ask(&session, "advice", &[]);
    let found = list(&advice, "findings");
    let idle = found.iter().find(|one| one["id"] == "idle");
    let what = idle.expect("a finding")["what"].as_str().expect("a text");
    assert!(what.contains("mostly in some of the steps"), "{what}");
}

/// Shares above 1, with their places in a report.
fn beyond_all(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                let path = format!("{path}.{key}");
                let is_share = key == "ratio" || key.ends_with("_ratio");
                if is_share && value.as_f64().is_some_and(|share| share > 1.0 + 1e-9) {
                    found.push(format!("{path} = {value}"));
                }
                beyond_all(value, &path, found);
            }
        }
        Value::Array(items) => {
            for item in items {
                beyond_all(item, path, found);
            }
        }
        _ => {}
    }
}

/// Analyses of times, whose ratios are shares; others have ratios of other kinds, such as speed-ups.
const OF_TIMES: [&str; 13] = [
    "overview",
    "steps",
    "ops",
    "op_tree",
    "scopes",
    "kernels",
    "hosts",
    "collectives",
    "idle",
    "input",
    "compile",
    "advice",
    "verdict",
];

fn check_shares(capture: &Capture) {
    let session = open(capture);
    for entry in ANALYSES
        .iter()
        .filter(|entry| OF_TIMES.contains(&entry.name))
    {
        let Ok(answer) = entry.run_pairs(&session, []) else {
            continue;
        };
        let mut found = Vec::new();
        beyond_all(&answer.json().expect("JSON"), entry.name, &mut found);
        assert!(found.is_empty(), "{}: {found:?}", capture.name);
    }
}

#[test]
fn no_share_of_a_time_is_more_than_all_of_it() {
    let names: Vec<&str> = ANALYSES.iter().map(|entry| entry.name).collect();
    for name in OF_TIMES {
        assert!(names.contains(&name), "{name} is listed");
    }
    for capture in all_captures() {
        check_shares(&capture);
    }
}
