//! Whatever is ignored, unreadable, or out of bounds is named with its reason; if nothing is found,
//! the message says what is there instead.

use std::fs;
use std::path::Path;

use crate::common::{Tree, bytes_of, found, gzip, hosts, names, notes_of, profile, tar, zip};
use stepscope_storage::{Limits, NoteKind, StorageError, find, find_within};

/// The error's sentence without the path, and its hint.
fn refusal(path: &Path) -> (String, String) {
    let error = find(path).expect_err("this path has no profile");
    let text = error.to_string();
    let path = error.path().display().to_string();
    let text = text
        .strip_suffix(&format!(": {path}"))
        .expect("the path comes last");
    (text.to_owned(), error.hint().expect("what to do is said"))
}

#[test]
fn files_beside_a_profile_are_named_with_the_reason() {
    let tree = Tree::new();
    let run = "plugins/profile/run";
    let names = [
        "a.op_stats_v2.pb",
        "ALL_HOSTS.op_stats_v2.pb",
        "a.dcn_collective_stats.pb",
        "a.smart_suggestion.pb",
        "a.SSTABLE",
        ".metadata.SSTABLE",
        ".trie.SSTABLE",
        "NO_MODULE.hlo_proto.pb",
        "cache_version.txt",
        ".cached_tools.json",
        "a.trace.json.gz",
        "perfetto_trace.json.gz",
        "jit_f.hlo_proto.pb",
        "a.xplane.riegeli",
        "readme.txt",
        "._a.xplane.pb",
        "b.xplane.pb.xz",
    ];
    for name in names.iter().chain(&["a.xplane.pb"]) {
        tree.file(&format!("{run}/{name}"), b"x");
    }
    tree.file("memory.prof", b"x");
    tree.file("train.py", b"x");
    let found = found(tree.path());
    assert_eq!(hosts(&found.sessions[0]), ["a"]);
    let notes: Vec<String> = found
        .notes
        .iter()
        .map(|note| {
            note.to_string()
                .replace(&tree.path().display().to_string(), "LOG")
        })
        .collect();
    let expected = [
        "unreadable: named like a memory profile, but its content is not one in pprof's format: \
         LOG/memory.prof",
        "ignored: 10 files (.cached_tools.json, .metadata.SSTABLE, .trie.SSTABLE, \
         ALL_HOSTS.op_stats_v2.pb, NO_MODULE.hlo_proto.pb, a.SSTABLE and 4 more), each a cache \
         of another tool: LOG/plugins/profile/run",
        "ignored: 2 files (a.trace.json.gz, perfetto_trace.json.gz), each a trace viewer's copy \
         of a capture; the *.xplane.pb next to it has more: LOG/plugins/profile/run",
        "ignored: a hidden file: macOS metadata or an unfinished copy: \
         LOG/plugins/profile/run/._a.xplane.pb",
        "ignored: the same host as a.xplane.pb, which is used: \
         LOG/plugins/profile/run/a.xplane.riegeli",
        "ignored: unsupported compression; decompress it, or use gzip or zstd: \
         LOG/plugins/profile/run/b.xplane.pb.xz",
        "ignored: the HLO of one program; a capture has its own: \
         LOG/plugins/profile/run/jit_f.hlo_proto.pb",
        "ignored: not named like a profile: LOG/plugins/profile/run/readme.txt",
    ];
    assert_eq!(notes, expected);
}

#[test]
fn what_every_capture_has_is_said_once() {
    let tree = Tree::new();
    for run in 0..5 {
        tree.file(&format!("plugins/profile/{run}/vm.xplane.pb"), b"x");
        tree.file(&format!("plugins/profile/{run}/vm.trace.json.gz"), b"x");
    }
    let notes: Vec<String> = found(tree.path())
        .notes
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(
        notes[0].contains("has more, and so in 4 more places: "),
        "{notes:?}"
    );
    assert!(notes[0].ends_with("0/vm.trace.json.gz"), "{notes:?}");
}

