//! Queries over HTTP: the server, with the real program.

use std::fs;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode, header};
use serde_json::{Value, json};
use stepscope_export::arrow::table_of_stream;
use stepscope_server::{Access, Library, router};
use tempfile::TempDir;
use tower::ServiceExt as _;

use crate::support::fixtures;

/// Two runs of one program.
fn two_runs() -> (TempDir, Router) {
    let folder = tempfile::tempdir().expect("a folder");
    let capture = fixtures().join("demo-gpt-cpu/plugins/profile/demo/vm.xplane.pb.gz");
    for run in ["first", "second"] {
        let run = folder.path().join("plugins/profile").join(run);
        fs::create_dir_all(&run).expect("a folder");
        fs::copy(&capture, run.join("vm.xplane.pb.gz")).expect("a file");
    }
    let library = Library::at(folder.path()).expect("sessions");
    library.answer_queries_with(env!("CARGO_BIN_EXE_stepscope-sql").into());
    (folder, router(library, Access::loopback(Vec::new())))
}

async fn send(server: &Router, request: Request<Body>) -> (StatusCode, Vec<u8>) {
    let response = server.clone().oneshot(request).await.expect("an answer");
    let status = response.status();
    let body = to_bytes(response.into_body(), usize::MAX).await;
    (status, body.expect("a body").to_vec())
}

async fn post(server: &Router, body: &Value) -> (StatusCode, Vec<u8>) {
    let request = Request::post("/api/sql")
        .header(header::HOST, "localhost:6006")
        .header(header::CONTENT_TYPE, "application/json")
        .body(Body::from(body.to_string()));
    send(server, request.expect("a request")).await
}

async fn ask(server: &Router, body: &Value) -> (StatusCode, Value) {
    let (status, body) = post(server, body).await;
    (status, serde_json::from_slice(&body).expect("JSON"))
}

const COUNTS: &str = "select session, count(*) as op_count, sum(self_ps) as self_ps from ops group by session order by session";

