//! Selected areas of the timeline: their sums, pivots and flame graphs.

use axum::http::StatusCode;

use crate::common::{TWO_STEPS, get_error, get_json, log_directory, server_at};

const SESSION: &str = "/api/sessions/0";

#[tokio::test]
async fn areas_are_clipped() {
    let folder = log_directory(&[TWO_STEPS]);
    let server = server_at(folder.path());
    let uri = format!("{SESSION}/timeline/area?start_ps=40000000&end_ps=75000000&tracks=0");
    let area = get_json(&server, &uri).await;
    let fusion = &area["rows"][0];
    assert_eq!(
        (&fusion["key"], &fusion["total_ps"]),
        (&"fusion.1".into(), &20_000_000.into())
    );
    let by_track = get_json(&server, &format!("{uri}&by=track")).await;
    assert_eq!(by_track["row_count"], 1);
    assert_eq!(
        get_error(&server, &format!("{uri}&by=color")).await.0,
        StatusCode::BAD_REQUEST
    );
}

#[tokio::test]
async fn areas_have_pivots_and_flame_graphs() {
    let folder = log_directory(&[TWO_STEPS]);
    let server = server_at(folder.path());
    let window = "start_ps=0&end_ps=200000000&tracks=0";
    let timeline = format!("{SESSION}/timeline");
    let pivot = get_json(
        &server,
        &format!("{timeline}/pivot?{window}&by=name&across=step"),
    )
    .await;
    assert_eq!(pivot["rows"][0]["key"], "fusion.1");
    assert_eq!(pivot["columns"].as_array().unwrap().len(), 2);
    assert_eq!(pivot["rows"][0]["totals_ps"][1], 50_000_000);
    let flame = get_json(&server, &format!("{timeline}/flame?{window}")).await;
    let names: Vec<_> = flame["frames"]
        .as_array()
        .unwrap()
        .iter()
        .map(|frame| frame["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["XLA Ops", "fusion.1", "dot.2", "all-reduce.3"]);
    let callers = get_json(&server, &format!("{timeline}/flame?{window}&order=callers")).await;
    assert_eq!(callers["frames"][0]["name"], "fusion.1");
    for wrong in ["pivot?across=color", "flame?order=up"] {
        let uri = format!("{timeline}/{wrong}&{window}");
        assert_eq!(get_error(&server, &uri).await.0, StatusCode::BAD_REQUEST);
    }
}
