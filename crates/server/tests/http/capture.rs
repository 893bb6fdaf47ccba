//! Captures over HTTP: started, watched, ended, and rejected for others.

use std::path::Path;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use serde_json::{Value, json};
use stepscope_server::{Access, Library, router};
use stepscope_testing::drawing::draw;
use stepscope_testing::profiler_server::{Behavior, ProfilerServer};

use crate::common::{
    Answer, TWO_STEPS, get_error, get_json, log_directory, send, server_at, server_of,
};

fn job(behavior: Behavior) -> ProfilerServer {
    let xspace = draw(TWO_STEPS).unwrap().to_bytes();
    ProfilerServer::start(Behavior { xspace, ..behavior }).unwrap()
}

async fn post_with(server: &Router, uri: &str, body: &Value, headers: &[(&str, &str)]) -> Answer {
    let mut request = Request::post(uri).header(header::HOST, "localhost:6006");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    send(server, request.body(Body::from(body.to_string())).unwrap()).await
}

async fn post(server: &Router, uri: &str, body: &Value) -> Answer {
    post_with(server, uri, body, &[("content-type", "application/json")]).await
}

/// Starts a capture and waits for its end.
async fn captured(server: &Router, body: &Value) -> Value {
    let answer = post(server, "/api/capture", body).await;
    let text = String::from_utf8_lossy(&answer.body);
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{text}");
    ended(server, &answer.json()["id"]).await
}

