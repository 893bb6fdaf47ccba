//! Sessions whose files are written again while the server has them open.

use std::fs;
use std::time::{Duration, Instant};

use axum::Router;
use axum::http::StatusCode;
use serde_json::Value;
use stepscope_testing::corpus::{fixture, read_bytes};
use tempfile::TempDir;

use crate::common::{get, server_at, write_run};

/// Large enough to be mapped: protobuf joins messages that follow each other.
fn capture(times: usize) -> Vec<u8> {
    let fixture = fixture("demo-gpt-cpu").unwrap();
    read_bytes(&fixture.hosts[0]).unwrap().repeat(times)
}

/// The answer, once there is one; at most one request is refused because of the file.
async fn figures(server: &Router) -> (Value, usize) {
    let began = Instant::now();
    let mut refused = 0;
    loop {
        let answer = get(server, "/api/sessions/0/analyses/overview").await;
        if answer.status == StatusCode::OK {
            return (answer.json(), refused);
        }
        let report = answer.json();
        let error = report["error"].as_str().unwrap();
        assert!(error.contains("changed while it was open"), "{error}");
        assert!(error.ends_with("vm.xplane.pb"), "{error}");
        assert!(
            report["hint"]
                .as_str()
                .unwrap()
                .starts_with("open the session again")
        );
        refused += 1;
        assert!(began.elapsed() < Duration::from_mins(1), "it stays closed");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_rewritten_ten_times_is_refused_once_each_and_then_read_anew() {
    let folder = TempDir::new().unwrap();
    let run = folder.path().join("plugins/profile/run");
    let path = run.join("vm.xplane.pb");
    let (one, other) = (capture(4), capture(5));
    write_run(&run, &one);
    let server = server_at(folder.path());
    let (first, refused) = figures(&server).await;
    assert_eq!(refused, 0);
    let mut seen = vec![first];
    for trial in 0..10 {
        // In place and cut first, as `cp` writes.
        fs::write(&path, if trial % 2 == 0 { &other } else { &one }).unwrap();
        let tile = "/api/sessions/0/timeline/slices?track=0&lane=0&index=0";
        let _ = get(&server, tile).await;
        let (now, refused) = figures(&server).await;
        assert!(refused <= 1, "{refused} requests were refused");
        seen.push(now);
    }
    for (trial, pair) in seen.windows(2).enumerate() {
        assert_ne!(
            pair[0], pair[1],
            "after trial {trial} the old figures are still told"
        );
    }
    assert_eq!(seen[0], seen[2]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn questions_during_truncation_are_errors_and_never_figures_of_zeros() {
    let folder = TempDir::new().unwrap();
    let run = folder.path().join("plugins/profile/run");
    let path = run.join("vm.xplane.pb");
    let whole = capture(4);
    write_run(&run, &whole);
    let server = server_at(folder.path());
    let (expected, _) = figures(&server).await;
    for _ in 0..10 {
        fs::OpenOptions::new()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(1 << 20)
            .unwrap();
        let answer = get(&server, "/api/sessions/0/analyses/ops?limit=0").await;
        // Refused, or of the file as it is now: cut, and said to be.
        if answer.status == StatusCode::OK {
            let session = get(&server, "/api/sessions/0").await;
            let said = String::from_utf8_lossy(&session.body).into_owned();
            assert!(
                said.contains("truncated") || said.contains("written"),
                "{said}"
            );
        }
        assert_ne!(answer.status, StatusCode::INTERNAL_SERVER_ERROR);
        fs::write(&path, &whole).unwrap();
        let began = Instant::now();
        while figures(&server).await.0 != expected {
            assert!(
                began.elapsed() < Duration::from_secs(20),
                "the old figures are still told"
            );
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}
