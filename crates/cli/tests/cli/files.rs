//! Files of every type, complete and damaged, opened by the binary.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{fixture, run};

const RUN: &str = "plugins/profile/run";

fn riegeli() -> Vec<u8> {
    let path = format!(
        "{}/riegeli/plugins/profile/riegeli/vm.xplane.riegeli",
        fixture("riegeli-cpu")
    );
    fs::read(path).expect("the fixture is there")
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> String {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("created");
    fs::write(&path, bytes).expect("written");
    folder.display().to_string()
}

/// Numbers of the steps, once each, and standard error.
fn steps(path: &str) -> (Vec<i64>, String) {
    let answer = run(&["steps", path, "--json"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let report: Value = serde_json::from_str(&answer.stdout).expect("JSON");
    let rows = report["rows"].as_array().expect("rows");
    let mut numbers: Vec<i64> = rows.iter().filter_map(|row| row["step"].as_i64()).collect();
    numbers.dedup();
    (numbers, answer.stderr)
}

#[test]
fn a_capture_in_riegeli_records_is_a_session() {
    let (numbers, said) = steps(&fixture("riegeli-cpu/riegeli"));
    assert_eq!(numbers, [0, 1, 2, 3, 4, 5]);
    assert_eq!(said, "");
    let folder = tempfile::tempdir().expect("a folder");
    let path = write(
        folder.path(),
        &format!("{RUN}/vm.xplane.riegeli"),
        &riegeli()[..9000],
    );
    let answer = run(&["doctor", &path]);
    assert!(
        format!("{}{}", answer.stdout, answer.stderr).contains("it ends at byte 9000"),
        "{}{}",
        answer.stdout,
        answer.stderr
    );
}

#[test]
fn the_trace_beside_an_empty_profile_is_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let trace = folder.path().join(RUN).join("vm.trace.json.gz");
    let path = write(folder.path(), &format!("{RUN}/vm.xplane.pb"), b"");
    // Alone, it is an error that names the cause.
    let answer = run(&["steps", &path]);
    assert_eq!(answer.code, 3);
    assert!(answer.stderr.contains("2 GiB"), "{}", answer.stderr);
    let source = fixture("mlp-cpu");
    let written = run(&["export", &source, "--chrome", &trace.display().to_string()]);
    assert_eq!(written.code, 0, "{}", written.stderr);
    let (numbers, said) = steps(&path);
    assert_eq!(numbers, steps(&source).0);
    for part in [
        "is empty (0 bytes)",
        "vm.trace.json.gz",
        "no HLO programs",
        "2 GiB",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn a_trace_that_is_cut_is_told_by_every_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let trace = folder.path().join("vm.trace.json.gz");
    let name = trace.display().to_string();
    let written = run(&["export", &fixture("mlp-cpu"), "--chrome", &name]);
    assert_eq!(written.code, 0, "{}", written.stderr);
    let whole = fs::read(&trace).expect("written");
    fs::write(&trace, &whole[..whole.len() * 3 / 4]).expect("written");
    let (numbers, said) = steps(&name);
    assert!(!numbers.is_empty());
    assert!(
        said.contains("the gzip data is damaged or truncated after"),
        "{said}"
    );
    let answer = run(&["doctor", &name]);
    assert!(answer.stdout.contains("trace_json"), "{}", answer.stdout);
    assert!(
        answer.stdout.contains("the gzip data is damaged"),
        "{}",
        answer.stdout
    );
}
