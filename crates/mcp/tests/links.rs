//! Links and next calls lead to the evidence itself: to a slice, a gap, the step of a finding.

use serde_json::{Value, json};
use stepscope_mcp::{Agent, Shown};
use stepscope_testing::corpus::repository_root;

fn agent(fixture: &str) -> Agent {
    let folder = repository_root().join("fixtures").join(fixture);
    assert!(folder.is_dir(), "{}", folder.display());
    Agent::new(&[folder], Some("http://lab"))
}

async fn call(agent: &Agent, tool: &str, arguments: Value) -> Shown {
    let Value::Object(arguments) = arguments else {
        panic!("{arguments} is an object")
    };
    let shown = agent.call(tool, arguments.clone()).await;
    assert!(!shown.is_error, "{tool} {arguments:?}: {}", shown.text);
    shown
}

async fn explain(agent: &Agent, kind: &str, id: Value) -> Value {
    let shown = call(agent, "explain", json!({ "kind": kind, "id": id })).await;
    shown.json
}

/// View and parameters of the link of an answer.
fn opened(answer: &Value) -> (String, Vec<(String, String)>) {
    let link = answer["open"].as_str().expect("a link");
    let path = link.strip_prefix("http://lab/#/s/").expect("a session");
    let (_, place) = path.split_once('/').expect("a view");
    let (view, query) = place.split_once('?').unwrap_or((place, ""));
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let pairs = pairs.map(|(name, value)| (name.to_owned(), value.to_owned()));
    (view.to_owned(), pairs.collect())
}

fn parameter<'a>(pairs: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let mut pairs = pairs.iter();
    let found = pairs.find(|(one, _)| one == name);
    found.map(|(_, value)| &**value)
}

/// The start and end of `START..END`.
fn range(text: &str) -> (i64, i64) {
    let (start, end) = text.split_once("..").expect("a range");
    (start.parse().expect("ps"), end.parse().expect("ps"))
}

fn next<'a>(answer: &'a Value, tool: &str, kind: &str) -> Option<&'a Value> {
    let mut calls = answer["next"].as_array().expect("calls").iter();
    calls.find(|next| next["tool"] == tool && next["arguments"]["kind"] == kind)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gap_leads_to_its_time_and_to_the_call_that_caused_it() {
    let agent = agent("causes-cpu/sleep-between-at");
    let gap = explain(&agent, "gap", json!(0)).await;
    let (view, pairs) = opened(&gap);
    assert_eq!(view, "timeline");
    let start = gap["facts"]["start_ps"].as_f64().expect("a start");
    let length = gap["facts"]["duration_ps"].as_f64().expect("a length");
    let (from, to) = range(parameter(&pairs, "area").expect("an area"));
    // Facts have six digits.
    assert!((from as f64 - start).abs() <= start.abs() * 1e-5, "{from}");
    assert!(((to - from) as f64 - length).abs() <= length * 1e-5, "{to}");
    let (first, last) = range(parameter(&pairs, "window").expect("a window"));
    assert!(first < from && to < last, "{pairs:?}");

    let call = next(&gap, "explain", "slice").expect("the call that caused it");
    let address = call["arguments"]["id"].as_str().expect("an address");
    assert_eq!(gap["facts"]["slice"], address);
    let on_page = address.replace('/', ":");
    assert_eq!(parameter(&pairs, "slice"), Some(&*on_page));

    let slice = explain(&agent, "slice", json!(address)).await;
    // Functions of Python begin with a sign there.
    let name = slice["facts"]["name"]
        .as_str()
        .map(|name| name.trim_start_matches('$'));
    assert_eq!(name, gap["facts"]["what"].as_str());
    let (view, pairs) = opened(&slice);
    assert_eq!(view, "timeline");
    assert_eq!(pairs, [("slice".to_owned(), on_page.clone())]);
    let again = explain(&agent, "slice", json!(on_page)).await;
    assert_eq!(again, {
        let mut same = slice.clone();
        same["about"] = again["about"].clone();
        same
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_that_name_slices_say_their_address() {
    let agent = agent("demo-gpt-cpu");
    let question = json!({ "analysis": "idle", "table": "rows" });
    let idle = call(&agent, "ask", question).await.json;
    let columns = idle["tables"][0]["columns"].as_array().expect("columns");
    let at = columns.iter().position(|one| one == "slice");
    let at = at.unwrap_or_else(|| panic!("no slice in {columns:?}"));
    let rows = idle["tables"][0]["rows"].as_array().expect("rows");
    let addresses: Vec<&Value> = rows.iter().map(|row| &row[at]).collect();
    let mut known = addresses.iter().filter(|one| one.is_string());
    let address = known.next().expect("a gap with a cause");
    explain(&agent, "slice", (*address).clone()).await;

    let ops = call(&agent, "ask", json!({ "analysis": "ops" })).await.json;
    let name = &ops["tables"][0]["rows"][0][0];
    let op = explain(&agent, "op", name.clone()).await;
    let slice = explain(&agent, "slice", op["facts"]["longest_slice"].clone()).await;
    assert_eq!(&slice["facts"]["op"], name);
}

#[tokio::test(flavor = "multi_thread")]
async fn findings_lead_to_their_evidence() {
    let (mut in_time, mut narrowed) = (0, 0);
    let fixtures = [
        "causes-cpu/sleep-between-at",
        "causes-cpu/reading-dataset-at",
        "causes-h100/queue-loader-at",
        "causes-h100/garbage-at",
        "demo-gpt-cpu",
    ];
    for fixture in fixtures {
        let agent = agent(fixture);
        let report = call(&agent, "report", json!({})).await.json;
        for finding in report["findings"].as_array().expect("findings") {
            if finding["of"] != "program" {
                continue;
            }
            let id = finding["id"].clone();
            let explained = explain(&agent, "finding", id.clone()).await;
            let (view, pairs) = opened(&explained);
            if view == "timeline" {
                in_time += 1;
                let (from, to) = range(parameter(&pairs, "area").expect("an area"));
                let (first, last) = range(parameter(&pairs, "window").expect("a window"));
                assert!(first <= from && to < last, "{fixture} {id}: {pairs:?}");
            }
            for next in explained["next"].as_array().expect("calls") {
                let arguments = next["arguments"].clone();
                narrowed += usize::from(arguments["options"].is_object());
                let tool = next["tool"].as_str().expect("a tool");
                call(&agent, tool, arguments).await;
            }
        }
    }
    assert!(in_time >= 5, "{in_time} findings open on the timeline");
    assert!(
        narrowed >= 3,
        "{narrowed} calls ask for the part of the evidence"
    );
}