async fn ended(server: &Router, id: &Value) -> Value {
    for _ in 0..1200 {
        let report = get_json(server, &format!("/api/capture/{id}")).await;
        if report["state"] == "done" {
            return report;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the capture does not end");
}

fn runs(logdir: &Path) -> usize {
    std::fs::read_dir(logdir.join("plugins/profile"))
        .unwrap()
        .count()
}

#[tokio::test]
async fn a_capture_becomes_a_session_that_opens() {
    let (logdir, job) = (log_directory(&[TWO_STEPS]), job(Behavior::default()));
    let server = server_at(logdir.path());
    let settings = get_json(&server, "/api/capture").await;
    assert_eq!(settings["logdir"], logdir.path().display().to_string());
    let body = json!({"addresses": job.address(), "duration_seconds": 0.1, "name": "by hand"});
    let report = captured(&server, &body).await;
    assert_eq!(
        (&report["status"], &report["error"]),
        (&json!("complete"), &json!(""))
    );
    assert_eq!(report["hosts"][0]["phase"], "done");
    let session = report["session"].as_str().unwrap();
    let summary = get_json(&server, &format!("/api/sessions/{session}")).await;
    assert_eq!(summary["state"], "open");
    assert!(
        summary["name"].as_str().unwrap().contains("by_hand"),
        "{summary}"
    );
    let overview = format!("/api/sessions/{session}/analyses/overview");
    assert_eq!(
        get_json(&server, &overview).await["step_series"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

#[tokio::test]
async fn a_dead_host_is_named_with_a_hint() {
    let (logdir, job) = (log_directory(&[TWO_STEPS]), job(Behavior::default()));
    let server = server_at(logdir.path());
    let addresses = format!("{},127.0.0.1:1", job.address());
    let body = json!({"addresses": addresses, "duration_seconds": 0.1});
    let report = captured(&server, &body).await;
    assert_eq!(report["status"], "partial");
    assert!(report["session"].is_string());
    assert_eq!(report["hosts"][1]["phase"], "failed");
    assert!(
        report["hosts"][1]["hint"]
            .as_str()
            .unwrap()
            .contains("start_server")
    );
    let body = json!({"addresses": "127.0.0.1:1", "duration_seconds": 0.1});
    let report = captured(&server, &body).await;
    assert_eq!(
        (&report["status"], &report["session"]),
        (&json!("nothing"), &Value::Null)
    );
    assert_eq!(runs(logdir.path()), 2);
}

#[tokio::test]
async fn a_capture_that_is_ended_keeps_what_came() {
    let (logdir, job) = (log_directory(&[TWO_STEPS]), job(Behavior::default()));
    let server = server_at(logdir.path());
    let body = json!({"addresses": job.address(), "duration_seconds": 60});
    let started = post(&server, "/api/capture", &body).await.json();
    while job.asked().profiles.is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let end = format!("/api/capture/{}/end", started["id"]);
    assert_eq!(
        post(&server, &end, &json!({})).await.json()["state"],
        "ending"
    );
    let report = ended(&server, &started["id"]).await;
    assert_eq!(report["status"], "complete");
    assert_eq!(job.asked().terminated.len(), 1);
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_before_anything_is_recorded() {
    let (logdir, job) = (log_directory(&[TWO_STEPS]), job(Behavior::default()));
    let server = server_at(logdir.path());
    let address = job.address();
    let bodies = [
        json!({}),
        json!({"addresses": "", "duration_seconds": 1}),
        json!({"addresses": "nowhere", "duration_seconds": 1}),
        json!({"addresses": address, "duration_seconds": 0}),
        json!({"addresses": address, "duration_seconds": -1}),
        json!({"addresses": address, "duration_seconds": 1e30}),
        json!({"addresses": address, "duration_seconds": 1, "host_tracer_level": 9}),
        json!({"addresses": address, "duration_seconds": 1, "options": ["novalue"]}),
        json!({"addresses": address, "duration_seconds": 1, "logdir": "/tmp"}),
    ];
    for body in bodies {
        let answer = post(&server, "/api/capture", &body).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{body}");
        assert!(!answer.json()["error"].as_str().unwrap().is_empty());
    }
    assert!(job.asked().calls.is_empty());
    assert_eq!(
        get_error(&server, "/api/capture/7").await.0,
        StatusCode::NOT_FOUND
    );
}

#[tokio::test]
async fn a_page_of_another_site_cannot_start_captures() {
    let (logdir, job) = (log_directory(&[TWO_STEPS]), job(Behavior::default()));
    let server = server_at(logdir.path());
    let body = json!({"addresses": job.address(), "duration_seconds": 0.1});
    let json_kind = ("content-type", "application/json");
    let foreign: [&[(&str, &str)]; 5] = [
        &[json_kind, ("origin", "http://evil.example")],
        &[json_kind, ("sec-fetch-site", "cross-site")],
        // Another server on this machine.
        &[
            json_kind,
            ("sec-fetch-site", "same-site"),
            ("origin", "http://localhost:8888"),
        ],
        // What a form can send without a preflight request.
        &[("content-type", "text/plain")],
        &[("content-type", "application/x-www-form-urlencoded")],
    ];
    for headers in foreign {
        let answer = post_with(&server, "/api/capture", &body, headers).await;
        assert!(
            answer.status.is_client_error(),
            "{headers:?}: {}",
            answer.status
        );
    }
    // A name that resolves to this machine without being ours (DNS rebinding).
    let rebound = Request::post("/api/capture")
        .header(header::HOST, "evil.example:6006")
        .header(header::CONTENT_TYPE, "application/json")
        .body(Body::from(body.to_string()));
    assert_eq!(
        send(&server, rebound.unwrap()).await.status,
        StatusCode::FORBIDDEN
    );
    let preflight = Request::options("/api/capture")
        .header(header::HOST, "localhost:6006")
        .header(header::ORIGIN, "http://evil.example")
        .body(Body::empty());
    assert_eq!(
        send(&server, preflight.unwrap()).await.status,
        StatusCode::METHOD_NOT_ALLOWED
    );
    assert!(job.asked().calls.is_empty());
    assert_eq!(runs(logdir.path()), 1);
}

#[tokio::test]
async fn a_capture_is_no_scan_of_the_network() {
    let logdir = log_directory(&[TWO_STEPS]);
    let server = server_at(logdir.path());
    let addresses: Vec<String> = (0..65)
        .map(|k| format!("127.0.0.1:{}", 20_000 + k))
        .collect();
    let body = json!({"addresses": addresses.join(","), "duration_seconds": 0.1});
    let answer = post(&server, "/api/capture", &body).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    let report = answer.json();
    assert!(
        report["error"].as_str().unwrap().contains("65 addresses"),
        "{report}"
    );
    assert!(
        report["hint"]
            .as_str()
            .unwrap()
            .contains("stepscope capture"),
        "{report}"
    );
    assert_eq!(runs(logdir.path()), 1);
}

#[tokio::test]
async fn a_server_that_others_reach_captures_only_what_it_was_allowed_to() {
    let (logdir, job) = (log_directory(&[TWO_STEPS]), job(Behavior::default()));
    let body = json!({"addresses": job.address(), "duration_seconds": 0.1});
    let library = Library::at(logdir.path()).unwrap();
    library.restrict_captures(Vec::new());
    let server = server_of(library);
    let settings = get_json(&server, "/api/capture").await;
    let reason = settings["reason"].as_str().unwrap();
    assert!(reason.contains("--allow-capture"), "{settings}");
    let answer = post(&server, "/api/capture", &body).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    let report = answer.json();
    let hint = report["hint"].as_str().unwrap();
    assert!(hint.contains("--allow-capture HOST"), "{report}");

    let library = Library::at(logdir.path()).unwrap();
    library.restrict_captures(vec!["trainer-0".to_owned()]);
    let answer = post(&server_of(library), "/api/capture", &body).await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN);
    assert!(
        answer.json()["hint"]
            .as_str()
            .unwrap()
            .contains("trainer-0")
    );
    assert!(job.asked().calls.is_empty());

    let library = Library::at(logdir.path()).unwrap();
    library.restrict_captures(vec![job.address().clone()]);
    let server = server_of(library);
    assert_eq!(captured(&server, &body).await["status"], "complete");
}

#[tokio::test]
async fn captures_want_the_token_where_there_is_one() {
    let (logdir, job) = (log_directory(&[TWO_STEPS]), job(Behavior::default()));
    let access = Access::with_token("5ecre7".to_owned(), 6006);
    let server = router(Library::at(logdir.path()).unwrap(), access);
    let body = json!({"addresses": job.address(), "duration_seconds": 0.1});
    let json_kind = ("content-type", "application/json");
    let without = post_with(&server, "/api/capture", &body, &[json_kind]).await;
    assert_eq!(without.status, StatusCode::UNAUTHORIZED);
    assert!(job.asked().calls.is_empty());
    let bearer = ("authorization", "Bearer 5ecre7");
    let with = post_with(&server, "/api/capture", &body, &[json_kind, bearer]).await;
    assert_eq!(with.status, StatusCode::ACCEPTED);
}

#[tokio::test]
async fn a_server_without_a_log_directory_says_why_it_captures_nothing() {
    let server = server_of(Library::empty());
    let settings = get_json(&server, "/api/capture").await;
    assert_eq!(settings["logdir"], "");
    assert!(
        settings["reason"]
            .as_str()
            .unwrap()
            .contains("not in a folder")
    );
    let body = json!({"addresses": "127.0.0.1:1", "duration_seconds": 1});
    let answer = post(&server, "/api/capture", &body).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    assert!(
        answer.json()["hint"]
            .as_str()
            .unwrap()
            .contains("stepscope view")
    );
}
