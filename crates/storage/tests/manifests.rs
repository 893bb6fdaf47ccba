//! Manifests are next to profiles, in folders and archives, and never block a capture.

use crate::common::{Tree, found, gzip, hosts, notes_of, profile, tar};
use stepscope_model::Reads;
use stepscope_storage::{NoProgress, NoteKind, StorageError, find, open_hosts};

const RUN: &str = "plugins/profile/run";
const GOOD: &[u8] = br#"{"stepscope_manifest": 1, "versions": {"jax": "0.10.2"}}"#;

#[test]
fn a_manifest_goes_with_the_host_of_its_name() {
    let tree = Tree::new();
    tree.file(&format!("{RUN}/a.xplane.pb"), &profile(1, 100));
    tree.file(&format!("{RUN}/b.xplane.pb.gz"), &gzip(&profile(2, 100)));
    tree.file(&format!("{RUN}/b.stepscope.json"), GOOD);
    let found = found(tree.path());
    assert!(found.notes.is_empty(), "{:?}", found.notes);
    let session = &found.sessions[0];
    assert_eq!(hosts(session), ["a", "b"]);
    let opened = open_hosts(session, Reads::Everything, |_| NoProgress);
    assert_eq!(opened.manifests.len(), 1);
    assert_eq!(opened.manifests[0].host, "b");
    let manifest = opened.manifests[0].manifest.as_ref().unwrap();
    assert_eq!(manifest.versions, [("jax".to_owned(), "0.10.2".to_owned())]);
}

#[test]
fn a_profile_given_by_its_path_has_its_manifest_and_no_other() {
    let tree = Tree::new();
    let path = tree.file(&format!("{RUN}/a.xplane.pb"), &profile(1, 100));
    tree.file(&format!("{RUN}/a.stepscope.json"), GOOD);
    tree.file(&format!("{RUN}/b.stepscope.json"), GOOD);
    let session = &found(path).sessions[0];
    let names: Vec<&str> = session
        .manifests
        .iter()
        .map(|file| file.host.as_str())
        .collect();
    assert_eq!(names, ["a"]);
}

#[test]
fn manifests_are_found_in_archives() {
    let tree = Tree::new();
    let bytes = profile(1, 100);
    let entries: [(&str, &[u8]); 2] = [
        ("plugins/profile/run/a.xplane.pb", &bytes),
        ("plugins/profile/run/a.stepscope.json", GOOD),
    ];
    for name in ["run.tar", "run.tar.gz"] {
        let archive = tar(&entries);
        let packed = if name == "run.tar" {
            archive
        } else {
            gzip(&archive)
        };
        let session = &found(tree.file(name, &packed)).sessions[0];
        let opened = open_hosts(session, Reads::Everything, |_| NoProgress);
        assert!(opened.manifests[0].manifest.is_ok(), "{name}");
    }
}

#[test]
fn a_bad_manifest_is_a_reason_and_not_a_failure() {
    let cases: [&[u8]; 5] = [
        b"",
        b"{",
        b"[]",
        b"\x00\xff",
        b"{\"stepscope_manifest\": {}}",
    ];
    for case in cases {
        let tree = Tree::new();
        tree.file(&format!("{RUN}/a.xplane.pb"), &profile(1, 100));
        tree.file(&format!("{RUN}/a.stepscope.json"), case);
        let opened = open_hosts(&found(tree.path()).sessions[0], Reads::Everything, |_| {
            NoProgress
        });
        assert_eq!((opened.inputs.len(), opened.unread.len()), (1, 0));
        assert!(opened.manifests[0].manifest.is_err());
    }
}

#[test]
fn a_manifest_without_its_profile_is_named() {
    let tree = Tree::new();
    tree.file(&format!("{RUN}/a.xplane.pb"), &profile(1, 100));
    tree.file(&format!("{RUN}/c.stepscope.json"), GOOD);
    let found = found(tree.path());
    let notes = notes_of(&found, NoteKind::Ignored);
    assert_eq!(notes.len(), 1);
    assert!(notes[0].path.ends_with("c.stepscope.json"));
    assert!(notes[0].message.contains("without its profile"));
    assert!(found.sessions[0].manifests.is_empty());

    let alone = Tree::new();
    alone.file(&format!("{RUN}/c.stepscope.json"), GOOD);
    let Err(StorageError::NoProfiles { found, .. }) = find(alone.path()) else {
        panic!("a manifest alone is no session");
    };
    assert!(found.contains("1 capture manifest"), "{found}");
}