#[test]
fn a_host_found_twice_is_taken_once() {
    let tree = Tree::new();
    tree.file("a.xplane.pb", b"plain");
    tree.file("a.xplane.pb.gz", &gzip(b"plain"));
    tree.file("b.xplane.pb", b"");
    tree.file("b.xplane.pb.gz", &gzip(b"whole"));
    let found = found(tree.path());
    assert_eq!(hosts(&found.sessions[0]), ["a", "b"]);
    assert_eq!(found.sessions[0].hosts[0].path, tree.at("a.xplane.pb"));
    assert_eq!(
        bytes_of(&found.sessions[0].hosts[1]),
        b"whole",
        "an empty file gives way"
    );
    let notes = notes_of(&found, NoteKind::Ignored);
    assert_eq!(notes.len(), 2);
    assert_eq!(notes[0].path, tree.at("a.xplane.pb.gz"));
    assert_eq!(
        notes[0].message,
        "the same host as a.xplane.pb, which is used"
    );
}

#[test]
fn the_later_of_two_equal_archive_entries_counts() {
    let tree = Tree::new();
    let entries = [("a.xplane.pb", &b"old"[..]), ("a.xplane.pb", b"new")];
    let found = found(tree.file("run.tar", &tar(&entries)));
    assert_eq!(bytes_of(&found.sessions[0].hosts[0]), b"new");
}

#[test]
fn hidden_and_package_folders_are_skipped() {
    let tree = Tree::new();
    for folder in [".git", ".cache/deep", "node_modules/x", "__MACOSX", "run"] {
        tree.file(&format!("{folder}/a.xplane.pb"), b"x");
    }
    assert_eq!(names(&found(tree.path())), ["run"]);
    // A folder given by its own path is searched, whatever its name.
    assert_eq!(names(&found(tree.at(".cache"))), ["deep"]);
}

#[test]
fn an_empty_folder_says_so() {
    let tree = Tree::new();
    tree.folder("a/b");
    let (text, hint) = refusal(tree.path());
    assert_eq!(
        text,
        "no profile found: looked in 3 folders; found no files at all"
    );
    assert!(hint.contains("jax.profiler.trace"), "{hint}");
}

#[test]
fn a_wrong_folder_says_what_is_there() {
    let tree = Tree::new();
    for host in ["a", "b", "c"] {
        tree.file(&format!("plugins/profile/run/{host}.trace.json.gz"), b"x");
    }
    tree.file("events.out.tfevents.1.host", b"x");
    tree.file("train.py", b"x");
    tree.folder(".git");
    let (text, hint) = refusal(tree.path());
    assert_eq!(
        text,
        "no profile found: looked in 4 folders (not in 1 hidden or package folder); found 3 \
         viewer traces, 1 TensorBoard event file, 1 other file, no *.xplane.pb"
    );
    assert!(hint.contains("*.xplane.pb"), "{hint}");
    let StorageError::NoProfiles { notes, .. } = find(tree.path()).unwrap_err() else {
        panic!()
    };
    assert_eq!(notes.len(), 1);
    assert!(
        notes[0]
            .message
            .contains("3 files (a.trace.json.gz, b.trace.json.gz")
    );
}

#[test]
fn an_archive_without_profiles_says_what_it_holds() {
    let tree = Tree::new();
    let path = tree.file(
        "data.tar",
        &tar(&[("x/examples.riegeli", b"x"), ("y.txt", b"y")]),
    );
    let (text, hint) = refusal(&path);
    assert_eq!(
        text,
        "no profile found: looked in 1 archive; found 1 *.riegeli, 1 other file, no *.xplane.pb"
    );
    assert!(hint.contains("*.xplane.riegeli"), "{hint}");
}

