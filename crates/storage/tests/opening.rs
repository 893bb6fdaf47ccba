//! Bytes come out as they went in: mapped if possible, truncated if the file is, rejected if they
//! decompress without end.

use std::fs;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::sync::Mutex;

use crate::common::{
    Tree, bytes_of, found, gzip, names, notes_of, profile, sparse_file, tar, zip, zstd,
};
use stepscope_storage::{
    HostFile, Limits, NoProgress, NoteKind, Progress, StorageError, open, open_within,
};

fn only_host(found: &stepscope_storage::Found) -> &HostFile {
    assert_eq!(found.sessions.len(), 1);
    assert_eq!(found.sessions[0].hosts.len(), 1);
    &found.sessions[0].hosts[0]
}

#[test]
fn plain_data_is_mapped_wherever_it_lies() {
    let tree = Tree::new();
    // Less is copied.
    let bytes = profile(1, 5 << 20);
    let entries = [("first.txt", &b"x"[..]), ("run/a.xplane.pb", &bytes)];
    let cases = [
        ("a.xplane.pb", bytes.clone(), true),
        ("run.tar", tar(&entries), true),
        (
            "stored.zip",
            zip(&entries, zip::CompressionMethod::Stored),
            true,
        ),
        (
            "deflated.zip",
            zip(&entries, zip::CompressionMethod::Deflated),
            false,
        ),
        ("a.xplane.pb.gz", gzip(&bytes), false),
        ("run.tar.zst", zstd(&tar(&entries)), false),
    ];
    for (name, content, is_mapped) in cases {
        let found = found(tree.file(name, &content));
        let opened = open(only_host(&found), &NoProgress).unwrap();
        assert_eq!(opened.as_ref(), bytes, "{name}");
        assert_eq!(opened.is_mapped(), is_mapped, "{name}");
        assert_eq!(opened.truncated(), None);
    }
}

#[test]
fn an_empty_file_is_an_empty_profile() {
    let tree = Tree::new();
    for (name, content) in [
        ("a.xplane.pb", Vec::new()),
        ("b.xplane.pb.gz", gzip(b"")),
        ("c.xplane.pb.zst", zstd(b"")),
        ("d.tar", tar(&[("a.xplane.pb", b"")])),
        (
            "e.zip",
            zip(&[("a.xplane.pb", b"")], zip::CompressionMethod::Stored),
        ),
    ] {
        let found = found(tree.file(name, &content));
        assert_eq!(bytes_of(only_host(&found)), b"", "{name}");
    }
}

#[test]
fn files_beyond_4_gib_are_mapped_whole() {
    let tree = Tree::new();
    let len = (5 << 30) + 3;
    let path = tree.at("a.xplane.pb");
    let mut file = sparse_file(&path, len);
    file.seek(SeekFrom::Start(len - 4)).unwrap();
    file.write_all(b"last").unwrap();
    let found = found(&path);
    assert_eq!(found.sessions[0].size_bytes, len);
    let opened = open(only_host(&found), &NoProgress).unwrap();
    assert!(opened.is_mapped());
    assert_eq!(opened.as_ref().len() as u64, len);
    assert_eq!(&opened.as_ref()[opened.as_ref().len() - 4..], b"last");
}

#[test]
fn members_and_frames_that_follow_each_other_are_one_profile() {
    let tree = Tree::new();
    let (first, second) = (profile(1, 50_000), profile(2, 60_000));
    let both = [first.as_slice(), &second].concat();
    let gzipped = [gzip(&first), gzip(&second)].concat();
    let framed = [zstd(&first), zstd(&second)].concat();
    // pzstd puts a skippable frame before each frame.
    let skippable = [
        &[0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4][..],
        &zstd(&both),
    ]
    .concat();
    for (name, content) in [
        ("a.xplane.pb.gz", gzipped),
        ("b.xplane.pb.zst", framed),
        ("c.xplane.pb", skippable),
    ] {
        let found = found(tree.file(name, &content));
        assert_eq!(bytes_of(only_host(&found)), both, "{name}");
    }
}

