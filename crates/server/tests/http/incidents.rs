//! `api/incidents`: what the flight recorder left in the library's folder, and the sessions of its
//! captures.

use crate::common::{TWO_STEPS, get_json, log_directory, server_at};
use std::fs;

#[tokio::test]
async fn incidents_name_the_sessions_of_their_captures() {
    let folder = log_directory(&[TWO_STEPS, TWO_STEPS]);
    let incidents = folder.path().join("record/run/incidents");
    let here = folder
        .path()
        .join("plugins/profile/2025_01_01_00_00_00")
        .display()
        .to_string();
    let captures = [
        ("a", here.as_str()),
        // The log directory was moved since.
        ("b", "/elsewhere/plugins/profile/2025_01_02_00_00_00"),
        ("c", "/elsewhere/plugins/profile/2024_01_01_00_00_00"),
    ];
    for (position, (id, capture)) in captures.iter().enumerate() {
        fs::create_dir_all(incidents.join(id)).unwrap();
        let incident = serde_json::json!({
            "id": id, "unix_ns": position, "what": "a step was slow", "captures": [capture],
        });
        let file = incidents.join(id).join("incident.json");
        fs::write(file, incident.to_string()).unwrap();
    }
    let server = server_at(folder.path());
    let report = get_json(&server, "/api/incidents").await;
    let session = |at: usize| &report["incidents"][at]["captures"][0]["session"];
    let list = get_json(&server, "/api/sessions").await;
    assert_eq!(list["incident_count"], 3);
    let keys = [&list["sessions"][1]["key"], &list["sessions"][0]["key"]];
    assert_eq!([session(0), session(1)], keys);
    assert!(session(2).is_null(), "{report}");
    assert_eq!(report["runs"][0]["name"], "run");
}

#[tokio::test]
async fn without_a_recorded_run_the_report_is_empty() {
    let folder = log_directory(&[TWO_STEPS]);
    let server = server_at(folder.path());
    let report = get_json(&server, "/api/incidents").await;
    assert_eq!(report, serde_json::json!({ "runs": [], "incidents": [] }));
    let list = get_json(&server, "/api/sessions").await;
    assert!(list["incident_count"].is_null());
}
