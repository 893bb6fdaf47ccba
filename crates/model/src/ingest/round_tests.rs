//! However many hosts are decoded at a time, the session is the same.

use std::sync::Arc;

use stepscope_testing::corpus;
use stepscope_testing::drawing::draw;

use super::assemble::assemble;
use super::input::HostInput;
use crate::session::Session;

/// Hosts whose clocks differ, one of which was never set, of different contents.
pub(super) const DRAWN: [&str; 3] = [
    "environment [profile_start_time=1700000000000005000]
     thread a/1
       0..10us x
       10us..30us PjitFunction(step)",
    "environment [profile_start_time=1700000000000000000]
     device tpu:0 v6e
     line Steps
       0..10us 0
       10us..20us 1",
    "environment [profile_start_time=5000]
     thread a/1
       0..10us y",
];

/// Each file as a host of its own.
pub(super) fn inputs(files: &[Vec<u8>]) -> Vec<HostInput> {
    let input = |(position, bytes): (usize, &Vec<u8>)| HostInput {
        host: format!("host{position}"),
        bytes: Arc::new(bytes.clone()),
        problem: None,
    };
    files.iter().enumerate().map(input).collect()
}

#[track_caller]
fn assert_same(name: &str, files: &[Vec<u8>]) {
    let inputs = inputs(files);
    let session = |at_once| assemble("run", &inputs, at_once).expect("profiles");
    let whole = told(&session(usize::MAX));
    for at_once in [1, 2] {
        let rounds = told(&session(at_once));
        let differing = whole.iter().zip(&rounds).find(|(a, b)| a != b);
        assert_eq!(differing, None, "{name}, {at_once} at a time");
        assert_eq!(whole.len(), rounds.len(), "{name}, {at_once} at a time");
    }
}

#[test]
fn drawn_hosts() {
    let drawn = DRAWN.map(|text| draw(text).expect("a drawing").to_bytes());
    assert_same("drawn", &drawn);
}

/// Each capture with its first host once more, so that even a single host takes two rounds.
#[test]
fn recorded_hosts() {
    let captures = corpus::fixtures().into_iter().chain(corpus::captures());
    for capture in captures {
        let hosts = capture.hosts.iter().chain(capture.hosts.first());
        let files = hosts.map(|host| corpus::read_bytes(host).expect("readable"));
        assert_same(&capture.name, &files.collect::<Vec<_>>());
    }
}

#[test]
fn a_file_that_is_no_profile_among_others() {
    let profile = draw(DRAWN[0]).expect("a drawing").to_bytes();
    let files = vec![Vec::new(), profile.clone(), b"text".to_vec(), profile];
    assert_same("some profiles", &files);
}

/// Everything in a session, with names instead of numbers where those depend on the order in which
/// names are first seen.
fn told(session: &Session) -> Vec<String> {
    let mut told = vec![format!("{:?}", session.epoch_ns)];
    told.extend(session.hosts.iter().map(|host| {
        let (name, facts) = (&host.name, &host.facts);
        let (offset, epoch) = (host.offset, host.profile_epoch_ns);
        format!("{name} {offset:?} {epoch:?} {facts:?} {}", host.event_count)
    }));
    told.extend(session.devices.iter().map(|device| format!("{device:?}")));
    let programs = session.programs.iter();
    told.extend(programs.map(|program| format!("{} {}", program.title(), program.hlo.is_some())));
    told.extend(session.program_runs.iter().map(|run| format!("{run:?}")));
    told.extend(session.steps.iter().map(|step| format!("{step:?}")));
    told.extend(
        session
            .warnings
            .iter()
            .map(|warning| format!("{warning:?}")),
    );
    told.extend(session.ops.iter().map(|op| {
        let texts = [op.name, op.category, op.scope].map(|text| session.text(text));
        format!("{:?} {texts:?} {:?}", op.program, op.cost)
    }));
    told.extend(session.graphs.iter().map(|graph| {
        let name = session.text(graph.name);
        let (device, program, launches) = (graph.device, graph.program, graph.launches);
        let (found, open) = (&graph.found, &graph.open);
        format!("{device:?} {program:?} {name} {launches} {found:?} {open:?}")
    }));
    for id in session.track_ids() {
        let track = session.track(id);
        let (name, role) = (session.text(track.name), track.role);
        told.push(format!(
            "{name} {role:?} {:?} {:?}",
            track.host, track.device
        ));
        told.push(format!("{:?} {:?}", track.nests, track.samples));
        for lane in &track.lanes {
            let labels = lane.labels().iter().map(|&label| {
                let label = session.label(label);
                let op = label.op.map(|op| session.text(session.op(op).name));
                let (how, class) = (label.attribution, label.class);
                (session.text(label.name), op, how, class, label.activity)
            });
            told.push(format!("{:?}", labels.collect::<Vec<_>>()));
            told.push(format!("{:?} {:?}", lane.starts(), lane.durations()));
        }
    }
    for host in session.host_ids() {
        let flows = session.flows_of(host);
        told.extend(flows.all().iter().map(|flow| format!("{flow:?}")));
    }
    told
}
