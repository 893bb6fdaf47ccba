//! Every route of `docs/internals/wire.md`, with synthetic sessions.

use crate::common::{
    TWO_STEPS, get, get_error, get_json, log_directory, server_at, server_of, write_run,
};
use axum::http::{StatusCode, header};
use stepscope_analysis::ANALYSES;
use stepscope_analysis::views::timeline::encode::decode;
use stepscope_analysis::views::timeline::tile::{TrackContent, TrackTile};
use stepscope_catalog::{Catalog, Listener, Todo, index};
use stepscope_server::{Library, open_files};
use stepscope_storage::find;
use tempfile::TempDir;

const SESSION: &str = "/api/sessions/0";

#[tokio::test]
async fn sessions_open_when_they_are_asked_for() {
    let folder = log_directory(&[TWO_STEPS]);
    let server = server_at(folder.path());
    let list = get_json(&server, "/api/sessions").await;
    assert_eq!(list["root"], folder.path().display().to_string());
    let closed = &list["sessions"][0];
    assert_eq!(
        (&closed["state"], &closed["hosts"][0]),
        (&"closed".into(), &"vm".into())
    );
    assert!(closed["duration_ps"].is_null() && closed["size_bytes"].as_u64() > Some(0));
    assert!(closed["modified_epoch_ms"].as_u64() > Some(0));
    let path = closed["location"].as_str().unwrap();
    assert!(
        std::path::Path::new(path).is_dir(),
        "{path} can be typed again"
    );

    let progress = get_json(&server, "/api/sessions/0/progress").await;
    assert_eq!(
        (&progress["state"], &progress["done_bytes"]),
        (&"closed".into(), &0.into())
    );
    let open = get_json(&server, SESSION).await;
    assert_eq!(open["state"], "open");
    assert_eq!(open["devices"], "1 × TPU v6 Lite");
    assert_eq!(open["duration_ps"], 190_000_000);
    assert_eq!(open["step_count"], 2);
    let progress = get_json(&server, "/api/sessions/0/progress").await;
    assert_eq!(progress["state"], "open");
    assert_eq!(progress["done_bytes"], progress["total_bytes"]);
}

#[tokio::test]
async fn sessions_that_are_indexed_are_listed_with_figures_and_stay_closed() {
    struct Quiet;
    impl Listener for Quiet {
        fn bytes(&self, _more: u64) {}
        fn done(&self, _name: &str, _failure: Option<&str>) {}
    }
    let folder = log_directory(&[TWO_STEPS, TWO_STEPS]);
    let catalog = Catalog::at(&folder.path().join("catalog"));
    let mut sessions = find(folder.path()).unwrap().sessions;
    let indexed = sessions.remove(0);
    let (name, location) = (indexed.name.clone(), folder.path().join(&indexed.location));
    let todo = Todo {
        location: location.display().to_string(),
        files: indexed,
    };
    index(&catalog, &[todo], 1, &Quiet).unwrap();
    let library = Library::at(folder.path()).unwrap();
    library.use_catalog(catalog);
    let server = server_of(library);
    let list = get_json(&server, "/api/sessions").await;
    let listed = list["sessions"].as_array().unwrap();
    let (known, unknown): (Vec<_>, Vec<_>) = listed
        .iter()
        .partition(|session| session["name"] == name.as_str());
    let [known, unknown] = [known[0], unknown[0]];
    for session in [known, unknown] {
        assert_eq!(session["state"], "closed");
    }
    assert_eq!(
        (&known["is_indexed"], &unknown["is_indexed"]),
        (&true.into(), &false.into())
    );
    assert!(unknown["step_time_ps"].is_null() && unknown["devices"] == "");
    // What the overview says once the session is open, said without opening it.
    let path = format!("/api/sessions/{}/analyses/overview", known["id"]);
    let overview = get_json(&server, &path).await;
    for key in ["mfu_ratio", "device_busy_ratio"] {
        assert_eq!(known[key], overview[key], "{key}");
    }
    assert_eq!(known["step_time_ps"], overview["step_time_ps"]["mean"]);
    assert_eq!(known["step_time_ps"], 90_000_000.0);
    assert_eq!(
        (&known["devices"], &known["step_count"]),
        (&"1 × TPU v6 Lite".into(), &2.into())
    );
}

