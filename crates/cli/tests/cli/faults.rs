//! Killed processes, full disks, clocks that are wrong, homes that cannot be written to, files that
//! vanish: nothing half-written is ever taken for whole, and the rest goes on.
#![cfg(unix)]

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};

use serde_json::Value;
use stepscope_testing::corpus::{read_bytes, repository_root};
use stepscope_testing::profiler_server::{Behavior, ProfilerServer};

use crate::server::Server;
use crate::support::{fixture, profile_bytes, run, run_in, stepscope};

const PROFILE: &str = "fixtures/demo-gpt-cpu/plugins/profile/demo/vm.xplane.pb.gz";

fn write_run(logs: &Path, name: &str, bytes: &[u8]) -> std::path::PathBuf {
    let run = logs.join("plugins/profile").join(name);
    fs::create_dir_all(&run).expect("a folder");
    let file = run.join("vm.xplane.pb");
    fs::write(&file, bytes).expect("a file");
    file
}

/// The sessions that a folder has.
fn sessions(logs: &Path) -> Vec<Value> {
    let answer = run(&["sessions", logs.to_str().expect("text"), "--json"]);
    assert!([0, 3].contains(&answer.code), "{}", answer.stderr);
    let report: Value = serde_json::from_str(&answer.stdout).unwrap_or_default();
    report["sessions"].as_array().cloned().unwrap_or_default()
}

#[test]
fn an_export_that_is_killed_leaves_the_old_file_or_the_new_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = fixture("demo-gpt-cpu");
    let out = folder.path().join("run.trace.json");
    let whole = folder.path().join("whole.trace.json");
    let answer = run(&["export", &source, "--chrome", whole.to_str().expect("text")]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let whole = fs::read(whole).expect("a file");
    for wait_ms in [5, 20, 40, 60, 80, 100, 150, 200, 300, 500] {
        fs::write(&out, "the old one").expect("a file");
        let mut child = exporting(&source, &out);
        std::thread::sleep(Duration::from_millis(wait_ms));
        let _ = child.kill();
        child.wait().expect("it ended");
        let found = fs::read(&out).expect("a file");
        assert!(
            found == b"the old one" || found == whole,
            "after {wait_ms} ms: {} bytes",
            found.len()
        );
    }
}

#[test]
fn a_profile_whose_export_is_killed_is_no_session() {
    let folder = tempfile::tempdir().expect("a folder");
    let logs = folder.path().join("logs");
    let out = logs.join("plugins/profile/copy/vm.xplane.pb");
    let source = fixture("demo-gpt-cpu");
    for wait_ms in [5, 20, 40, 60, 80, 100, 150, 200] {
        fs::create_dir_all(out.parent().expect("a folder")).expect("a folder");
        let mut child = stepscope()
            .args(["export", &source, "--xplane"])
            .arg(&out)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary runs");
        std::thread::sleep(Duration::from_millis(wait_ms));
        let _ = child.kill();
        let is_done = child.wait().expect("it ended").success();
        let found = sessions(&logs);
        if out.exists() {
            let answer = run(&["overview", logs.to_str().expect("text")]);
            assert_eq!(answer.code, 0, "{}", answer.stderr);
            assert!(!answer.stderr.contains("damaged"), "{}", answer.stderr);
        } else {
            assert!(!is_done && found.is_empty(), "{found:?}");
        }
        fs::remove_dir_all(&logs).expect("removed");
    }
}

