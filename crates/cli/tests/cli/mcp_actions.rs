//! What agents can do beside reading: captures where they are allowed, and pictures.

use std::path::Path;

use serde_json::json;
use stepscope_testing::corpus::{read_bytes, repository_root};
use stepscope_testing::profiler_server::{Behavior, ProfilerServer};
use tempfile::TempDir;

use crate::mcp_client::Client;
use crate::support::{fixture, stepscope};

const PROFILE: &str = "fixtures/demo-gpt-cpu/plugins/profile/demo/vm.xplane.pb.gz";

/// A job that sends the demo's capture.
fn job() -> ProfilerServer {
    let xspace = read_bytes(&repository_root().join(PROFILE)).expect("the fixture is there");
    let behavior = Behavior {
        xspace,
        ..Behavior::default()
    };
    ProfilerServer::start(behavior).expect("a port is free")
}

fn client(logdir: &Path, allowed: &[&str]) -> Client {
    let logdir = logdir.to_str().expect("text");
    let options = allowed.iter().flat_map(|host| ["--allow-capture", host]);
    let all: Vec<&str> = std::iter::once(logdir).chain(options).collect();
    Client::begun(&all)
}

#[test]
fn allowed_hosts_are_captured_and_compared_with_what_was_there() {
    let (job, logdir) = (job(), TempDir::new().expect("a folder"));
    let mut client = client(logdir.path(), &["127.0.0.1", "localhost"]);
    let listed = client.ask("tools/list", json!({}));
    let tool = listed["tools"].as_array().and_then(|tools| tools.last());
    let tool = tool.expect("tools");
    assert_eq!(tool["name"], "capture");
    assert_eq!(tool["annotations"]["readOnlyHint"], false);

    let asked = |name: &str| json!({ "addresses": job.address(), "seconds": 0.1, "name": name });
    let first = client.told("capture", &asked("before"));
    assert_eq!(first["facts"]["status"], "complete", "{first}");
    let handle = first["session"].as_str().expect("a handle").to_owned();
    assert!(handle.ends_with("_before"), "{handle}");
    assert_eq!(first["next"][0]["tool"], "report", "{first}");
    assert_eq!(first["next"].as_array().map(Vec::len), Some(1), "{first}");
    client.next(&first);
    let second = client.told("capture", &asked("after"));
    let compare = &second["next"][1];
    assert_eq!(compare["tool"], "compare", "{second}");
    assert_eq!(compare["arguments"]["sessions"][0], handle.as_str());
    client.next(&second);
}

#[test]
fn other_hosts_lengths_and_places_are_refused() {
    let (job, logdir) = (job(), TempDir::new().expect("a folder"));
    let asked = |address: &str, seconds: f64| json!({ "addresses": address, "seconds": seconds });
    let mut allowed = client(logdir.path(), &["trainer-1"]);
    let error = allowed.refused("capture", &asked(&job.address(), 0.1));
    assert!(error.contains("does not capture"), "{error}");
    for seconds in [0.0, -1.0, 61.0] {
        let error = allowed.refused("capture", &asked("trainer-1:1", seconds));
        assert!(error.contains("cannot be recorded"), "{error}");
    }
    let mut forbidden = client(logdir.path(), &[]);
    let error = forbidden.refused("capture", &asked(&job.address(), 0.1));
    assert!(error.contains("not allowed"), "{error}");
    let left = std::fs::read_dir(logdir.path()).expect("a folder").count();
    assert_eq!(left, 0, "something was written");
    // A single run has no place for another one.
    let run = format!("{}/plugins/profile/demo", fixture("demo-gpt-cpu"));
    let mut single = client(Path::new(&run), &["127.0.0.1"]);
    let error = single.refused("capture", &asked(&job.address(), 0.1));
    assert!(error.contains("single run"), "{error}");
}

#[test]
fn a_process_that_does_not_answer_is_named() {
    let logdir = TempDir::new().expect("a folder");
    let mut client = client(logdir.path(), &["127.0.0.1"]);
    let nobody = json!({ "addresses": "127.0.0.1:1", "seconds": 0.1 });
    let error = client.refused("capture", &nobody);
    assert!(error.contains("127.0.0.1:1"), "{error}");
}

#[test]
fn without_a_browser_pictures_say_what_is_missing() {
    let mut command = stepscope();
    command
        .arg("mcp")
        .arg(fixture("demo-gpt-cpu"))
        .env("STEPSCOPE_BROWSER", "/nowhere/chromium");
    let mut client = Client::of(&mut command);
    client.begin();
    let page = client.call("picture", &json!({ "view": "timeline" }));
    let error = page["error"].as_str().expect("an error");
    assert!(
        error.contains("/nowhere/chromium cannot be started"),
        "{error}"
    );
    let hint = page["lines"][0].as_str().expect("a hint");
    assert!(hint.contains("STEPSCOPE_BROWSER"), "{hint}");
    client.next(&page);
    for (arguments, said) in [
        (json!({ "width_px": 100 }), "cannot be drawn"),
        (json!({ "height_px": 5000 }), "cannot be drawn"),
        (json!({ "view": "nowhere" }), "Unknown analysis"),
        (json!({ "session": "nowhere" }), "Unknown session"),
    ] {
        let error = client.refused("picture", &arguments);
        assert!(error.contains(said), "{arguments}: {error}");
    }
}
