//! One memory budget for open sessions and answers. In a process of its own: the budget is of the
//! process.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;

use axum::http::StatusCode;
use flate2::Compression;
use flate2::write::GzEncoder;
use stepscope_storage::set_memory_budget;
use stepscope_testing::drawing::draw;
use tempfile::TempDir;

#[expect(dead_code, reason = "the tests of the routes use the rest")]
#[path = "http/common.rs"]
mod common;

use common::{get, get_json, server_at};

/// A compressed profile that takes more than half of the budget when it is open: a hundred names of
/// 60 kB.
fn profile() -> Vec<u8> {
    let mut drawing = "host vm\ndevice tpu:0 v6e\nline XLA Ops\n".to_owned();
    for number in 0..100 {
        let name = "x".repeat(60_000);
        let from = number * 10;
        writeln!(drawing, "{from}..{}us op.{number}.{name}", from + 5).unwrap();
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder
        .write_all(&draw(&drawing).unwrap().to_bytes())
        .unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn sessions_and_answers_share_one_budget() {
    set_memory_budget(24 << 20);
    let folder = TempDir::new().unwrap();
    let bytes = profile();
    for run in ["2025_01_01_00_00_00", "2025_01_02_00_00_00"] {
        let folder = folder.path().join("plugins/profile").join(run);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("vm.xplane.pb.gz"), &bytes).unwrap();
    }
    let server = server_at(folder.path());
    // Only one of the two fits: each is closed for the other.
    for session in [0, 1, 0, 1] {
        let uri = format!("/api/sessions/{session}/timeline/search?query=op.77.x");
        assert_eq!(get_json(&server, &uri).await["match_count"], 1);
    }
    // An answer that fits its own limit, but not beside the session.
    let search = "/api/sessions/1/timeline/search?query=";
    let answer = get(&server, &format!("{search}x")).await;
    let report = answer.json();
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE, "{report}");
    let said = report["error"].as_str().unwrap();
    assert!(said.contains("memory budget of 24 MiB"), "{said}");
    assert!(
        report["hint"]
            .as_str()
            .unwrap()
            .contains("STEPSCOPE_MEMORY_BYTES")
    );
    // What was reserved for it is free again.
    let few = get_json(&server, &format!("{search}op.7")).await;
    assert_eq!(few["match_count"], 11);
}
