//! `stepscope capture` against a profiler service on real sockets.

use std::path::Path;
use std::process::Stdio;

use stepscope_testing::corpus::{read_bytes, repository_root};
use stepscope_testing::profiler_server::{Behavior, Continuous, ProfilerServer};
use tempfile::TempDir;

use crate::support::{Answer, run, run_in, stepscope};

const PROFILE: &str = "fixtures/demo-gpt-cpu/plugins/profile/demo/vm.xplane.pb.gz";

/// A job that sends the demo's capture.
fn job(behavior: Behavior) -> ProfilerServer {
    let xspace = read_bytes(&repository_root().join(PROFILE)).expect("the fixture is there");
    ProfilerServer::start(Behavior { xspace, ..behavior }).expect("a port is free")
}

fn logdir() -> TempDir {
    TempDir::new().expect("a folder")
}

fn capture(arguments: &[&str], logdir: &Path) -> Answer {
    let logdir = logdir.to_str().expect("text");
    let usual = ["--duration", "100ms", "--logdir", logdir];
    run(&[&["capture"], arguments, &usual[..]].concat())
}

fn runs(logdir: &Path) -> usize {
    let profiles = logdir.join("plugins/profile");
    std::fs::read_dir(profiles).map_or(0, Iterator::count)
}

#[test]
fn a_capture_ends_with_its_verdict_and_the_command_that_opens_it() {
    let (job, logdir) = (job(Behavior::default()), logdir());
    let answer = capture(&[&job.address(), "--name", "mine"], logdir.path());
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(answer.stdout.starts_with("captured: "), "{}", answer.stdout);
    assert!(
        answer.stdout.contains("Captured 6 steps"),
        "{}",
        answer.stdout
    );
    assert!(
        answer.stderr.contains("recording for 0.1 s"),
        "{}",
        answer.stderr
    );
    let open = answer.stdout.lines().last().expect("a line");
    let words: Vec<&str> = open.split_whitespace().collect();
    assert_eq!(&words[..4], ["open", "it:", "stepscope", "view"]);
    // The session has the name that the command printed.
    let report = run(&["report", words[4], words[5], words[6]]);
    assert_eq!(report.code, 0, "{}", report.stderr);
    assert!(words[6].ends_with("_mine"));
}

#[test]
fn a_partial_capture_names_who_is_missing() {
    let (job, logdir) = (job(Behavior::default()), logdir());
    let addresses = format!("{},127.0.0.1:1", job.address());
    let answer = capture(&[&addresses], logdir.path());
    assert_eq!(answer.code, 4);
    assert!(
        answer
            .stdout
            .contains("captured 1 of 2 hosts - partial, 127.0.0.1:1 missing")
    );
    assert!(
        answer
            .stderr
            .contains("warning: 127.0.0.1:1: connection refused")
    );
    assert!(answer.stderr.contains("hint: is the job running"));
    assert!(
        answer.stdout.contains("Captured 6 steps"),
        "the profile that arrived is reported anyway"
    );
}

#[test]
fn nothing_at_all_is_a_failure_and_leaves_nothing() {
    let logdir = logdir();
    let answer = capture(&["127.0.0.1:1"], logdir.path());
    assert_eq!((answer.code, answer.stdout.as_str()), (1, ""));
    assert_eq!(runs(logdir.path()), 0);
}

#[test]
fn json_is_one_line_per_capture() {
    let (job, logdir) = (job(Behavior::default()), logdir());
    let series = ["--every", "300ms", "--repeat", "2", "--json", "--quiet"];
    let address = job.address();
    let answer = capture(&[&[address.as_str()], &series[..]].concat(), logdir.path());
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    let parsed = |line| serde_json::from_str::<serde_json::Value>(line).expect("JSON");
    let lines: Vec<_> = answer.stdout.lines().map(parsed).collect();
    assert_eq!(lines.len(), 2);
    assert_ne!(lines[0]["session_id"], lines[1]["session_id"]);
    for line in &lines {
        assert_eq!(line["status"], "complete");
        assert_eq!(line["hosts"][0]["error"], serde_json::Value::Null);
        assert!(
            line["verdict"][0]
                .as_str()
                .expect("text")
                .contains("6 steps")
        );
    }
    assert_eq!(runs(logdir.path()), 2);
}

