//! `stepscope run`, `attach` and `incidents`, with programs that are not Python.

use std::fs;

use crate::support::{run, run_in};

#[cfg(unix)]
#[test]
fn the_program_replaces_the_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let logdir = folder.path().join("profiles");
    let logdir = logdir.to_str().expect("text");
    let script = "echo $STEPSCOPE_RUN; echo $PYTHONPATH; echo $0 $1; exit 7";
    let words = [
        "run", "--steps", "3..5", "--goal", "small", "--logdir", logdir,
    ];
    let program = ["--", "sh", "-c", script, "name", "--help"];
    let answer = run_in(
        &[&words[..], &program[..]].concat(),
        &[("PYTHONPATH", "/before")],
    );
    assert_eq!(answer.code, 7, "{}", answer.stderr);
    let lines: Vec<&str> = answer.stdout.lines().collect();
    let request: serde_json::Value = serde_json::from_str(lines[0]).expect("JSON");
    assert_eq!(request["steps"], serde_json::json!([3, 5]));
    assert_eq!(request["goal"], "small");
    assert_eq!(request["log_dir"], logdir);
    let hook = format!("{logdir}/.stepscope/hook");
    assert_eq!(lines[1], format!("{hook}:/before"));
    assert_eq!(lines[2], "name --help");
    let written = fs::read_to_string(format!("{hook}/sitecustomize.py")).expect("the hook");
    assert!(written.contains("STEPSCOPE_RUN"));
}

#[test]
fn what_cannot_run_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let logdir = folder.path().to_str().expect("text");
    let refused = |words: &[&str], why: &str| {
        let answer = run(&[&["run", "--logdir", logdir], words].concat());
        assert_eq!(answer.code, 2, "{words:?}: {}", answer.stderr);
        assert!(answer.stderr.contains(why), "{words:?}: {}", answer.stderr);
    };
    refused(&["--", "/nowhere/program"], "cannot run /nowhere/program");
    refused(
        &["--", "python3", "-I", "train.py"],
        "-I makes Python ignore PYTHONPATH",
    );
    refused(&["--goal", "fast", "--", "true"], "communication");
    refused(&["--steps", "5", "--", "true"], "100..105");
    refused(
        &["--steps", "1..2", "--at", "10m", "--", "true"],
        "cannot be used with",
    );
    refused(&["--rule", "3x", "--", "true"], "--record");
    refused(&["--every", "0s", "--", "true"], "--every must be above 0s");
    refused(&[], "<PROGRAM>");
}

#[cfg(unix)]
#[test]
fn a_python_without_the_package_is_refused() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().expect("a folder");
    let python = folder.path().join("python3.99");
    fs::write(&python, "#!/bin/sh\n[ \"$1\" != -c ]\n").expect("written");
    fs::set_permissions(&python, fs::Permissions::from_mode(0o755)).expect("executable");
    let python = python.to_str().expect("text");
    let logdir = folder.path().to_str().expect("text");
    let answer = run(&["run", "--logdir", logdir, "--", python, "train.py"]);
    assert_eq!(answer.code, 2);
    assert!(
        answer.stderr.contains("has no stepscope package"),
        "{}",
        answer.stderr
    );
    let hint = format!("{python} -m pip install stepscope");
    assert!(answer.stderr.contains(&hint), "{}", answer.stderr);
}

#[cfg(unix)]
#[test]
fn a_process_without_the_hook_is_not_reached() {
    let own = std::process::id().to_string();
    let answer = run(&["attach", &own]);
    assert_eq!(answer.code, 1);
    let why = format!("process {own} does not listen for captures");
    assert!(answer.stderr.contains(&why), "{}", answer.stderr);
}

const INCIDENT: &str = r#"{"id": "2026_11_25_step_rank_2", "rule": "step_time > 3 * median",
    "kind": "step", "what": "step 40 took 1.2 s, median 10 ms", "unix_ns": 2000000,
    "cause": "step 40 was slow on rank 2 (1.2 s)", "missing_ranks": [3],
    "ranks": [{"rank": 2, "host": "vm", "pid": 17, "step": 41, "where": "load (t.py:3)"}],
    "captures": ["/profiles/plugins/profile/x"]}"#;

