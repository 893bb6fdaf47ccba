//! What is named like a file but is none: pipes, sockets, devices, links in a circle.
#![cfg(unix)]

use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc;
use std::time::Duration;

use stepscope_storage::{find, open_regular, read_text};

use crate::tree::{Tree, found, names, profile};

fn pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status();
    assert!(made.expect("mkfifo").success());
}

/// The answer, if it comes in time: a reader of a pipe without a writer waits forever.
fn in_time<T: Send + 'static>(ask: impl FnOnce() -> T + Send + 'static) -> T {
    let (answer, answered) = mpsc::channel();
    std::thread::spawn(move || answer.send(ask()));
    let waited = answered.recv_timeout(Duration::from_secs(10));
    waited.expect("it waits for a writer that never comes")
}

#[test]
fn a_pipe_a_socket_and_a_device_are_refused_by_kind() {
    let tree = Tree::new();
    pipe(&tree.at("pipe"));
    let _listening = UnixListener::bind(tree.at("socket")).expect("a socket");
    symlink("/dev/zero", tree.at("device")).expect("a link");
    symlink("pipe", tree.at("link")).expect("a link");
    for (name, expected) in [
        ("pipe", "it is a named pipe, not a file"),
        ("link", "it is a named pipe, not a file"),
        ("socket", "it is a socket, not a file"),
        ("device", "it is a device, not a file"),
    ] {
        let path = tree.at(name);
        let opened = in_time(move || open_regular(&path).map(|_| ()));
        assert_eq!(opened.expect_err(name).to_string(), expected);
        let path = tree.at(name);
        let read = in_time(move || read_text(&path, 1000));
        assert_eq!(read.expect_err(name).to_string(), expected);
        let path = tree.at(name);
        assert!(in_time(move || find(&path).is_err()), "{name}");
    }
}

#[test]
fn settings_of_any_size_are_not_read_into_memory() {
    let tree = Tree::new();
    let path = tree.file("large", &[b'#'; 2000]);
    let error = read_text(&path, 1999).expect_err("it is too large");
    assert_eq!(
        error.to_string(),
        "it has more than 1999 bytes, too many for such a file"
    );
    assert_eq!(read_text(&path, 2000).expect("it fits").len(), 2000);
}

#[test]
fn pipes_and_circles_beside_a_profile_are_passed_over() {
    let tree = Tree::new();
    let run = "log/plugins/profile/run";
    tree.file(&format!("{run}/vm.xplane.pb"), &profile(1, 1000));
    for name in [
        "other.xplane.pb",
        "vm.trace.json.gz",
        "vm.stepscope.json",
        "run.zip",
        "memory.prof",
        "a.hlo.pb",
        "results.json",
    ] {
        pipe(&tree.at(run).join(name));
    }
    symlink("circle", tree.at(run).join("circle")).expect("a link");
    symlink("b.xplane.pb", tree.at(run).join("c.xplane.pb")).expect("a link");
    symlink("c.xplane.pb", tree.at(run).join("b.xplane.pb")).expect("a link");
    symlink("..", tree.at(run).join("up")).expect("a link");
    symlink("/dev/zero", tree.at(run).join("zero.xplane.pb")).expect("a link");
    let log = tree.at("log");
    let there = in_time(move || found(log));
    assert_eq!(names(&there), ["run"]);
    assert_eq!(there.sessions[0].hosts.len(), 1);
    // Given by its own path, the profile looks for a manifest and a trace next to it.
    let file = tree.at(run).join("vm.xplane.pb");
    let there = in_time(move || found(file));
    assert_eq!(there.sessions[0].hosts.len(), 1);
    let session = there.sessions[0].clone();
    let opened = in_time(move || {
        stepscope_storage::open_hosts(&session, stepscope_model::Reads::Everything, |_| {
            stepscope_storage::NoProgress
        })
    });
    assert_eq!(opened.inputs.len(), 1);
}
