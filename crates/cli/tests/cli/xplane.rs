//! `export --xplane`: the written file opens with the same figures.

use std::path::Path;

use serde_json::Value;

use crate::support::{fixture, run};

/// An answer without what names the session and its files.
fn answer(arguments: &[&str]) -> Value {
    let answer = run(&[arguments, &["--json"]].concat());
    assert_eq!(answer.code, 0, "{arguments:?}: {}", answer.stderr);
    serde_json::from_str(&answer.stdout).expect("JSON")
}

fn export(source: &str, file: &Path, more: &[&str]) -> String {
    let file = file.display().to_string();
    let answer = run(&[&["export", source, "--xplane", &file], more].concat());
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    answer.stderr
}

/// The name of the first host.
fn host(source: &str) -> String {
    let report = answer(&["steps", source]);
    let name = report["rows"][0]["host"].as_str();
    name.expect("a host").to_owned()
}

#[test]
fn all_of_a_session_has_the_same_figures() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["demo-gpt-cpu", "mlp-cpu", "kineto-drawn", "hosts4-cpu"] {
        let source = fixture(name);
        // The host is named after its file.
        let of_one_host = folder
            .path()
            .join(name)
            .join(format!("{}.xplane.pb", host(&source)));
        let file = if name == "hosts4-cpu" {
            folder.path().join(name)
        } else {
            std::fs::create_dir_all(folder.path().join(name)).expect("a folder");
            of_one_host
        };
        let said = export(&source, &file, &[]);
        assert!(said.contains("slices"), "{said}");
        assert_eq!(file.is_dir(), name == "hosts4-cpu", "{name}");
        let file = file.display().to_string();
        for question in ["steps", "ops", "idle", "timeline"] {
            let (was, is) = (answer(&[question, &source]), answer(&[question, &file]));
            assert_eq!(was, is, "{name}: {question}");
        }
    }
}

#[test]
fn a_part_has_the_figures_of_the_selection() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = fixture("demo-gpt-cpu");
    let file = folder.path().join("part.xplane.pb.gz");
    export(&source, &file, &["--steps", "2..4"]);
    let file = file.display().to_string();
    let was = answer(&["steps", &source, "--steps", "2..4"]);
    let is = answer(&["steps", &file]);
    let durations = |report: &Value| -> Vec<(i64, i64)> {
        let rows = report["rows"].as_array().expect("rows");
        let number = |row: &Value, name: &str| row[name].as_i64().expect("a number");
        rows.iter()
            .map(|row| (number(row, "step"), number(row, "duration_ps")))
            .collect()
    };
    assert_eq!(durations(&was), durations(&is));
    assert_eq!(durations(&is).len(), 8, "two steps on four devices");
    let totals = |report: &Value| -> Vec<(String, u64, u64)> {
        let rows = report["rows"].as_array().expect("rows");
        let rows = rows.iter().map(|row| {
            let number = |name: &str| row[name].as_u64().expect("a number");
            (
                row["name"].to_string(),
                number("occurrences"),
                number("total_ps"),
            )
        });
        let mut rows: Vec<_> = rows.collect();
        rows.sort();
        rows
    };
    let was = answer(&["ops", &source, "--steps", "2..4", "--limit", "0"]);
    let is = answer(&["ops", &file, "--limit", "0"]);
    assert_eq!(totals(&was), totals(&is));
}

#[test]
fn names_are_taken_out_of_what_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = fixture("demo-gpt-cpu");
    let file = folder.path().join("nameless.xplane.pb");
    export(&source, &file, &["--redact"]);
    let bytes = std::fs::read(&file).expect("a file");
    let holds = |bytes: &[u8]| String::from_utf8_lossy(bytes).contains("train_step");
    assert!(!holds(&bytes));
    let named = folder.path().join("named.xplane.pb");
    export(&source, &named, &[]);
    assert!(holds(&std::fs::read(&named).expect("a file")));
    let file = file.display().to_string();
    let durations = |path: &str| answer(&["steps", path])["rows"][0]["duration_ps"].clone();
    assert_eq!(durations(&source), durations(&file));
}
