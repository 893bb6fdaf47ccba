//! What orchestrators ask a scheduler over HTTP, and what it answers nobody.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::processes::{executor, scheduler};

/// The status of an answer.
fn status(address: &str, path: &str) -> String {
    let host = address.trim_start_matches("df://");
    let mut stream = TcpStream::connect(host).expect("a scheduler");
    let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer.split(' ').nth(1).unwrap_or_default().to_owned()
}

#[test]
fn a_scheduler_tells_its_health_and_nothing_of_its_queries() {
    let home = tempfile::tempdir().expect("a folder");
    let (_scheduler, address) = scheduler(home.path());
    assert_eq!(status(&address, "/healthz"), "200");
    assert_eq!(status(&address, "/readyz"), "503");
    let _executor = executor(&address, 1, home.path(), home.path());
    let started = Instant::now();
    while status(&address, "/readyz") != "200" {
        assert!(started.elapsed() < Duration::from_mins(1), "no executor");
        sleep(Duration::from_millis(50));
    }
    // Nothing is authenticated: these would name paths, and end queries.
    for path in ["/", "/api/jobs", "/api/executors"] {
        assert_eq!(status(&address, path), "404", "{path}");
    }
}
