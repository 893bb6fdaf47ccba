//! Runs the binary in an environment without the user's own settings.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The result of a run.
pub(crate) struct Answer {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The binary, with 120 columns and no colors.
pub(crate) fn stepscope() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stepscope"));
    let own = [
        "NO_COLOR",
        "CLICOLOR_FORCE",
        "STEPSCOPE_TOKEN",
        "SSH_CONNECTION",
        "RUST_LOG",
    ];
    for name in own {
        command.env_remove(name);
    }
    command
        .env("COLUMNS", "120")
        .env("LC_ALL", "C.UTF-8")
        // What the user of this machine indexed changes no answer here.
        .env("STEPSCOPE_CATALOG", "/nowhere/catalog")
        .stdin(Stdio::null());
    command
}

/// Runs it to the end.
pub(crate) fn run(arguments: &[&str]) -> Answer {
    run_in(arguments, &[])
}

/// Runs it to the end with some variables set.
pub(crate) fn run_in(arguments: &[&str], variables: &[(&str, &str)]) -> Answer {
    let output = stepscope()
        .args(arguments)
        .envs(variables.iter().copied())
        .output()
        .expect("the binary runs");
    answer(&output)
}

/// Runs it in a folder to the end: commands in its answers have paths as they were typed.
pub(crate) fn run_at(folder: &Path, arguments: &[&str]) -> Answer {
    let output = stepscope().current_dir(folder).args(arguments).output();
    answer(&output.expect("the binary runs"))
}

fn answer(output: &Output) -> Answer {
    let answer = Answer {
        code: output.status.code().expect("it ended by itself"),
        stdout: String::from_utf8(output.stdout.clone()).expect("text"),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    };
    assert!(!answer.stderr.contains("panicked"), "{}", answer.stderr);
    answer
}

/// A fixture's log directory, as a command line argument.
pub(crate) fn fixture(name: &str) -> String {
    root().join("fixtures").join(name).display().to_string()
}

/// The repository's root.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors()
        .nth(2)
        .expect("two folders up")
        .to_path_buf()
}

/// The decompressed bytes of the mlp fixture's profile.
pub(crate) fn profile_bytes() -> Vec<u8> {
    let path = root().join("fixtures/mlp-cpu/plugins/profile/2026_11_21_08_46_58");
    let file = std::fs::File::open(path.join("host-0.xplane.pb.gz")).expect("the fixture is there");
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(file)
        .read_to_end(&mut bytes)
        .expect("it is gzip");
    bytes
}

/// Asserts a snapshot in `tests/snapshots`, with the repository's path removed.
pub(crate) fn check(name: &str, text: &str) {
    let root = root().display().to_string();
    let text = text.replace(&root, "[ROOT]");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}

/// Checks the form of JSON: of each long list the first items, so that people can review it.
pub(crate) fn check_json(name: &str, json: &serde_json::Value) {
    let pretty = serde_json::to_string_pretty(&abridged(json)).expect("JSON");
    check(name, &pretty);
}

/// The value with at most two items of each list, and how many more there are.
fn abridged(value: &serde_json::Value) -> serde_json::Value {
    const SHOWN: usize = 2;
    match value {
        serde_json::Value::Array(items) => {
            let mut shown: Vec<_> = items.iter().take(SHOWN).map(abridged).collect();
            if items.len() > SHOWN {
                shown.push(format!("[{} more]", items.len() - SHOWN).into());
            }
            shown.into()
        }
        serde_json::Value::Object(fields) => {
            let fields = fields.iter();
            let fields = fields.map(|(key, value)| (key.clone(), abridged(value)));
            serde_json::Value::Object(fields.collect())
        }
        other => other.clone(),
    }
}

/// The records of a text of CSV by RFC 4180.
pub(crate) fn csv_records(text: &str) -> Vec<Vec<String>> {
    let mut records = vec![vec![String::new()]];
    let mut is_quoted = false;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let record = records.last_mut().expect("one at least");
        let field = record.last_mut().expect("one at least");
        match (letter, is_quoted) {
            ('"', true) if letters.peek() == Some(&'"') => field.extend(letters.next()),
            ('"', _) => is_quoted = !is_quoted,
            (',', false) => record.push(String::new()),
            ('\r', false) => {}
            ('\n', false) => records.push(vec![String::new()]),
            (letter, _) => field.push(letter),
        }
    }
    records.retain(|record| record.iter().any(|field| !field.is_empty()));
    records
}
