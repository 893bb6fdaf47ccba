//! Messages and exit codes if there is no answer.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use crate::support::{Answer, check, fixture, profile_bytes, run, stepscope};

/// Requests the ops of a file with these bytes.
fn ops_of(name: &str, bytes: &[u8]) -> Answer {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(name);
    fs::write(&file, bytes).expect("written");
    let mut answer = run(&["ops", &file.display().to_string(), "--limit", "3"]);
    let place = folder.path().display().to_string();
    answer.stderr = answer.stderr.replace(&place, "[FOLDER]");
    answer
}

fn fails_at_the_path(name: &str, file: &str, bytes: &[u8]) {
    let answer = ops_of(file, bytes);
    assert_eq!(answer.code, 3, "{name}: {}", answer.stderr);
    assert_eq!(answer.stdout, "", "{name}");
    check(&format!("failure.{name}.txt"), &answer.stderr);
}

#[test]
fn files_that_are_no_profile() {
    fails_at_the_path("text", "host.xplane.pb", b"loss 0.31\nloss 0.29\n");
    fails_at_the_path(
        "html",
        "host.xplane.pb",
        b"<!DOCTYPE html><html><body>404 Not Found",
    );
    fails_at_the_path("empty", "host.xplane.pb", b"");
    fails_at_the_path("zeros", "host.xplane.pb", &[0; 5000]);
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let garbage: Vec<u8> = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[3]
    })
    .take(4000)
    .collect();
    fails_at_the_path("garbage", "host.xplane.pb", &garbage);
    fails_at_the_path(
        "trace",
        "host.trace.json.gz",
        &gzip(br#"{"traceEvents": []}"#),
    );
    fails_at_the_path("trace_renamed", "host.xplane.pb", br#"{"traceEvents": []}"#);
    fails_at_the_path("trace_cut", "host.trace.json", br#"[{"ph":"#);
    fails_at_the_path("history", "history.jsonl", br#"{"run":"nightly"}"#);
    fails_at_the_path("program", "jit_step(7).hlo_proto.pb", &program());
    fails_at_the_path("program_renamed", "host.xplane.pb", &program());
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).expect("in memory");
    encoder.finish().expect("in memory")
}

/// An HloProto with one computation of one instruction, by the field numbers of `hlo.proto`.
fn program() -> Vec<u8> {
    let instruction = [
        text(1, "Arg_0.1"),
        text(2, "parameter"),
        vec![0xf8, 0x01, 1],
    ]
    .concat();
    let computation = [text(1, "main.3"), field(2, &instruction), vec![5 << 3, 1]].concat();
    let module = [
        text(1, "jit_step"),
        text(2, "main.3"),
        field(3, &computation),
        vec![5 << 3, 7],
    ]
    .concat();
    field(1, &module)
}

fn text(number: u8, text: &str) -> Vec<u8> {
    field(number, text.as_bytes())
}

fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let length = u8::try_from(bytes.len()).expect("short");
    assert!(length < 128, "one byte of length");
    [vec![number << 3 | 2, length], bytes.to_vec()].concat()
}

#[test]
fn programs_of_the_corpus_open_without_a_profile() {
    let program =
        stepscope_testing::corpus::corpus_folder().join("hlo/h100-maxtext-train_step.hlo_proto.pb");
    if !program.exists() {
        println!("no corpus: {} is absent", program.display());
        return;
    }
    let answer = run(&["report", &program.display().to_string()]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(
        answer.stdout.contains("What to shrink"),
        "{}",
        answer.stdout
    );
    let verdict = run(&["verdict", &program.display().to_string()]);
    assert!(
        verdict
            .stdout
            .starts_with("HLO of 1 program without recorded events"),
        "{}",
        verdict.stdout
    );
    let memory = run(&["memory", &program.display().to_string()]);
    assert!(!memory.stdout.contains("XLA:CPU"), "{}", memory.stdout);
    let copied = ops_of("host.xplane.pb", &fs::read(&program).expect("readable"));
    assert_eq!(copied.code, 3, "{}{}", copied.stdout, copied.stderr);
}

#[test]
fn paths_without_a_profile() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().display().to_string();
    for (name, path) in [
        ("nowhere", format!("{place}/logz")),
        ("empty_folder", place.clone()),
    ] {
        let answer = run(&["report", &path]);
        assert_eq!(answer.code, 3, "{name}");
        check(
            &format!("failure.{name}.txt"),
            &answer.stderr.replace(&place, "[FOLDER]"),
        );
    }
}

#[test]
fn a_truncated_capture_answers_with_a_warning() {
    let bytes = profile_bytes();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("host.xplane.pb");
    fs::write(&file, &bytes[..bytes.len() * 98 / 100]).expect("written");
    let file = file.display().to_string();
    let answer = run(&["timeline", &file]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    check("truncated.txt", &answer.stdout);
    check("truncated.stderr.txt", &answer.stderr);
    let slices = run(&["timeline", &file, "--json"]).stdout;
    let slices: serde_json::Value = serde_json::from_str(&slices).expect("JSON");
    assert!(slices["slice_count"].as_i64() > Some(100), "{slices}");
}

#[test]
fn a_truncated_compressed_capture_answers_with_a_warning() {
    let compressed = gzip(&profile_bytes());
    let answer = ops_of(
        "host.xplane.pb.gz",
        &compressed[..compressed.len() * 8 / 10],
    );
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(answer.stderr.contains("warning:"), "{}", answer.stderr);
}

#[test]
fn usage_errors_say_what_there_is() {
    let path = fixture("hosts4-cpu");
    let cases: [(&str, &[&str]); 9] = [
        ("command", &["opps", "logs"]),
        ("option", &["ops", "logs", "--stepz", "3"]),
        ("missing_path", &["ops"]),
        ("steps", &["ops", &path, "--steps", "three"]),
        ("device", &["ops", &path, "--device", "GPU:9"]),
        ("pattern", &["ops", &path, "--match", "dot("]),
        ("sort", &["ops", &path, "--sort", "color"]),
        ("table", &["ops", &path, "--csv", "--table", "nothing"]),
        ("session", &["ops", &path, "--session", "nothing"]),
    ];
    for (name, arguments) in cases {
        let answer = run(arguments);
        assert_eq!(answer.code, 2, "{name}: {}{}", answer.stdout, answer.stderr);
        assert_eq!(answer.stdout, "", "{name}");
        check(&format!("usage.{name}.txt"), &answer.stderr);
    }
}

#[test]
fn a_table_without_rows_is_an_empty_table() {
    let path = fixture("mlp-cpu");
    for (analysis, table, first) in [
        ("collectives", "instances", "name,"),
        ("collectives", "shardings", "name,"),
        ("hosts", "blame", "host,"),
        ("memory", "steps", "allocator,"),
        ("compile", "rows", "function,"),
    ] {
        let arguments = [analysis, &path, "--csv", "--table", table];
        let answer = run(&arguments);
        assert_eq!(answer.code, 0, "{arguments:?}: {}", answer.stderr);
        assert_eq!(answer.stdout.lines().count(), 1, "{}", answer.stdout);
        assert!(answer.stdout.starts_with(first), "{}", answer.stdout);
        let remark = format!("{table}: no rows");
        assert!(answer.stderr.contains(&remark), "{}", answer.stderr);
        let people = run(&[analysis, &path, "--table", table]);
        assert_eq!(people.code, 0, "{}", people.stderr);
        assert!(!people.stdout.is_empty(), "its header");
    }
    // One clock is one row, though by default it is hidden.
    let clocks = run(&["hosts", &path, "--csv", "--table", "clocks"]);
    assert_eq!((clocks.code, clocks.stdout.lines().count()), (0, 2));
}

#[test]
fn several_sessions_the_newest_unless_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let bytes = profile_bytes();
    for run in ["2026_01_01_10_00_00", "2026_01_02_10_00_00"] {
        let place = folder.path().join("plugins/profile").join(run);
        fs::create_dir_all(&place).expect("created");
        fs::write(place.join("host.xplane.pb"), &bytes).expect("written");
    }
    let ask = |extra: &[&str]| {
        let path = folder.path().display().to_string();
        let all: Vec<&str> = ["report", path.as_str()]
            .iter()
            .chain(extra)
            .copied()
            .collect();
        run(&all)
    };
    let newest = ask(&[]);
    assert!(
        newest.stdout.starts_with("2026_01_02_10_00_00"),
        "{}",
        newest.stdout
    );
    assert!(
        newest.stderr.contains("2 sessions found"),
        "{}",
        newest.stderr
    );
    assert_eq!(ask(&["--quiet"]).stderr, "");
    for wanted in ["2026_01_01_10_00_00", "1", "01_01"] {
        let answer = ask(&["--session", wanted]);
        assert!(
            answer.stdout.starts_with("2026_01_01"),
            "{wanted}: {}",
            answer.stderr
        );
    }
    assert_eq!(ask(&["--session", "2026"]).code, 2, "it is in two names");
}

#[test]
fn whoever_reads_may_stop() {
    let mut child = stepscope()
        .args(["timeline", &fixture("demo-gpt-cpu"), "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    drop(child.stdout.take());
    let ended = child.wait_with_output().expect("it ends");
    assert_eq!(ended.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&ended.stderr), "");
}

#[test]
fn an_output_that_cannot_be_written_is_told() {
    let answer = run(&[
        "ops",
        &fixture("mlp-cpu"),
        "--json",
        "--output",
        "/nowhere/at/all.json",
    ]);
    assert_eq!(answer.code, 1);
    assert!(
        answer.stderr.contains("/nowhere/at/all.json"),
        "{}",
        answer.stderr
    );
    assert!(!Path::new("/nowhere").exists());
}

#[test]
fn reading_some_lines_is_enough() {
    let mut child = stepscope()
        .args(["scopes", &fixture("demo-gpt-cpu"), "--limit", "0", "--wide"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut line = String::new();
    let mut reader = BufReader::with_capacity(16, child.stdout.take().expect("piped"));
    reader.read_line(&mut line).expect("a line");
    drop(reader);
    assert!(!line.is_empty());
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}
