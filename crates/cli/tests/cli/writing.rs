//! Where exports are written, and what names may do there: devices, pipes, standard output,
//! formulas, control characters, redacted traces.

use std::fs;
use std::io::Read;
use std::path::Path;

use stepscope_testing::identifiers::{self, HOST, RUN};
use stepscope_testing::space::XSpace;

use crate::support::{fixture, run, stepscope};

#[test]
fn a_device_is_written_to_and_a_folder_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let device = folder.path().join("device");
    std::os::unix::fs::symlink("/dev/null", &device).expect("a link");
    let device = device.display().to_string();
    let source = fixture("mlp-cpu");
    let answer = run(&["export", &source, "--chrome", &device]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(fs::symlink_metadata(&device).expect("it").is_symlink());
    assert!(!fs::metadata("/dev/null").expect("it").is_file());
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).expect("a folder");
    let answer = run(&["export", &source, "--chrome", &inner.display().to_string()]);
    assert_eq!(answer.code, 1, "{}", answer.stderr);
    assert!(answer.stderr.contains("a folder"), "{}", answer.stderr);
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2);
}

#[test]
fn a_dash_is_standard_output_for_one_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("run.trace.json");
    let source = fixture("mlp-cpu");
    let answer = run(&["export", &source, "--chrome", &file.display().to_string()]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let output = stepscope()
        .args(["export", &source, "--chrome", "-"])
        .current_dir(folder.path())
        .output()
        .expect("the binary runs");
    assert_eq!(output.stdout, fs::read(&file).expect("a file"));
    assert!(!folder.path().join("-").exists());
    for wrong in [
        ["--chrome", "-", "--perfetto", "-"],
        ["--csv", "-", "--redact", "-q"],
    ] {
        let answer = run(&[&["export", &source as &str][..], &wrong].concat());
        assert_eq!(answer.code, 2, "{}", answer.stderr);
    }
}

#[test]
fn a_full_disk_leaves_nothing_and_says_so() {
    let answer = run(&["export", &fixture("mlp-cpu"), "--chrome", "/dev/full"]);
    assert_eq!(answer.code, 1, "{}", answer.stderr);
    assert!(
        answer.stderr.contains("free some space"),
        "{}",
        answer.stderr
    );
    assert!(!fs::metadata("/dev/full").expect("it").is_file());
}

/// A capture as a file of the host.
fn capture(folder: &Path, space: &XSpace) -> String {
    let run = folder.join("logs/plugins/profile").join(RUN);
    fs::create_dir_all(&run).expect("a folder");
    fs::write(run.join(format!("{HOST}.xplane.pb")), space.to_bytes()).expect("a file");
    folder.join("logs").display().to_string()
}

const NAMES: [&str; 4] = [
    "=cmd|' /C calc'!A0",
    "a\u{1b}[31mb",
    "gnp.\u{202e}exe",
    "+1+2",
];

#[test]
fn names_are_neither_formulas_nor_escape_sequences() {
    let lines: Vec<String> = (1..=NAMES.len())
        .map(|at| format!("  {}..{}us NAME{at}", 10 * at, 10 * at + 9))
        .collect();
    let text = format!("host vm\nthread python\n{}\n", lines.join("\n"));
    let mut space = stepscope_testing::drawing::draw(&text).expect("a drawing");
    for metadata in space
        .planes
        .iter_mut()
        .flat_map(|plane| plane.event_metadata.values_mut())
    {
        for (at, name) in (1..).zip(NAMES) {
            if metadata.name == format!("NAME{at}") {
                name.clone_into(&mut metadata.name);
            }
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let source = capture(folder.path(), &space);
    let tables = folder.path().join("tables");
    let answer = run(&["export", &source, "--csv", &tables.display().to_string()]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let slices = fs::read_to_string(tables.join("slices.csv")).expect("a table");
    for shown in [
        ",'=cmd|' /C calc'!A0,",
        "a\\u{1b}[31mb",
        "gnp.\\u{202e}exe",
        ",'+1+2,",
    ] {
        assert!(slices.contains(shown), "{shown}: {slices}");
    }
    let page = run(&["export", &source, "--markdown", "-"]).stdout;
    let shown = run(&["regions", &source, "--limit", "0"]).stdout;
    for text in [&slices, &page, &shown] {
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
    }
    assert!(shown.contains("\\u{1b}[31mb"), "{shown}");
}

#[test]
fn redacted_traces_have_no_identifier_and_the_words_are_listed() {
    let all = identifiers::identifiers(3, 7);
    let folder = tempfile::tempdir().expect("a folder");
    let source = capture(folder.path(), &identifiers::stuffed(&all));
    let out = folder.path().join("out");
    fs::create_dir(&out).expect("a folder");
    let place = |name: &str| out.join(name).display().to_string();
    let answer = run(&[
        "export",
        &source,
        "--redact",
        "--host",
        HOST,
        "--chrome",
        &place("a.json.gz"),
        "--perfetto",
        &place("a.pftrace"),
        "--xplane",
        &place("a.xplane.pb"),
        "--collapsed",
        &place("a.txt"),
        "--speedscope",
        &place("a.speedscope.json"),
        "--markdown",
        &place("a.md"),
        "--redact-words",
        &place("words.txt"),
    ]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    for file in fs::read_dir(&out).expect("a folder").flatten() {
        let mut bytes = fs::read(file.path()).expect("a file");
        assert!(!bytes.is_empty());
        if bytes.starts_with(&[0x1f, 0x8b]) {
            let mut plain = Vec::new();
            flate2::read::GzDecoder::new(&bytes[..])
                .read_to_end(&mut plain)
                .expect("gzip");
            bytes = plain;
        }
        let found = identifiers::found_in(&all, &bytes);
        assert_eq!(found, Vec::<String>::new(), "{}", file.path().display());
    }
    let words = fs::read_to_string(place("words.txt")).expect("a file");
    assert!(
        words.contains("names of events (") && words.contains("fusion"),
        "{words}"
    );
    let answer = run(&[
        "export",
        &source,
        "--redact",
        "--collapsed",
        &place("b.txt"),
    ]);
    assert!(
        answer.stderr.contains("to be read before sending"),
        "{}",
        answer.stderr
    );
    assert_eq!(
        run(&["export", &source, "--redact=1", "--collapsed", "-"]).code,
        2
    );
}
