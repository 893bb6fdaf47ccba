//! The house rules that neither rustfmt nor clippy can check. Each broken rule is one sentence.

use std::env;
use std::path::Path;

use anyhow::Result;

use crate::fixtures;
use crate::layers::{self, Layers};
use crate::tree::{self, SourceFile};

/// Lines after which a file needs a reason in `docs/layers.toml`.
const LINES_MAX: usize = 600;

/// Extensions of program text.
const CODE: [&str; 6] = ["css", "js", "mjs", "py", "ts", "tsx"];

/// Marks of unfinished work, in two halves so that this file does not hold them itself.
const MARKS: [(&str, &str); 5] = [
    ("TO", "DO"),
    ("FIX", "ME"),
    ("XX", "X"),
    ("unimplemen", "ted!"),
    ("to", "do!"),
];

/// Ways for code to reach files, clocks, the network and the environment.
const IO: [&str; 8] = [
    "File::open",
    "Instant::now",
    "SystemTime::now",
    "std::env",
    "std::fs",
    "std::io::stdin",
    "std::net",
    "std::process",
];

/// Parents of checkouts that a document may well name for another reason.
const COMMON_FOLDERS: [&str; 10] = [
    "/", "/builds", "/home", "/mnt", "/opt", "/root", "/srv", "/tmp", "/usr/src", "/var/tmp",
];

/// Every broken house rule; empty when all is well.
pub(crate) fn violations(root: &Path) -> Result<Vec<String>> {
    let layers = Layers::read(root)?;
    let files = tree::repository_files(root)?;
    let without_io = layers.folders_without_io(&layers::packages(root)?);
    let machine_paths = machine_paths(root);
    let mut found = Vec::new();
    for file in &files {
        if is_code(file) {
            check_length(file, &layers, &mut found);
            check_marks(file, &mut found);
        }
        check_header(file, &mut found);
        check_io(file, &without_io, &mut found);
        check_machine_paths(file, &machine_paths, &mut found);
    }
    check_long_files_exist(&layers, &files, &mut found);
    found.extend(fixtures::violations(root)?);
    Ok(found)
}

/// Whether people wrote and read this file as program text.
fn is_code(file: &SourceFile) -> bool {
    let is_generated = file.is_below("generated") || file.is_below("snapshots");
    !is_generated && (file.has_extension(&["rs"]) || file.has_extension(&CODE))
}

fn check_length(file: &SourceFile, layers: &Layers, found: &mut Vec<String>) {
    let lines = file.text.lines().count();
    let has_reason = layers.long_files.contains_key(&file.path);
    if lines > LINES_MAX && !has_reason {
        found.push(format!(
            "{} has {lines} lines; split it, or give the reason under [long_files] in docs/layers.toml",
            file.path
        ));
    }
    if lines <= LINES_MAX && has_reason {
        found.push(format!(
            "{} has {lines} lines and needs no reason in docs/layers.toml any more",
            file.path
        ));
    }
}

fn check_long_files_exist(layers: &Layers, files: &[SourceFile], found: &mut Vec<String>) {
    for (path, reason) in &layers.long_files {
        if !files.iter().any(|file| file.path == *path) {
            found.push(format!(
                "docs/layers.toml names a long file that is not there: {path}"
            ));
        }
        if reason.trim().is_empty() {
            found.push(format!(
                "docs/layers.toml gives no reason for the long file {path}"
            ));
        }
    }
}

fn check_header(file: &SourceFile, found: &mut Vec<String>) {
    // A script for `cargo +nightly -Zscript` would start with `#!`; we have none.
    if file.has_extension(&["rs"]) && !file.is_below("generated") && !file.text.starts_with("//!") {
        found.push(format!(
            "{} does not open with a `//!` line that says what it is",
            file.path
        ));
    }
}

fn check_marks(file: &SourceFile, found: &mut Vec<String>) {
    for (number, line) in file.text.lines().enumerate() {
        for (head, tail) in MARKS {
            let mark = format!("{head}{tail}");
            if has_word(line, &mark) {
                found.push(format!(
                    "{}:{} holds the mark {mark}",
                    file.path,
                    number + 1
                ));
            }
        }
    }
}

