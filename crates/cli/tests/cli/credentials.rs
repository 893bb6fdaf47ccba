//! Passwords and signatures in a URL are used and never shown.

use std::io::{Read, Write};
use std::net::TcpListener;

use crate::support::{run, run_in};

/// A web server that has nothing.
fn empty_web() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("bound").port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut asked = [0; 4096];
            let _ = stream.read(&mut asked);
            let _ = stream.write_all(
                b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            );
        }
    });
    port
}

/// A web server that has one capture, whatever is asked for.
fn web_with(capture: Vec<u8>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("bound").port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut asked = [0; 4096];
            let count = stream.read(&mut asked).unwrap_or(0);
            let size = capture.len();
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Length: {size}\r\nETag: \"1\"\r\n\
                 Content-Type: application/octet-stream\r\nConnection: close\r\n\r\n"
            );
            let _ = stream.write_all(head.as_bytes());
            if !asked[..count].starts_with(b"HEAD") {
                let _ = stream.write_all(&capture);
            }
        }
    });
    port
}

#[test]
fn the_cache_keeps_no_password_and_no_signature() {
    let fixture = stepscope_testing::corpus::fixture("demo-gpt-cpu").expect("the fixture");
    let capture = stepscope_testing::corpus::read_bytes(&fixture.hosts[0]).expect("it is there");
    let port = web_with(capture);
    let cache = tempfile::tempdir().expect("a folder");
    let variable = [(
        "STEPSCOPE_CACHE_DIR",
        cache.path().to_str().expect("plain letters"),
    )];
    for url in [
        format!("http://127.0.0.1:{port}/vm.xplane.pb?X-Amz-Date=1&X-Amz-Signature=5ecre7"),
        format!("http://me:5ecre7@127.0.0.1:{port}/vm.xplane.pb"),
    ] {
        let answer = run_in(&["overview", &url], &variable);
        assert_eq!(answer.code, 0, "{}", answer.stderr);
        assert!(!format!("{}{}", answer.stdout, answer.stderr).contains("5ecre7"));
    }
    let (mut folders, mut files) = (vec![cache.path().to_owned()], 0);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            assert!(!path.to_string_lossy().contains("5ecre7"), "{path:?}");
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = std::fs::read(&path).expect("a file");
            let holds = bytes.windows(6).any(|part| part == b"5ecre7");
            assert!(!holds, "{}", path.display());
            files += 1;
        }
    }
    assert!(files >= 4, "{files} files were kept");
}

#[test]
fn no_message_shows_a_password_or_a_signature() {
    let port = empty_web();
    for url in [
        format!("http://me:5ecre7@127.0.0.1:{port}/logs"),
        format!("http://127.0.0.1:{port}/vm.xplane.pb?X-Amz-Date=1&X-Amz-Signature=5ecre7"),
        format!("http://127.0.0.1:{port}/vm.xplane.pb?sv=1&sig=5ecre7"),
        "https://me:5ecre7@".to_owned(),
        "ssh://-o:5ecre7@host/logs".to_owned(),
    ] {
        for line in [
            &["sessions", &url, "-vv"][..],
            &["overview", &url, "-vv"],
            &["view", &url, "--no-report", "--port", "0", "-vv"],
        ] {
            let answer = run(line);
            assert_ne!(answer.code, 0, "{url}");
            assert!(!answer.stderr.is_empty(), "{url}");
            let said = format!("{}{}", answer.stdout, answer.stderr);
            assert!(!said.contains("5ecre7"), "{line:?}: {said}");
        }
    }
}