#[test]
fn files_that_are_no_profiles_are_sent_elsewhere() {
    let tree = Tree::new();
    let cases = [
        (
            "a.trace.json.gz",
            gzip(b"hello"),
            "a file named like a trace, but not a trace",
            "the same directory",
        ),
        (
            "a.op_stats_v2.pb",
            b"x".to_vec(),
            "a cache of another tool",
            "made from",
        ),
        (
            "a.xplane.pb.xz",
            b"\xfd7zXZ\0\0\0".to_vec(),
            "xz data",
            "decompress it first",
        ),
        (
            "pointer.xplane.pb",
            b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n".to_vec(),
            "a Git LFS pointer",
            "git lfs pull",
        ),
    ];
    for (name, content, what, advice) in cases {
        let folder = tree.folder(what);
        let path = folder.join(name);
        fs::write(&path, content).unwrap();
        let (text, hint) = refusal(&path);
        let expected =
            format!("no profile found: looked at one file; found {what}, no *.xplane.pb");
        assert_eq!(text, expected);
        assert!(hint.contains(advice), "{name}: {hint}");
    }
    tree.file("run/a.xplane.pb", b"x");
    let (_, hint) = refusal(&tree.file("run/a.trace.json.gz", b"x"));
    let sibling = tree.at("run/a.xplane.pb");
    assert_eq!(
        hint,
        format!(
            "the capture itself is next to it: open {}",
            sibling.display()
        )
    );
}

#[test]
fn a_path_that_does_not_exist_says_what_does() {
    let tree = Tree::new();
    tree.file("logs/train/x", b"");
    tree.file("logs/eval/x", b"");
    let error = find(&tree.at("logs/trian/plugins")).unwrap_err();
    assert!(matches!(error, StorageError::NotFound { .. }));
    let (text, hint) = refusal(&tree.at("logs/trian/plugins"));
    assert_eq!(text, "no such file or folder");
    assert_eq!(
        hint,
        format!(
            "{} exists and contains eval, train",
            tree.at("logs").display()
        )
    );
    assert!(matches!(
        find(&tree.at("logs/eval/x/below-a-file")).unwrap_err(),
        StorageError::NotFound { .. }
    ));
}

#[cfg(unix)]
#[test]
fn links_are_followed_once_and_never_in_circles() {
    use std::os::unix::fs::symlink;
    let tree = Tree::new();
    let elsewhere = Tree::new();
    elsewhere.file("far/a.xplane.pb", b"far");
    tree.file("log/plugins/profile/run/a.xplane.pb", b"near");
    symlink("run", tree.at("log/plugins/profile/latest")).unwrap();
    symlink(tree.at("log"), tree.at("log/plugins/loop")).unwrap();
    symlink(tree.path(), tree.at("log/up")).unwrap();
    symlink(elsewhere.path(), tree.at("log/elsewhere")).unwrap();
    symlink(tree.at("log"), elsewhere.at("back")).unwrap();
    symlink("self", tree.at("log/self")).unwrap();
    symlink("nothing", tree.at("log/gone.xplane.pb")).unwrap();
    symlink(
        "plugins/profile/run/a.xplane.pb",
        tree.at("log/again.xplane.pb"),
    )
    .unwrap();
    let found = found(tree.at("log"));
    assert_eq!(names(&found), ["far", "run"]);
    assert_eq!(found.sessions[0].location, "elsewhere/far");
    assert_eq!(bytes_of(&found.sessions[0].hosts[0]), b"far");
    let reason = |name: &str| {
        let note = found
            .notes
            .iter()
            .find(|note| note.path.ends_with(name))
            .unwrap();
        (note.kind, note.message.as_str())
    };
    let searched = (
        NoteKind::Ignored,
        "a link to a folder that is already searched",
    );
    assert_eq!(reason("latest"), searched);
    assert_eq!(reason("loop"), searched);
    assert_eq!(reason("back"), searched);
    assert_eq!(
        reason("up"),
        (
            NoteKind::Ignored,
            "a link to a folder that contains the searched one"
        )
    );
    assert_eq!(
        reason("gone.xplane.pb"),
        (NoteKind::Unreadable, "a link that leads nowhere")
    );
    assert_eq!(
        reason("again.xplane.pb"),
        (NoteKind::Ignored, "a link to a file that is already listed")
    );
    let (kind, message) = reason("self");
    assert_eq!(kind, NoteKind::Unreadable);
    assert!(
        message.starts_with("a link that cannot be followed"),
        "{message}"
    );
    assert_eq!(found.notes.len(), 7);
}

