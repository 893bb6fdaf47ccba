//! Captures in Riegeli files are found and opened wherever profiles are, with the contents of their
//! records.

use std::sync::Arc;

use crate::common::{Tree, found, gzip, hosts, names, notes_of, profile, riegeli, tar, zip, zstd};
use stepscope_storage::{
    HostFile, Limits, NoProgress, NoteKind, StorageError, open, open_bytes, open_within,
};
use stepscope_testing::riegeli::{CODECS, Codec};

/// Records of a capture, and the same as one profile.
fn capture() -> ([Vec<u8>; 3], Vec<u8>) {
    let records = [profile(1, 50_000), profile(2, 120_000), profile(3, 7)];
    let whole = records.concat();
    (records, whole)
}

fn file(codec: Codec) -> (Vec<u8>, Vec<u8>) {
    let (records, whole) = capture();
    let records = records.each_ref().map(Vec::as_slice);
    (riegeli(codec, &records), whole)
}

fn only_host(found: &stepscope_storage::Found) -> &HostFile {
    assert_eq!(found.sessions.len(), 1);
    assert_eq!(found.sessions[0].hosts.len(), 1);
    &found.sessions[0].hosts[0]
}

#[test]
fn records_are_one_profile_wherever_the_file_lies() {
    let tree = Tree::new();
    for codec in CODECS {
        let (content, whole) = file(codec);
        let entries = [("run/vm.xplane.riegeli", content.as_slice())];
        let cases = [
            ("vm.xplane.riegeli", content.clone()),
            ("vm.xplane.riegeli.gz", gzip(&content)),
            ("vm.xplane.riegeli.zst", zstd(&content)),
            ("run.tar", tar(&entries)),
            ("run.tar.gz", gzip(&tar(&entries))),
            ("run.zip", zip(&entries, zip::CompressionMethod::Deflated)),
            ("stored.zip", zip(&entries, zip::CompressionMethod::Stored)),
            // Recognized by content, whatever the name of a file given by its own path.
            ("download", content.clone()),
            ("vm.xplane.pb", content.clone()),
        ];
        for (name, content) in cases {
            let found = found(tree.file(name, &content));
            let host = only_host(&found);
            let opened = open(host, &NoProgress).unwrap();
            assert!(opened.as_ref() == whole, "{name}");
            assert_eq!(opened.truncated(), None, "{name}");
            if !name.contains("tar") && !name.contains("zip") {
                let held = open_bytes(name, Arc::new(content)).unwrap();
                assert!((*held.inputs[0].bytes).as_ref() == whole, "{name}");
            }
        }
    }
}

#[test]
fn a_capture_of_jax_is_a_profile() {
    let root = stepscope_testing::corpus::repository_root();
    let found = found(root.join("fixtures/riegeli-cpu/riegeli"));
    let host = only_host(&found);
    assert_eq!(host.host, "vm");
    let opened = open(host, &NoProgress).unwrap();
    let whole = opened.as_ref();
    let space = stepscope_testing::space::XSpace::from_bytes(whole).unwrap();
    // Three records of one XSpace each.
    assert!(space.planes.iter().any(|plane| plane.name == "/host:CPU"));
    assert!(stepscope_testing::oracle::event_total(&space) > 100);
    assert!(stepscope_model::remains::is_whole(whole));
    assert_eq!(opened.truncated(), None);
}

#[test]
fn what_is_compressed_twice_is_held_to_its_size_on_disk() {
    let tree = Tree::new();
    // Each chunk is about a hundred times as large as its part of the file, and all are alike.
    let mut record = profile(1, 1500);
    record.resize(40_000, 0);
    let records = vec![record.as_slice(); 40];
    let content = riegeli(Codec::Brotli, &records);
    let limits = Limits {
        bomb_bytes: 64 << 10,
        ..Limits::default()
    };
    let opened = |name: &str, content: &[u8]| {
        let found = found(tree.file(name, content));
        open_within(only_host(&found), &limits, &NoProgress)
    };
    let entries = [("vm.xplane.riegeli", content.as_slice())];
    let plain = opened("vm.xplane.riegeli", &content).unwrap();
    assert_eq!(plain.as_ref().len(), records.len() * record.len());
    for (name, packed) in [
        ("vm.xplane.riegeli.gz", gzip(&content)),
        ("vm.xplane.riegeli.zst", zstd(&content)),
        ("run.zip", zip(&entries, zip::CompressionMethod::Deflated)),
        ("run.tar.zst", zstd(&tar(&entries))),
    ] {
        assert!(
            packed.len() * 10 < content.len(),
            "{name}: {}",
            packed.len()
        );
        let error = opened(name, &packed).expect_err(name);
        assert!(
            matches!(error, StorageError::TooLarge { .. }),
            "{name}: {error}"
        );
    }
}

