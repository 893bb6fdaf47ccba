//! The program: arguments, forms of rows, exit codes.

use std::ffi::OsStr;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use crate::support::fixtures;
use serde_json::Value;
use stepscope_export::arrow::table_of_stream;

const QUERY: &str = "select name, self_ps, self_ratio, is_rematerialized from ops order by self_ps desc, name limit 3";

fn run<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>, input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_stepscope-sql"))
        .args(arguments)
        .env("HOME", std::env::temp_dir())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // It may have ended without reading the query.
    let _ = child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(input.as_bytes());
    child.wait_with_output().expect("the program ends")
}

fn demo() -> String {
    fixtures()
        .join("demo-gpt-cpu")
        .to_string_lossy()
        .into_owned()
}

fn told(arguments: &[&str], input: &str) -> (Option<i32>, String, String) {
    let output = run(arguments, input);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
fn every_form_has_the_same_rows() {
    let demo = demo();
    let (exit, csv, warnings) = told(&[&demo, QUERY, "--csv"], "");
    assert_eq!((exit, warnings.as_str()), (Some(0), ""));
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "name,self_ps,self_ratio,is_rematerialized");
    assert_eq!(lines.len(), 4);

    let (_, json, _) = told(&[&demo, QUERY, "--json"], "");
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["row_count"], 3);
    assert_eq!(json["columns"][1]["unit"], "ps");
    let rows = json["rows"].as_array().expect("rows");
    for (row, line) in rows.iter().zip(&lines[1..]) {
        let name = row[0].as_str().expect("a name");
        assert!(
            line.starts_with(&format!("{name},{},", row[1])),
            "{line}: {row}"
        );
    }

    let (_, ndjson, _) = told(&[&demo, QUERY, "--format", "ndjson"], "");
    let objects: Vec<Value> = ndjson
        .lines()
        .map(|line| serde_json::from_str(line).expect(line))
        .collect();
    assert_eq!(objects.len(), 3);
    assert_eq!(objects[0]["self_ps"], rows[0][1]);

    let arrow = run([demo.as_str(), QUERY, "--format", "arrow"], "");
    let table = table_of_stream(arrow.stdout.as_slice()).expect("a stream");
    assert_eq!(table.rows.len(), 3);
    assert_eq!(table.columns[1].key, "self_ps");

    let (_, text, _) = told(&[&demo, QUERY], "");
    assert!(
        text.contains("self_ps") && text.lines().count() >= 4,
        "{text}"
    );
}

#[test]
fn a_query_comes_from_the_pipe_or_a_file() {
    let demo = demo();
    let (exit, piped, _) = told(&[&demo, "--csv"], QUERY);
    assert_eq!(exit, Some(0));
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("slow.sql");
    std::fs::write(&file, QUERY).expect("a file");
    let (_, from_file, _) = told(&[&demo, "--csv", "--file", &file.to_string_lossy()], "");
    assert_eq!(piped, from_file);
    let (_, none, _) = told(&[&demo, "--csv"], "select name from ops where false");
    assert_eq!(none, "name\r\n");
    let (_, some, _) = told(&[&demo, "--csv", "--limit", "2"], "select name from slices");
    assert_eq!(some.lines().count(), 3);
}

#[test]
fn what_is_wrong_has_a_sentence_and_an_exit_code() {
    let demo = demo();
    for (arguments, expected, words) in [
        (vec![demo.as_str(), "selec 1 x"], 2, "not understood"),
        (vec![&demo, "select * from opps"], 2, "not found"),
        (vec![&demo, "select nothing from ops"], 2, "nothing"),
        (vec![&demo, "select * from ops('steps=x')"], 2, "steps"),
        (vec!["/nowhere/at/all", "select 1"], 3, "/nowhere/at/all"),
        (
            vec![&demo, "select 1", "--session", "nobody"],
            3,
            "no session is named nobody",
        ),
        (vec!["select 1"], 2, "no path was given"),
        (vec!["--tables", "opps"], 2, "there is no table opps"),
        (
            vec![
                &demo,
                "select count(*) from slices a, slices b, slices c",
                "--time",
                "0.2",
            ],
            2,
            "took longer than 0.2 s",
        ),
    ] {
        let (exit, _, error) = told(&arguments, "");
        assert_eq!(exit, Some(expected), "{arguments:?}: {error}");
        assert!(
            error.starts_with("error: ") && error.contains(words),
            "{arguments:?}: {error}"
        );
    }
}

#[test]
fn tables_are_listed_with_units_and_meanings() {
    let (exit, csv, _) = told(&["--tables", "--csv"], "");
    assert_eq!(exit, Some(0));
    for line in [
        "slices,table",
        "ops,table",
        "step_times,view",
        "ms(ps),function",
    ] {
        assert!(csv.lines().any(|one| one.starts_with(line)), "{line}");
    }
    let (_, columns, _) = told(&["--tables", "ops", "--csv"], "");
    assert!(columns.contains("self_ps,ps,"), "{columns}");
    let (_, json, _) = told(&["--tables", "--json"], "");
    let json: Value = serde_json::from_str(&json).expect("JSON");
    for table in json["tables"].as_array().expect("tables") {
        let columns = table["columns"].as_array().expect("columns");
        assert_eq!(columns[0]["key"], "session");
        for column in columns {
            assert_ne!(
                column["meaning"], "",
                "{}: {}",
                table["name"], column["key"]
            );
        }
    }
}

#[test]
fn hostile_names_reach_no_terminal() {
    let (_, _, error) = told(&[&demo(), "select \"\u{1b}[31m\" from ops"], "");
    assert!(!error.contains('\u{1b}'), "{error:?}");
}
