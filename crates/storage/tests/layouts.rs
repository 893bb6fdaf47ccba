//! Sessions and their names are found in every layout in which people keep captures.

use std::time::{Duration, SystemTime};

use crate::common::{Tree, bytes_of, found, gzip, hosts, names, notes_of, profile, tar, zip, zstd};
use stepscope_storage::{Encoding, NoteKind};

const RUN: &str = "2026_11_21_08_46_58";

#[test]
fn a_log_directory_with_several_runs() {
    let tree = Tree::new();
    tree.file(
        "plugins/profile/2026_11_21_09_00_00/a.xplane.pb",
        &profile(1, 900),
    );
    tree.file(
        "plugins/profile/2026_11_21_08_00_00/a.xplane.pb",
        &profile(2, 800),
    );
    tree.file("plugins/profile/mlp_dp/host-10.xplane.pb", &profile(3, 10));
    tree.file("plugins/profile/mlp_dp/host-2.xplane.pb", &profile(4, 20));
    let found = found(tree.path());
    assert_eq!(
        names(&found),
        ["2026_11_21_08_00_00", "2026_11_21_09_00_00", "mlp_dp"]
    );
    assert_eq!(found.root, tree.path());
    let session = &found.sessions[2];
    assert_eq!(session.location, "plugins/profile/mlp_dp");
    assert_eq!(hosts(session), ["host-2", "host-10"]);
    assert_eq!(session.size_bytes, 30);
    assert!(session.modified.is_some());
    assert!(session.joined_from.is_empty());
    assert_eq!(bytes_of(&found.sessions[0].hosts[0]), profile(2, 800));
    assert_eq!(found.notes, []);
    assert_eq!(
        found.session("mlp_dp").unwrap().location,
        "plugins/profile/mlp_dp"
    );
    assert_eq!(
        found.session("plugins/profile/mlp_dp").unwrap().name,
        "mlp_dp"
    );
    assert!(found.session("absent").is_none());
}

#[test]
fn the_newest_session_is_the_one_captured_last() {
    let tree = Tree::new();
    tree.file("eval/plugins/profile/2026_11_21_09_00_00/a.xplane.pb", b"");
    tree.file("train/plugins/profile/2026_11_21_08_00_00/a.xplane.pb", b"");
    let found = found(tree.path());
    assert_eq!(found.newest().unwrap().name, "2026_11_21_09_00_00");
}

/// Names without a time: the file times decide, for `latest`, `latest~1`, and numbers alike.
#[test]
fn sessions_whose_names_hold_no_time_are_ordered_by_their_files() {
    let tree = Tree::new();
    let hours = [("baseline", 3), ("long", 1), ("wide", 2), ("zero", 0)];
    for (name, hour) in hours {
        let path = tree.file(&format!("{name}/a.xplane.pb"), &profile(1, 99));
        let file = std::fs::File::options().append(true).open(path).unwrap();
        let written = SystemTime::UNIX_EPOCH + Duration::from_secs(3600 * (9 + hour));
        file.set_modified(written).unwrap();
    }
    tree.file("log/plugins/profile/1970_01_01_10_30_00/a.xplane.pb", b"");
    let found = found(tree.path());
    let order = ["baseline", "wide", "1970_01_01_10_30_00", "long", "zero"];
    let listed: Vec<&str> = found
        .newest_first()
        .iter()
        .map(|session| session.name.as_str())
        .collect();
    assert_eq!(listed, order);
    assert_eq!(found.newest().unwrap().name, order[0]);
    for (number, name) in order.iter().enumerate() {
        for wanted in [number.to_string(), format!("latest~{number}")] {
            assert_eq!(found.pick(&wanted).unwrap().name, *name, "{wanted}");
        }
    }
    assert!(found.pick("latest~5").is_none());
}

#[test]
fn any_folder_on_the_way_down_may_be_given() {
    let tree = Tree::new();
    tree.file(
        &format!("exp/train/plugins/profile/{RUN}/host-0.xplane.pb"),
        &profile(1, 99),
    );
    let ways = [
        "",
        "exp",
        "exp/train",
        "exp/train/plugins",
        "exp/train/plugins/profile",
    ];
    for way in ways {
        assert_eq!(names(&found(tree.at(way))), [RUN], "{way}");
    }
    let run = found(tree.at(&format!("exp/train/plugins/profile/{RUN}")));
    assert_eq!(names(&run), [RUN]);
    assert_eq!(run.sessions[0].location, ".");
    assert_eq!(hosts(&run.sessions[0]), ["host-0"]);
}

