//! Memory profiles: recognized by content, and assigned to the session next to them.

use std::path::Path;

use crate::common::{Tree, found, gzip, hosts, names, profile, tar, zstd};
use stepscope_model::Reads;
use stepscope_storage::{NoProgress, NoteKind, SessionFiles, open, open_hosts};

/// The start of a memory profile: two sample types and a string table.
const MEMORY: &[u8] = b"\x0a\x04\x08\x01\x10\x02\x0a\x04\x08\x03\x10\x04\x32\x00\
    \x32\x0ballocations\x32\x05count\x32\x05space\x32\x05bytes";

fn snapshots(session: &SessionFiles) -> Vec<&str> {
    let files = session.memory.iter();
    files.map(|file| file.host.as_str()).collect()
}

#[test]
fn beside_a_capture_they_belong_to_its_session() {
    let tree = Tree::new();
    let run = "plugins/profile/run";
    tree.file(&format!("{run}/a.xplane.pb"), &profile(1, 100));
    tree.file(&format!("{run}/memory_10.prof"), &gzip(MEMORY));
    tree.file(&format!("{run}/memory_9.prof"), MEMORY);
    let found = found(tree.path());
    assert_eq!(names(&found), ["run"]);
    let session = &found.sessions[0];
    assert_eq!(hosts(session), ["a"]);
    assert_eq!(snapshots(session), ["memory_9", "memory_10"]);
    let files = session.hosts.iter().chain(&session.memory);
    let size_bytes: u64 = files.map(|file| file.size_bytes).sum();
    assert_eq!(session.size_bytes, size_bytes);
    assert_eq!(found.notes, []);
    let opened = open_hosts(session, Reads::Everything, |_| NoProgress);
    assert_eq!((opened.inputs.len(), opened.memory.len()), (1, 2));
    assert!(opened.memory[0].written_epoch_ns.is_some());
    assert_eq!((*opened.memory[1].bytes).as_ref(), MEMORY);
}

#[test]
fn in_the_log_directory_of_one_run_they_belong_to_that_run() {
    let tree = Tree::new();
    tree.file("log/plugins/profile/a/h.xplane.pb", &profile(1, 100));
    tree.file("log/memory.prof", &gzip(MEMORY));
    let one = found(tree.path());
    assert_eq!(names(&one), ["a"]);
    assert_eq!(snapshots(&one.sessions[0]), ["memory"]);
    // With a second run, its owner is unknown.
    tree.file("log/plugins/profile/b/h.xplane.pb", &profile(2, 100));
    let two = found(tree.path());
    assert_eq!(names(&two), ["a", "b", "log"]);
    assert!(two.sessions[2].hosts.is_empty());
    assert_eq!(snapshots(&two.sessions[2]), ["memory"]);
    let newest = two.newest().map(|session| session.name.as_str());
    assert!(newest != Some("log"), "a capture of time comes first");
}

#[test]
fn a_folder_of_them_is_one_session() {
    let tree = Tree::new();
    tree.file("shots/step_1.prof", &gzip(MEMORY));
    tree.file("shots/step_2.memprof", &zstd(MEMORY));
    tree.file("shots/heap.pb.gz", &gzip(MEMORY));
    tree.file("shots/other.pb.gz", &gzip(&profile(1, 300)));
    tree.file("shots/cprofile.prof", b"{\xfb)\x03stdlib");
    let found = found(tree.path());
    assert_eq!(names(&found), ["shots"]);
    assert_eq!(snapshots(&found.sessions[0]), ["heap", "step_1", "step_2"]);
    let [note] = found.notes.as_slice() else {
        panic!("one note: {:?}", found.notes);
    };
    assert_eq!(note.kind, NoteKind::Unreadable);
    assert!(note.path.ends_with(Path::new("cprofile.prof")));
}

#[test]
fn snapshots_of_one_name_are_told_apart() {
    let tree = Tree::new();
    tree.file("memory.prof", MEMORY);
    tree.file("memory.pb.gz", &gzip(MEMORY));
    let found = found(tree.path());
    assert_eq!(
        snapshots(&found.sessions[0]),
        ["memory.pb.gz", "memory.prof"]
    );
}

#[test]
fn one_given_by_its_path_is_a_session_whatever_its_name() {
    let tree = Tree::new();
    for (name, bytes, expected) in [
        ("memory.prof", gzip(MEMORY), "memory"),
        ("download", gzip(MEMORY), "download"),
        ("heap.pb", MEMORY.to_vec(), "heap"),
        // The decoder says what it is: the name promises a memory profile.
        ("broken.prof", b"x".to_vec(), "broken"),
    ] {
        let path = tree.file(name, &bytes);
        let found = found(&path);
        assert_eq!(names(&found), [expected]);
        let session = &found.sessions[0];
        assert!(session.hosts.is_empty());
        assert_eq!(snapshots(session), [expected]);
        assert!(open(&session.memory[0], &NoProgress).is_ok());
    }
}

#[test]
fn in_an_archive_they_are_told_by_name() {
    let tree = Tree::new();
    let entries: &[(&str, &[u8])] = &[
        ("run/a.xplane.pb", &profile(1, 100)),
        ("run/memory.prof", &gzip(MEMORY)),
    ];
    let found = found(tree.file("run.tar", &tar(entries)));
    let session = &found.sessions[0];
    assert_eq!(hosts(session), ["a"]);
    assert_eq!(snapshots(session), ["memory"]);
    let bytes = open(&session.memory[0], &NoProgress);
    assert_eq!(bytes.ok().as_ref().map(AsRef::as_ref), Some(MEMORY));
}

#[test]
fn programs_without_profiles_are_a_session() {
    let tree = Tree::new();
    let path = tree.file("dump/jit_f(3).hlo_proto.pb", b"x");
    tree.file("dump/module_0001.jit_g.after_optimizations.hlo.pb", b"y");
    tree.file("run/host.xplane.pb", &profile(1, 100));
    tree.file("run/jit_f(3).hlo_proto.pb", b"x");
    let one = found(&path);
    assert_eq!(names(&one), ["jit_f(3)"]);
    let found = found(tree.path());
    let kinds: Vec<(&str, usize, usize)> = found
        .sessions
        .iter()
        .map(|session| {
            (
                session.name.as_str(),
                session.hosts.len(),
                session.programs.len(),
            )
        })
        .collect();
    assert_eq!(
        kinds,
        [("dump", 0, 2), ("run", 1, 0)],
        "a capture has its own programs"
    );
    assert_eq!(
        found.newest().map(|session| session.name.as_str()),
        Some("run")
    );
    let names: Vec<&str> = found.sessions[0]
        .programs
        .iter()
        .map(|file| file.host.as_str())
        .collect();
    assert_eq!(names, ["jit_f(3)", "module_0001.jit_g.after_optimizations"]);
    let opened = open_hosts(&found.sessions[0], Reads::Everything, |_| NoProgress);
    assert_eq!((opened.inputs.len(), opened.programs.len()), (0, 2));
    assert_eq!((*opened.programs[1].bytes).as_ref(), b"y");
}
