//! Memory snapshots on the command line: as tables, JSON, and CSV, compared, and damaged.

use std::fs;
use std::path::Path;

use crate::support::{Answer, check, check_json, fixture, root, run};

const BEFORE: &str = "fixtures/leak-cpu/step_000001.prof";
const AFTER: &str = "fixtures/leak-cpu/step_000020.prof";

fn path(file: &str) -> String {
    root().join(file).display().to_string()
}

fn text(arguments: &[&str]) -> String {
    let answer = run(arguments);
    assert_eq!(answer.code, 0, "{arguments:?}: {}", answer.stderr);
    answer.stdout
}

#[test]
fn a_snapshot_alone() {
    check("leak-cpu.heap.txt", &text(&["heap", &path(AFTER)]));
    let internal = ["heap", &path(AFTER), "--internal", "--limit", "10"];
    check("leak-cpu.heap.internal.txt", &text(&internal));
    let part = ["heap", &path(AFTER), "--device", "1", "--by", "allocations"];
    check("leak-cpu.heap.device.txt", &text(&part));
    // A session of snapshots has no answer other than its heap.
    check("leak-cpu.report.txt", &text(&["report", &path(AFTER)]));
}

#[test]
fn a_folder_of_snapshots_compared() {
    let leak = fixture("leak-cpu");
    let compared = ["heap", &leak, "--against", "first", "--limit", "8"];
    check("leak-cpu.heap.growth.txt", &text(&compared));
    let csv = text(&[&compared[..], &["--csv"]].concat());
    check("leak-cpu.heap.growth.csv", &csv.replace("\r\n", "\n"));
    let json = text(&[&compared[..], &["--json"]].concat());
    let mut json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    // When a file was last written is not a property of a fixture.
    for snapshot in json["snapshots"].as_array_mut().expect("snapshots") {
        snapshot["epoch_ns"] = "written".into();
    }
    check_json("leak-cpu.heap.growth.json", &json);
}

#[test]
fn two_files_compare_as_two_snapshots_of_a_folder_do() {
    let folder = ["heap", &fixture("leak-cpu"), "--against", "first", "--csv"];
    let files = ["heap", &path(AFTER), "--against", &path(BEFORE), "--csv"];
    assert_eq!(text(&files), text(&folder));
    let table = ["--table", "tree"];
    let of = |arguments: &[&str]| text(&[arguments, &table].concat());
    assert_eq!(of(&files), of(&folder));
    // In reverse, what grew has shrunk.
    let back = ["heap", &path(BEFORE), "--against", &path(AFTER), "--json"];
    let json: serde_json::Value = serde_json::from_str(&text(&back)).expect("JSON");
    assert_eq!(json["change_bytes"], 6_897_696_i64 - 8_864_048);
}

#[test]
fn a_session_lists_its_kind() {
    let csv = text(&["sessions", &path("fixtures"), "--csv"]);
    let kind = |name: &str| {
        let mut lines = csv.lines();
        let row = lines.find(|line| line.split(',').nth(1) == Some(name));
        row.and_then(|row| row.split(',').nth(2)).map(str::to_owned)
    };
    assert_eq!(kind("leak-cpu").as_deref(), Some("memory"), "{csv}");
    assert_eq!(kind("mlp_dp").as_deref(), Some("trace"), "{csv}");
    assert_eq!(kind("demo").as_deref(), Some("trace and memory"), "{csv}");
}

#[test]
fn other_questions_are_refused_with_a_way_out() {
    for analysis in ["overview", "ops", "timeline", "steps"] {
        let answer = run(&[analysis, &path(AFTER)]);
        assert_eq!((answer.code, answer.stdout.as_str()), (3, ""), "{analysis}");
        assert!(
            answer.stderr.contains("needs recorded events"),
            "{}",
            answer.stderr
        );
        assert!(
            answer.stderr.contains("stepscope heap"),
            "{}",
            answer.stderr
        );
    }
    let answer = run(&["heap", &path(AFTER), "--against", "previous"]);
    assert_eq!(answer.code, 2, "{}", answer.stderr);
    let answer = run(&["heap", &path(AFTER), "--against", &fixture("hosts4-cpu")]);
    assert_eq!(answer.code, 3, "{}", answer.stderr);
}

/// Requests the heap of a file with these bytes.
fn heap_of(name: &str, bytes: &[u8]) -> Answer {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(name);
    fs::write(&file, bytes).expect("written");
    let mut answer = run(&["heap", &file.display().to_string(), "--limit", "3"]);
    let place = folder.path().display().to_string();
    answer.stderr = answer.stderr.replace(&place, "[FOLDER]");
    answer
}

#[test]
fn damage_is_said_with_its_place() {
    let whole = fs::read(Path::new(&path(AFTER))).expect("the fixture");
    let cases: [(&str, &[u8]); 4] = [
        ("empty", b""),
        ("text", b"loss 0.31\n"),
        ("zeros", &[0; 300]),
        ("beginning", &whole[..60]),
    ];
    for (name, bytes) in cases {
        let answer = heap_of("memory.prof", bytes);
        assert_eq!((answer.code, answer.stdout.as_str()), (3, ""), "{name}");
        check(&format!("failure.memory.{name}.txt"), &answer.stderr);
    }
    // Half a file is shown as far as it can be read.
    let answer = heap_of("memory.prof", &whole[..whole.len() / 2]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    check("memory.half.stderr.txt", &answer.stderr);
    check("memory.half.txt", &answer.stdout);
}