#[test]
fn a_compressed_profile_that_ends_early_gives_what_there_is() {
    let tree = Tree::new();
    let bytes = profile(3, 4_000_000);
    let entries = [("run/a.xplane.pb", bytes.as_slice())];
    let half = |content: Vec<u8>| content[..content.len() / 2].to_vec();
    let cases = [
        ("a.xplane.pb.gz", half(gzip(&bytes)), "gzip"),
        ("a.xplane.pb.zst", half(zstd(&bytes)), "zstd"),
        ("run.tar.gz", half(gzip(&tar(&entries))), "tar.gz"),
        ("run.tar.zst", half(zstd(&tar(&entries))), "tar.zst"),
        ("run.tar", half(tar(&entries)), "truncated"),
        (
            "inner.tar",
            tar(&[("run/a.xplane.pb.gz", &half(gzip(&bytes)))]),
            "gzip",
        ),
    ];
    for (name, content, word) in cases {
        let found = found(tree.file(name, &content));
        let opened = open(only_host(&found), &NoProgress).unwrap();
        let part = opened.as_ref();
        assert!(
            part.len() > 1_000_000 && part.len() < bytes.len(),
            "{name}: {}",
            part.len()
        );
        assert!(bytes.starts_with(part), "{name}");
        let message = opened.truncated().unwrap();
        assert!(message.contains(word), "{name}: {message}");
        assert!(
            message.contains(&part.len().to_string()),
            "{name}: {message}"
        );
    }
}

#[test]
fn a_tar_that_ends_early_lists_what_came_before() {
    let tree = Tree::new();
    let entries = [
        ("r/a.xplane.pb", profile(1, 500_000)),
        ("r/b.xplane.pb", profile(2, 500_000)),
    ];
    let entries = entries
        .each_ref()
        .map(|(name, bytes)| (*name, bytes.as_slice()));
    let mut content = gzip(&tar(&entries));
    content.truncate(content.len() / 3);
    let found = found(tree.file("run.tar.gz", &content));
    assert_eq!(names(&found), ["r"]);
    let notes = notes_of(&found, NoteKind::Unreadable);
    assert_eq!(notes.len(), 1);
    assert!(
        notes[0].message.starts_with("damaged or truncated"),
        "{}",
        notes[0]
    );
}

#[test]
fn damage_in_the_middle_keeps_what_came_before() {
    let tree = Tree::new();
    let bytes = profile(4, 4_000_000);
    let mut content = gzip(&bytes);
    let middle = content.len() / 2;
    content[middle..middle + 64].fill(0xff);
    let found = found(tree.file("a.xplane.pb.gz", &content));
    let opened = open(only_host(&found), &NoProgress).unwrap();
    assert!(opened.truncated().is_some());
    assert!(opened.as_ref().len() > 1_000_000);
    assert_eq!(opened.as_ref()[..1_000_000], bytes[..1_000_000]);
}

#[test]
fn compressed_data_with_nothing_in_it_is_an_error() {
    let tree = Tree::new();
    let bytes = profile(4, 40_000);
    for (name, content) in [
        ("a.xplane.pb.gz", gzip(&bytes)[..8].to_vec()),
        ("b.xplane.pb.zst", zstd(&bytes)[..12].to_vec()),
    ] {
        let found = found(tree.file(name, &content));
        let error = open(only_host(&found), &NoProgress).unwrap_err();
        assert!(matches!(error, StorageError::Corrupt { .. }), "{error}");
        assert!(
            error.to_string().ends_with(name),
            "the path comes last: {error}"
        );
        assert!(error.hint().is_some());
    }
}

