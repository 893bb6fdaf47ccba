//! Queries: who may ask, and what a program that misbehaves can do. The programs here are scripts;
//! the real one is asked in the tests of its crate.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use stepscope_server::{Access, Library, router};
use tempfile::TempDir;

use crate::common::{Answer, TWO_STEPS, log_directory, send, write_run};
use stepscope_testing::drawing::draw;

/// A server whose queries a script answers.
fn asking(script: &str) -> (TempDir, Router) {
    let folder = log_directory(&[TWO_STEPS]);
    let program = folder.path().join("program");
    fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).unwrap();
    let library = Library::at(folder.path()).unwrap();
    library.answer_queries_with(program);
    (folder, router(library, Access::loopback(Vec::new())))
}

fn request(body: &str) -> Request<Body> {
    Request::post("/api/sql")
        .header(header::HOST, "localhost:6006")
        .header(header::CONTENT_TYPE, "application/json")
        .body(Body::from(body.to_owned()))
        .unwrap()
}

async fn ask(server: &Router) -> Answer {
    send(server, request(r#"{"query": "select 1"}"#)).await
}

#[tokio::test]
async fn other_sites_and_forms_cannot_ask() {
    let (_folder, server) = asking("touch asked");
    let mut foreign = request(r#"{"query": "select 1"}"#);
    let site = header::HeaderName::from_static("sec-fetch-site");
    foreign
        .headers_mut()
        .insert(site, header::HeaderValue::from_static("cross-site"));
    assert_eq!(send(&server, foreign).await.status, StatusCode::FORBIDDEN);
    let mut form = request("query=select");
    form.headers_mut().insert(
        header::CONTENT_TYPE,
        header::HeaderValue::from_static("text/plain"),
    );
    let answer = send(&server, form).await;
    assert_eq!(answer.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    let long = format!(r#"{{"query": "{}"}}"#, "x".repeat(3 << 20));
    assert_eq!(
        send(&server, request(&long)).await.status,
        StatusCode::BAD_REQUEST
    );
}

#[tokio::test]
async fn without_the_token_nothing_is_asked() {
    let folder = log_directory(&[TWO_STEPS]);
    let library = Library::at(folder.path()).unwrap();
    let server = router(library, Access::with_token("5ecre7".to_owned(), 6006));
    assert_eq!(ask(&server).await.status, StatusCode::UNAUTHORIZED);
}

/// What is asked is private: not in the list of processes, where every account sees it.
#[tokio::test]
async fn queries_and_paths_are_not_arguments() {
    let (folder, server) = asking("echo \"$@\" > \"$0.arguments\"; cat > \"$0.input\"");
    let _ = ask(&server).await;
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let arguments = read("program.arguments");
    assert!(!arguments.contains("select"), "{arguments}");
    assert!(
        !arguments.contains(folder.path().to_str().unwrap()),
        "{arguments}"
    );
    assert!(read("program.input").contains("select 1"));
}

#[tokio::test]
async fn answers_without_end_are_cut_off() {
    let (_folder, server) = asking("cat > /dev/null; while :; do head -c 65536 /dev/zero; done");
    let answer = ask(&server).await;
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE);
    let (_folder, server) =
        asking("cat > /dev/null; while :; do head -c 65536 /dev/zero; done >&2");
    let waiting = tokio::time::timeout(Duration::from_secs(2), ask(&server));
    // Its complaints are not kept; it has its time.
    assert!(waiting.await.is_err());
}

#[tokio::test]
async fn the_tables_are_asked_for_once_however_many_want_to_know() {
    let (folder, server) = asking(
        "echo once >> \"$0.starts\"; sleep 0.1; \
         echo '{\"tables\": [], \"views\": [], \"functions\": []}'",
    );
    let asked = (0..50).map(|_| {
        let server = server.clone();
        tokio::spawn(async move { crate::common::get(&server, "/api/sql").await })
    });
    for answer in asked.collect::<Vec<_>>() {
        let answer = answer.await.unwrap();
        assert_eq!(answer.status, StatusCode::OK);
        assert_eq!(answer.json()["is_available"], true);
    }
    let starts = fs::read_to_string(folder.path().join("program.starts")).unwrap();
    assert_eq!(starts.lines().count(), 1);
    // An error is not kept: the program may be there next time.
    let (folder, server) = asking("echo once >> \"$0.starts\"; exit 101");
    for _ in 0..2 {
        let answer = crate::common::get(&server, "/api/sql").await;
        assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR);
    }
    let starts = fs::read_to_string(folder.path().join("program.starts")).unwrap();
    assert_eq!(starts.lines().count(), 2);
}

#[tokio::test]
async fn a_program_that_fails_is_an_error_of_one_request() {
    for script in [
        "cat > /dev/null; echo '{'",
        "cat > /dev/null; exit 101",
        "kill -9 $$",
        "cat > /dev/null",
    ] {
        let (_folder, server) = asking(script);
        let answer = ask(&server).await;
        assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR, "{script}");
    }
    let (_folder, server) = asking("printf 'error: no table\\nhint: look\\n' >&2; exit 2");
    let answer = ask(&server).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    assert_eq!(answer.json()["error"], "no table");
    assert_eq!(answer.json()["hint"], "look");
}

/// A process is alive as long as its folder in /proc.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn nobody_waits_so_nothing_runs() {
    let (folder, server) = asking("echo $$ > \"$0.id\"; exec sleep 600");
    let waiting = tokio::time::timeout(Duration::from_secs(20), async {
        let asked = tokio::spawn({
            let server = server.clone();
            async move { ask(&server).await }
        });
        let id = loop {
            let text = fs::read_to_string(folder.path().join("program.id"));
            if let Ok(id) = text.unwrap_or_default().trim().parse::<u32>() {
                break id;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        };
        asked.abort();
        let process = format!("/proc/{id}");
        while Path::new(&process).exists() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    waiting.await.expect("the process ended");
}

#[tokio::test]
async fn a_session_that_is_in_no_file_has_no_tables() {
    let bytes = draw(TWO_STEPS).unwrap().to_bytes();
    let folder = TempDir::new().unwrap();
    write_run(folder.path(), &bytes);
    let found = stepscope_storage::find(folder.path()).unwrap();
    let session = stepscope_server::open_files(&found.sessions[0]);
    let library = Library::empty();
    library.add_open(session.unwrap());
    library.answer_queries_with("/bin/true".into());
    let server = router(library, Access::loopback(Vec::new()));
    let answer = ask(&server).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    assert!(
        answer.json()["error"]
            .as_str()
            .unwrap()
            .contains("in files")
    );
}