/// Whether the text holds the mark on its own rather than inside a longer word.
fn has_word(text: &str, mark: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(mark).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + mark.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// Crates without I/O: looks at their code and leaves their tests alone.
fn check_io(file: &SourceFile, without_io: &[String], found: &mut Vec<String>) {
    let is_inside = without_io
        .iter()
        .any(|folder| file.path.starts_with(&format!("{folder}src/")));
    let is_test = file.is_below("tests") || file.path.ends_with("/tests.rs");
    if !is_inside || is_test || !file.has_extension(&["rs"]) {
        return;
    }
    for (number, line) in file.text.lines().enumerate() {
        if line.trim() == "#[cfg(test)]" {
            return;
        }
        let code = line.split("//").next().unwrap_or(line);
        for reach in IO.iter().filter(|reach| code.contains(**reach)) {
            found.push(format!(
                "{}:{} uses {reach}, and this crate does no I/O",
                file.path,
                number + 1
            ));
        }
    }
}

/// The beginnings of paths that exist on this machine only: the checkout, its neighbours, the home folder.
fn machine_paths(root: &Path) -> Vec<String> {
    let neighbours = root.parent().map(Path::to_path_buf);
    let home = env::var_os("HOME").map(std::path::PathBuf::from);
    let mut paths: Vec<String> = [Some(root.to_path_buf()), neighbours, home]
        .into_iter()
        .flatten()
        .filter_map(|path| path.to_str().map(str::to_owned))
        .filter(|path| !COMMON_FOLDERS.contains(&path.as_str()))
        .map(|path| format!("{path}/"))
        .collect();
    paths.push(format!("/tmp/{}", "bash_jobs"));
    paths
}

fn check_machine_paths(file: &SourceFile, machine_paths: &[String], found: &mut Vec<String>) {
    for (number, line) in file.text.lines().enumerate() {
        for path in machine_paths.iter().filter(|path| starts_path(line, path)) {
            found.push(format!(
                "{}:{} names a folder of one machine: {path}",
                file.path,
                number + 1
            ));
        }
    }
}

/// Whether the line holds the path from its first letter on, rather than as the end of a longer path.
fn starts_path(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|letter| letter.is_alphanumeric() || "._-~/}".contains(letter))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> SourceFile {
        SourceFile {
            path: path.to_owned(),
            text: text.to_owned(),
        }
    }

    fn layers(long_files: &str) -> Layers {
        toml::from_str(&format!(
            "tests_may_use = []\n[crates]\n[long_files]\n{long_files}"
        ))
        .unwrap()
    }

    #[test]
    fn long_files_need_a_reason_and_only_they() {
        let long = file("crates/a/src/long.rs", &"line\n".repeat(601));
        let short = file("crates/a/src/short.rs", "line\n");
        let mut found = Vec::new();
        check_length(&long, &layers(""), &mut found);
        assert_eq!(found.len(), 1);
        check_length(
            &long,
            &layers("\"crates/a/src/long.rs\" = \"a table\""),
            &mut found,
        );
        check_length(&short, &layers(""), &mut found);
        assert_eq!(found.len(), 1);
        let stale = layers("\"crates/a/src/short.rs\" = \"a table\"\n\"gone.rs\" = \" \"");
        check_length(&short, &stale, &mut found);
        check_long_files_exist(&stale, &[short], &mut found);
        assert_eq!(found.len(), 4, "{found:?}");
    }

    #[test]
    fn headers_and_marks() {
        let mark = format!("// {}{}: later", "TO", "DO");
        let mut found = Vec::new();
        check_header(&file("a/src/lib.rs", "use std::fs;"), &mut found);
        check_header(&file("a/src/lib.rs", "//! Says what it is."), &mut found);
        check_marks(&file("a/src/lib.rs", &mark), &mut found);
        check_marks(&file("a/src/lib.rs", &mark.replace(':', "S:")), &mut found);
        assert_eq!(found.len(), 2, "{found:?}");
    }

    #[test]
    fn io_is_found_in_code_and_not_in_tests_or_comments() {
        let folders = ["crates/model/".to_owned()];
        let code = "//! Never std::fs.\nuse std::fs;\n#[cfg(test)]\nuse std::env;\n";
        let mut found = Vec::new();
        check_io(&file("crates/model/src/lib.rs", code), &folders, &mut found);
        assert_eq!(
            found,
            ["crates/model/src/lib.rs:2 uses std::fs, and this crate does no I/O"]
        );
        check_io(
            &file("crates/model/tests/all.rs", code),
            &folders,
            &mut found,
        );
        check_io(
            &file("crates/storage/src/lib.rs", code),
            &folders,
            &mut found,
        );
        assert_eq!(found.len(), 1);
    }

    #[test]
    fn machine_paths_are_found_at_their_start_only() {
        let paths = machine_paths(Path::new("/builder/stepscope"));
        assert!(paths.contains(&"/builder/".to_owned()));
        assert!(!machine_paths(Path::new("/tmp/stepscope")).contains(&"/tmp/".to_owned()));
        assert!(starts_path("see /builder/notes", "/builder/"));
        assert!(!starts_path("see docs/builder/notes", "/builder/"));
    }

    #[test]
    fn this_repository_keeps_the_house_rules() {
        let found = violations(&tree::root()).unwrap();
        assert!(found.is_empty(), "{}", found.join("\n"));
    }
}
