//! `stepscope doctor`, `stepscope env` and `stepscope verdict`, end to end.

use std::path::Path;

use serde_json::Value;

use crate::support::{check, fixture, profile_bytes, root, run, run_at, run_in};

#[test]
fn the_verdict_on_every_fixture() {
    for name in ["demo-gpt-cpu", "mlp-cpu", "hosts4-cpu"] {
        let answer = run(&["verdict", &fixture(name)]);
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        check(&format!("{name}.verdict.txt"), &answer.stdout);
    }
    let answer = run(&["verdict", &fixture("mlp-cpu"), "--json"]);
    let report: Value = serde_json::from_str(&answer.stdout).expect("JSON");
    assert_eq!(report["lines"].as_array().map(Vec::len), Some(4));
    assert_eq!(report["findings"].as_array().map(Vec::len), Some(0));
}

#[test]
fn memory_profiles_alone_are_no_ill_capture() {
    let answer = run_at(&root(), &["doctor", "fixtures/leak-cpu"]);
    assert_eq!(answer.code, 0, "{}{}", answer.stdout, answer.stderr);
    check("leak-cpu.doctor.txt", &answer.stdout);
}

#[test]
fn a_healthy_capture_passes() {
    let answer = run(&["doctor", &fixture("mlp-cpu")]);
    assert_eq!(answer.code, 0, "{}{}", answer.stdout, answer.stderr);
    check("mlp-cpu.doctor.txt", &answer.stdout);
    let json = run(&["doctor", &fixture("mlp-cpu"), "--json"]);
    let report: Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert_eq!(report["checks"][0]["id"], "file_size");
    assert_eq!(report["checks"][0]["status"], "ok");
    assert_eq!(report["verdict"]["host_count"], 1);
}

fn log_directory(folder: &Path, bytes: &[u8]) -> String {
    let run = folder.join("plugins/profile/2026_11_21_10_00_00");
    std::fs::create_dir_all(&run).expect("created");
    std::fs::write(run.join("vm.xplane.pb"), bytes).expect("written");
    folder.display().to_string()
}

#[test]
fn an_ill_capture_has_an_exit_code() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = profile_bytes();
    let path = log_directory(folder.path(), &whole[..whole.len() - 5000]);
    let answer = run(&["doctor", &path]);
    assert_eq!(answer.code, 4, "{}", answer.stderr);
    assert!(
        answer.stdout.contains("bad: vm: The file ends within"),
        "{}",
        answer.stdout
    );
    let path = log_directory(folder.path(), b"");
    let answer = run(&["doctor", &path]);
    assert_eq!(answer.code, 3, "{}", answer.stderr);
    assert!(
        answer.stdout.contains("bad: file_size:"),
        "{}",
        answer.stdout
    );
    assert!(answer.stderr.contains("error:"), "{}", answer.stderr);
}

/// The real environment, whatever it is: the answer has the right form, and the exit code matches
/// it.
#[test]
fn the_environment_is_checked() {
    let folder = tempfile::tempdir().expect("a folder");
    let logs = folder.path().join("logs").display().to_string();
    let answer = run(&["doctor", "--logdir", &logs, "--json"]);
    let report: Value = serde_json::from_str(&answer.stdout).expect("JSON");
    let checks = report["checks"].as_array().expect("checks");
    let status = |id: &str| {
        let found = checks.iter().find(|check| check["id"] == id);
        found.map(|check| check["status"].clone())
    };
    assert_eq!(status("log_directory"), Some("ok".into()));
    assert!(status("python").is_some() && status("port_viewer").is_some());
    let is_bad = checks.iter().any(|check| check["status"] == "bad");
    assert_eq!(answer.code, if is_bad { 4 } else { 0 });
    assert!(!Path::new(&logs).exists(), "the folder is not made");
    let disabled = run_in(
        &["doctor", "--logdir", &logs],
        &[("TF_DISABLE_PROFILING", "1")],
    );
    assert_eq!(disabled.code, 4);
    assert!(
        disabled.stdout.contains("bad: profiling_disabled:"),
        "{}",
        disabled.stdout
    );
    let nowhere = run(&["doctor", "--logdir", &logs, "--python", "/nowhere/python"]);
    assert_eq!(nowhere.code, 4);
    assert!(
        nowhere.stdout.contains("cannot run /nowhere/python"),
        "{}",
        nowhere.stdout
    );
}

#[test]
fn variables_are_printed_for_a_shell() {
    let variables = [("JAX_LOG_COMPILES", "1"), ("TF_CPP_MIN_LOG_LEVEL", "")];
    let answer = run_in(&["env"], &variables);
    assert_eq!(answer.code, 0);
    assert!(
        answer
            .stdout
            .contains("(now: 1)\nexport JAX_LOG_COMPILES=1\n"),
        "{}",
        answer.stdout
    );
    let script = format!("{}\necho \"$JAX_COMPILATION_CACHE_DIR\"", answer.stdout);
    let shell = std::process::Command::new("sh")
        .args(["-c", &script])
        .env("HOME", "/home/ada")
        .output()
        .expect("a shell");
    assert_eq!(
        String::from_utf8_lossy(&shell.stdout),
        "/home/ada/tmp/jax_cache\n"
    );
    let json: Value = serde_json::from_str(&run(&["env", "--json"]).stdout).expect("JSON");
    assert_eq!(json["variables"].as_array().map(Vec::len), Some(4));
}
