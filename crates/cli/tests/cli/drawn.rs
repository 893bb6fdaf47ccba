//! Answers over drawings of TPU and GPU captures, so that a checkout without captures of such
//! hardware tests what people with it see.

use std::fs;
use std::path::Path;

use stepscope_testing::corpus::repository_root;
use stepscope_testing::drawing;

use crate::support::{check, run_at};

const DRAWINGS: [&str; 3] = ["tpu-v6e", "gpu-h100", "gpu-mi300x"];
const ANALYSES: [&str; 12] = [
    "overview",
    "verdict",
    "advice",
    "steps",
    "ops",
    "op_tree",
    "roofline",
    "scopes",
    "kernels",
    "collectives",
    "idle",
    "input",
];

/// Writes a drawing as a log directory.
fn drawn(name: &str, folder: &Path) {
    let text = repository_root().join(format!("fixtures/drawn/{name}.txt"));
    let text = fs::read_to_string(text).expect("the drawing can be read");
    let space = drawing::draw(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    let run = folder.join("plugins/profile/run");
    fs::create_dir_all(&run).expect("the folder can be made");
    let file = run.join(format!("{}.xplane.pb", space.hostnames[0]));
    fs::write(file, space.to_bytes()).expect("the file can be written");
}

#[test]
fn analyses_of_drawn_accelerators() {
    for name in DRAWINGS {
        let folder = tempfile::tempdir().expect("a folder");
        drawn(name, &folder.path().join("logs"));
        for analysis in ANALYSES {
            let answer = run_at(folder.path(), &[analysis, "logs"]);
            assert_eq!(answer.code, 0, "{analysis} of {name}: {}", answer.stderr);
            check(&format!("drawn-{name}.{analysis}.txt"), &answer.stdout);
        }
    }
}

/// What is suggested can be pasted: with the path as it was typed, in one piece, for a shell.
#[test]
fn commands_can_be_pasted() {
    let folder = tempfile::tempdir().expect("a folder");
    drawn("tpu-v6e", &folder.path().join("my logs"));
    let answer = run_at(folder.path(), &["advice", "my logs"]);
    assert!(!answer.stdout.contains("PATH"), "{}", answer.stdout);
    let command = r"`stepscope ops 'my logs' --match '^dot\.1$'`";
    assert!(answer.stdout.contains(command), "{}", answer.stdout);
    let named = run_at(folder.path(), &["advice", "my logs", "--session", "run"]);
    let command = r"`stepscope ops 'my logs' --session run --match '^dot\.1$'`";
    assert!(named.stdout.contains(command), "{}", named.stdout);
    let json = run_at(folder.path(), &["kernels", "my logs", "--json"]);
    assert!(
        json.stdout.contains("stepscope ops PATH"),
        "{}",
        json.stdout
    );
}
