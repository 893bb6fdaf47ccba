//! `stepscope compare`: which sessions its arguments name, and its answers.

use crate::support::{check, fixture, run};

fn answer(arguments: &[&str]) -> String {
    let answer = run(arguments);
    assert_eq!(answer.code, 0, "{arguments:?}: {}", answer.stderr);
    answer.stdout
}

#[test]
fn what_was_planted_is_told() {
    for variant in ["slower", "transpose", "recompile", "batch"] {
        let (base, other) = (fixture("planted-cpu/base"), fixture("planted-cpu"));
        let other = format!("{other}/{variant}");
        let text = answer(&["compare", &base, &other, "--limit", "8"]);
        check(&format!("planted.{variant}.compare.txt"), &text);
    }
}

#[test]
fn one_session_has_many_names() {
    let folder = fixture("planted-cpu");
    let (base, slower) = (format!("{folder}/base"), format!("{folder}/slower"));
    let expected = answer(&["compare", &base, &slower]);
    let named = [format!("{folder}@base"), format!("{folder}@slower")];
    assert_eq!(answer(&["compare", &named[0], &named[1]]), expected);
    assert_eq!(answer(&["compare", &folder, "base", "slower"]), expected);
    let options = [
        "compare",
        &folder,
        "--session",
        "base",
        "--session",
        "slower",
    ];
    assert_eq!(answer(&options), expected);
    assert_eq!(answer(&["diff_sessions", &base, &slower]), expected);
}

#[test]
fn a_log_directory_alone_means_its_last_two_sessions() {
    let folder = fixture("planted-cpu");
    let alone = run(&["compare", &folder]);
    assert_eq!(alone.code, 0, "{}", alone.stderr);
    assert!(
        alone.stderr.contains("(latest~1) with "),
        "{}",
        alone.stderr
    );
    let named = answer(&["compare", &folder, "latest~1", "latest"]);
    assert_eq!(alone.stdout, named);
    let missing = run(&["compare", &folder, "latest~9", "latest"]);
    assert_eq!(missing.code, 2);
    assert!(
        missing
            .stderr
            .contains("latest~9 does not match exactly one session"),
        "{}",
        missing.stderr
    );
    let one = run(&["compare", &fixture("mlp-cpu")]);
    assert_eq!(one.code, 2);
    assert!(
        one.stderr.contains("a comparison needs 2"),
        "{}",
        one.stderr
    );
}

#[test]
fn a_session_does_not_differ_from_itself() {
    for name in ["demo-gpt-cpu", "mlp-cpu", "hosts4-cpu"] {
        let path = fixture(name);
        let text = answer(&["compare", &path, &path, "--json"]);
        let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let difference = &report["differences"][0];
        assert_eq!(difference["step"]["evidence"], "within_noise", "{name}");
        assert_eq!(difference["causes"], serde_json::json!([]), "{name}");
        assert_eq!(difference["waterfall"], serde_json::json!([]), "{name}");
        let ops = report["ops"].as_array().expect("ops");
        assert!(ops.iter().all(|op| op["matched"] == "same"), "{name}");
    }
}

#[test]
fn what_is_not_there_is_said() {
    let folder = fixture("planted-cpu");
    let wrong = run(&["compare", &folder, &format!("{folder}@nothing")]);
    assert_eq!(wrong.code, 2, "{}", wrong.stderr);
    assert!(
        wrong
            .stderr
            .contains("nothing does not match exactly one session"),
        "{}",
        wrong.stderr
    );
    assert_eq!(run(&["compare", &folder, "/no/such/path"]).code, 3);
    assert_eq!(run(&["compare"]).code, 2);
}
