//! Traces of other profilers opened, and sessions written as traces, end to end with the real
//! binary.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};

use serde_json::Value;

use crate::support::{check, fixture, run, stepscope};

fn json(arguments: &[&str]) -> Value {
    let answer = run(arguments);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    serde_json::from_str(&answer.stdout).expect("JSON")
}

#[test]
fn a_trace_of_pytorch_is_answered_like_a_capture() {
    let path = fixture("kineto-drawn");
    for analysis in [
        "steps",
        "kernels",
        "ops",
        "idle",
        "collectives",
        "overview",
        "roofline",
        "scopes",
    ] {
        let answer = run(&[analysis, &path]);
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        check(&format!("kineto_{analysis}"), &answer.stdout);
    }
    let steps = json(&["steps", &path, "--json"]);
    let rows = steps["rows"].as_array().expect("steps");
    assert_eq!(rows.len(), 4);
    // 150.25 + 3000.5 + 400 + 2500 + 5.5 + 2900 us, of which 310 us are counted twice.
    assert!(
        rows.iter().all(|row| row["busy_ps"] == 8_646_250_000_u64),
        "{rows:?}"
    );
    let kernels = json(&["kernels", &path, "--json"]);
    let first = &kernels["rows"][0];
    assert_eq!(first["occurrences"], 8);
    assert_eq!(first["total_ps"], 23_602_000_000_u64);
}

#[test]
fn what_is_exported_gives_the_same_answers() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = fixture("demo-gpt-cpu");
    let file = |name: &str| folder.path().join(name).display().to_string();
    let (perfetto, chrome) = (file("run.pftrace"), file("run.trace.json.gz"));
    let answer = run(&[
        "export",
        &source,
        "--perfetto",
        &perfetto,
        "--chrome",
        &chrome,
    ]);
    assert_eq!(
        (answer.code, answer.stdout.as_str()),
        (0, ""),
        "{}",
        answer.stderr
    );
    assert!(
        answer.stderr.contains("26108 slices, 52 tracks"),
        "{}",
        answer.stderr
    );
    let steps = |path: &str| {
        let report = json(&["steps", path, "--json"]);
        let rows = report["rows"].as_array().expect("steps").clone();
        let part = |row: &Value| {
            // Without programs, communication is recognized by the names of ops.
            let keys = ["step", "device", "duration_ps", "busy_ps", "collectives_ps"];
            keys.map(|key| {
                row[key]
                    .as_i64()
                    .map_or_else(|| row[key].to_string(), |n| (n / 1000).to_string())
            })
        };
        rows.iter().map(part).collect::<Vec<_>>()
    };
    let (ours, chrome, perfetto) = (steps(&source), steps(&chrome), steps(&perfetto));
    assert_eq!(ours, chrome);
    assert_eq!(ours.len(), perfetto.len());
    // Nothing unfinished is left behind.
    assert_eq!(fs::read_dir(folder.path()).expect("listed").count(), 2);
}

#[test]
fn a_part_is_exported_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("part.trace.json").display().to_string();
    let source = fixture("demo-gpt-cpu");
    let answer = run(&[
        "export",
        &source,
        "--chrome",
        &file,
        "--steps",
        "2",
        "--device",
        "1",
        "--match",
        "^ynn_fusion.6",
    ]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let trace: Value =
        serde_json::from_str(&fs::read_to_string(&file).expect("read")).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("events");
    let slices: Vec<&Value> = events.iter().filter(|event| event["ph"] == "X").collect();
    assert!(!slices.is_empty());
    for slice in slices {
        let name = slice["name"].as_str().expect("a name");
        assert!(
            name.starts_with("step 2") || name.starts_with("ynn_fusion.6"),
            "{slice}"
        );
    }
    let processes: Vec<&str> = events
        .iter()
        .filter(|event| event["name"] == "process_name")
        .filter_map(|event| event["args"]["name"].as_str())
        .collect();
    assert_eq!(processes, ["/device:CPU:1", "/host:CPU"]);
}

