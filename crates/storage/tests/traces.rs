//! Traces for viewers: where they are read, to which session they belong, and messages about the
//! others.

use crate::common::{Tree, found, gzip, hosts, names, notes_of, profile, tar, zip, zstd};
use stepscope_storage::{NoProgress, NoteKind, StorageError, find, open, open_all};

const TRACE: &[u8] = br#"[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}]"#;
const TWO_HOSTS: &[u8] = br#"{"traceEvents":[
    {"ph":"M","name":"process_name","pid":1,"args":{"name":"/host:CPU","host":"left"}},
    {"ph":"M","name":"process_name","pid":2,"args":{"name":"/host:CPU","host":"right"}},
    {"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2},
    {"ph":"X","name":"b","pid":2,"tid":1,"ts":1,"dur":2}]}"#;

#[test]
fn beside_a_profile_a_trace_is_named_and_left_out() {
    let tree = Tree::new();
    tree.file("plugins/profile/run/vm.xplane.pb", &profile(1, 100));
    tree.file("plugins/profile/run/vm.trace.json.gz", &gzip(TRACE));
    let found = found(tree.path());
    assert_eq!(hosts(&found.sessions[0]), ["vm"]);
    let notes = notes_of(&found, NoteKind::Ignored);
    assert_eq!(notes.len(), 1);
    assert!(notes[0].message.contains("has more"), "{}", notes[0]);
}

#[test]
fn traces_of_a_run_and_of_workers_are_hosts_others_are_sessions() {
    let tree = Tree::new();
    tree.file("plugins/profile/run/a.trace.json.gz", &gzip(TRACE));
    tree.file("plugins/profile/run/b.trace.json", TRACE);
    tree.file("plugins/profile/run/perfetto_trace.json.gz", &gzip(TRACE));
    tree.file("torch/node_1.1695.pt.trace.json", TRACE);
    tree.file("torch/node_2.1696.pt.trace.json.zst", &zstd(TRACE));
    tree.file("loose/first.trace.json", TRACE);
    tree.file("loose/second.trace.json", TRACE);
    tree.file("loose/third.json", TRACE);
    let found = found(tree.path());
    assert_eq!(names(&found), ["first", "run", "second", "torch"]);
    let of = |name: &str| hosts(found.session(name).unwrap());
    assert_eq!(of("run"), ["a", "b"]);
    assert_eq!(of("torch"), ["node_1", "node_2"]);
    assert_eq!(of("first"), ["first"]);
    assert!(found.path_of(found.session("second").unwrap()).is_file());
    let notes = notes_of(&found, NoteKind::Ignored);
    assert!(
        notes[0]
            .message
            .contains("the same capture as a.trace.json.gz")
    );
}

#[test]
fn traces_open_from_files_and_archives_alike() {
    let tree = Tree::new();
    let entries: &[(&str, &[u8])] = &[("run/vm.trace.json", TRACE)];
    let paths = [
        tree.file("plain/vm.trace.json", TRACE),
        tree.file("named/otherwise.json", TRACE),
        tree.file("gz/vm.trace.json.gz", &gzip(TRACE)),
        tree.file("a.tar", &tar(entries)),
        tree.file("b.tar.gz", &gzip(&tar(entries))),
        tree.file("c.zip", &zip(entries, zip::CompressionMethod::Deflated)),
        tree.file("d.zip", &zip(entries, zip::CompressionMethod::Stored)),
    ];
    let opened: Vec<Vec<u8>> = paths
        .iter()
        .map(|path| {
            let found = found(path);
            let bytes = open(&found.sessions[0].hosts[0], &NoProgress).unwrap();
            assert_eq!(bytes.truncated(), None);
            bytes.as_ref().to_vec()
        })
        .collect();
    assert!(
        opened
            .iter()
            .all(|bytes| *bytes == opened[0] && bytes[0] == 0x0a)
    );
}

#[test]
fn a_trace_of_several_hosts_gives_a_profile_of_each() {
    let tree = Tree::new();
    let found = found(tree.file("both.trace.json", TWO_HOSTS));
    let opened = open_all(&found.sessions[0].hosts[0], &NoProgress).unwrap();
    let names: Vec<_> = opened.iter().map(|host| host.name.as_deref()).collect();
    assert_eq!(names, [Some("left"), Some("right")]);
}

#[test]
fn what_only_looks_like_a_trace_says_what_it_is() {
    let tree = Tree::new();
    let path = tree.file("x.trace.json", b"{\"some\": \"settings\"}");
    let found = find(&path).unwrap();
    let error = open(&found.sessions[0].hosts[0], &NoProgress).unwrap_err();
    assert!(matches!(error, StorageError::NotATrace { .. }), "{error}");
}

#[test]
fn a_compressed_trace_that_is_cut_says_so() {
    let tree = Tree::new();
    let rows: Vec<String> = (0..20_000)
        .map(|index| {
            let (at, name) = (index * 10, index * 7919 % 1000);
            format!(r#"{{"ph":"X","pid":1,"tid":2,"ts":{at},"dur":5,"name":"op.{name}"}}"#)
        })
        .collect();
    let whole = gzip(format!(r#"{{"traceEvents":[{}]}}"#, rows.join(",")).as_bytes());
    let path = tree.file("vm.trace.json.gz", &whole[..whole.len() / 2]);
    let found = found(path);
    let opened = stepscope_storage::open(&found.sessions[0].hosts[0], &NoProgress).unwrap();
    let events = stepscope_model::remains::remains(opened.as_ref()).events;
    assert!(events > 5_000 && events < 15_000, "{events}");
    let told = opened.truncated().unwrap();
    assert!(
        told.starts_with("the gzip data is damaged or truncated after ")
            && told.ends_with("; what came before is shown"),
        "{told}"
    );
}
