//! `stepscope mcp`: the tool `sql`, whose answers another program gives.

use std::path::Path;

use serde_json::{Value, json};

use crate::mcp_client::Client;
use crate::support::{fixture, stepscope};

#[test]
fn without_the_program_for_queries_sql_says_how_to_get_it() {
    let mut command = stepscope();
    command
        .arg("mcp")
        .arg(fixture("demo-gpt-cpu"))
        .env("STEPSCOPE_SQL", "/nowhere/stepscope-sql");
    let mut client = Client::of(&mut command);
    client.begin();
    for arguments in [json!({ "query": "select 1" }), json!({})] {
        let page = client.call("sql", &arguments);
        let error = page["error"].as_str().expect("an error");
        assert!(error.contains("needs stepscope-sql"), "{error}");
        let hint = page["lines"][0].as_str().expect("a hint");
        for way in ["archives of releases", "wheel", "on PATH", "cargo install"] {
            assert!(hint.contains(way), "{hint}");
        }
        client.next(&page);
    }
}

/// A program for queries that keeps what it was asked, and answers that there is one row.
#[cfg(unix)]
fn keeping_what_it_is_asked(folder: &Path) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt as _;

    let program = folder.join("stepscope-sql");
    let answer = json!({
        "columns": [{ "key": "n", "unit": "count", "is_fractional": false }],
        "rows": [[1]],
        "row_count": 1,
        "remarks": [],
    });
    let text = format!(
        "#!/bin/sh\ncat > '{}'\necho '{answer}'\n",
        folder.join("asked.json").display()
    );
    std::fs::write(&program, text).expect("a program");
    let may_run = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&program, may_run).expect("a program that may run");
    program
}

#[test]
#[cfg(unix)]
fn queries_ask_the_sessions_of_all_folders() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = stepscope();
    let demo = fixture("demo-gpt-cpu");
    // The demo is below two of the folders.
    let inner = format!("{demo}/plugins/profile/demo");
    let other = fixture("causes-cpu/sleep-between-at");
    command
        .args(["mcp", &demo, &other, &inner])
        .env("STEPSCOPE_SQL", keeping_what_it_is_asked(folder.path()));
    let mut client = Client::of(&mut command);
    client.begin();
    let mut asked = |arguments: Value| {
        let page = client.call("sql", &arguments);
        let text = std::fs::read_to_string(folder.path().join("asked.json")).expect("a request");
        let request: Value = serde_json::from_str(&text).expect("JSON");
        (page, request["places"].clone())
    };
    let (page, places) = asked(json!({ "query": "select count(*) as n from sessions" }));
    assert_eq!(page["tables"][0]["rows"], json!([[1]]));
    let places = places.as_array().expect("places");
    assert_eq!(places.len(), 2, "each session once: {places:?}");
    for (place, root) in places.iter().zip([&demo, &other]) {
        assert_eq!(place["path"], json!(root));
        assert_eq!(place["sessions"].as_array().map(Vec::len), Some(1));
    }
    let note = "asked: demo-gpt-cpu (1 session), sleep-between-at (1 session)";
    assert_eq!(page["notes"][0], note);
    let one = json!({ "query": "select 1", "sessions": ["demo-gpt-cpu:demo"] });
    let (page, places) = asked(one);
    assert_eq!(places.as_array().map(Vec::len), Some(1), "{page}");
}

/// Every run of the query has its rows in another order, as those without `order by` may.
#[test]
#[cfg(unix)]
fn pages_of_a_query_are_of_one_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = keeping_what_it_is_asked(folder.path());
    let text = format!(
        "#!/bin/sh\ncat > /dev/null\necho x >> '{0}'\nfirst=$(wc -l < '{0}')\n\
         printf '{{\"columns\":[{{\"key\":\"n\",\"unit\":\"count\",\"is_fractional\":false}}],'\n\
         printf '\"remarks\":[],\"row_count\":900,\"rows\":['\n\
         seq -s, -f '[\"%.0f of a long name that fills the page\"]' $((first * 1000)) $((first * 1000 + 899))\n\
         echo ']}}'\n",
        folder.path().join("runs").display()
    );
    std::fs::write(&program, text).expect("a program");
    let mut command = stepscope();
    command
        .args(["mcp", &fixture("demo-gpt-cpu")])
        .env("STEPSCOPE_SQL", program);
    let mut client = Client::of(&mut command);
    client.begin();
    let mut rows = Vec::new();
    let mut cursor = Value::Null;
    loop {
        let mut arguments = json!({ "query": "select n from numbers" });
        if !cursor.is_null() {
            arguments["cursor"] = cursor;
        }
        let page = client.call("sql", &arguments);
        let own = page["tables"][0]["rows"].as_array().expect("rows").clone();
        assert!(!own.is_empty(), "{page}");
        rows.extend(own.into_iter().map(|row| row[0].to_string()));
        cursor = page["cursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(rows.len(), 900);
    let firsts = rows
        .iter()
        .map(|row| row.trim_matches('"').split(' ').next().map(str::to_owned));
    let expected = (1000..1900).map(|number: u32| Some(number.to_string()));
    assert!(firsts.eq(expected), "{rows:?}");
}