#[test]
fn nested_runs_keep_both_parts_of_their_name() {
    let tree = Tree::new();
    tree.file("plugins/profile/sweep/lr_1/a.xplane.pb", b"");
    tree.file("plugins/profile/sweep/lr_2/a.xplane.pb", b"");
    assert_eq!(names(&found(tree.path())), ["sweep/lr_1", "sweep/lr_2"]);
    assert_eq!(
        names(&found(tree.at("plugins/profile/sweep"))),
        ["sweep/lr_1", "sweep/lr_2"]
    );
}

#[test]
fn equal_run_names_are_told_apart_by_their_folders() {
    let tree = Tree::new();
    for split in ["train", "eval"] {
        tree.file(&format!("{split}/plugins/profile/{RUN}/a.xplane.pb"), b"");
    }
    tree.file("train/plugins/profile/other/a.xplane.pb", b"");
    let found = found(tree.path());
    let [eval, train] = [format!("eval/{RUN}"), format!("train/{RUN}")];
    assert_eq!(names(&found), [eval.as_str(), "other", train.as_str()]);
}

#[test]
fn names_stay_unique_however_alike_the_paths_are() {
    let tree = Tree::new();
    for path in ["a/x/run", "b/x/run", "c/run", "run", "a/run"] {
        tree.file(&format!("{path}/h.xplane.pb"), b"");
    }
    let zip = zip(&[("h.xplane.pb", b"z")], zip::CompressionMethod::Stored);
    tree.file("run.zip", &zip);
    let found = found(tree.path());
    let mut unique = names(&found);
    assert_eq!(unique.len(), 6);
    unique.dedup();
    assert_eq!(
        unique,
        ["a/run", "a/x/run", "b/x/run", "c/run", "run", "run.zip"]
    );
}

#[test]
fn one_file_of_any_name_and_compression() {
    let tree = Tree::new();
    let bytes = profile(5, 5_000);
    let cases = [
        ("host-0.xplane.pb", "host-0", bytes.clone(), Encoding::Plain),
        (
            "host-1.xplane.pb.gz",
            "host-1",
            gzip(&bytes),
            Encoding::Gzip,
        ),
        (
            "host-2.xplane.pb.zst",
            "host-2",
            zstd(&bytes),
            Encoding::Zstd,
        ),
        // Suffixes that do not match the contents.
        ("host-3.xplane.pb", "host-3", gzip(&bytes), Encoding::Gzip),
        (
            "host-4.xplane.pb.gz",
            "host-4",
            zstd(&bytes),
            Encoding::Zstd,
        ),
        (
            "host-5.xplane.pb.zst",
            "host-5",
            bytes.clone(),
            Encoding::Plain,
        ),
        ("capture.bin", "capture", bytes.clone(), Encoding::Plain),
        ("download", "download", gzip(&bytes), Encoding::Gzip),
    ];
    for (name, host, content, encoding) in cases {
        let found = found(tree.file(name, &content));
        assert_eq!(names(&found), [host], "{name}");
        let session = &found.sessions[0];
        assert_eq!(session.location, name);
        assert_eq!(found.root, tree.path());
        assert_eq!(hosts(session), [host]);
        assert_eq!(session.hosts[0].encoding, encoding, "{name}");
        assert_eq!(session.size_bytes, content.len() as u64);
        assert_eq!(bytes_of(&session.hosts[0]), bytes, "{name}");
    }
    // In a folder, files named like profiles are the hosts of one session.
    let session = &found(tree.path()).sessions[0];
    assert_eq!(
        hosts(session),
        ["host-0", "host-1", "host-2", "host-3", "host-4", "host-5"]
    );
}

#[test]
fn archives_of_every_format_hold_runs_and_log_directories() {
    let (first, second) = (profile(6, 70_000), profile(7, 3_000));
    let compressed = gzip(&second);
    let path = format!("logs/plugins/profile/{RUN}/");
    let names_in_log = [
        format!("{path}a.xplane.pb"),
        format!("{path}b.xplane.pb.gz"),
    ];
    let log = [
        (names_in_log[0].as_str(), first.as_slice()),
        (&names_in_log[1], &compressed),
    ];
    let run = [
        ("./a.xplane.pb", first.as_slice()),
        ("./b.xplane.pb.gz", &compressed),
    ];
    for (entries, expected_name, inside) in [
        (log, RUN, format!("/logs/plugins/profile/{RUN}")),
        (run, "kept", String::new()),
    ] {
        let stored = zip(&entries, zip::CompressionMethod::Stored);
        let deflated = zip(&entries, zip::CompressionMethod::Deflated);
        let tarred = tar(&entries);
        let cases = [
            ("kept.zip", stored.clone()),
            ("kept.zip", deflated),
            ("kept.tar", tarred.clone()),
            ("kept.tar.gz", gzip(&tarred)),
            ("kept.tgz", gzip(&tarred)),
            ("kept.tar.zst", zstd(&tarred)),
            ("kept.tgz", zstd(&tarred)),
            ("kept.tar", stored),
        ];
        for (name, content) in cases {
            let tree = Tree::new();
            let file = tree.file(name, &content);
            for path in [file.as_path(), tree.path()] {
                let found = found(path);
                assert_eq!(names(&found), [expected_name], "{name}");
                let session = &found.sessions[0];
                assert_eq!(session.location, format!("{name}{inside}"));
                assert_eq!(hosts(session), ["a", "b"]);
                assert_eq!(bytes_of(&session.hosts[0]), first, "{name}");
                assert_eq!(bytes_of(&session.hosts[1]), second, "{name}");
                assert_eq!(session.hosts[0].size_bytes, first.len() as u64);
                assert_eq!(found.notes, [], "{name}");
            }
        }
    }
}

