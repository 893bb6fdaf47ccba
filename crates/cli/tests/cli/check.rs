//! `stepscope check` and `stepscope history`: exit codes, every format of the result,
//! `stepscope.toml`.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{Answer, check, fixture, root, run, stepscope};

fn planted(variant: &str) -> String {
    format!("{}/{variant}", fixture("planted-cpu"))
}

/// Runs in its own folder, without settings of a surrounding pipeline.
fn run_at(folder: &Path, arguments: &[&str]) -> Answer {
    let output = stepscope()
        .args(arguments)
        .current_dir(folder)
        .env_remove("GITHUB_SHA")
        .output()
        .expect("the binary runs");
    Answer {
        code: output.status.code().expect("it ended by itself"),
        stdout: String::from_utf8(output.stdout).expect("text"),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn checked(variant: &str, budgets: &[&str]) -> Answer {
    let (base, other) = (planted("base"), planted(variant));
    let mut arguments = vec!["check", &other, "--baseline", &base];
    for budget in budgets {
        arguments.extend(["--budget", budget]);
    }
    run(&arguments)
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).expect("it was written")
}

const BUDGETS: [&str; 3] = ["step_time=+2%", "memory_peak=+1%", "compilation_count=+0"];

#[test]
fn what_was_planted_breaks_the_budget_it_should() {
    for (variant, code) in [
        ("slower", 4),
        ("transpose", 4),
        ("recompile", 4),
        ("batch", 4),
    ] {
        let answer = checked(variant, &BUDGETS);
        assert_eq!(answer.code, code, "{variant}: {}", answer.stderr);
        check(&format!("planted.{variant}.check.txt"), &answer.stdout);
    }
    let same = checked("transpose", &["step_time=+20%", "compilation_count=+0"]);
    assert_eq!(same.code, 0, "{}", same.stdout);
}

#[test]
fn exit_codes_tell_broken_from_usage_and_paths() {
    let base = planted("base");
    let of = |budget: &str| run(&["check", &base, "--budget", budget]).code;
    assert_eq!(of("step_time<=1s"), 0);
    assert_eq!(of("step_time<=1us"), 4);
    // Without a baseline.
    assert_eq!(of("step_time=+2%"), 4);
    assert_eq!(of("stp_time=+2%"), 2);
    assert_eq!(run(&["check", &base]).code, 2);
    assert_eq!(
        run(&["check", "/no/such/path", "--budget", "step_time<=1s"]).code,
        3
    );
    let allowed = [
        "check",
        &base,
        "--budget",
        "step_time=+2%",
        "--allow-unknown",
    ];
    assert_eq!(run(&allowed).code, 0);
    let itself = run(&[
        "check",
        &base,
        "--baseline",
        &base,
        "--budget",
        "step_time=+2%",
    ]);
    assert_eq!(itself.code, 2);
    assert!(
        itself.stderr.contains("the session itself"),
        "{}",
        itself.stderr
    );
}

#[test]
fn sessions_of_one_folder_are_named_as_in_compare() {
    let folder = fixture("planted-cpu");
    let budget = ["--budget", "step_time=+2%"];
    let named = |arguments: &[&str]| {
        let all: Vec<&str> = ["check"]
            .iter()
            .chain(arguments)
            .chain(&budget)
            .copied()
            .collect();
        run(&all)
    };
    let expected = checked("slower", &["step_time=+2%"]);
    let place = format!("{folder}@slower");
    assert_eq!(
        named(&[&place, "--baseline", "base"]).stdout,
        expected.stdout
    );
    let by_session = [&folder, "--session", "slower", "--baseline", "base"];
    assert_eq!(named(&by_session).stdout, expected.stdout);
    let before = named(&[&folder, "--baseline-runs", "3", "--json"]);
    let report: Value = serde_json::from_str(&before.stdout).expect("JSON");
    assert_eq!(
        report["baselines"].as_array().map(Vec::len),
        Some(3),
        "{report:#}"
    );
    let many = named(&[&folder, "--baseline-runs", "9"]);
    assert!(
        many.stderr.contains("only 4 sessions before"),
        "{}",
        many.stderr
    );
}

#[test]
fn every_form_of_the_result() {
    let folder = tempfile::tempdir().expect("a folder");
    let (base, other) = (planted("base"), planted("slower"));
    let mut arguments = vec!["check", &other, "--baseline", &base, "--github"];
    for budget in [
        "step_time=+2%",
        "memory_peak<=1GiB",
        "input_wait=+1ms",
        "op:none=+2%",
    ] {
        arguments.extend(["--budget", budget]);
    }
    for (option, name) in [
        ("--junit", "r.xml"),
        ("--sarif", "r.sarif"),
        ("--markdown", "r.md"),
    ] {
        arguments.extend([option, name]);
    }
    let answer = run_at(folder.path(), &arguments);
    assert_eq!(answer.code, 4, "{}", answer.stderr);
    let annotations = answer.stdout.lines().filter(|line| line.starts_with("::"));
    let annotations: Vec<&str> = annotations.collect();
    check("planted.slower.check.github", &annotations.join("\n"));
    check(
        "planted.slower.check.junit.xml",
        &read(folder.path(), "r.xml"),
    );
    check(
        "planted.slower.check.sarif",
        &read(folder.path(), "r.sarif"),
    );
    check("planted.slower.check.md", &read(folder.path(), "r.md"));
    let json = checked("slower", &["step_time=+2%"]);
    assert_eq!(json.code, 4);
}

#[test]
fn json_and_csv_are_those_of_any_report() {
    let (base, other) = (planted("base"), planted("slower"));
    let arguments = [
        "check",
        &other,
        "--baseline",
        &base,
        "--budget",
        "step_time=+2%",
    ];
    let with = |more: &[&str]| run(&arguments.iter().chain(more).copied().collect::<Vec<_>>());
    let json = with(&["--json"]);
    assert_eq!(json.code, 4);
    let report: Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert_eq!(report["rows"][0]["verdict"], "broken");
    let csv = with(&["--csv"]);
    assert_eq!(csv.code, 4);
    let mut lines = csv.stdout.lines();
    assert!(
        lines
            .next()
            .is_some_and(|keys| keys.starts_with("budget,verdict,baseline_text"))
    );
    assert!(
        lines
            .next()
            .is_some_and(|row| row.starts_with("step_time=+2%,broken,5.055 ms"))
    );
    assert_eq!(with(&["--csv", "--table", "figures"]).code, 4);
}

#[test]
fn settings_stand_in_a_file_of_this_folder_or_above() {
    let folder = tempfile::tempdir().expect("a folder");
    let inner = folder.path().join("a/b");
    fs::create_dir_all(&inner).expect("a folder");
    let text = format!(
        "[check]\nbaseline = \"{}\"\n\n[check.budgets]\nstep_time = \"+2%\"\nmemory_peak = [\"+1%\", \"<=1GiB\"]\n\n\
         [targets.lenient.budgets]\nstep_time = \"+1000%\"\nmemory_peak = \"<=1GiB\"\n",
        planted("base")
    );
    fs::write(folder.path().join("stepscope.toml"), text).expect("written");
    let other = planted("slower");
    let found = run_at(&inner, &["check", &other, "--github"]);
    assert_eq!(found.code, 4, "{}", found.stderr);
    assert!(found.stderr.contains("settings of "), "{}", found.stderr);
    // A budget that no op explains gets the line where it was written.
    let line = found
        .stdout
        .lines()
        .find(|line| line.contains("memory_peak=+1%25 is broken"));
    assert!(
        line.is_some_and(|line| line.contains("stepscope.toml,line=6,")),
        "{line:?}"
    );
    let lenient = run_at(&inner, &["check", &other, "--target", "lenient"]);
    assert_eq!(lenient.code, 0, "{}", lenient.stdout);
    // The command line wins, per metric.
    let given = [
        "check",
        &other,
        "--budget",
        "step_time=+1000%",
        "--budget",
        "memory_peak<=1GiB",
    ];
    assert_eq!(run_at(&inner, &given).code, 0);
    let named = folder.path().join("other.toml");
    fs::write(&named, "[check.budgets]\nstep_tme = \"+2%\"\n").expect("written");
    let wrong = run_at(
        &inner,
        &["check", &other, "--config", &named.display().to_string()],
    );
    assert_eq!(wrong.code, 2);
    assert!(
        wrong.stderr.contains("other.toml:2: ") && wrong.stderr.contains("unknown metric"),
        "{}",
        wrong.stderr
    );
    fs::write(&named, "[check]\nbudget = 3\n").expect("written");
    let wrong = run_at(
        &inner,
        &["check", &other, "--config", &named.display().to_string()],
    );
    assert_eq!(wrong.code, 2);
    assert!(
        wrong.stderr.contains("unknown field `budget`"),
        "{}",
        wrong.stderr
    );
    assert!(
        wrong.stderr.contains("hint: docs/guides/gate.md"),
        "{}",
        wrong.stderr
    );
}

#[test]
fn a_history_grows_run_by_run_and_is_a_baseline() {
    let folder = tempfile::tempdir().expect("a folder");
    let record = |variant: &str, more: &[&str]| {
        let session = planted(variant);
        let mut arguments = vec![
            "check",
            &session,
            "--history",
            "runs.jsonl",
            "--commit",
            "abc",
        ];
        arguments.extend(more);
        run_at(folder.path(), &arguments)
    };
    // The first run has nothing to compare with: it is accepted.
    let budget = ["--baseline", "history", "--budget", "memory_peak=+1%"];
    let first = record("base", &budget);
    assert_eq!(first.code, 4, "{}", first.stdout);
    fs::remove_file(folder.path().join("runs.jsonl")).expect("it was written");
    assert_eq!(
        record("base", &[&budget[..], &["--accept"]].concat()).code,
        0
    );
    assert_eq!(record("base", &[]).code, 0);
    assert_eq!(record("recompile", &budget).code, 0);
    let broken = record("slower", &budget);
    assert_eq!(broken.code, 4, "{}", broken.stderr);
    assert!(
        broken.stdout.contains("runs.jsonl (3 runs)"),
        "{}",
        broken.stdout
    );
    let text = read(folder.path(), "runs.jsonl");
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[0]["is_accepted"], true);
    assert_eq!(lines[1].get("verdict"), None);
    assert_eq!(
        [&lines[3]["verdict"], &lines[3]["commit"]],
        ["broken", "abc"]
    );
    assert!(lines[3]["recorded_unix_s"].is_i64());
    // A damaged line is reported, and kept.
    fs::write(
        folder.path().join("runs.jsonl"),
        format!("{text}{{\"run\":"),
    )
    .expect("written");
    let told = record("base", &budget);
    assert_eq!(told.code, 0, "{}", told.stdout);
    assert!(
        told.stdout
            .contains("runs.jsonl, line 5: not a history record"),
        "{}",
        told.stdout
    );
    assert_eq!(read(folder.path(), "runs.jsonl").lines().count(), 6);
}

