//! Arbitrary bytes as a file: sessions within the limits, the same each time, or a refusal.

use std::path::Path;
use std::sync::Arc;

use stepscope_model::Reads;
use stepscope_storage::{
    Found, HostFile, Limits, NoProgress, OpenedHosts, SessionFiles, find_within, open_bytes,
    open_hosts, open_within, session_of, set_memory_budget,
};

/// The file's name: what it really is, its first bytes say.
const NAME: &str = "vm.xplane.pb";
/// Names of other roles, for bytes in memory.
const OTHER_NAMES: [&str; 3] = ["run.trace.json", "memory.prof", "jit_f.hlo_proto.pb"];
/// Memory for all files of a session.
const BUDGET_BYTES: u64 = 64 << 20;
/// A trace becomes a profile, which may be somewhat larger than its text.
const GROWTH: u64 = 8;

/// Panics if finding or opening breaks a promise.
pub fn check(bytes: &[u8]) {
    set_memory_budget(BUDGET_BYTES);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(NAME);
    std::fs::write(&path, bytes).expect("a file");
    let held = open_bytes(NAME, Arc::new(bytes.to_vec())).ok();
    if let Some(found) = found(&path) {
        for session in &found.sessions {
            check_session(session, bytes.len() as u64, held.as_ref());
        }
    }
    held.map(|hosts| session_of("fuzzed", NAME, hosts).ok());
    for name in OTHER_NAMES {
        let hosts = open_bytes(name, Arc::new(bytes.to_vec())).ok();
        hosts.map(|hosts| session_of("fuzzed", name, hosts).ok());
    }
}

/// Small enough that a small file can go beyond them.
fn limits() -> Limits {
    Limits {
        max_entries: 100,
        max_listing_bytes: 1 << 20,
        bomb_bytes: 64 << 10,
        ..Limits::default()
    }
}

fn found(path: &Path) -> Option<Found> {
    let [first, second] = [(), ()].map(|()| find_within(path, &limits()).ok());
    let sessions = |found: &Option<Found>| found.as_ref().map(|one| format!("{:?}", one.sessions));
    assert_eq!(sessions(&first), sessions(&second));
    first
}

fn check_session(session: &SessionFiles, file_bytes: u64, held: Option<&OpenedHosts>) {
    for file in session.files() {
        check_file(file, file_bytes);
    }
    let opened = open_hosts(session, Reads::Everything, |_| NoProgress);
    assert!(held_bytes(&opened) <= BUDGET_BYTES);
    let is_whole_file = session.files().all(|file| file.entry.is_none());
    if let Some(held) = held.filter(|_| is_whole_file) {
        assert_eq!(described(held), described(&opened));
    }
    session_of(&session.name, NAME, opened).ok();
}

fn check_file(file: &HostFile, file_bytes: u64) {
    let limits = limits();
    let open = || open_within(file, &limits, &NoProgress).ok();
    let (Some(first), second) = (open(), open()) else {
        assert!(open().is_none(), "refused, then opened: {file:?}");
        return;
    };
    let second = second.expect("it was opened before");
    assert!(first.as_ref() == second.as_ref(), "two contents: {file:?}");
    assert_eq!(first.truncated(), second.truncated());
    let most = file_bytes * limits.bomb_ratio;
    let most = most.max(limits.bomb_bytes) * GROWTH;
    let size_bytes = first.as_ref().len() as u64;
    assert!(size_bytes <= most, "{size_bytes} bytes of {file_bytes}");
}

/// Bytes of all files. None is so large that it would be mapped.
fn held_bytes(opened: &OpenedHosts) -> u64 {
    let inputs = opened.inputs.iter().map(|input| &input.bytes);
    let memory = opened.memory.iter().map(|input| &input.bytes);
    let programs = opened.programs.iter().map(|input| &input.bytes);
    let all = inputs.chain(memory).chain(programs);
    all.map(|bytes| (**bytes).as_ref().len() as u64).sum()
}

/// Names, sizes and problems of the hosts.
fn described(opened: &OpenedHosts) -> Vec<(&str, usize, Option<&str>)> {
    let hosts = opened.inputs.iter();
    hosts
        .map(|input| {
            let size_bytes = (*input.bytes).as_ref().len();
            (input.host.as_str(), size_bytes, input.problem.as_deref())
        })
        .collect()
}