#[test]
fn a_capture_that_is_killed_leaves_no_session_or_a_whole_one() {
    let xspace = read_bytes(&repository_root().join(PROFILE)).expect("the fixture is there");
    let behavior = Behavior {
        xspace,
        ..Behavior::default()
    };
    let job = ProfilerServer::start(behavior).expect("a port is free");
    for wait_ms in [50, 150, 200, 250, 300, 400] {
        let logs = tempfile::tempdir().expect("a folder");
        let mut child = stepscope()
            .args(["capture", &job.address(), "--duration", "100ms", "--logdir"])
            .arg(logs.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary runs");
        std::thread::sleep(Duration::from_millis(wait_ms));
        let _ = child.kill();
        child.wait().expect("it ended");
        for session in sessions(logs.path()) {
            let name = session["key"].as_str().expect("a key").to_owned();
            let answer = run(&["overview", logs.path().to_str().expect("text")]);
            assert_eq!(
                answer.code, 0,
                "{name} after {wait_ms} ms: {}",
                answer.stderr
            );
        }
    }
}

#[test]
fn a_disk_that_fills_up_leaves_the_old_file_and_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("run.trace.json");
    fs::write(&out, "the old one").expect("a file");
    let source = fixture("demo-gpt-cpu");
    // A limit on the length of files is what a full disk is to the one who writes.
    let limited = "trap '' XFSZ; ulimit -f 64; exec \"$0\" export \"$1\" \"$2\" \"$3\"";
    for (option, name) in [("--chrome", "run.trace.json"), ("--html", "run.html")] {
        let path = folder.path().join(name);
        let output = Command::new("bash")
            .args([
                "-c",
                limited,
                env!("CARGO_BIN_EXE_stepscope"),
                &source,
                option,
            ])
            .arg(&path)
            .output()
            .expect("bash runs");
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(!output.stderr.is_empty());
    }
    assert_eq!(fs::read(&out).expect("a file"), b"the old one");
    let left: Vec<_> = fs::read_dir(folder.path()).expect("a folder").collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn a_disk_that_is_full_leaves_old_answers_and_results() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = fixture("demo-gpt-cpu");
    let (base, new) = (folder.path().join("base"), folder.path().join("new"));
    for logs in [&base, &new] {
        write_run(logs, "run", &profile_bytes());
    }
    let [base, new] = [&base, &new].map(|logs| logs.to_str().expect("text"));
    let gate = [
        "check",
        new,
        "--baseline",
        base,
        "--budget",
        "step_time=+2%",
    ];
    let lines: [&[&str]; 5] = [
        &["overview", &source, "--output"],
        &["ops", &source, "--json", "--output"],
        &[&gate[..], &["--junit"]].concat(),
        &[&gate[..], &["--sarif"]].concat(),
        &[&gate[..], &["--markdown"]].concat(),
    ];
    let answers = folder.path().join("answers");
    fs::create_dir(&answers).expect("a folder");
    let out = answers.join("answer");
    for line in lines {
        for (limit, code) in [("0", 1), ("unlimited", 0)] {
            fs::write(&out, "the old one").expect("a file");
            let limited = format!("trap '' XFSZ; ulimit -f {limit}; exec \"$@\"");
            let output = Command::new("bash")
                .args(["-c", &limited, "bash", env!("CARGO_BIN_EXE_stepscope")])
                .args(line)
                .arg(&out)
                .output()
                .expect("bash runs");
            assert_eq!(output.status.code(), Some(code), "{line:?}: {output:?}");
            let found = fs::read_to_string(&out).expect("a file");
            assert_eq!(found == "the old one", code == 1, "{line:?}: {found}");
            let left: Vec<_> = fs::read_dir(&answers).expect("a folder").collect();
            assert_eq!(left.len(), 1, "{line:?}: {left:?}");
        }
    }
}

/// An export that has begun.
fn exporting(source: &str, out: &Path) -> Child {
    stepscope()
        .args(["export", source, "--chrome"])
        .arg(out)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary runs")
}

/// Names of files that an export has begun.
fn parts(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let unfinished = ".part";
    names.filter(|name| name.ends_with(unfinished)).collect()
}

