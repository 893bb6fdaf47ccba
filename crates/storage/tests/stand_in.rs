//! If a profile is empty or truncated, the trace of the same host is shown if it contains more.

use crate::common::{Tree, found, gzip, notes_of};
use stepscope_model::Reads;
use stepscope_model::remains::remains;
use stepscope_storage::{NoProgress, NoteKind, OpenedHosts, open_hosts};

const RUN: &str = "log/plugins/profile/run";

/// A profile with this many events.
fn space(events: usize) -> Vec<u8> {
    let rows: Vec<String> = (0..events)
        .map(|index| format!("{}us+5us event.{index}\n", index * 10))
        .collect();
    let rows = rows.concat();
    let drawing = format!("thread python\n{rows}");
    stepscope_testing::drawing::draw(&drawing)
        .expect("a drawing")
        .to_bytes()
}

/// A trace with this many events, like JAX's.
fn trace(events: usize) -> Vec<u8> {
    let rows: Vec<String> = (0..events)
        .map(|index| {
            format!(
                r#"{{"ph":"X","pid":1,"tid":2,"ts":{},"dur":5,"name":"event.{index}"}}"#,
                index * 10
            )
        })
        .collect();
    let head = r#"{"ph":"M","pid":1,"name":"process_name","args":{"name":"/host:CPU"}},
        {"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"python"}}"#;
    gzip(format!(r#"{{"traceEvents":[{head},{}]}}"#, rows.join(",")).as_bytes())
}

fn opened(tree: &Tree, path: &str) -> OpenedHosts {
    let found = found(tree.at(path));
    assert_eq!(found.sessions.len(), 1);
    open_hosts(&found.sessions[0], Reads::Everything, |_| NoProgress)
}

/// Events of each host, and its messages.
fn hosts(opened: &OpenedHosts) -> Vec<(String, u64, String)> {
    let inputs = opened.inputs.iter();
    inputs
        .map(|input| {
            let events = remains((*input.bytes).as_ref()).events;
            (
                input.host.clone(),
                events,
                input.problem.clone().unwrap_or_default(),
            )
        })
        .collect()
}

#[test]
fn an_empty_profile_gives_way_and_the_wall_is_named() {
    let tree = Tree::new();
    tree.file(&format!("{RUN}/vm.xplane.pb"), b"");
    tree.file(&format!("{RUN}/vm.trace.json.gz"), &trace(7));
    // Whichever path is given.
    for path in ["log", &format!("{RUN}/vm.xplane.pb")] {
        let [(host, events, said)] = &hosts(&opened(&tree, path))[..] else {
            panic!("one host");
        };
        assert_eq!((host.as_str(), *events), ("vm", 7));
        for word in [
            "vm.xplane.pb is empty (0 bytes), so vm.trace.json.gz next to it is shown",
            "7 events",
            "no HLO programs",
            "2 GiB",
            "*.xplane.riegeli",
        ] {
            assert!(said.contains(word), "{word}: {said}");
        }
    }
    assert_eq!(notes_of(&found(tree.path()), NoteKind::Ignored).len(), 0);
}

#[test]
fn of_several_hosts_only_the_broken_one_gives_way() {
    let tree = Tree::new();
    for (host, profile) in [("a", space(3)), ("b", Vec::new()), ("c", space(4))] {
        tree.file(&format!("{RUN}/{host}.xplane.pb"), &profile);
        tree.file(&format!("{RUN}/{host}.trace.json.gz"), &trace(9));
    }
    let opened = opened(&tree, "log");
    let hosts = hosts(&opened);
    let events: Vec<(&str, u64)> = hosts
        .iter()
        .map(|(host, events, _)| (host.as_str(), *events))
        .collect();
    assert_eq!(events, [("a", 3), ("b", 9), ("c", 4)]);
    let said: Vec<bool> = hosts.iter().map(|(_, _, said)| said.is_empty()).collect();
    assert_eq!(said, [true, false, true]);
    let found = found(tree.path());
    let notes = notes_of(&found, NoteKind::Ignored);
    assert!(
        notes[0]
            .message
            .contains("2 files (a.trace.json.gz, c.trace.json.gz)"),
        "{}",
        notes[0]
    );
}

#[test]
fn of_a_profile_that_is_cut_the_one_that_holds_more_is_shown() {
    let whole = space(100);
    let at = |events| {
        let cut = (0..whole.len()).find(|&end| remains(&whole[..end]).events == events);
        whole[..cut.unwrap()].to_vec()
    };
    let tree = Tree::new();
    tree.file(&format!("{RUN}/vm.trace.json.gz"), &trace(50));
    let shown = |profile: Vec<u8>| {
        tree.file(&format!("{RUN}/vm.xplane.pb"), &profile);
        hosts(&opened(&tree, "log")).remove(0)
    };
    let (_, events, said) = shown(at(80));
    assert_eq!(events, 80);
    assert!(
        said.contains("is truncated after 80 of its events, but shown"),
        "{said}"
    );
    let (_, events, said) = shown(at(20));
    assert_eq!(events, 50);
    assert!(
        said.contains("is truncated after 20 of its events, so vm.trace.json.gz"),
        "{said}"
    );
    let (_, events, said) = shown(b"\x0a".to_vec());
    assert_eq!(events, 50);
    assert!(said.contains("has nothing that can be decoded"), "{said}");
    // Compressed ones too.
    let gzipped = gzip(&whole);
    tree.file(&format!("{RUN}/vm.xplane.pb"), &gzipped[..20]);
    assert_eq!(hosts(&opened(&tree, "log"))[0].1, 50);
    // A complete one is shown, however little it contains.
    assert_eq!(shown(space(2)), ("vm".to_owned(), 2, String::new()));
}

#[test]
fn a_trace_that_is_broken_too_changes_nothing() {
    let tree = Tree::new();
    tree.file(&format!("{RUN}/vm.xplane.pb"), b"");
    tree.file(&format!("{RUN}/vm.trace.json.gz"), b"no trace");
    let hosts = hosts(&opened(&tree, "log"));
    assert_eq!(hosts, [("vm".to_owned(), 0, String::new())]);
}
