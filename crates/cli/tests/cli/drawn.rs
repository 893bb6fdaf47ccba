//! Answers over drawings of TPU and GPU captures, so that a checkout without captures of such
//! hardware tests what people with it see.

use std::fs;
use std::path::Path;

use stepscope_testing::corpus::repository_root;
use stepscope_testing::drawing;

use crate::support::{check, run};

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
        drawn(name, folder.path());
        let path = folder.path().display().to_string();
        for analysis in ANALYSES {
            let answer = run(&[analysis, &path]);
            assert_eq!(answer.code, 0, "{analysis} of {name}: {}", answer.stderr);
            let text = answer.stdout.replace(&path, "[LOGS]");
            check(&format!("drawn-{name}.{analysis}.txt"), &text);
        }
    }
}
