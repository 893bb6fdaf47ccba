//! Reports to share: tables, Markdown, a single HTML file, and redaction, with the real binary.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{check, fixture, run};

fn json(arguments: &[&str]) -> Value {
    let answer = run(arguments);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    serde_json::from_str(&answer.stdout).expect("JSON")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{error}: {}", path.display()))
}

fn export(arguments: &[&str]) -> String {
    let answer = run(&[&["export"], arguments].concat());
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    answer.stderr
}

#[test]
fn every_table_is_a_file_and_the_manifest_tells_of_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tables");
    let text = path.display().to_string();
    let source = fixture("demo-gpt-cpu");
    let said = export(&[&source, "--csv", &text]);
    assert!(said.contains("tables"), "{said}");
    let manifest: Value = serde_json::from_str(&read(&path.join("tables.json"))).expect("JSON");
    let tables = manifest["tables"].as_array().expect("tables");
    for table in tables {
        let file = read(&path.join(table["file"].as_str().expect("a name")));
        let header = file.lines().next().expect("a header");
        let names = table["columns"].as_array().expect("columns").iter();
        let names: Vec<&str> = names.filter_map(|column| column["name"].as_str()).collect();
        assert_eq!(header, names.join(","), "{table}");
        assert!(table["rows"].as_u64() > Some(0), "{table}");
    }
    let names: Vec<&str> = tables
        .iter()
        .filter_map(|table| table["name"].as_str())
        .collect();
    for name in ["overview", "steps", "ops", "timeline", "slices"] {
        assert!(names.contains(&name), "{names:?}");
    }
    let left_out = manifest["left_out"].as_array().expect("a list");
    assert!(
        left_out.iter().any(|entry| entry["name"] == "kernels"),
        "{left_out:?}"
    );
    // The rows are the same as the command's.
    let ops = json(&["ops", &source, "--limit", "0", "--json"]);
    let of = |name: &str| {
        tables
            .iter()
            .find(|table| table["name"] == name)
            .expect("it")
    };
    assert_eq!(of("ops")["rows"], ops["row_count"]);
    let slices = json(&["timeline", &source, "--json"]);
    assert_eq!(of("slices")["rows"], slices["slice_count"]);
    // A second export replaces the first, whatever its format.
    export(&[&source, "--parquet", &text, "--steps", "2..4"]);
    let left: Vec<_> = fs::read_dir(&path).expect("a folder").flatten().collect();
    let is_csv = |entry: &fs::DirEntry| entry.path().extension().is_some_and(|end| end == "csv");
    assert!(!left.iter().any(is_csv));
    let magic = &fs::read(path.join("ops.parquet")).expect("a file")[..4];
    assert_eq!(magic, b"PAR1");
    // But files of others are not touched.
    fs::write(path.join("mine.txt"), "mine").expect("a file");
    let answer = run(&["export", &source, "--csv", &text]);
    assert_eq!(answer.code, 1, "{}", answer.stderr);
    assert!(
        answer.stderr.contains("holds other files"),
        "{}",
        answer.stderr
    );
}

#[test]
fn slices_are_those_of_the_selection() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tables").display().to_string();
    let source = fixture("demo-gpt-cpu");
    export(&[
        &source, "--csv", &path, "--steps", "3", "--device", "0", "--match", "dot",
    ]);
    let file = read(&folder.path().join("tables/slices.csv"));
    let mut lines = file.lines();
    let header: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let at = |name: &str| {
        header
            .iter()
            .position(|column| *column == name)
            .expect("a column")
    };
    let (name, step, device) = (at("name"), at("step"), at("device"));
    let mut count = 0;
    for line in lines {
        // No name before these columns contains a comma in this fixture.
        let cells: Vec<&str> = line.split(',').collect();
        assert!(line.to_lowercase().contains("dot"), "{line}");
        if !cells[device].is_empty() {
            assert_eq!(cells[step], "3", "{line}");
        }
        assert!(!cells[name].is_empty());
        count += 1;
    }
    assert!(count > 0);
}