#[test]
fn wrong_wishes_are_refused() {
    let source = fixture("demo-gpt-cpu");
    let answer = run(&["export", &source]);
    assert_eq!(answer.code, 2);
    let answer = run(&["export", &source, "--perfetto", "/nonexistent/x.pftrace"]);
    assert_eq!(answer.code, 1);
    assert!(answer.stderr.contains("cannot write"), "{}", answer.stderr);
    let answer = run(&["export", &fixture("leak-cpu"), "--perfetto", "x.pftrace"]);
    assert_eq!(answer.code, 3);
    assert!(
        answer.stderr.contains("the session has no time axis"),
        "{}",
        answer.stderr
    );
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.trace.json");
    fs::write(&path, "{\"traceEvents\":[]}").expect("written");
    let answer = run(&["report", &path.display().to_string()]);
    assert_eq!(answer.code, 3);
    assert!(
        answer.stderr.contains("without any event"),
        "{}",
        answer.stderr
    );
}

#[test]
fn the_profile_beside_a_trace_wins() {
    let folder = tempfile::tempdir().expect("a folder");
    let run_folder = folder.path().join("plugins/profile/run");
    fs::create_dir_all(&run_folder).expect("made");
    fs::write(
        run_folder.join("vm.xplane.pb"),
        crate::support::profile_bytes(),
    )
    .expect("written");
    fs::write(
        run_folder.join("vm.trace.json"),
        "[{\"ph\":\"X\",\"ts\":0,\"dur\":1}]",
    )
    .expect("written");
    let answer = run(&["sessions", &folder.path().display().to_string()]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(
        answer.stderr.contains("has more") && answer.stderr.contains("vm.trace.json"),
        "{}",
        answer.stderr
    );
    fs::remove_file(run_folder.join("vm.xplane.pb")).expect("removed");
    let answer = run(&["timeline", &folder.path().display().to_string(), "--json"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
}

/// The server of `stepscope perfetto`, on its own port.
fn handed_over(seconds: &str, temporary: &Path) -> (Child, String) {
    let mut child = stepscope()
        .env("TMPDIR", temporary)
        .args([
            "perfetto",
            &fixture("mlp-cpu"),
            "--no-open",
            "--port",
            "0",
            "--timeout",
            seconds,
        ])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let link = printed_link(&mut child);
    (child, link)
}

/// The link to the trace that a child prints.
fn printed_link(child: &mut Child) -> String {
    let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines();
    let link = lines
        .find_map(|line| Some(line.ok()?.split_once("url=")?.1.to_owned()))
        .expect("a link");
    // What it prints later must not hit a closed pipe.
    std::thread::spawn(move || lines.for_each(drop));
    link
}

fn request(url: &str, method: &str, headers: &str) -> (String, Vec<u8>) {
    let rest = url.strip_prefix("http://").expect("http");
    let (host, path) = rest.split_once('/').expect("a path");
    let mut stream = TcpStream::connect(host).expect("it listens");
    let host = if headers.contains("Host:") {
        String::new()
    } else {
        format!("Host: {host}\r\n")
    };
    write!(stream, "{method} /{path} HTTP/1.1\r\n{host}{headers}\r\n").expect("sent");
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply).expect("read");
    let end = reply
        .windows(4)
        .position(|part| part == b"\r\n\r\n")
        .expect("a head");
    let head = String::from_utf8_lossy(&reply[..end]).into_owned();
    (head, reply.split_off(end + 4))
}

#[test]
fn perfetto_fetches_the_trace_once_and_nobody_else_does() {
    let temporary = tempfile::tempdir().expect("a folder");
    let (mut child, link) = handed_over("60", temporary.path());
    let (head, _) = request(&link, "GET", "Origin: https://evil.example\r\n");
    assert!(head.starts_with("HTTP/1.1 403"), "{head}");
    let (head, _) = request(&link, "GET", "Host: evil.example\r\n");
    assert!(head.starts_with("HTTP/1.1 403"), "{head}");
    let own = "Origin: https://ui.perfetto.dev\r\n";
    let (head, _) = request(&link.replace("mlp", "x").replace("2026", "x"), "GET", own);
    assert!(head.starts_with("HTTP/1.1 404"), "{head}");
    // The page's requests always say that they are; a program that asks first gets nothing.
    for method in ["GET", "HEAD"] {
        let (head, body) = request(&link, method, "");
        assert!(head.starts_with("HTTP/1.1 403"), "{head}");
        assert!(body.is_empty());
    }
    let (head, body) = request(&link, "OPTIONS", "Origin: https://ui.perfetto.dev\r\n");
    assert!(
        head.contains("Access-Control-Allow-Origin: https://ui.perfetto.dev"),
        "{head}"
    );
    assert!(body.is_empty());
    let (head, body) = request(&link, "GET", "Origin: https://ui.perfetto.dev\r\n");
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert!(child.wait().expect("it ends").success(), "fetched, it ends");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("fetched.pftrace");
    fs::write(&path, body).expect("written");
    let steps = json(&["steps", &path.display().to_string(), "--json"]);
    assert_eq!(steps["rows"].as_array().expect("steps").len(), 20);
    // Nothing is left behind.
    let left = fs::read_dir(temporary.path()).expect("listed").count();
    assert_eq!(left, 0);
}

/// All accounts of a machine can read what a browser was started with.
#[cfg(target_os = "linux")]
#[test]
fn the_secret_of_the_trace_is_in_no_argument() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().expect("a folder");
    let browser = folder.path().join("xdg-open");
    let script = "#!/bin/sh\necho \"$@\" > \"$0.arguments\"\ncp -p \"$1\" \"$0.page\"\n\
                  touch \"$0.done\"\n";
    fs::write(&browser, script).expect("written");
    fs::set_permissions(&browser, fs::Permissions::from_mode(0o700)).expect("set");
    let temporary = tempfile::tempdir().expect("a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut child = stepscope()
        .env("TMPDIR", temporary.path())
        .env("PATH", format!("{}:{path}", folder.path().display()))
        .args([
            "perfetto",
            &fixture("mlp-cpu"),
            "--port",
            "0",
            "--timeout",
            "60",
        ])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let link = printed_link(&mut child);
    let beside = |suffix: &str| folder.path().join(format!("xdg-open.{suffix}"));
    for _ in 0..600 {
        if beside("done").exists() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let secret = link.split('/').nth(3).expect("a secret");
    assert_eq!(secret.len(), 32, "{link}");
    let arguments = fs::read_to_string(beside("arguments")).expect("it was started");
    assert!(!arguments.contains(secret), "{arguments}");
    let page = fs::read_to_string(beside("page")).expect("a page");
    assert!(page.contains(&link), "{page}");
    let mode = fs::metadata(beside("page"))
        .expect("a page")
        .permissions()
        .mode();
    assert_eq!(mode & 0o077, 0);
    let (head, _) = request(&link, "GET", "Origin: https://ui.perfetto.dev\r\n");
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert!(child.wait().expect("it ends").success());
    let left = fs::read_dir(temporary.path()).expect("listed").count();
    assert_eq!(left, 0, "nothing is left behind");
}

#[test]
fn perfetto_ends_when_nobody_comes_and_says_when_the_port_is_taken() {
    let temporary = tempfile::tempdir().expect("a folder");
    let (mut child, link) = handed_over("1", temporary.path());
    let port = link
        .split(':')
        .nth(2)
        .and_then(|rest| rest.split('/').next())
        .expect("a port");
    let answer = run(&["perfetto", &fixture("mlp-cpu"), "--no-open", "--port", port]);
    assert_eq!(answer.code, 1);
    assert!(answer.stderr.contains("cannot listen"), "{}", answer.stderr);
    assert!(
        answer.stderr.contains("stepscope export"),
        "{}",
        answer.stderr
    );
    assert_eq!(child.wait().expect("it ends").code(), Some(1));
}