#[test]
fn it_is_a_host_beside_profiles_of_others() {
    let tree = Tree::new();
    let (content, _) = file(Codec::Brotli);
    let run = "log/plugins/profile/run";
    tree.file(&format!("{run}/a.xplane.pb"), &profile(1, 100));
    tree.file(&format!("{run}/b.xplane.riegeli"), &content);
    tree.file(&format!("{run}/c.xplane.pb"), b"");
    tree.file(&format!("{run}/c.xplane.riegeli"), &content);
    tree.file(&format!("{run}/examples.riegeli"), &content);
    let found = found(tree.path());
    assert_eq!(names(&found), ["run"]);
    assert_eq!(hosts(&found.sessions[0]), ["a", "b", "c"]);
    let of_c = &found.sessions[0].hosts[2];
    assert_eq!(
        of_c.size_bytes,
        content.len() as u64,
        "an empty file gives way"
    );
    let notes = notes_of(&found, NoteKind::Ignored);
    let notes: Vec<&str> = notes.iter().map(|note| note.message.as_str()).collect();
    assert_eq!(
        notes,
        [
            "the same host as c.xplane.riegeli, which is used",
            "records without a profile's name; give its own path, or rename it to *.xplane.riegeli"
        ]
    );
}

#[test]
fn what_is_cut_or_damaged_is_told_with_its_place() {
    let tree = Tree::new();
    let (content, whole) = file(Codec::None);
    let (records, _) = capture();
    let problem = |content: &[u8]| {
        let found = found(tree.file("vm.xplane.riegeli", content));
        let opened = open(only_host(&found), &NoProgress).unwrap();
        (opened.as_ref().to_vec(), opened.truncated().unwrap())
    };
    let (bytes, told) = problem(&content[..100_000]);
    assert!(bytes == records[0]);
    assert!(
        told.starts_with("the Riegeli file is truncated: it ends at byte 100000, within the chunk"),
        "{told}"
    );
    assert!(told.ends_with("the 1 complete record is shown"), "{told}");
    // In the middle of the second of three chunks.
    let mut damaged = content.clone();
    damaged[100_000] ^= 1;
    let (bytes, told) = problem(&damaged);
    assert!(bytes == [records[0].as_slice(), &records[2]].concat());
    assert!(
        told.starts_with("1 damaged part of the Riegeli file"),
        "{told}"
    );
    assert!(told.contains("a chunk's data is damaged"), "{told}");
    assert!(told.contains("the 2 complete records are shown"), "{told}");
    // The start is damaged: the name decides.
    let mut headless = content;
    headless[..64].fill(0);
    let (bytes, told) = problem(&headless);
    assert!(whole.ends_with(&bytes), "{told}");
    // What only has the name stays what it is.
    let plain = profile(9, 1000);
    let found = found(tree.file("vm.xplane.riegeli", &plain));
    let opened = open(only_host(&found), &NoProgress).unwrap();
    assert!(opened.as_ref() == plain && opened.truncated().is_none());
}

#[test]
fn a_bomb_is_refused() {
    let tree = Tree::new();
    let zeros = vec![0; 30 << 20];
    let content = riegeli(Codec::Zstd, &[&zeros]);
    let limits = Limits {
        bomb_bytes: 1 << 20,
        bomb_ratio: 100,
        ..Limits::default()
    };
    let found = found(tree.file("vm.xplane.riegeli", &content));
    let refused = open_within(only_host(&found), &limits, &NoProgress).unwrap_err();
    assert!(
        matches!(refused, StorageError::TooLarge { .. }),
        "{refused}"
    );
    let lenient = Limits {
        bomb_bytes: 50 << 20,
        ..limits
    };
    let opened = open_within(only_host(&found), &lenient, &NoProgress).unwrap();
    assert_eq!(opened.as_ref(), zeros);
}
