//! Passwords and signatures in a URL are used and never shown.

use std::io::{Read, Write};
use std::net::TcpListener;

use crate::support::run;

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