#[test]
fn an_archive_is_known_by_content_when_given_by_name() {
    let tree = Tree::new();
    let tarred = tar(&[("run/a.xplane.pb", b"x")]);
    for (name, content) in [
        ("one", gzip(&tarred)),
        ("two.bin", zstd(&tarred)),
        ("three", tarred),
    ] {
        assert_eq!(names(&found(tree.file(name, &content))), ["run"], "{name}");
    }
}

#[test]
fn a_folder_of_everything() {
    let tree = Tree::new();
    tree.file("runs/plugins/profile/first/a.xplane.pb", b"");
    tree.file("loose.xplane.pb.gz", &gzip(b"x"));
    tree.file("second.tar.gz", &gzip(&tar(&[("a.xplane.pb", b"y")])));
    let two = [("x/a.xplane.pb", &b"1"[..]), ("y/a.xplane.pb", b"2")];
    tree.file("third.zip", &zip(&two, zip::CompressionMethod::Deflated));
    let found = found(tree.path());
    let folder = tree.path().canonicalize().unwrap();
    let mut expected = vec![folder.file_name().unwrap().to_str().unwrap()];
    expected.extend(["first", "second", "x", "y"]);
    expected.sort_unstable();
    let mut actual = names(&found);
    actual.sort_unstable();
    assert_eq!(actual, expected);
}

#[test]
fn times_of_archive_entries_are_kept() {
    let tree = Tree::new();
    let found = found(tree.file("run.tar", &tar(&[("run/a.xplane.pb", b"x")])));
    let expected = SystemTime::UNIX_EPOCH + Duration::from_secs(1_795_250_818);
    assert_eq!(found.sessions[0].modified, Some(expected));
}

#[test]
fn hosts_that_began_seconds_apart_are_one_session() {
    let tree = Tree::new();
    for (second, host) in [("58", "a"), ("59", "b"), ("57", "c")] {
        let path = format!("plugins/profile/2026_11_21_08_46_{second}/{host}.xplane.pb");
        tree.file(&path, host.as_bytes());
    }
    // Too late, and on the same host: separate captures.
    tree.file("plugins/profile/2026_11_21_08_47_01/d.xplane.pb", b"d");
    tree.file("plugins/profile/2026_11_21_08_47_02/d.xplane.pb", b"d");
    // The same second in another log directory.
    tree.file("eval/plugins/profile/2026_11_21_08_46_58/e.xplane.pb", b"e");
    let found = found(tree.path());
    let expected = [
        "2026_11_21_08_46_57",
        "2026_11_21_08_46_58",
        "2026_11_21_08_47_01",
        "2026_11_21_08_47_02",
    ];
    assert_eq!(names(&found), expected);
    let joined = &found.sessions[0];
    assert_eq!(hosts(joined), ["a", "b", "c"]);
    assert_eq!(
        joined.joined_from,
        [
            "2026_11_21_08_46_57",
            "2026_11_21_08_46_58",
            "2026_11_21_08_46_59"
        ]
    );
    assert_eq!(joined.size_bytes, 3);
    assert_eq!(bytes_of(&joined.hosts[1]), b"b");
    let notes = notes_of(&found, NoteKind::Joined);
    assert_eq!(notes.len(), 1);
    let text = notes[0].to_string();
    assert!(
        text.starts_with("joined: 2026_11_21_08_46_57 and 2026_11_21_08_46_58"),
        "{text}"
    );
    assert!(found.sessions[1].joined_from.is_empty());
}

#[test]
fn joining_crosses_midnight_and_works_in_archives() {
    let tree = Tree::new();
    let entries = [
        ("plugins/profile/2026_12_31_23_59_59/a.xplane.pb", &b"a"[..]),
        ("plugins/profile/2027_01_01_00_00_00/b.xplane.pb", b"b"),
    ];
    let found = found(tree.file("log.tar", &tar(&entries)));
    assert_eq!(names(&found), ["2026_12_31_23_59_59"]);
    assert_eq!(hosts(&found.sessions[0]), ["a", "b"]);
}