#[tokio::test]
async fn requests_that_come_together_share_one_opening() {
    let folder = log_directory(&[TWO_STEPS]);
    let server = server_at(folder.path());
    let uri = "/api/sessions/0/analyses/timeline";
    let (one, two, three) = tokio::join!(
        get_json(&server, uri),
        get_json(&server, uri),
        get_json(&server, SESSION)
    );
    assert_eq!(one, two);
    assert_eq!(three["state"], "open");
}

#[tokio::test]
async fn the_newest_session_comes_first_and_keys_stay() {
    let folder = log_directory(&[TWO_STEPS, TWO_STEPS]);
    let server = server_at(folder.path());
    let before = get_json(&server, "/api/sessions").await;
    let names: Vec<_> = before["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| &s["name"])
        .collect();
    assert_eq!(names, ["2025_01_02_00_00_00", "2025_01_01_00_00_00"]);
    let keys = |list: &serde_json::Value| -> Vec<(u64, String)> {
        let sessions = list["sessions"].as_array().unwrap().iter();
        let key = |session: &serde_json::Value| session["key"].as_str().unwrap().to_owned();
        sessions
            .map(|session| (session["id"].as_u64().unwrap(), key(session)))
            .collect()
    };
    let key = |day: usize| format!("2025_01_0{day}_00_00_00");
    assert_eq!(keys(&before), [(0, key(2)), (1, key(1))]);
    let later = folder.path().join("plugins/profile/2025_01_03_00_00_00");
    write_run(
        &later,
        &stepscope_testing::drawing::draw(TWO_STEPS)
            .unwrap()
            .to_bytes(),
    );
    // A list is fresh for two seconds.
    tokio::time::sleep(std::time::Duration::from_millis(2100)).await;
    let after = get_json(&server, "/api/sessions").await;
    assert_eq!(keys(&after), [(0, key(3)), (1, key(2)), (2, key(1))]);
    // A key always leads to the same session, also after a restart; a number leads to its place in
    // the list.
    for server in [&server, &server_at(folder.path())] {
        for (wanted, found) in [(key(1), key(1)), ("0".to_owned(), key(3))] {
            let summary = get_json(server, &format!("/api/sessions/{wanted}")).await;
            assert_eq!(summary["name"], found);
        }
    }
    assert_eq!(
        get_error(&server, "/api/sessions/3").await.0,
        StatusCode::NOT_FOUND
    );
}

#[tokio::test]
async fn a_session_closed_to_save_memory_stays_described() {
    let folder = TempDir::new().unwrap();
    let bytes = stepscope_testing::drawing::draw(TWO_STEPS)
        .unwrap()
        .to_bytes();
    // More than are held open.
    let names: Vec<String> = (10..36).map(|number| format!("run-{number}")).collect();
    for name in &names {
        write_run(&folder.path().join(name), &bytes);
    }
    let server = server_at(folder.path());
    for name in &names {
        let open = get_json(&server, &format!("/api/sessions/{name}")).await;
        assert_eq!(open["state"], "open");
    }
    let list = get_json(&server, "/api/sessions").await;
    let sessions = list["sessions"].as_array().unwrap();
    assert!(sessions.iter().any(|session| session["state"] == "closed"));
    for session in sessions {
        assert_eq!(session["devices"], "1 × TPU v6 Lite", "{session}");
        assert_eq!(session["duration_ps"], 190_000_000);
        assert_eq!(session["step_count"], 2);
    }
}

#[tokio::test]
async fn a_session_that_cannot_be_read_says_why() {
    let folder = log_directory(&[TWO_STEPS]);
    let broken = folder.path().join("plugins/profile/2025_01_05_00_00_00");
    write_run(&broken, b"<!doctype html><title>404</title>");
    let server = server_at(folder.path());
    let list = get_json(&server, "/api/sessions").await;
    let sessions = list["sessions"].as_array().unwrap();
    let broken = sessions
        .iter()
        .find(|s| s["name"] == "2025_01_05_00_00_00")
        .unwrap();
    let summary = get_json(
        &server,
        &format!("/api/sessions/{}", broken["key"].as_str().unwrap()),
    )
    .await;
    assert_eq!(summary["state"], "failed");
    assert!(
        summary["error"].as_str().unwrap().contains("HTML"),
        "{summary}"
    );
    let uri = format!(
        "/api/sessions/{}/analyses/ops",
        broken["key"].as_str().unwrap()
    );
    assert_eq!(
        get_error(&server, &uri).await.0,
        StatusCode::UNPROCESSABLE_ENTITY
    );
}

#[tokio::test]
async fn a_session_handed_in_open_is_served_without_files() {
    let folder = log_directory(&[TWO_STEPS]);
    let found = stepscope_storage::find(folder.path()).unwrap();
    let session = open_files(&found.sessions[0]).unwrap();
    drop(folder);
    let library = Library::empty();
    let key = library.add_open(session);
    let server = server_of(library);
    let list = get_json(&server, "/api/sessions").await;
    assert_eq!(
        (&list["root"], &list["sessions"][0]["state"]),
        (&"".into(), &"open".into())
    );
    assert_eq!(list["sessions"][0]["name"], "2025_01_01_00_00_00");
    let report = get_json(&server, &format!("/api/sessions/{key}/analyses/timeline")).await;
    assert_eq!(report["slice_count"], 8);
}

#[tokio::test]
async fn comparisons_ask_several_sessions_the_baseline_first() {
    let folder = log_directory(&[TWO_STEPS, TWO_STEPS]);
    let server = server_at(folder.path());
    let list = get_json(&server, "/api/comparisons").await;
    assert_eq!(list[0]["name"], "compare");
    let uri = "/api/comparisons/compare?session=1&session=0";
    let report = get_json(&server, uri).await;
    assert_eq!(report["sessions"].as_array().unwrap().len(), 2);
    assert_eq!(report["differences"][0]["session"], 1);
    assert_eq!(report, get_json(&server, uri).await, "kept");
    let alias = "/api/comparisons/diff_sessions?session=1&session=0";
    assert_eq!(report, get_json(&server, alias).await);
    let csv = get(&server, &format!("{uri}&format=csv&table=parts")).await;
    assert_eq!(csv.status, StatusCode::OK);
    for (wrong, status) in [
        ("/api/comparisons/nothing?session=0", StatusCode::NOT_FOUND),
        ("/api/comparisons/compare", StatusCode::BAD_REQUEST),
        (
            "/api/comparisons/compare?session=0",
            StatusCode::BAD_REQUEST,
        ),
        (
            "/api/comparisons/compare?session=0&session=9",
            StatusCode::NOT_FOUND,
        ),
        (
            "/api/comparisons/compare?session=0&session=1&steps=77",
            StatusCode::NOT_FOUND,
        ),
    ] {
        let answer = get(&server, wrong).await;
        assert_eq!(answer.status, status, "{wrong}");
    }
}

#[tokio::test]
async fn histories_of_the_folder_are_runs_and_baselines() {
    let folder = log_directory(&[TWO_STEPS, TWO_STEPS]);
    let check = "/api/comparisons/check?session=0&budget=launch_count=%2B0";
    let own = get_json(&server_at(folder.path()), check).await;
    let line = |run: &str, value: u64| {
        format!(
            "{{\"run\":\"{run}\",\"program\":{},\"devices\":{},\"verdict\":\"passed\",\
             \"figures\":{{\"launch_count\":{{\"unit\":\"count\",\"value\":{value}}}}}}}\n",
            own["program"], own["devices"]
        )
    };
    let text = line("monday", 7) + &line("tuesday", 9);
    std::fs::write(folder.path().join("nightly.jsonl"), text).unwrap();
    let server = server_at(folder.path());
    let list = get_json(&server, "/api/sessions").await;
    assert_eq!(list["histories"], serde_json::json!(["nightly.jsonl"]));

    let report = get_json(&server, "/api/comparisons/history?history=nightly.jsonl").await;
    let names: Vec<&serde_json::Value> = report["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| &run["name"])
        .collect();
    assert_eq!(names, ["monday", "tuesday"]);
    let sessions = get_json(&server, "/api/comparisons/history").await;
    assert_eq!(sessions["runs"].as_array().unwrap().len(), 2);
    assert_eq!(sessions["runs"][0]["source"], "session");
    let name = |run: usize| sessions["runs"][run]["name"].as_str().unwrap();
    assert!(name(0) < name(1), "oldest first: {sessions}");

    let report = get_json(&server, &format!("{check}&history=nightly.jsonl")).await;
    assert_eq!(report["baseline"], "history");
    assert_eq!(
        report["baselines"],
        serde_json::json!(["nightly.jsonl (2 runs)"])
    );
    for other in ["weekly.jsonl", "../nightly.jsonl"] {
        let (status, error) = get_error(&server, &format!("{check}&history={other}")).await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{other}");
        assert!(error.contains(other), "{error}");
    }
}

#[tokio::test]
async fn benchmarks_beside_sessions_take_part_in_scaling() {
    let folder = log_directory(&[TWO_STEPS]);
    let text = r#"{"name": "autodiff", "execution_time": 12.5, "execution_time_unit": "ms"}"#;
    std::fs::write(folder.path().join("results_4gpu.json"), text).unwrap();
    let server = server_at(folder.path());
    let report = get_json(&server, "/api/comparisons/scaling").await;
    let sources: Vec<&serde_json::Value> = report["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["source"])
        .collect();
    assert!(sources.contains(&&"benchmark".into()), "{report}");
}

#[tokio::test]
async fn analyses_come_from_the_one_list() {
    let folder = log_directory(&[TWO_STEPS]);
    let server = server_at(folder.path());
    let list = get_json(&server, "/api/analyses").await;
    let names: Vec<_> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| &entry["name"])
        .collect();
    let expected: Vec<&str> = ANALYSES.iter().map(|entry| entry.name).collect();
    assert_eq!(names, expected);
    let ops = list
        .as_array()
        .unwrap()
        .iter()
        .find(|entry| entry["name"] == "ops")
        .unwrap();
    let by = ops["options"]
        .as_array()
        .unwrap()
        .iter()
        .find(|o| o["name"] == "by")
        .unwrap();
    assert_eq!(
        (&by["default"], &by["values"][1]),
        (&"op".into(), &"device".into())
    );
    assert!(by["help"].as_str().unwrap().len() > 5);
    for name in expected {
        let report = get_json(&server, &format!("{SESSION}/analyses/{name}")).await;
        assert!(report.is_object(), "{name}");
    }
}

#[tokio::test]
async fn reports_take_the_options_of_the_command_line() {
    let folder = log_directory(&[TWO_STEPS]);
    let server = server_at(folder.path());
    let all = get_json(&server, &format!("{SESSION}/analyses/ops")).await;
    assert_eq!(all["rows"].as_array().unwrap().len(), 3);
    let dot = get_json(
        &server,
        &format!("{SESSION}/analyses/hlo_stats?match=dot&steps=1"),
    )
    .await;
    assert_eq!(dot["rows"].as_array().unwrap().len(), 1);
    assert_eq!(dot["rows"][0]["occurrences"], 1);
    let again = get_json(
        &server,
        &format!("{SESSION}/analyses/hlo_stats?match=dot&steps=1"),
    )
    .await;
    assert_eq!(dot, again);
}

#[tokio::test]
async fn tables_come_as_csv() {
    let folder = log_directory(&[TWO_STEPS]);
    let server = server_at(folder.path());
    let answer = get(&server, &format!("{SESSION}/analyses/timeline?format=csv")).await;
    assert_eq!(
        answer.header(header::CONTENT_TYPE),
        "text/csv; charset=utf-8"
    );
    assert!(
        answer
            .header(header::CONTENT_DISPOSITION)
            .contains("timeline-tracks.csv")
    );
    let text = String::from_utf8(answer.body).unwrap();
    assert!(
        text.starts_with("track,group,name,role,slice_count"),
        "{text}"
    );
    let (status, _) = get_error(&server, &format!("{SESSION}/analyses/ops?format=xml")).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    let wrong = format!("{SESSION}/analyses/ops?format=csv&table=nothing");
    assert_eq!(get_error(&server, &wrong).await.0, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn tiles_hold_every_slice_of_the_window() {
    let folder = log_directory(&[TWO_STEPS]);
    let server = server_at(folder.path());
    let uri = format!("{SESSION}/timeline/tile?start_ps=0&end_ps=200000000&width_px=4");
    let answer = get(&server, &uri).await;
    assert_eq!(
        answer.header(header::CONTENT_TYPE),
        "application/octet-stream"
    );
    let tile = decode(&answer.body).unwrap();
    assert_eq!(tile.tracks.iter().map(slices).sum::<u32>(), 8);
    let one = get(&server, &format!("{uri}&tracks=0")).await;
    assert_eq!(decode(&one.body).unwrap().tracks, tile.tracks[..1]);
}

fn slices(track: &TrackTile) -> u32 {
    match &track.content {
        TrackContent::Lanes(lanes) => lanes.iter().flat_map(|lane| &lane.counts).sum(),
        TrackContent::Counter(_) => 0,
    }
}

#[tokio::test]
async fn slices_are_found_and_told_about() {
    let folder = log_directory(&[TWO_STEPS]);
    let server = server_at(folder.path());
    let search = get_json(&server, &format!("{SESSION}/timeline/search?query=dot")).await;
    assert_eq!(search["match_count"], 2);
    let found = &search["slices"][1]["slice"];
    let address = format!(
        "track={}&lane={}&index={}",
        found["track"], found["lane"], found["index"]
    );
    let slice = get_json(&server, &format!("{SESSION}/timeline/slice?{address}")).await;
    assert_eq!(
        (&slice["name"], &slice["step"]),
        (&"dot.2".into(), &1.into())
    );
    assert_eq!(slice["duration_ps"], 10_000_000);
    let label = search["names"][0]["label"].as_u64().unwrap();
    let alike = format!("{SESSION}/timeline/occurrences?name=dot.2&duration_ps=10000001&limit=1");
    let alike = get_json(&server, &alike).await;
    assert_eq!(
        (&alike["slice_count"], &alike["shorter_count"]),
        (&2.into(), &2.into())
    );
    assert_eq!(alike["slices"].as_array().unwrap().len(), 1);
    let labels = get_json(
        &server,
        &format!("{SESSION}/timeline/labels?ids={label},99999"),
    )
    .await;
    assert_eq!(labels.as_array().unwrap().len(), 1);
    assert_eq!(labels[0]["name"], "dot.2");
    let later = format!("{SESSION}/timeline/search?query=dot&from_ps=100000000&limit=5");
    assert_eq!(
        get_json(&server, &later).await["slices"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[tokio::test]
async fn slices_have_surroundings() {
    let folder = log_directory(&[TWO_STEPS]);
    let server = server_at(folder.path());
    let about = |what: &str, slice: &str| format!("{SESSION}/timeline/{what}?{slice}");
    let inner = "track=0&lane=1&index=0";
    let nesting = get_json(&server, &about("nesting", inner)).await;
    assert_eq!(nesting["ancestors"][0]["name"], "fusion.1");
    let outer = get_json(&server, &about("nesting", "track=0&lane=0&index=0")).await;
    assert_eq!(
        (&outer["descendants"][0]["name"], &outer["slice_count"]),
        (&"dot.2".into(), &1.into())
    );
    let chain = get_json(&server, &about("chain", inner)).await;
    assert_eq!(chain["slices"].as_array().unwrap().len(), 1);
    let other = get_json(&server, &about("participants", inner)).await;
    assert_eq!(
        (&other["is_collective"], &other["rows"]),
        (&false.into(), &serde_json::json!([]))
    );
    for what in ["nesting", "chain", "participants"] {
        let missing = get_error(&server, &about(what, "track=0&lane=9&index=0")).await;
        assert_eq!(missing.0, StatusCode::NOT_FOUND);
    }
}

#[tokio::test]
async fn wrong_questions_are_told_apart() {
    let folder = log_directory(&[TWO_STEPS]);
    let server = server_at(folder.path());
    let tile = format!("{SESSION}/timeline/tile");
    let bad = [
        (format!("{tile}?start_ps=0&end_ps=10"), "width_px"),
        (
            format!("{tile}?start_ps=0&end_ps=10&width_px=0"),
            "width_px",
        ),
        (
            format!("{tile}?start_ps=0&end_ps=10&width_px=99999999"),
            "width_px",
        ),
        (format!("{tile}?start_ps=5&end_ps=1&width_px=5"), "end_ps"),
        (format!("{tile}?start_ps=x&end_ps=1&width_px=5"), "start_ps"),
        (
            format!("{tile}?start_ps=0&end_ps=1&width_px=5&tracks=a"),
            "tracks",
        ),
        (
            format!("{SESSION}/timeline/search?query=("),
            "regular expression",
        ),
        (format!("{SESSION}/timeline/search"), "query"),
        (format!("{SESSION}/analyses/ops?color=red"), "color"),
        (format!("{SESSION}/analyses/ops?steps=x"), "steps"),
    ];
    for (uri, word) in bad {
        let (status, error) = get_error(&server, &uri).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{uri}: {error}");
        assert!(error.contains(word), "{uri}: {error}");
    }
    let missing = [
        "/api/sessions/9".to_owned(),
        "/api/sessions/x/analyses/ops".to_owned(),
        format!("{SESSION}/analyses/nothing"),
        format!("{SESSION}/analyses/ops?device=77"),
        format!("{SESSION}/timeline/slice?track=0&lane=0&index=99"),
        format!("{tile}?start_ps=0&end_ps=1&width_px=5&tracks=99"),
        "/api/nothing".to_owned(),
        "/nothing.js".to_owned(),
    ];
    for uri in missing {
        assert_eq!(
            get_error(&server, &uri).await.0,
            StatusCode::NOT_FOUND,
            "{uri}"
        );
    }
}
