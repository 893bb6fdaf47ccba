//! Ranges of files say what the whole session says, or that they need all files.

use stepscope_testing::corpus;
use stepscope_testing::drawing::draw;

use super::range::{ingest_range, survey_range};
use super::round_tests::{DRAWN, inputs};
use super::{HOSTS_KEPT, ingest_in_rounds};
use crate::frame::{Frames, RangeFacts, framed};
use crate::ids::{DeviceId, HostId, LabelId};
use crate::session::Session;

fn drawn(hosts: &[&str]) -> Vec<Vec<u8>> {
    let bytes = |text: &&str| draw(text).expect("a drawing").to_bytes();
    hosts.iter().map(bytes).collect()
}

/// The frames of ranges of this many files.
fn frames_of(files: &[Vec<u8>], each: usize) -> Option<Frames> {
    let inputs = inputs(files);
    let facts = inputs.chunks(each).map(survey_range);
    framed(&facts.collect::<Vec<RangeFacts>>())
}

/// Compares ranges of this many files with the whole session. False if they need all files.
#[track_caller]
fn are_same(name: &str, files: &[Vec<u8>], each: usize) -> bool {
    let Some(frames) = frames_of(files, each) else {
        return false;
    };
    let whole = ingest_in_rounds("run", inputs(files), HOSTS_KEPT).expect("a session");
    let mut ranges = Vec::new();
    for (inputs, frame) in inputs(files).chunks(each).zip(&frames.ranges) {
        let session = ingest_range("run", inputs, frame).expect("the same files");
        ranges.extend(told(&session, &frames));
    }
    let whole = told(&whole, &frames);
    let differing = whole.iter().zip(&ranges).find(|(a, b)| a != b);
    assert_eq!(differing, None, "{name}, {each} files each");
    assert_eq!(whole.len(), ranges.len(), "{name}, {each} files each");
    true
}

/// What tables say of tracks and slices, host by host.
fn told(session: &Session, frames: &Frames) -> Vec<String> {
    let mut told = Vec::new();
    let of_label = |id: LabelId| {
        let label = session.label(id);
        let op = label.op.filter(|_| frames.are_ops_known);
        let op = op.map(|id| session.op(id));
        let op =
            op.map(|op| [op.name, op.category, op.scope, op.source].map(|id| session.text(id)));
        let program = label.program.filter(|_| frames.are_ops_known);
        let program = program.map(|id| session.program(id).title());
        let class = Some(label.class).filter(|_| frames.are_ops_known);
        (session.text(label.name), label.kind, class, op, program)
    };
    for id in session.track_ids() {
        let track = session.track(id);
        let (host, device) = (track.host, track.device);
        let at = (
            &session.host(host).name,
            device.map(|id| session.device_title(id)),
        );
        let name = (
            session.track_number(id),
            session.text(track.name),
            track.role,
        );
        told.push(format!(
            "{at:?} {name:?} {:?} {:?}",
            track.nests, track.samples
        ));
        for lane in &track.lanes {
            let labels: Vec<_> = lane.labels().iter().map(|&label| of_label(label)).collect();
            told.push(format!(
                "{:?} {:?} {labels:?}",
                lane.starts(),
                lane.durations()
            ));
        }
        if frames.are_steps_known {
            told.push(format!("{:?}", steps(session, host, device)));
        }
    }
    told
}

fn steps(session: &Session, host: HostId, device: Option<DeviceId>) -> Vec<String> {
    let seen = session.steps.iter().filter_map(|step| {
        let on = step.seen_from(host, device)?;
        Some(format!("{} {:?}", step.number, on.span))
    });
    seen.collect()
}

/// Each capture with its first host once more, so that even a single host has two ranges.
#[test]
fn recorded_hosts() {
    let captures = corpus::fixtures().into_iter().chain(corpus::captures());
    let (mut same, mut all) = (Vec::new(), 0);
    for capture in captures {
        let hosts = capture.hosts.iter().chain(capture.hosts.first());
        let files: Vec<_> = hosts
            .map(|host| corpus::read_bytes(host).expect("readable"))
            .collect();
        all += 1;
        same.extend(are_same(&capture.name, &files, 1).then_some(capture.name));
    }
    assert!(same.len() * 10 >= all * 9, "of {all}, only {same:?} divide");
}

#[test]
fn hosts_whose_clocks_and_steps_differ() {
    let hosts = drawn(&DRAWN);
    for each in [1, 2] {
        assert!(are_same("clocks", &hosts, each));
    }
    assert!(frames_of(&hosts, 1).is_some_and(|frames| frames.are_steps_known));
}

#[test]
fn a_file_that_is_no_profile_among_others() {
    let profile = drawn(&["thread a/1\n  0..10us x"]).remove(0);
    let files = [Vec::new(), profile.clone(), b"text".to_vec(), profile];
    assert!(are_same("some profiles", &files, 1));
    assert_eq!(frames_of(&[Vec::new(), b"text".to_vec()], 1), None);
}

#[test]
fn other_files_than_those_of_the_frame_are_noticed() {
    let files = drawn(&[
        "environment [profile_start_time=1700000000000005000]\nthread a/1\n  0..10us x",
        "environment [profile_start_time=1700000000000000000]\nthread a/1\n  0..10us x",
        "environment [profile_start_time=1600000000000000000]\nthread a/1\n  0..10us x",
        "environment [profile_start_time=1700000000000005000]\nthread a/1\n  0..10us x
         thread b/2\n  0..10us x",
    ]);
    let frames = frames_of(&files[..2], 1).expect("frames");
    let is_taken = |file: usize| {
        let inputs = inputs(&files[file..=file]);
        ingest_range("run", &inputs, &frames.ranges[0]).is_some()
    };
    assert_eq!([0, 2, 3].map(is_taken), [true, false, false]);
}