#[cfg(unix)]
#[test]
fn what_may_not_be_read_is_named() {
    use std::os::unix::fs::PermissionsExt as _;
    let tree = Tree::new();
    let secret = tree.file("run/secret.xplane.pb", &profile(1, 10));
    let folder = tree.folder("locked");
    tree.file("run/open.xplane.pb", &profile(2, 10));
    let forbid = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    forbid(&secret, 0o000);
    forbid(&folder, 0o000);
    if fs::File::open(&secret).is_ok() {
        println!("skipped: this user may read everything");
        forbid(&folder, 0o755);
        return;
    }
    let result = find(tree.path());
    let alone = find(&secret);
    let inside = find(&folder);
    forbid(&folder, 0o755);
    let found = result.unwrap();
    assert_eq!(hosts(&found.sessions[0]), ["open"]);
    let notes = notes_of(&found, NoteKind::Unreadable);
    let expected = [
        (folder.as_path(), "permission denied"),
        (&secret, "permission denied"),
    ];
    let actual: Vec<_> = notes
        .iter()
        .map(|n| (n.path.as_path(), n.message.as_str()))
        .collect();
    assert_eq!(actual, expected);
    let error = alone.unwrap_err();
    assert!(matches!(error, StorageError::Io { .. }));
    assert!(error.hint().unwrap().contains("chmod"));
    assert!(matches!(inside.unwrap_err(), StorageError::Io { .. }));
}

/// The process's own memory is a file that opens but cannot be read at its start, for any user.
#[cfg(target_os = "linux")]
#[test]
fn a_profile_that_fails_to_read_is_named() {
    let tree = Tree::new();
    std::os::unix::fs::symlink("/proc/self/mem", tree.at("a.xplane.pb")).unwrap();
    let (text, hint) = refusal(tree.path());
    assert_eq!(
        text,
        "no profile found: looked in 1 folder; found 1 unreadable, no *.xplane.pb"
    );
    assert!(hint.contains("notes"), "{hint}");
    let StorageError::NoProfiles { notes, .. } = find(tree.path()).unwrap_err() else {
        panic!()
    };
    assert_eq!(notes[0].kind, NoteKind::Unreadable);
    assert!(
        notes[0].message.contains("Input/output error"),
        "{}",
        notes[0]
    );
}

#[cfg(unix)]
#[test]
fn pipes_are_not_waited_for() {
    let tree = Tree::new();
    let pipe = tree.at("a.xplane.pb");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    if !made.is_ok_and(|status| status.success()) {
        println!("skipped: no mkfifo here");
        return;
    }
    tree.file("b.xplane.pb", b"x");
    assert_eq!(hosts(&found(tree.path()).sessions[0]), ["b"]);
    assert!(matches!(find(&pipe).unwrap_err(), StorageError::Io { .. }));
}

