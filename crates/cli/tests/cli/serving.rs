//! `view` and `demo` serve until they are stopped.

use crate::server::Server;
use crate::support::fixture;

#[cfg(unix)]
#[test]
fn view_answers_pages_and_reports_until_interrupted() {
    let server = Server::start(&["view", &fixture("mlp-cpu"), "--port", "0"]);
    assert!(
        server.url.starts_with("http://127.0.0.1:"),
        "{}",
        server.url
    );
    let (status, page) = server.get("/");
    assert_eq!(status, 200, "{page}");
    assert!(page.contains("<html"), "{page}");
    let (status, overview) = server.get("/api/sessions/0/analyses/overview");
    assert_eq!(status, 200, "{overview}");
    assert!(overview.contains("\"step_time_ps\""), "{overview}");
    let (status, tile) =
        server.get("/api/sessions/0/timeline/tile?start_ps=0&end_ps=1e12&width_px=800");
    assert_eq!(status, 200);
    assert!(tile.starts_with("SST1"));
    assert_eq!(server.interrupt(), Some(0));
}

#[cfg(unix)]
#[test]
fn a_folder_without_a_capture_waits_for_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("text");
    std::fs::create_dir_all(folder.path().join("plugins/profile")).expect("folders");
    let server = Server::start(&["view", path, "--port", "0"]);
    let (status, sessions) = server.get("/api/sessions");
    assert_eq!(status, 200, "{sessions}");
    assert!(
        dechunked(&sessions).contains("\"sessions\":[]"),
        "{sessions}"
    );
    assert_eq!(server.interrupt(), Some(0));
    // Nothing to print is still a failure, and so is a folder of something else.
    assert_eq!(crate::support::run(&["view", path, "--no-serve"]).code, 3);
    std::fs::write(folder.path().join("notes.txt"), "mine").expect("a file");
    assert_eq!(crate::support::run(&["view", path]).code, 3);
}

#[cfg(unix)]
#[test]
fn the_command_line_and_http_give_the_same_json() {
    let path = fixture("hosts4-cpu");
    let server = Server::start(&["view", &path, "--port", "0", "--no-report"]);
    for analysis in ["overview", "steps", "ops", "scopes", "kernels", "timeline"] {
        let answer = crate::support::run(&[analysis, &path, "--json", "--limit", "7"]);
        let (status, body) = server.get(&format!("/api/sessions/0/analyses/{analysis}?limit=7"));
        assert_eq!(status, 200, "{body}");
        assert_eq!(dechunked(&body), answer.stdout.trim_end(), "{analysis}");
    }
    assert_eq!(server.interrupt(), Some(0));
}

/// The body of an answer, chunked or not.
fn dechunked(body: &str) -> String {
    let mut text = String::new();
    let mut rest = body;
    while let Some((size, after)) = rest.split_once("\r\n") {
        let Ok(size) = usize::from_str_radix(size, 16) else {
            return body.to_owned();
        };
        if size == 0 {
            return text;
        }
        text.push_str(&after[..size]);
        rest = after[size..].trim_start_matches("\r\n");
    }
    body.to_owned()
}

#[cfg(unix)]
#[test]
fn the_demo_is_served_and_a_taken_port_is_no_obstacle() {
    let first = Server::start(&["demo", "--port", "0", "--no-report"]);
    let port = first.port().to_string();
    let second = Server::start(&["demo", "--port", &port, "--no-report"]);
    assert_ne!(first.port(), second.port());
    let (status, sessions) = second.get("/api/sessions");
    assert_eq!(status, 200, "{sessions}");
    assert!(sessions.contains("\"demo\""), "{sessions}");
    assert_eq!(second.interrupt(), Some(0));
    assert_eq!(first.interrupt(), Some(0));
}

#[cfg(unix)]
#[test]
fn flags_of_tensorboard_work_and_other_machines_need_the_token() {
    let path = fixture("mlp-cpu");
    let arguments = ["--logdir", &path, "--port", "0", "--bind_all"];
    let server = Server::start_with(&arguments, &[("STEPSCOPE_TOKEN", "5ecre7")]);
    assert!(server.url.ends_with("/?token=5ecre7"), "{}", server.url);
    assert_eq!(server.get_with("/api/sessions", "").0, 401);
    assert_eq!(server.get_with("/api/sessions?token=5ecre7", "").0, 200);
    assert_eq!(server.interrupt(), Some(0));
}

#[cfg(unix)]
#[test]
fn this_machine_needs_the_token_too() {
    let server = Server::start(&["demo", "--port", "0", "--no-report"]);
    let (_, token) = server.url.split_once("/?token=").expect("a token");
    assert_eq!(token.len(), 32, "{}", server.url);
    for path in ["/", "/api/sessions"] {
        assert_eq!(server.get_with(path, "").0, 401, "{path}");
        assert_eq!(server.get(path).0, 200, "{path}");
    }
    assert_eq!(server.get_with(&format!("/?token={token}"), "").0, 303);
    assert_eq!(server.interrupt(), Some(0));
    let open = Server::start(&["demo", "--port", "0", "--no-report", "--no-token"]);
    assert!(!open.url.contains("token"), "{}", open.url);
    assert_eq!(open.get_with("/api/sessions", "").0, 200);
    assert_eq!(open.interrupt(), Some(0));
}

#[cfg(unix)]
#[test]
fn a_token_of_any_characters_comes_from_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("token");
    std::fs::write(&path, "a b;c&d#e\"f\n").expect("a file");
    let file = path.to_str().expect("text");
    let server = Server::start(&["demo", "--port", "0", "--no-report", "--token-file", file]);
    let (_, query) = server.url.split_once("/?").expect("a query");
    assert_eq!(query, "token=a%20b%3Bc%26d%23e%22f");
    assert_eq!(
        server.get_with(&format!("/api/sessions?{query}"), "").0,
        200
    );
    let cookie = format!("Cookie: stepscope_{}={}\r\n", server.port(), &query[6..]);
    assert_eq!(server.get_with("/api/sessions", &cookie).0, 200);
    assert_eq!(server.get_with("/api/sessions?token=a", "").0, 401);
    assert_eq!(server.interrupt(), Some(0));
}

#[test]
fn a_token_is_no_argument_and_other_machines_never_go_without() {
    for line in [
        &["demo", "--no-report", "--token", "5ecre7"][..],
        &["demo", "--no-report", "--token=5ecre7"],
    ] {
        let answer = crate::support::run(line);
        assert_eq!(answer.code, 2, "{}", answer.stderr);
        assert!(answer.stderr.contains("--token-file"), "{}", answer.stderr);
        assert!(!answer.stderr.contains("5ecre7"), "{}", answer.stderr);
    }
    let open = [
        "demo",
        "--no-report",
        "--port",
        "0",
        "--no-token",
        "--bind_all",
    ];
    let answer = crate::support::run(&open);
    assert_eq!(answer.code, 1, "{}", answer.stderr);
    assert!(
        answer.stderr.contains("without a token"),
        "{}",
        answer.stderr
    );
    assert!(
        answer.stderr.contains("leave out --no-token"),
        "{}",
        answer.stderr
    );
}
