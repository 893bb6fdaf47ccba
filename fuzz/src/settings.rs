//! Arbitrary bytes as the settings of a project, as thresholds, as a budget and as a history of
//! runs: understood or refused with a place, the same each time.

use std::path::Path;
use std::sync::OnceLock;

use serde_json::Value;
use stepscope_analysis::asking::NamedText;
use stepscope_analysis::telling::thresholds::{ADVICE, DEFAULTS, Thresholds};
use stepscope_analysis::{Compared, find_comparison};
use stepscope_cli::gate_settings;
use stepscope_model::Session;
use stepscope_model::ingest::{HostInput, ingest};
use stepscope_testing::drawing::draw;

const DRAWING: &str = "
    device tpu:0 v6e
    line Steps
      0..90us 1
      90..180us 2
    line XLA Ops
      10..60us fusion.1
      110..160us fusion.1";

/// A target that settings may have a section for.
const TARGET: &str = "v5e";
/// Longer lists of budgets say nothing new.
const MOST_BUDGETS: usize = 20;

/// Panics if reading breaks a promise.
pub fn check(bytes: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("stepscope.toml");
    std::fs::write(&path, bytes).expect("a file");
    for target in [None, Some(TARGET)] {
        check_gate(&path, target);
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        check_thresholds(text);
        check_history(text);
        check_budgets(&[text]);
    }
}

fn check_gate(path: &Path, target: Option<&str>) {
    let [first, second] = [(), ()].map(|()| gate_settings(Some(path), target));
    assert_eq!(first, second);
    match first {
        Err(refusal) => assert!(refusal.message.contains("stepscope.toml"), "{refusal:?}"),
        Ok(settings) => {
            let budgets = settings.pointer("/options/budget");
            let budgets = budgets.and_then(Value::as_array).expect("a list");
            let texts: Vec<&str> = budgets.iter().filter_map(Value::as_str).collect();
            assert_eq!(texts.len(), budgets.len());
            check_budgets(&texts[..texts.len().min(MOST_BUDGETS)]);
        }
    }
}

/// The session fulfills its budgets, violates them, or they are refused.
fn check_budgets(budgets: &[&str]) {
    let entry = find_comparison("check").expect("a comparison");
    let compared = ["before", "after"].map(|name| Compared {
        name,
        session: session(),
    });
    let pairs = budgets.iter().map(|&budget| ("budget", budget));
    if let Ok(answer) = entry.run_pairs(&compared, pairs) {
        answer.json().expect("a report is JSON");
        answer.tables();
    }
}

fn session() -> &'static Session {
    static SESSION: OnceLock<Session> = OnceLock::new();
    SESSION.get_or_init(|| {
        let bytes = draw(DRAWING).expect("a drawing").to_bytes();
        let input = HostInput {
            host: "vm".to_owned(),
            bytes: std::sync::Arc::new(bytes),
            problem: None,
        };
        ingest("drawn", vec![input]).expect("a session")
    })
}

/// A table that was understood says the same when it is written out.
fn check_thresholds(text: &str) {
    match Thresholds::parse(text) {
        Err(error) => {
            let line = text.lines().nth(error.line - 1);
            assert!(
                line.is_some_and(|line| line.contains(&error.text)),
                "{error}"
            );
        }
        Ok(table) => {
            let keys = DEFAULTS.iter().chain(ADVICE).map(|entry| entry.key);
            let entries = keys.map(|key| table.get(key).expect("every key has an entry"));
            let lines = entries.map(|entry| {
                assert!(entry.good.is_finite() && entry.bad.is_finite());
                entry.text();
                format!("{} = {:?} {:?}\n", entry.key, entry.good, entry.bad)
            });
            let written: String = lines.collect();
            assert_eq!(Thresholds::parse(&written).ok(), Some(table), "{written}");
        }
    }
}

fn check_history(text: &str) {
    let entry = find_comparison("history").expect("a comparison");
    let file = NamedText {
        name: "runs.jsonl".to_owned(),
        text: text.to_owned(),
    };
    if let Ok(answer) = entry.run_pairs_with_files(&[], vec![file], []) {
        answer.json().expect("a report is JSON");
        answer.tables();
        answer.chart();
    }
}
