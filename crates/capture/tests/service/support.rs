//! What all tests of captures need.

use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use stepscope_capture::{
    Cancel, HostFailure, HostProgress, Outcome, Phase, Progress, Request, capture,
};
use stepscope_testing::profiler_server::{Behavior, ProfilerServer};
use tempfile::TempDir;

/// Bytes that stand for a profile; nothing here looks into them.
pub(crate) const PROFILE: &[u8] = b"\x0a\x02\x08\x01";

pub(crate) fn server(behavior: Behavior) -> ProfilerServer {
    let xspace = if behavior.xspace.is_empty() {
        PROFILE.to_vec()
    } else {
        behavior.xspace.clone()
    };
    ProfilerServer::start(Behavior { xspace, ..behavior }).unwrap()
}

pub(crate) fn logdir() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// A short capture, with short patience.
pub(crate) fn request(addresses: &[&str], logdir: &Path) -> Request {
    Request {
        duration: Duration::from_millis(100),
        busy_wait: Duration::from_secs(2),
        connect_timeout: Duration::from_secs(2),
        reply_timeout: Duration::from_secs(5),
        ..Request::new(addresses, logdir).unwrap()
    }
}

/// Captures, and remembers the phases of each host.
pub(crate) fn run(request: &Request) -> (Outcome, Vec<(usize, Phase)>) {
    let seen = Seen::default();
    let outcome = capture(request, &seen, &Cancel::new()).unwrap();
    (outcome, seen.phases.into_inner().unwrap())
}

/// Why the host at this position gave nothing.
pub(crate) fn failure(outcome: &Outcome, index: usize) -> &HostFailure {
    outcome.hosts[index]
        .failure()
        .expect("this host gave nothing")
}

/// Names of the files in the session's folder, sorted.
pub(crate) fn names(outcome: &Outcome) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(&outcome.folder) else {
        return Vec::new();
    };
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name();
    let mut names: Vec<String> = entries
        .map(|entry| name(entry).into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Waits until the server was asked to record.
pub(crate) fn until_recording(server: &ProfilerServer) {
    for _ in 0..6000 {
        if !server.asked().profiles.is_empty() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("nobody asks the server to record");
}

/// A port on which nothing listens.
pub(crate) fn dead_address() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().to_string()
}

/// Phases as they were told, each host's repetitions left out.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) phases: Mutex<Vec<(usize, Phase)>>,
}

impl Progress for Seen {
    fn host(&self, index: usize, progress: &HostProgress) {
        let mut phases = self.phases.lock().unwrap();
        let last = phases.iter().rev().find(|(host, _)| *host == index);
        if last.is_none_or(|(_, phase)| *phase != progress.phase) {
            phases.push((index, progress.phase.clone()));
        }
    }
}
