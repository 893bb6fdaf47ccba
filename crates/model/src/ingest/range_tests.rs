//! Ranges of files say what the whole session says, or that they need all files.

use stepscope_testing::corpus;
use stepscope_testing::drawing::draw;

use super::range::{ingest_range, survey_range, survey_starts};
use super::round_tests::{DRAWN, inputs};
use super::{HOSTS_KEPT, ingest_in_rounds};
use crate::frame::{Frame, Frames, Known, RangeError, RangeFacts, framed, framed_by_starts};
use crate::ids::{DeviceId, HostId, LabelId};
use crate::program::Program;
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
    let (mut ranges, mut programs) = (Vec::new(), Vec::new());
    for (inputs, frame) in inputs(files).chunks(each).zip(&frames.ranges) {
        let session = ingest_range("run", inputs, frame).expect("the same files");
        ranges.extend(told(&session, &frames));
        programs.extend(told_programs(&session));
    }
    programs.sort();
    let mut expected = told_programs(&whole);
    expected.sort();
    assert_eq!(programs, expected, "{name}, {each} files each");
    check_starts(name, &whole, files, each);
    let whole = told(&whole, &frames);
    let differing = whole.iter().zip(&ranges).find(|(a, b)| a != b);
    assert_eq!(differing, None, "{name}, {each} files each");
    assert_eq!(whole.len(), ranges.len(), "{name}, {each} files each");
    true
}

/// Programs that no range before has.
fn told_programs(session: &Session) -> Vec<(String, Option<usize>)> {
    let had = session.frame.as_ref().map(|frame| &frame.had_programs);
    let is_new = |id: u64, name: &String| {
        let is_had = |own: &(u64, String)| (own.0, &own.1) == (id, name);
        !had.is_some_and(|had| had.iter().any(is_had))
    };
    let programs = session.programs.iter();
    let programs = programs.filter(|own| is_new(own.id, &own.name));
    let count = |own: &Program| own.hlo.as_ref().map(|hlo| hlo.instructions().len());
    programs.map(|own| (own.title(), count(own))).collect()
}

/// Compares ranges of which less is known with the whole session: without what they do not know, they
/// say the same, or that they know too little.
#[track_caller]
fn check_starts(name: &str, whole: &Session, files: &[Vec<u8>], each: usize) {
    let inputs = inputs(files);
    let facts: Vec<RangeFacts> = inputs.chunks(each).map(survey_starts).collect();
    let starts = framed_by_starts(&facts).expect("profiles");
    for frame in [starts, Frame::unknown(inputs.len())] {
        let mut ranges = Vec::new();
        for inputs in inputs.chunks(each) {
            match ingest_range("run", inputs, &frame) {
                Ok(session) => ranges.extend(told_of_hosts(&session, frame.known)),
                Err(error) => return assert_eq!(error, RangeError::TooLittleKnown, "{name}"),
            }
        }
        let whole = told_of_hosts(whole, frame.known);
        let differing = whole.iter().zip(&ranges).find(|(a, b)| a != b);
        assert_eq!(
            differing, None,
            "{name}, {each} files each, {:?}",
            frame.known
        );
        assert_eq!(whole.len(), ranges.len(), "{name}, {each} files each");
    }
}

/// What tables say of tracks and slices that needs nothing of other hosts, but when they began.
fn told_of_hosts(session: &Session, known: Known) -> Vec<String> {
    let mut told = Vec::new();
    for id in session.track_ids() {
        let track = session.track(id);
        let host = &session.host(track.host).name;
        let device = track.device.map(|id| session.device_title(id));
        let name = (session.text(track.name), track.role, track.line_id);
        told.push(format!("{host} {device:?} {name:?} {:?}", track.nests));
        for lane in &track.lanes {
            let of_label = |id: &LabelId| {
                let label = session.label(*id);
                (session.text(label.name), label.kind)
            };
            let labels: Vec<_> = lane.labels().iter().map(of_label).collect();
            told.push(format!("{:?} {labels:?}", lane.durations()));
            if known >= Known::Starts {
                told.push(format!("{:?}", lane.starts()));
            }
        }
    }
    told
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
        match ingest_range("run", &inputs, &frames.ranges[0]) {
            Ok(_) => true,
            Err(error) => {
                assert_eq!(error, RangeError::OtherFiles);
                false
            }
        }
    };
    assert_eq!([0, 2, 3].map(is_taken), [true, false, false]);
}

#[test]
fn runs_of_programs_without_an_id_need_all_files() {
    let files = |program: &str| {
        let host = format!(
            "thread a/1
               each [hlo_op=$name hlo_module=step {program} device_ordinal=0]
               0..10us dot [run_id=1]"
        );
        drawn(&[&host, &host])
    };
    let unknown = Frame::unknown(2);
    let range = |program: &str| {
        let inputs = inputs(&files(program));
        ingest_range("run", &inputs[..1], &unknown).map(|session| session.programs.len())
    };
    assert_eq!(range("program_id=7"), Ok(1));
    assert_eq!(range("program_id=0"), Err(RangeError::TooLittleKnown));
    assert_eq!(range(""), Err(RangeError::TooLittleKnown));
}