#[test]
fn markdown_is_a_page_for_an_issue() {
    let answer = run(&["export", &fixture("demo-gpt-cpu"), "--markdown", "-"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    check("share_markdown", &answer.stdout);
    let answer = run(&["export", &fixture("leak-cpu"), "--markdown", "-"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(answer.stdout.starts_with("# "), "{}", answer.stdout);
}

fn cells(file: &str) -> Vec<Vec<String>> {
    let mut rows = vec![vec![String::new()]];
    let mut is_quoted = false;
    for letter in file.chars() {
        let row = rows.last_mut().expect("a row");
        match letter {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => row.push(String::new()),
            '\r' if !is_quoted => {}
            '\n' if !is_quoted => rows.push(vec![String::new()]),
            letter => row.last_mut().expect("a cell").push(letter),
        }
    }
    rows
}

/// Every table of both exports, row by row: the same except for text.
fn same_figures(before: &Path, after: &Path) {
    let manifest = |folder: &Path| -> Value {
        serde_json::from_str(&read(&folder.join("tables.json"))).expect("JSON")
    };
    let (one, other) = (manifest(before), manifest(after));
    // Redaction drops memory snapshots.
    let is_kept = |name: &str| !name.starts_with("heap") && name != "memory_snapshots";
    let names = |manifest: &Value| -> Vec<String> {
        let tables = manifest["tables"].as_array().expect("tables").iter();
        let names = tables.filter_map(|table| table["name"].as_str());
        let names = names.filter(|name| is_kept(name));
        names.map(str::to_owned).collect()
    };
    assert_eq!(names(&one), names(&other));
    for table in one["tables"].as_array().expect("tables") {
        let file = table["file"].as_str().expect("a file");
        if !is_kept(table["name"].as_str().expect("a name")) {
            continue;
        }
        let columns = table["columns"].as_array().expect("columns").iter();
        let is_figure: Vec<bool> = columns.map(|column| column["type"] != "string").collect();
        let rows = |folder: &Path| -> Vec<Vec<String>> {
            let rows = cells(&read(&folder.join(file))).into_iter().skip(1);
            let kept = rows.map(|row| {
                let cells = row.into_iter().zip(&is_figure);
                let cells = cells.filter(|(_, is_figure)| **is_figure);
                cells.map(|(cell, _)| cell).collect::<Vec<String>>()
            });
            let mut kept: Vec<_> = kept.collect();
            // Rows of equal figures may be sorted by their names.
            kept.sort();
            kept
        };
        let (one, other) = (rows(before), rows(after));
        assert_eq!(one.len(), other.len(), "{file}");
        for (one, other) in one.iter().zip(&other) {
            assert_eq!(one, other, "{file}");
        }
    }
}

/// Words of our own sentences and of code.
const OURS: [&str; 4] = ["layer", "head", "loss", "train"];

/// Words that only the fixtures' programs contain: from their files, functions, and scopes.
const PRIVATE: [&str; 6] = [
    "capture_demo",
    "capture_mlp",
    "fixtures",
    "train_step",
    "transformer",
    "mlp",
];

#[test]
fn redaction_keeps_figures_and_no_name() {
    for name in [
        "demo-gpt-cpu",
        "mlp-cpu",
        "hosts4-cpu",
        "planted-cpu",
        "serving-cpu",
        "compile-cpu",
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let place = |name: &str| folder.path().join(name);
        let text = |name: &str| place(name).display().to_string();
        let source = fixture(name);
        export(&[&source, "--csv", &text("before")]);
        let key = ["--redact", "--redact-key", "a key"];
        let said = export(&[&[&source as &str, "--csv", &text("after")][..], &key].concat());
        assert!(said.contains("Names were replaced"), "{said}");
        same_figures(&place("before"), &place("after"));
        // The same key gives the same names, another key gives others.
        export(&[&[&source as &str, "--csv", &text("again")][..], &key].concat());
        export(&[&source, "--csv", &text("other"), "--redact"]);
        let ops = |folder: &str| read(&place(folder).join("ops.csv"));
        assert_eq!(ops("after"), ops("again"));
        let after = all_text(&place("after"));
        for word in PRIVATE {
            assert!(!after.contains(word), "{name}: {word}");
        }
        let hosts = read(&place("before").join("hosts.csv"));
        assert!(!hosts.is_empty());
    }
}

fn all_text(folder: &Path) -> String {
    let files = fs::read_dir(folder).expect("a folder").flatten();
    let files: Vec<String> = files.map(|file| read(&file.path())).collect();
    files.concat()
}

#[test]
fn words_of_the_capture_are_in_nothing_that_is_redacted() {
    let public = include_str!("../../../model/src/redact/words.txt");
    let public: BTreeSet<&str> = public.split_whitespace().collect();
    let folder = tempfile::tempdir().expect("a folder");
    let place = |name: &str| folder.path().join(name).display().to_string();
    let source = fixture("demo-gpt-cpu");
    export(&[&source, "--csv", &place("before")]);
    let (page, trace, tables) = (place("page.md"), place("run.trace.json"), place("after"));
    export(&[
        &source,
        "--redact",
        "--markdown",
        &page,
        "--chrome",
        &trace,
        "--csv",
        &tables,
    ]);
    // Words from scopes and sources, which the user's program provides.
    let before = cells(&read(&folder.path().join("before/slices.csv")));
    let columns = ["scope", "source", "op", "program"];
    let positions: Vec<usize> = columns
        .iter()
        .map(|name| {
            before[0]
                .iter()
                .position(|column| column == name)
                .expect("it")
        })
        .collect();
    let mut private: BTreeSet<String> = BTreeSet::new();
    for row in before.iter().skip(1) {
        for text in positions.iter().filter_map(|&position| row.get(position)) {
            let words = text.split(|letter: char| !letter.is_alphabetic());
            let others = words.filter(|word| word.len() > 2);
            let others = others.filter(|word| !public.contains(word.to_lowercase().as_str()));
            private.extend(others.map(str::to_owned));
        }
    }
    assert!(!private.is_empty());
    let written = [
        read(Path::new(&page)),
        read(Path::new(&trace)),
        all_text(Path::new(&tables)),
    ];
    let written: BTreeSet<String> = written
        .concat()
        .split(|letter: char| !letter.is_alphabetic())
        .map(str::to_owned)
        .collect();
    let leaked: Vec<&String> = private.intersection(&written).collect();
    assert!(
        leaked.iter().all(|word| OURS.contains(&word.as_str())),
        "{leaked:?} of {private:?}"
    );
}