#[tokio::test(flavor = "multi_thread")]
async fn every_session_answers_or_those_that_are_named() {
    let (_folder, server) = two_runs();
    let (status, all) = ask(&server, &json!({"query": COUNTS})).await;
    assert_eq!(status, StatusCode::OK, "{all}");
    assert_eq!(all["row_count"], 2);
    assert_eq!(
        all["sessions"],
        json!([{"name": "first", "key": "first"}, {"name": "second", "key": "second"}])
    );
    assert_eq!(all["columns"][2]["unit"], "ps");
    assert_eq!(all["rows"][0][2], all["rows"][1][2]);

    let one = json!({"query": COUNTS, "sessions": ["second"]});
    let (_, one) = ask(&server, &one).await;
    assert_eq!(one["rows"], json!([all["rows"][1]]));

    let few = json!({"query": "select name from ops", "limit": 3, "sessions": ["first"]});
    let (_, few) = ask(&server, &few).await;
    assert_eq!(few["rows"].as_array().map(Vec::len), Some(3));
    assert_eq!(few["row_count"], all["rows"][0][1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_come_as_csv_and_arrow_too() {
    let (_folder, server) = two_runs();
    let query = "select name, self_ps from ops order by self_ps desc, name";
    let (_, json) = ask(&server, &json!({"query": query, "sessions": ["first"]})).await;
    let count = json["row_count"].as_u64().expect("a number");
    let csv = json!({"query": query, "format": "csv", "sessions": ["first"]});
    let (status, csv) = post(&server, &csv).await;
    assert_eq!(status, StatusCode::OK);
    let text = String::from_utf8(csv).expect("text");
    assert!(text.starts_with("name,self_ps\r\n"), "{text}");
    assert_eq!(text.lines().count() as u64, count + 1);
    let arrow = json!({"query": query, "format": "arrow", "sessions": ["first"]});
    let (_, arrow) = post(&server, &arrow).await;
    let table = table_of_stream(arrow.as_slice()).expect("a stream");
    assert_eq!(table.rows.len() as u64, count);
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_are_whole_when_they_are_compressed() {
    let (_folder, server) = two_runs();
    let body = json!({"query": "select name, self_ps from ops", "format": "csv"});
    let (_, plain) = post(&server, &body).await;
    let request = Request::post("/api/sql")
        .header(header::HOST, "localhost:6006")
        .header(header::CONTENT_TYPE, "application/json")
        // As browsers ask.
        .header(header::ACCEPT_ENCODING, "gzip, deflate, br, zstd")
        .body(Body::from(body.to_string()));
    let (status, packed) = send(&server, request.expect("a request")).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(packed[..2], [0x1f, 0x8b], "it is gzip");
    // The last four bytes of gzip are the size of what was packed.
    let size = packed.last_chunk().map(|size| u32::from_le_bytes(*size));
    assert_eq!(size, u32::try_from(plain.len()).ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_is_said_with_what_to_do() {
    let (_folder, server) = two_runs();
    for (body, status, part) in [
        (
            json!({"query": "select * from op"}),
            StatusCode::BAD_REQUEST,
            "did you mean ops?",
        ),
        (
            json!({"query": "select nothing from ops"}),
            StatusCode::BAD_REQUEST,
            "nothing",
        ),
        (
            json!({"query": "drop table ops"}),
            StatusCode::BAD_REQUEST,
            "DDL",
        ),
        (
            json!({"query": "select * from op", "format": "csv"}),
            StatusCode::BAD_REQUEST,
            "did you mean ops?",
        ),
        (
            json!({"query": "select 1", "format": "xls"}),
            StatusCode::BAD_REQUEST,
            "Available: json, csv, arrow",
        ),
        (
            json!({"query": "select 1", "sessions": ["third"]}),
            StatusCode::NOT_FOUND,
            "third",
        ),
    ] {
        let (got, error) = ask(&server, &body).await;
        let text = format!("{} {}", error["error"], error["hint"]);
        assert_eq!(got, status, "{text}");
        assert!(text.contains(part), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_schema_names_columns_of_tables_and_views() {
    let (_folder, server) = two_runs();
    let request = Request::get("/api/sql").header(header::HOST, "localhost:6006");
    let (status, body) = send(&server, request.body(Body::empty()).expect("a request")).await;
    assert_eq!(status, StatusCode::OK);
    let schema: Value = serde_json::from_slice(&body).expect("JSON");
    assert_eq!(schema["is_available"], true);
    let column = |kind: &str, name: &str, key: &str| {
        let entries = schema[kind].as_array().expect("entries");
        let entry = entries.iter().find(|entry| entry["name"] == name);
        let columns = entry.expect(name)["columns"].as_array().expect("columns");
        let found = columns.iter().find(|column| column["key"] == key);
        found.expect(key).clone()
    };
    let own = column("tables", "ops", "self_ps");
    assert_eq!(own["unit"], "ps");
    assert_eq!(column("views", "mfu", "mfu_ratio")["unit"], "ratio");
    assert_eq!(
        column("views", "step_times", "duration_ps")["meaning"],
        column("tables", "overview_step_series", "duration_ps")["meaning"]
    );
    // Every column of every view has a unit; those that it computes have no meaning.
    let views = schema["views"].as_array().expect("views");
    assert!(views.iter().all(|view| view["columns"] != json!([])));
    assert_eq!(
        column("views", "exposed_communication", "exposed_ratio")["meaning"],
        ""
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_of_several_folders_answer_together() {
    let folder = tempfile::tempdir().expect("a folder");
    let capture = fixtures().join("demo-gpt-cpu/plugins/profile/demo/vm.xplane.pb.gz");
    let library = |root: &str, runs: &[&str]| {
        let root = folder.path().join(root);
        for run in runs {
            let run = root.join("plugins/profile").join(run);
            fs::create_dir_all(&run).expect("a folder");
            fs::copy(&capture, run.join("vm.xplane.pb.gz")).expect("a file");
        }
        let library = Library::at(&root).expect("sessions");
        library.answer_queries_with(env!("CARGO_BIN_EXE_stepscope-sql").into());
        library
    };
    let one = library("one", &["same", "left-out"]);
    let other = library("other", &["same", "left-out", "own"]);
    let keys = |keys: &[&str]| keys.iter().map(|&key| key.to_owned()).collect();
    let asked = [
        (&*one, keys(&["same"])),
        (&*other, keys(&["same", "left-out", "own"])),
    ];
    let answer = Library::query(&asked, COUNTS.to_owned(), 100).await;
    let answer = answer.map_err(|error| error.error).expect("an answer");
    let names = answer.rows.iter().map(|row| row[0].as_str());
    let names: Vec<&str> = names.map(|name| name.expect("a name")).collect();
    // What was left out of one folder is not read because the other one has the same name.
    assert_eq!(names.len(), 4, "{names:?}");
    assert_eq!(
        names
            .iter()
            .filter(|name| name.starts_with("left-out"))
            .count(),
        1
    );
    assert_eq!(
        names.iter().filter(|name| name.starts_with("same")).count(),
        2
    );
}
