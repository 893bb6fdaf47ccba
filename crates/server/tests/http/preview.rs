//! What some hosts of a session say before all of them are open.

use axum::http::StatusCode;
use stepscope_testing::drawing::draw;
use tempfile::TempDir;

use crate::common::{TWO_STEPS, get_error, get_json, server_at};

#[tokio::test]
async fn a_preview_is_of_some_hosts_and_opens_nothing() {
    let folder = TempDir::new().unwrap();
    let run = folder.path().join("plugins/profile/2025_01_01_00_00_00");
    std::fs::create_dir_all(&run).unwrap();
    for number in 0..8 {
        // Of the hosts of a preview, every step is as long; of others, none is.
        let step_us = if number % 4 == 0 { 90 } else { 50 };
        let drawing = TWO_STEPS.replace("0..90us train", &format!("0..{step_us}us train"));
        let bytes = draw(&drawing.replace("host vm", &format!("host vm{number}")));
        let file = run.join(format!("vm{number}.xplane.pb"));
        std::fs::write(file, bytes.unwrap().to_bytes()).unwrap();
    }
    let server = server_at(folder.path());
    let preview = get_json(&server, "/api/sessions/0/preview?hosts=2").await;
    assert_eq!(
        (&preview["host_count"], &preview["all_host_count"]),
        (&2.into(), &8.into())
    );
    let time = &preview["overview"]["step_time_ps"];
    assert_eq!((&time["mean"], &time["count"]), (&90e6.into(), &2.into()));
    let progress = get_json(&server, "/api/sessions/0/progress").await;
    assert_eq!(progress["state"], "closed");
    for wrong in ["3", "0", "-1", "99999999999999999999"] {
        let asked = format!("/api/sessions/0/preview?hosts={wrong}");
        let (status, error) = get_error(&server, &asked).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{error:?}");
    }
}
