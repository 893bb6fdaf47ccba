//! What one small request can cost: answers are sized before they are made.

use axum::http::StatusCode;

use crate::common::{TWO_STEPS, get, get_json, log_directory, server_at, write_run};

const TIMELINE: &str = "/api/sessions/0/timeline";

/// A number, many times, as in `tracks=0,0,0`.
fn repeated(number: u32, count: usize) -> String {
    vec![number.to_string(); count].join(",")
}

#[tokio::test]
async fn a_track_named_two_thousand_times_is_refused() {
    let folder = log_directory(&[TWO_STEPS]);
    let server = server_at(folder.path());
    let window = "start_ps=0&end_ps=200000000";
    let tracks = repeated(0, 2000);
    for uri in [
        format!("{TIMELINE}/tile?{window}&width_px=16384&tracks={tracks}"),
        format!("{TIMELINE}/area?{window}&tracks={tracks}"),
        format!("{TIMELINE}/pivot?{window}&tracks={tracks}"),
        format!("{TIMELINE}/flame?{window}&tracks={tracks}"),
        format!("{TIMELINE}/area?{window}&tracks=0&tracks=1"),
        format!("{TIMELINE}/labels?ids={tracks}"),
    ] {
        let answer = get(&server, &uri).await;
        let report = answer.json();
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{report}");
        assert!(
            report["error"].as_str().unwrap().contains("several times"),
            "{report}"
        );
        assert!(!report["hint"].as_str().unwrap().is_empty(), "{report}");
    }
    let all = get(
        &server,
        &format!("{TIMELINE}/tile?{window}&width_px=16384&tracks=0,1"),
    )
    .await;
    assert_eq!(all.status, StatusCode::OK);
}

#[tokio::test]
async fn an_answer_beyond_the_limit_says_what_to_reduce() {
    // Ten thousand slices with a name of 60 kB: 600 MB of names.
    let name = "x".repeat(60_000);
    let drawing = format!(
        "host vm\ndevice tpu:0 v6e\nline XLA Ops\nrepeat 10000 every 10us\n0..5us {name}\nend\n"
    );
    let folder = log_directory(&[&drawing]);
    let server = server_at(folder.path());
    let few = get_json(&server, &format!("{TIMELINE}/search?query=x&limit=3")).await;
    assert_eq!(few["match_count"], 10_000);
    assert_eq!(few["slices"][0]["name"].as_str().unwrap().len(), 60_000);
    let all = get(&server, &format!("{TIMELINE}/search?query=x&limit=10000")).await;
    assert_eq!(all.status, StatusCode::PAYLOAD_TOO_LARGE);
    let report = all.json();
    assert!(
        report["error"]
            .as_str()
            .unwrap()
            .contains("limit is 256 MiB"),
        "{report}"
    );
    assert!(
        report["hint"].as_str().unwrap().contains("limit"),
        "{report}"
    );
}

#[tokio::test]
async fn comparisons_stay_within_the_limit_of_open_sessions() {
    let folder = tempfile::TempDir::new().unwrap();
    let bytes = stepscope_testing::drawing::draw(TWO_STEPS)
        .unwrap()
        .to_bytes();
    // More than are held open.
    for number in 10..40 {
        write_run(&folder.path().join(format!("run-{number}")), &bytes);
    }
    let server = server_at(folder.path());
    let history = get_json(&server, "/api/comparisons/history").await;
    assert_eq!(history["runs"].as_array().unwrap().len(), 30);
    let again = get_json(&server, "/api/comparisons/history").await;
    assert_eq!(history, again);
    let named: Vec<String> = (10..40)
        .map(|number| format!("session=run-{number}"))
        .collect();
    let named = named.join("&");
    let history = get_json(&server, &format!("/api/comparisons/history?{named}")).await;
    assert_eq!(history["runs"].as_array().unwrap().len(), 30);
    // Those that compare op by op hold all of them.
    let all = get(&server, &format!("/api/comparisons/compare?{named}")).await;
    assert_eq!(all.status, StatusCode::BAD_REQUEST);
    let report = all.json();
    assert!(
        report["error"].as_str().unwrap().contains("limit is 24"),
        "{report}"
    );
}

#[tokio::test]
async fn a_session_is_compared_once_however_it_is_named() {
    let folder = log_directory(&[TWO_STEPS, TWO_STEPS]);
    let server = server_at(folder.path());
    let list = get_json(&server, "/api/sessions").await;
    let key = list["sessions"][0]["key"].as_str().unwrap().to_owned();
    let many = vec!["session=0"; 2000].join("&");
    for name in ["history", "compare", "scaling"] {
        for sessions in [
            "session=0&session=1&session=0".to_owned(),
            format!("session=0&session={key}"),
            many.clone(),
        ] {
            let answer = get(&server, &format!("/api/comparisons/{name}?{sessions}")).await;
            assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{name}");
            let error = answer.json()["error"].as_str().unwrap().to_owned();
            assert!(error.contains("several times"), "{name}: {error}");
        }
    }
    let list = get_json(&server, "/api/sessions").await;
    assert_eq!(list["sessions"][0]["state"], "closed", "nothing was opened");
}

/// Threads of this process that open a session.
#[cfg(target_os = "linux")]
fn opening_threads() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let names = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("comm")).ok());
    names.filter(|name| name.starts_with("open-")).count()
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn three_hundred_sessions_asked_for_at_once_are_opened_a_few_at_a_time() {
    const COUNT: usize = 300;
    let folder = tempfile::TempDir::new().unwrap();
    let bytes = stepscope_testing::drawing::draw(TWO_STEPS)
        .unwrap()
        .to_bytes();
    for number in 0..COUNT {
        write_run(&folder.path().join(format!("run-{number:03}")), &bytes);
    }
    let server = server_at(folder.path());
    let asked = (0..COUNT).map(|number| {
        let server = server.clone();
        tokio::spawn(async move { get(&server, &format!("/api/sessions/{number}")).await })
    });
    let asked: Vec<_> = asked.collect();
    let mut most = 0;
    while !asked.iter().all(tokio::task::JoinHandle::is_finished) {
        most = most.max(opening_threads());
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    for answer in asked {
        let answer = answer.await.unwrap();
        assert_eq!(answer.status, StatusCode::OK);
        assert_eq!(answer.json()["error"], "");
    }
    // Some open, some compute ahead, and tests beside this one open sessions, too.
    assert!(most <= 40, "{most} threads");
}