/// Thirty runs: steps of 5 ms give or take 2 %, 12 % more from the 18th on; memory grows at the 25th.
fn thirty_runs() -> String {
    let line = |run: u32| {
        let wave = f64::from((run * 7919) % 13) / 6.0 - 1.0;
        let level = if run < 18 { 5.0e9 } else { 5.6e9 };
        let memory: f64 = if run < 25 { 2_883_584.0 } else { 3_145_728.0 };
        format!(
            "{{\"run\":\"nightly-{run:02}\",\"program\":\"jit_step\",\"devices\":\"1 × XLA:CPU\",\
             \"recorded_unix_s\":{},\"commit\":\"commit-{run:02}\",\"figures\":{{\
             \"step_time\":{{\"unit\":\"picos\",\"value\":{}}},\"memory_peak\":{{\"unit\":\"bytes\",\"value\":{memory}}},\
             \"device_busy\":{{\"unit\":\"ratio\",\"value\":{}}}}}}}",
            1_795_000_000 + run * 86_400,
            (level * (1.0 + 0.02 * wave)).round(),
            0.8 + 0.01 * wave
        )
    };
    (0..30).map(line).collect::<Vec<_>>().join("\n") + "\n"
}

#[test]
fn a_history_tells_its_change_points() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("runs.jsonl"), thirty_runs()).expect("written");
    let text = run_at(folder.path(), &["history", "runs.jsonl"]);
    assert_eq!(text.code, 0, "{}", text.stderr);
    check("thirty-runs.history.txt", &text.stdout);
    let csv = run_at(
        folder.path(),
        &["history", "runs.jsonl", "--csv", "--table", "changes"],
    );
    assert_eq!(csv.stdout.lines().count(), 3, "{}", csv.stdout);
    let json = run_at(
        folder.path(),
        &["history", "runs.jsonl", "--json", "--metric", "step_time"],
    );
    let report: Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert_eq!(report["changes"][0]["run_name"], "nightly-18");
    assert_eq!(run_at(folder.path(), &["history", "none.jsonl"]).code, 3);
}

#[test]
fn sessions_of_a_folder_are_a_history() {
    let answer = run(&["history", &fixture("planted-cpu"), "--json"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let report: Value = serde_json::from_str(&answer.stdout).expect("JSON");
    assert_eq!(report["runs"].as_array().map(Vec::len), Some(5));
}

#[test]
fn no_settings_of_our_own_stand_in_the_way() {
    assert!(!root().join("stepscope.toml").exists());
}