#[test]
fn a_search_is_bounded_and_says_where_it_stopped() {
    let tree = Tree::new();
    tree.file("a/run/a.xplane.pb", b"x");
    tree.file("b/c/d/e/f/run/a.xplane.pb", b"x");
    let depth = Limits {
        max_depth: 3,
        ..Limits::default()
    };
    let found = find_within(tree.path(), &depth).unwrap();
    assert_eq!(found.sessions.len(), 1);
    let notes = notes_of(&found, NoteKind::Limit);
    assert_eq!(notes.len(), 1);
    assert!(
        notes[0].message.contains("more than 3 levels down"),
        "{}",
        notes[0]
    );

    for index in 0..50 {
        tree.file(&format!("z/{index}.txt"), b"");
    }
    // A large folder uses half of what is left, and the search continues next to it.
    let count = Limits {
        max_entries: 20,
        ..Limits::default()
    };
    let found = find_within(tree.path(), &count).unwrap();
    assert_eq!(found.sessions.len(), 2);
    let notes = notes_of(&found, NoteKind::Limit);
    assert_eq!(notes.len(), 1);
    assert_eq!(notes[0].path, tree.at("z"));
    assert!(
        notes[0]
            .message
            .starts_with("only 8 of its files and folders"),
        "{}",
        notes[0]
    );

    let few = Limits {
        max_entries: 12,
        ..Limits::default()
    };
    let found = find_within(tree.path(), &few).unwrap();
    assert_eq!(names(&found), ["run"], "near folders are searched first");
    let notes = notes_of(&found, NoteKind::Limit);
    let paths: Vec<&Path> = notes.iter().map(|note| note.path.as_path()).collect();
    assert_eq!(paths, [tree.at("b/c/d/e"), tree.at("z")]);
    assert!(
        notes[0]
            .message
            .contains("stopped here after 12 files and folders"),
        "{}",
        notes[0]
    );

    tree.file("plugins/profile/likely/a.xplane.pb", b"x");
    let found = find_within(tree.path(), &few).unwrap();
    assert!(
        names(&found).contains(&"likely"),
        "captures come before checkpoints: {found:?}"
    );

    let none = Limits {
        max_depth: 0,
        ..Limits::default()
    };
    let error = find_within(tree.path(), &none).unwrap_err();
    assert!(
        error.to_string().contains("until a limit was reached"),
        "{error}"
    );
    assert!(error.hint().unwrap().contains("further down"));
}

#[test]
fn listing_a_compressed_tar_is_bounded_in_a_folder() {
    let tree = Tree::new();
    let large = profile(1, 2 << 20);
    let entries = [
        ("run/a.xplane.pb", b"a".as_slice()),
        ("data", &large),
        ("z.xplane.pb", b"z"),
    ];
    let path = tree.file("big.tar.gz", &gzip(&tar(&entries)));
    let limits = Limits {
        max_listing_bytes: 1 << 20,
        ..Limits::default()
    };
    let found = find_within(tree.path(), &limits).unwrap();
    assert_eq!(names(&found), ["run"]);
    let notes = notes_of(&found, NoteKind::Limit);
    assert_eq!(notes.len(), 1);
    assert!(
        notes[0].message.contains("decompressed to list it"),
        "{}",
        notes[0]
    );
    assert_eq!(
        find_within(&path, &limits).unwrap().sessions.len(),
        2,
        "given by name: no bound"
    );
}

#[test]
fn broken_archives_are_named_and_do_not_hide_the_rest() {
    let tree = Tree::new();
    tree.file("run/a.xplane.pb", b"x");
    tree.file("page.zip", b"<html>not found</html>");
    let whole = zip(
        &[("a.xplane.pb", &profile(1, 9_000))],
        zip::CompressionMethod::Deflated,
    );
    tree.file("short.zip", &whole[..whole.len() / 2]);
    tree.file("empty.tar.gz", b"");
    let found = found(tree.path());
    assert_eq!(names(&found), ["run"]);
    let names: Vec<_> = notes_of(&found, NoteKind::Unreadable)
        .iter()
        .map(|note| note.path.file_name().unwrap().to_str().unwrap())
        .collect();
    assert_eq!(names, ["empty.tar.gz", "page.zip", "short.zip"]);
    for name in ["page.zip", "short.zip", "empty.tar.gz"] {
        let error = find(&tree.at(name)).unwrap_err();
        assert!(
            matches!(error, StorageError::Corrupt { .. }),
            "{name}: {error}"
        );
        assert!(error.hint().is_some());
    }
}