#[test]
fn an_export_that_is_asked_to_end_takes_its_unfinished_file_along() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = fixture("demo-gpt-cpu");
    let out = folder.path().join("run.trace.json.gz");
    let mut was_unfinished = 0;
    for signal in ["-TERM", "-INT", "-TERM", "-INT"] {
        fs::write(&out, "the old one").expect("a file");
        let mut child = exporting(&source, &out);
        // In the middle of its file, unless it is too fast to be seen there.
        while parts(folder.path()).is_empty() && child.try_wait().expect("its state").is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        was_unfinished += usize::from(child.try_wait().expect("its state").is_none());
        let id = child.id().to_string();
        let _ = Command::new("kill").args([signal, &id]).status();
        child.wait().expect("it ended");
        assert_eq!(parts(folder.path()), Vec::<String>::new(), "{signal}");
        assert!(fs::metadata(&out).expect("a file").len() > 0);
    }
    assert!(was_unfinished > 0, "no export was met in the middle");
}

#[test]
fn files_of_the_future_and_of_1970_are_sessions_like_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let day = Duration::from_hours(24);
    let times = [
        ("past", SystemTime::UNIX_EPOCH),
        ("now", SystemTime::now()),
        ("future", SystemTime::now() + 36_500 * day),
    ];
    for (name, time) in times {
        let file = write_run(folder.path(), name, &profile_bytes());
        let file = File::options().write(true).open(file).expect("a file");
        file.set_modified(time).expect("a time");
    }
    assert_eq!(sessions(folder.path()).len(), 3);
    for command in ["sessions", "overview", "doctor"] {
        let answer = run(&[command, folder.path().to_str().expect("text")]);
        assert!(
            [0, 3].contains(&answer.code),
            "{command}: {}",
            answer.stderr
        );
        assert!(!answer.stdout.contains('−'), "{command}: {}", answer.stdout);
    }
}

#[test]
fn a_home_that_cannot_be_written_to_is_no_obstacle() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("home");
    fs::write(&file, "a file where the home should be").expect("a file");
    let home = file.to_str().expect("text");
    let source = fixture("mlp-cpu");
    let variables = [
        ("HOME", home),
        ("XDG_CACHE_HOME", home),
        ("XDG_CONFIG_HOME", home),
    ];
    for line in [
        &["overview", &source as &str][..],
        &["doctor", &source],
        &["export", &source, "--markdown", "-"],
    ] {
        let answer = run_in(line, &variables);
        assert_eq!(answer.code, 0, "{line:?}: {}", answer.stderr);
    }
    let server = Server::start_with(&["view", &source, "--port", "0", "--no-report"], &variables);
    assert_eq!(server.get("/api/sessions/0/analyses/overview").0, 200);
    assert_eq!(server.interrupt(), Some(0));
}

#[test]
fn files_deleted_while_they_are_served_are_errors_of_their_session_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let logs = folder.path();
    let gone = write_run(logs, "gone", &profile_bytes());
    let later = write_run(logs, "later", &profile_bytes());
    // The newest, which is opened at once.
    std::thread::sleep(Duration::from_millis(20));
    write_run(logs, "kept", &profile_bytes());
    let path = logs.to_str().expect("text");
    let server = Server::start(&["view", path, "--port", "0", "--no-report"]);
    let ask = |session: &str, what: &str| server.get(&format!("/api/sessions/{session}/{what}")).0;
    assert_eq!(ask("gone", "analyses/overview"), 200);
    fs::remove_file(gone).expect("removed");
    // One that was never opened, with its folder.
    fs::remove_dir_all(later.parent().expect("a folder")).expect("removed");
    for what in ["analyses/ops", "analyses/overview", "export.html"] {
        for session in ["gone", "later"] {
            let status = ask(session, what);
            assert!(
                [200, 404, 422].contains(&status),
                "{session}/{what}: {status}"
            );
        }
        assert_eq!(ask("kept", what), 200, "{what}");
    }
    // The list is made anew every few seconds.
    let lists = (0..100).map(|_| {
        std::thread::sleep(Duration::from_millis(100));
        server.get("/api/sessions")
    });
    let is_true = |list: &str| list.contains("kept") && !list.contains("later");
    let mut lists = lists.inspect(|(status, list)| assert_eq!(*status, 200, "{list}"));
    assert!(
        lists.any(|(_, list)| is_true(&list)),
        "it lists what is gone"
    );
    assert_eq!(server.end_with("-TERM"), Some(0));
}