#[test]
fn incidents_are_listed_in_order() {
    let folder = tempfile::tempdir().expect("a folder");
    let incidents = folder.path().join("record/run/incidents");
    let second = incidents.join("a");
    let first = incidents.join("b");
    for place in [&first, &second, &incidents.join("damaged")] {
        fs::create_dir_all(place).expect("created");
    }
    fs::write(second.join("incident.json"), INCIDENT).expect("written");
    let request =
        r#"{"id": "early", "rule": "idle > 60s", "what": "no step ended", "unix_ns": 1000000}"#;
    fs::write(first.join("request.json"), request).expect("written");
    let answer = r#"{"rank": 1, "host": "vm", "pid": 7, "step": 3, "where": "wait (t.py:9)"}"#;
    fs::write(first.join("rank_1.json"), answer).expect("written");
    fs::write(incidents.join("damaged/incident.json"), "{").expect("written");
    let path = folder.path().to_str().expect("text");
    let answer = run(&["incidents", path]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let expected = format!(
        "2 incidents in 1 recorded run\n\n\
         early  no step ended\n  cause: unknown: its report was not written\n  \
         rule: idle > 60s\n  rank 1 on vm (process 7): at step 3, in wait (t.py:9)\n  stacks: {0}/b\n\n\
         2026_11_25_step_rank_2  step 40 took 1.2 s, median 10 ms\n  \
         cause: step 40 was slow on rank 2 (1.2 s)\n  rule: step_time > 3 * median\n  \
         rank 2 on vm (process 17): at step 41, in load (t.py:3)\n  rank 3: no answer\n  \
         open it: stepscope view /profiles/plugins/profile/x\n  stacks: {0}/a\n",
        incidents.display()
    );
    assert_eq!(answer.stdout, expected);
    let json = run(&["incidents", path, "--json", "--check"]);
    assert_eq!(json.code, 4);
    let report: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
    let list = &report["incidents"];
    assert_eq!(list[0]["is_reported"], false);
    assert_eq!(list[1]["cause"], "step 40 was slow on rank 2 (1.2 s)");
    assert_eq!(report["runs"][0]["name"], "run");
    let nothing = run(&["incidents", incidents.join("a").to_str().expect("text")]);
    assert_eq!(nothing.code, 3);
    assert!(
        nothing.stderr.contains("no recorded run"),
        "{}",
        nothing.stderr
    );
}

/// A ring as `python/stepscope/ring.py` writes it, of a process that never ended.
fn ring_of_a_dead_process() -> Vec<u8> {
    let about = serde_json::json!({
        "rank": 0, "host": "vm", "pid": 77, "unix_ns_at_zero": 0, "metrics": ["loss"],
    });
    let text = about.to_string();
    let mut bytes = b"stepring".to_vec();
    for size in [1_u32, 128] {
        bytes.extend(size.to_le_bytes());
    }
    bytes.extend(4_u64.to_le_bytes());
    bytes.extend(u32::try_from(text.len()).expect("short").to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.resize(4096 - 24, 0);
    // Its last sign of life was at the Unix epoch, when it had two records.
    for number in [0_u64, 0, 2] {
        bytes.extend(number.to_le_bytes());
    }
    for (number, loss) in [(1_u64, 2.5_f64), (2, f64::NAN)] {
        let start = bytes.len();
        for value in [number, 40 + number, 1_000 * number, 1_000] {
            bytes.extend(value.to_le_bytes());
        }
        bytes.extend(1_u64.to_le_bytes());
        bytes.extend(loss.to_le_bytes());
        bytes.resize(start + 104, 0);
        bytes.extend(number.to_le_bytes());
        bytes.resize(start + 128, 0);
    }
    bytes
}

#[test]
fn a_job_that_died_whole_is_an_incident() {
    let folder = tempfile::tempdir().expect("a folder");
    let run_folder = folder.path().join("record/run");
    fs::create_dir_all(run_folder.join("incidents")).expect("created");
    fs::write(run_folder.join("rank_0.ring"), ring_of_a_dead_process()).expect("written");
    let path = folder.path().to_str().expect("text");
    let answer = run(&["incidents", path, "--check"]);
    assert_eq!(answer.code, 4, "{}", answer.stderr);
    let expected = "1 incident in 1 recorded run\n\n\
                    run_stopped  rank 0 stopped without ending after step 42\n  cause: unknown, ";
    assert!(answer.stdout.starts_with(expected), "{}", answer.stdout);
    let end = "  rank 0 on vm (process 77): at step 42\n";
    assert!(answer.stdout.ends_with(end), "{}", answer.stdout);
    let json = run(&["incidents", path, "--json"]);
    assert_eq!(json.code, 0, "{}", json.stderr);
    let report: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
    let loss = &report["runs"][0]["metrics"][0];
    assert_eq!((&loss["name"], &loss["rank"]), (&"loss".into(), &0.into()));
    assert_eq!(loss["points"][0]["last"], 2.5);
    assert_eq!(loss["points"][1]["not_finite"], "nan");

    // A metric that was noticed says how it came there.
    let noticed = run_folder.join("incidents/nan");
    fs::create_dir_all(&noticed).expect("created");
    let request = r#"{"id": "nan", "kind": "metric", "what": "loss is nan", "rule": "loss is nan",
        "rank": 0, "step": 42, "unix_ns": 0, "metrics": ["loss"]}"#;
    fs::write(noticed.join("request.json"), request).expect("written");
    let answer = run(&["incidents", path]);
    let line = "\n  loss, steps 41 to 42: 2.5, nan\n";
    assert!(answer.stdout.contains(line), "{}", answer.stdout);
}
