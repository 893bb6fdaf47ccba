//! The binary as a server on a free port, asked over a plain socket.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::support::stepscope;

pub(crate) struct Server {
    child: Child,
    pub(crate) url: String,
}

impl Server {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::start_with(arguments, &[])
    }

    pub(crate) fn start_with(arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut child = stepscope()
            .args(arguments)
            .envs(variables.iter().copied())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let mut stderr = BufReader::new(child.stderr.take().expect("piped"));
        let mut said = String::new();
        let url = loop {
            let mut line = String::new();
            let length = stderr.read_line(&mut line).expect("text");
            assert!(length > 0, "it ended without an address:\n{said}");
            said.push_str(&line);
            if let Some(rest) = line.strip_prefix("Stepscope at ") {
                break rest.split(' ').next().expect("a word").to_owned();
            }
        };
        // Read on: a server that cannot write its log would stop because of that.
        std::thread::spawn(move || io::copy(&mut stderr, &mut io::sink()));
        Self { child, url }
    }

    pub(crate) fn port(&self) -> u16 {
        let after = self.url.trim_start_matches("http://").split('/').next();
        let port = after.and_then(|address| address.rsplit(':').next());
        port.and_then(|port| port.parse().ok()).expect("a port")
    }

    /// Status and body, with the token of the printed address.
    pub(crate) fn get(&self, path: &str) -> (u16, String) {
        let token = self.url.split_once("/?token=").map(|(_, token)| token);
        let mut head = String::new();
        if let Some(token) = token {
            _ = write!(head, "Authorization: Bearer {token}\r\n");
        }
        self.get_with(path, &head)
    }

    /// The same with these lines in the head instead.
    pub(crate) fn get_with(&self, path: &str, more: &str) -> (u16, String) {
        let mut bytes = Vec::new();
        let mut stream = self.ask(path, more);
        stream.read_to_end(&mut bytes).expect("answered");
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let status = text.split(' ').nth(1).and_then(|code| code.parse().ok());
        let body = text.split_once("\r\n\r\n").map(|(_, body)| body.to_owned());
        (
            status.unwrap_or_else(|| panic!("no status: {path}")),
            body.unwrap_or_default(),
        )
    }

    /// Sends a request; the answer is still to be read.
    pub(crate) fn ask(&self, path: &str, more: &str) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port())).expect("it listens");
        let patience = Some(Duration::from_mins(1));
        stream.set_read_timeout(patience).expect("a socket");
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{more}Connection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("sent");
        stream
    }

    /// A number of `/proc/PID/status` in bytes: `VmRSS`, `VmHWM`; none where there is no such file.
    pub(crate) fn memory_bytes(&self, field: &str) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find(|line| line.starts_with(field))?;
        let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
        Some(kibibytes * 1024)
    }

    /// Open files and sockets; none where the system does not tell.
    pub(crate) fn descriptors(&self) -> Option<usize> {
        let entries = fs::read_dir(format!("/proc/{}/fd", self.child.id())).ok()?;
        Some(entries.count())
    }

    /// Ends it with a signal, and says the status that it ended with.
    pub(crate) fn end_with(mut self, signal: &str) -> Option<i32> {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status();
        assert!(sent.expect("kill runs").success());
        self.child.wait().expect("it ends").code()
    }

    pub(crate) fn interrupt(self) -> Option<i32> {
        self.end_with("-INT")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Stops the server if an assertion fails before the test does.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