#[test]
fn mistakes_are_usage_errors_with_a_hint() {
    let logdir = logdir();
    let cases: [(&[&str], &str); 5] = [
        (&["localhost"], "port is missing"),
        (&["localhost:9", "--option", "x"], "has no `=`"),
        (&["::1:9"], "[ADDRESS]:PORT"),
        (&["a:1,a:1"], "given twice"),
        (&["a:1", "--host-tracer-level", "7"], "7"),
    ];
    for (arguments, says) in cases {
        let answer = capture(arguments, logdir.path());
        assert_eq!(answer.code, 2, "{arguments:?}: {}", answer.stderr);
        assert!(
            answer.stderr.contains(says),
            "{arguments:?}: {}",
            answer.stderr
        );
    }
    assert_eq!(runs(logdir.path()), 0);
}

#[test]
fn the_log_directory_of_the_environment_is_taken() {
    let (job, logdir) = (job(Behavior::default()), logdir());
    let path = logdir.path().to_str().expect("text");
    let arguments = [
        "capture",
        &job.address(),
        "--duration",
        "50ms",
        "--no-verdict",
    ];
    let answer = run_in(&arguments, &[("PROFILE_DIR", path)]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(!answer.stdout.contains("Captured 6 steps"));
    assert_eq!(runs(logdir.path()), 1);
}

#[test]
fn continuous_profiling_takes_snapshots_and_stops() {
    let (job, logdir) = (job(Behavior::default()), logdir());
    let path = logdir.path().to_str().expect("text");
    let address = job.address();
    let arguments = [
        "capture",
        &address,
        "--continuous",
        "--logdir",
        path,
        "--no-verdict",
    ];
    let timed = run(&[&arguments[..], &["--every", "200ms", "--repeat", "2"]].concat());
    assert_eq!(
        (timed.code, runs(logdir.path())),
        (0, 2),
        "{}",
        timed.stderr
    );
    // The end of the input takes the last snapshot.
    let ended = run(&arguments);
    assert_eq!(
        (ended.code, runs(logdir.path())),
        (0, 3),
        "{}",
        ended.stderr
    );
    let calls = job.asked().calls;
    let stops = calls
        .iter()
        .filter(|call| *call == "StopContinuousProfiling");
    assert_eq!(stops.count(), 2, "{calls:?}");
}

#[test]
fn a_recording_that_was_left_running_is_kept_and_stopped() {
    let (job, logdir) = (job(Behavior::default()), logdir());
    let path = logdir.path().to_str().expect("text");
    let address = job.address();
    let arguments = ["capture", &address, "--logdir", path, "--no-verdict"];
    let mut killed = stepscope()
        .args(arguments)
        .args(["--continuous", "--every", "1h"])
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary runs");
    while job.asked().profiles.is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    killed.kill().expect("it runs");
    killed.wait().expect("it ends");
    let refused = run(&[&arguments[..], &["--continuous"]].concat());
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.contains("--stop"), "{}", refused.stderr);
    let stopped = run(&[&arguments[..], &["--stop"]].concat());
    assert_eq!(
        (stopped.code, runs(logdir.path())),
        (0, 1),
        "{}",
        stopped.stderr
    );
    let nothing = run(&[&arguments[..], &["--stop"]].concat());
    assert_eq!(nothing.code, 1);
    assert!(
        nothing.stderr.contains("no longer running"),
        "{}",
        nothing.stderr
    );
}

#[test]
fn a_job_without_continuous_profiling_is_told_what_to_do_instead() {
    let behavior = Behavior {
        continuous: Continuous::Missing,
        ..Behavior::default()
    };
    let (job, logdir) = (job(behavior), logdir());
    let path = logdir.path().to_str().expect("text");
    let answer = run(&["capture", &job.address(), "--continuous", "--logdir", path]);
    assert_eq!(answer.code, 1);
    assert!(
        answer.stderr.contains("no continuous profiling"),
        "{}",
        answer.stderr
    );
    assert!(answer.stderr.contains("--every"), "{}", answer.stderr);
}