#[test]
fn a_decompression_bomb_is_refused() {
    let tree = Tree::new();
    let zeros = vec![0; 40 << 20];
    let limits = Limits {
        bomb_bytes: 1 << 20,
        bomb_ratio: 100,
        ..Limits::default()
    };
    let entries = [("run/a.xplane.pb", zeros.as_slice())];
    let nested = gzip(&tar(&[("run/a.xplane.pb.gz", &gzip(&zeros))]));
    let cases = [
        ("a.xplane.pb.gz", gzip(&zeros)),
        ("a.xplane.pb.zst", zstd(&zeros)),
        ("run.zip", zip(&entries, zip::CompressionMethod::Deflated)),
        ("run.tar.gz", gzip(&tar(&entries))),
        ("nested.tar.gz", nested),
    ];
    for (name, content) in cases {
        let found = found(tree.file(name, &content));
        let error = open_within(only_host(&found), &limits, &NoProgress).unwrap_err();
        assert!(
            matches!(error, StorageError::TooLarge { .. }),
            "{name}: {error}"
        );
        assert!(error.to_string().contains("decompression bomb"), "{error}");
        let lenient = Limits {
            bomb_bytes: 50 << 20,
            ..limits.clone()
        };
        let opened = open_within(only_host(&found), &lenient, &NoProgress).unwrap();
        assert_eq!(opened.as_ref().len(), zeros.len(), "{name}");
    }
    let real = profile(1, 8 << 20);
    let found = found(tree.file("real.xplane.pb.gz", &gzip(&real)));
    let opened = open_within(only_host(&found), &limits, &NoProgress).unwrap();
    assert_eq!(opened.as_ref(), real);
}

#[test]
fn progress_reaches_its_total_and_never_goes_back() {
    struct Calls(Mutex<Vec<(u64, Option<u64>)>>);
    impl Progress for Calls {
        fn bytes(&self, done: u64, total: Option<u64>) {
            self.0.lock().unwrap().push((done, total));
        }
    }
    let tree = Tree::new();
    let bytes = profile(1, 3_000_000);
    let entries = [("run/a.xplane.pb", bytes.as_slice())];
    for (name, content) in [
        ("a.xplane.pb", bytes.clone()),
        ("a.xplane.pb.gz", gzip(&bytes)),
        ("a.xplane.pb.zst", zstd(&bytes)),
        ("run.zip", zip(&entries, zip::CompressionMethod::Deflated)),
        ("run.tar", tar(&entries)),
    ] {
        let found = found(tree.file(name, &content));
        let calls = Calls(Mutex::default());
        open(only_host(&found), &calls).unwrap();
        let calls = calls.0.into_inner().unwrap();
        assert!(calls.is_sorted(), "{name}");
        let (done, total) = *calls.last().unwrap();
        assert_eq!(Some(done), total, "{name}");
    }
}

#[test]
fn a_file_that_changed_since_it_was_found_is_an_error() {
    let tree = Tree::new();
    let path = tree.file(
        "run.tar",
        &tar(&[("a.xplane.pb", b"x"), ("b.xplane.pb", b"y")]),
    );
    let found = found(&path);
    let host = &found.sessions[0].hosts[1];
    fs::write(&path, tar(&[("a.xplane.pb", b"x"), ("c.xplane.pb", b"y")])).unwrap();
    assert!(matches!(
        open(host, &NoProgress).unwrap_err(),
        StorageError::Corrupt { .. }
    ));
    fs::remove_file(&path).unwrap();
    assert!(matches!(
        open(host, &NoProgress).unwrap_err(),
        StorageError::Io { .. }
    ));
}

#[test]
fn an_encrypted_zip_entry_is_named() {
    let tree = Tree::new();
    let mut content = zip(&[("a.xplane.pb", b"x")], zip::CompressionMethod::Stored);
    // Bit 0 of the flags, in the local header and in the central directory.
    content[6] |= 1;
    let central = content
        .windows(4)
        .position(|window| window == b"PK\x01\x02")
        .unwrap();
    content[central + 8] |= 1;
    let error = stepscope_storage::find(&tree.file("locked.zip", &content)).unwrap_err();
    let StorageError::NoProfiles { notes, .. } = error else {
        panic!("{error}")
    };
    assert!(notes[0].message.contains("encrypted"), "{}", notes[0]);
}
