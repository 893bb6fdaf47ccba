//! Files that are written while they are read, and pipes where files are expected.
#![cfg(unix)]

use std::fs::{self, OpenOptions};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::support::{fixture, profile_bytes, stepscope};

const RUN: &str = "log/plugins/profile/run";

/// Ends a child that waits forever.
fn ended(mut child: Child) -> ExitStatus {
    let began = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child") {
            return status;
        }
        if began.elapsed() > Duration::from_mins(1) {
            let _ = child.kill();
            let _ = child.wait();
            panic!("it waits for somebody to write");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn capture() -> Vec<u8> {
    let fixture = stepscope_testing::corpus::fixture("demo-gpt-cpu").expect("the fixture");
    stepscope_testing::corpus::read_bytes(&fixture.hosts[0]).expect("it is readable")
}

#[test]
fn ten_exports_survive_a_file_that_is_written_again_and_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(RUN).join("vm.xplane.pb");
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    // Large enough to be mapped: protobuf joins messages that follow each other.
    let whole = capture().repeat(10);
    for trial in 0..10 {
        fs::write(&path, &whole).expect("a file");
        let mut child = stepscope()
            .args(["export", "log", "--chrome", "out.json"])
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary runs");
        let began = Instant::now();
        while child.try_wait().expect("a child").is_none() {
            assert!(began.elapsed() < Duration::from_mins(1), "it does not end");
            let file = OpenOptions::new().write(true).open(&path).expect("a file");
            file.set_len(1 << 20).expect("cut");
            std::thread::sleep(Duration::from_millis(5 + trial));
            fs::write(&path, &whole).expect("a file");
            std::thread::sleep(Duration::from_millis(20));
        }
        let status = ended(child);
        assert_eq!(status.signal(), None, "trial {trial}: {status}");
    }
}

fn pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status();
    assert!(made.expect("mkfifo").success());
}

#[test]
fn pipes_in_place_of_files_are_not_waited_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join(RUN);
    fs::create_dir_all(&run).expect("a folder");
    fs::write(run.join("vm.xplane.pb"), profile_bytes()).expect("a file");
    for name in [
        "vm.trace.json.gz",
        "vm.stepscope.json",
        "ops_stats.json",
        "b.xplane.pb",
    ] {
        pipe(&run.join(name));
    }
    pipe(&folder.path().join("pipe"));
    let log = fixture("mlp-cpu");
    for arguments in [
        vec!["doctor", "log"],
        vec!["sessions", "log"],
        vec!["check", &log, "--baseline", &log, "--config", "pipe"],
        vec!["check", &log, "--baseline", "history", "--history", "pipe"],
        vec!["advice", &log, "--thresholds", "pipe"],
        vec!["overview", "pipe"],
    ] {
        let child = stepscope()
            .args(&arguments)
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary runs");
        let status = ended(child);
        assert!(status.code().is_some(), "{arguments:?}: {status}");
    }
}
