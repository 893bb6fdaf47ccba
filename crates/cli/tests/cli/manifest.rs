//! The manifest next to a capture appears in the overview, and a bad one changes no figure.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{fixture, run};

/// A copy of a fixture's capture with this manifest next to it.
fn capture_with(manifest: &str) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    let from = Path::new(&fixture("demo-gpt-cpu")).join("plugins/profile/demo/vm.xplane.pb.gz");
    fs::copy(from, folder.path().join("vm.xplane.pb.gz")).expect("the fixture");
    fs::write(folder.path().join("vm.stepscope.json"), manifest).expect("a writable folder");
    folder
}

fn overview(folder: &TempDir) -> Value {
    let answer = run(&["overview", &folder.path().display().to_string(), "--json"]);
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    serde_json::from_str(&answer.stdout).expect("JSON")
}

fn fact<'a>(report: &'a Value, name: &str) -> Option<&'a str> {
    let facts = report["environment"]["facts"].as_array()?;
    let fact = facts.iter().find(|fact| fact["name"] == name)?;
    fact["value"].as_str()
}

#[test]
fn the_overview_shows_what_the_manifest_says() {
    let folder = capture_with(
        r#"{"stepscope_manifest": 1, "name": "warm", "step_first": 3, "step_end": 8,
            "versions": {"jax": "0.10.2"}, "devices": [{"kind": "cpu"}, {"kind": "cpu"}],
            "git": {"commit": "abc123", "dirty": true}, "arguments": ["train.py", "--steps", "9"],
            "options": {"python_tracer_level": 1}, "environment": {"XLA_FLAGS": "--xla_x=1"}}"#,
    );
    let report = overview(&folder);
    let expected = [
        ("capture_name", "warm"),
        ("capture_steps", "3..8"),
        ("jax_version", "0.10.2"),
        ("jax_devices", "2 × cpu"),
        ("git_commit", "abc123 (with uncommitted changes)"),
        ("arguments", "train.py --steps 9"),
        ("option_python_tracer_level", "1"),
        ("XLA_FLAGS", "--xla_x=1"),
    ];
    for (name, value) in expected {
        assert_eq!(fact(&report, name), Some(value), "{name}");
    }
}

#[test]
fn a_bad_manifest_is_a_note_and_changes_no_figure() {
    let good = overview(&capture_with(r#"{"stepscope_manifest": 1}"#));
    for bad in [
        "",
        "{\"stepscope_manifest\": 1",
        "null",
        "{\"stepscope_manifest\": 1, \"git\": 5}",
    ] {
        let report = overview(&capture_with(bad));
        for key in [
            "step_time_ps",
            "step_parts",
            "top_ops",
            "devices",
            "environment",
        ] {
            assert_eq!(report[key], good[key], "{key} with the manifest {bad:?}");
        }
        let notes = report["notes"].as_array().unwrap();
        let told = |note: &Value| {
            let text = note["text"].as_str().unwrap_or_default();
            text.contains("vm.stepscope.json")
        };
        assert_eq!(
            notes.iter().filter(|note| told(note)).count(),
            1,
            "{bad:?}: {notes:?}"
        );
    }
}
