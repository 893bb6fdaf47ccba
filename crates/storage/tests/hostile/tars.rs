//! Tars whose entries are described by more than they hold.

use std::fs::{File, OpenOptions};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::time::{Duration, Instant};

use stepscope_storage::{NoProgress, NoteKind, find, open};

use crate::sizes::packed_well;
use crate::tree::{Tree, found, gzip, profile, tar, zstd};

/// A header of a kind that describes the next entry, with that much data to come.
fn about(kind: u8, size_bytes: u64) -> Vec<u8> {
    let mut header = tar::Header::new_gnu();
    header.set_path("././@LongLink").expect("a short name");
    header.set_entry_type(tar::EntryType::new(kind));
    header.set_size(size_bytes);
    header.set_cksum();
    header.as_bytes().to_vec()
}

/// A tar with one capture, without its end.
fn begun() -> Vec<u8> {
    let mut begun = tar(&[("run/vm.xplane.pb", &profile(1, 5000))]);
    begun.truncate(begun.len() - 1024);
    begun
}

#[test]
fn names_of_mebibytes_are_not_unfolded_into_memory() {
    let tree = Tree::new();
    for kind in [b'L', b'K', b'x'] {
        let long = [begun(), about(kind, 12 << 20), vec![b'n'; 12 << 20]].concat();
        let packed = packed_well(&long);
        assert!(packed.len() < 1 << 20, "{} bytes", packed.len());
        let path = tree.file("runs.tar.gz", &packed);
        let there = found(&path);
        assert_eq!(there.sessions.len(), 1);
        let notes: Vec<String> = there
            .notes
            .iter()
            .map(|note| note.message.clone())
            .collect();
        let is_said = notes
            .iter()
            .any(|note| note.contains("more than 1048576 bytes"));
        assert!(is_said, "{notes:?}");
        let bytes = open(&there.sessions[0].hosts[0], &NoProgress).expect("it opens");
        assert_eq!(bytes.as_ref(), profile(1, 5000));
    }
}

#[test]
fn a_hole_of_two_hundred_gigabytes_is_no_name() {
    let tree = Tree::new();
    let size_bytes = 200 << 30;
    let path = tree.file("runs.tar", &[begun(), about(b'L', size_bytes)].concat());
    let file = OpenOptions::new().write(true).open(&path).expect("a file");
    file.set_len(size_bytes + (1 << 20)).expect("a hole");
    let began = Instant::now();
    let there = found(&path);
    assert_eq!(there.sessions.len(), 1);
    let bytes = open(&there.sessions[0].hosts[0], &NoProgress).expect("it opens");
    assert_eq!(bytes.as_ref(), profile(1, 5000));
    assert!(began.elapsed() < Duration::from_secs(20));
}

#[test]
fn names_that_no_file_has_are_left_out_and_told() {
    let tree = Tree::new();
    let long = format!("{}/vm.xplane.pb", "n".repeat(5000));
    let deep = format!("{}vm.xplane.pb", "d/".repeat(500));
    let entries = [
        (long.as_str(), &b"a"[..]),
        (deep.as_str(), b"b"),
        ("run/vm.xplane.pb", b"c"),
    ];
    for (name, bytes) in [
        ("runs.tar", tar(&entries)),
        ("runs.tar.gz", gzip(&tar(&entries))),
        (
            "runs.zip",
            crate::tree::zip(&entries, zip::CompressionMethod::Stored),
        ),
    ] {
        let there = found(tree.file(name, &bytes));
        assert_eq!(there.sessions.len(), 1, "{name}");
        let limits: Vec<&str> = there
            .notes
            .iter()
            .filter(|note| note.kind == NoteKind::Limit)
            .map(|note| note.message.as_str())
            .collect();
        assert_eq!(
            limits,
            ["2 entries with very long names, or very deep in folders, are left out"],
            "{name}"
        );
    }
}

#[test]
fn a_compressed_tar_is_listed_again_only_after_it_changed() {
    let tree = Tree::new();
    // Noise that takes a while to be unfolded.
    let large = profile(7, 40 << 20);
    let with = |run: &str| {
        let entries = [
            ("log/checkpoint".to_owned(), large.as_slice()),
            (format!("log/plugins/profile/{run}/vm.xplane.pb"), b"a"),
        ];
        let entries: Vec<(&str, &[u8])> = entries
            .iter()
            .map(|(name, bytes)| (name.as_str(), *bytes))
            .collect();
        zstd(&tar(&entries))
    };
    let path = tree.file("folder/runs.tar.zst", &with("first"));
    let listed = || {
        let began = Instant::now();
        let there = find(&tree.at("folder")).expect("a session");
        (there.sessions[0].name.clone(), began.elapsed())
    };
    let (name, first) = listed();
    assert_eq!(name, "first");
    let (name, again) = listed();
    assert_eq!(name, "first");
    assert!(again < first / 4, "{first:?}, then {again:?}");
    std::fs::write(&path, with("other")).expect("a file");
    assert_eq!(listed().0, "other");
}

#[test]
fn data_behind_a_hole_is_found() {
    // A plain tar with a large entry that nobody reads, before one that is a capture.
    let tree = Tree::new();
    let mut header = tar::Header::new_gnu();
    header.set_path("checkpoint").expect("a short name");
    header.set_size(50 << 30);
    header.set_cksum();
    let path = tree.file("runs.tar", header.as_bytes());
    let mut file: File = OpenOptions::new().write(true).open(&path).expect("a file");
    file.seek(SeekFrom::Start(512 + (50 << 30)))
        .expect("a hole");
    file.write_all(&tar(&[("run/vm.xplane.pb", &profile(1, 5000))]))
        .expect("written");
    let there = found(&path);
    assert_eq!(there.sessions.len(), 1);
    let bytes = open(&there.sessions[0].hosts[0], &NoProgress).expect("it opens");
    assert_eq!(bytes.as_ref(), profile(1, 5000));
}
