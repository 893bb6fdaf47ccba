//! Bytes in memory open like the same bytes in a file.

use std::sync::Arc;

use crate::common::{Tree, found, gzip, profile, tar, zstd};
use stepscope_model::Reads;
use stepscope_storage::{NoProgress, OpenedHosts, StorageError, open_bytes, open_hosts};

/// The start of a memory profile: two sample types and a string table.
const MEMORY: &[u8] = b"\x0a\x04\x08\x01\x10\x02\x0a\x04\x08\x03\x10\x04\x32\x00\
    \x32\x0ballocations\x32\x05count\x32\x05space\x32\x05bytes";

const TRACE: &[u8] = br#"{"traceEvents":[
    {"ph":"M","pid":1,"name":"process_name","args":{"name":"/host:CPU"}},
    {"ph":"X","pid":1,"tid":2,"ts":10,"dur":5,"name":"work"}]}"#;

/// Every part of what was opened, for comparison.
fn parts(hosts: &OpenedHosts) -> Vec<(&'static str, String, Vec<u8>, Option<String>)> {
    let inputs = hosts.inputs.iter();
    let inputs = inputs.map(|one| ("host", &one.host, &one.bytes, &one.problem));
    let memory = hosts.memory.iter();
    let memory = memory.map(|one| ("memory", &one.name, &one.bytes, &one.problem));
    let programs = hosts.programs.iter();
    let programs = programs.map(|one| ("program", &one.name, &one.bytes, &one.problem));
    inputs
        .chain(memory)
        .chain(programs)
        .map(|(kind, name, bytes, problem)| {
            (
                kind,
                name.clone(),
                (**bytes).as_ref().to_vec(),
                problem.clone(),
            )
        })
        .collect()
}

#[test]
fn bytes_open_as_the_file_does() {
    let space = profile(1, 100_000);
    let gzipped = gzip(&space);
    let cut = gzipped[..gzipped.len() / 2].to_vec();
    let snapshot = MEMORY.to_vec();
    let cases = [
        ("a.xplane.pb", space.clone(), "host"),
        ("a.xplane.pb.gz", gzipped, "host"),
        ("a.xplane.pb.zst", zstd(&space), "host"),
        ("cut.xplane.pb.gz", cut, "host"),
        ("a.trace.json", TRACE.to_vec(), "host"),
        ("a.trace.json.gz", gzip(TRACE), "host"),
        ("memory.prof", snapshot.clone(), "memory"),
        ("heap.pb.gz", gzip(&snapshot), "memory"),
        ("jit_f.hlo_proto.pb", b"\x0a\x03abc".to_vec(), "program"),
    ];
    let tree = Tree::new();
    for (name, content, kind) in cases {
        let found = found(tree.file(name, &content));
        let of_file = open_hosts(&found.sessions[0], Reads::Everything, |_| NoProgress);
        let of_bytes = open_bytes(name, Arc::new(content)).unwrap();
        let expected = parts(&of_file);
        assert_eq!(expected[0].0, kind, "{name}");
        assert!(parts(&of_bytes) == expected, "{name}");
    }
}

#[test]
fn a_plain_profile_is_not_copied() {
    let bytes: Arc<Vec<u8>> = Arc::new(profile(1, 1000));
    let opened = open_bytes("a.xplane.pb", Arc::<Vec<u8>>::clone(&bytes)).unwrap();
    assert_eq!((*opened.inputs[0].bytes).as_ref().as_ptr(), bytes.as_ptr());
}

#[test]
fn what_is_not_read_from_memory_is_named() {
    let refused = |bytes: Vec<u8>| match open_bytes("x", Arc::new(bytes)) {
        Err(error @ StorageError::NoProfiles { .. }) => error.to_string(),
        other => panic!("{:?}", other.map(|_| ()).err()),
    };
    assert!(refused(tar(&[("a.xplane.pb", b"x")])).contains("an archive"));
    assert!(refused(b"\xfd7zXZ\0rest".to_vec()).contains("xz data"));
}
