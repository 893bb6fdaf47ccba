//! Stacks of host threads for flame graphs: collapsed, and for speedscope.

mod support;

use serde_json::{Value, json};
use stepscope_interchange::write::{Wanted, Written, write_collapsed, write_speedscope};
use stepscope_model::{Picos, Session, Span};
use stepscope_testing::corpus;
use support::{captured, drawn};

const HOST: &str = "
    host vm
    thread python
      0..100us    $train.py:31 main
      10..40us    train #step_num=0,_r=1#
      20..30us    PjitFunction(a;b)
      50..70us    train #step_num=1,_r=1#
      80us        end: dot.1
    thread worker/7
      5ns..5100ps load
";

fn collapsed(session: &Session, wanted: &Wanted) -> (String, Written) {
    let mut out = Vec::new();
    let written = write_collapsed(session, wanted, &mut out).expect("memory can be written");
    (String::from_utf8(out).expect("text"), written)
}

fn speedscope(session: &Session, wanted: &Wanted) -> (Value, Written) {
    let mut out = Vec::new();
    let written = write_speedscope(session, wanted, &mut out).expect("memory can be written");
    (serde_json::from_slice(&out).expect("JSON"), written)
}

#[test]
fn collapsed_stacks_have_their_self_time_in_nanoseconds() {
    let session = drawn(&[HOST]);
    let (text, written) = collapsed(&session, &Wanted::everything(&session));
    assert_eq!(
        text,
        "python;main (train.py:31) 50000\n\
         python;main (train.py:31);train 40000\n\
         python;main (train.py:31);train;PjitFunction(a,b) 10000\n",
        "less than a nanosecond has no line"
    );
    assert_eq!((written.tracks, written.slices), (2, 5));
    assert_eq!(written.bytes, text.len() as u64);
}

#[test]
fn a_selection_leaves_time_to_what_is_around() {
    let session = drawn(&[HOST]);
    let mut wanted = Wanted::everything(&session);
    let names = session.labels.iter().map(|label| session.text(label.name));
    wanted.labels = Some(names.map(|name| name != "train").collect());
    let (text, _) = collapsed(&session, &wanted);
    assert!(text.contains("python;main (train.py:31) 90000\n"), "{text}");
    wanted.labels = None;
    wanted.hosts = vec![Some(vec![Span::new(Picos(45_000_000), Picos::MAX)])];
    let (text, _) = collapsed(&session, &wanted);
    assert_eq!(text, "python;train 20000\n");
    wanted.hosts = vec![None];
    assert_eq!(collapsed(&session, &wanted).0, "");
}

#[test]
fn speedscope_gets_a_profile_for_each_thread() {
    let session = drawn(&[HOST]);
    let (file, written) = speedscope(&session, &Wanted::everything(&session));
    assert_eq!(
        file["$schema"],
        json!("https://www.speedscope.app/file-format-schema.json")
    );
    assert_eq!((written.tracks, written.slices), (2, 5));
    let frames = file["shared"]["frames"].as_array().expect("frames");
    let main = json!({"name": "main", "file": "train.py", "line": 31});
    let main = frames.iter().position(|frame| *frame == main);
    let main = main.expect("the function is a frame");
    let profiles = file["profiles"].as_array().expect("profiles");
    assert_eq!(profiles.len(), 2);
    let (python, worker) = (&profiles[0], &profiles[1]);
    assert_eq!(python["name"], json!("python"));
    assert_eq!(python["type"], json!("evented"));
    assert_eq!(python["unit"], json!("nanoseconds"));
    assert_eq!(
        (&python["startValue"], &python["endValue"]),
        (&json!(0), &json!(100_000))
    );
    let events = python["events"].as_array().expect("events");
    assert_eq!(events[0], json!({"type": "O", "frame": main, "at": 0}));
    assert_eq!(worker["startValue"], json!(5));
    assert_eq!(worker["endValue"], json!(5.1), "to the picosecond");
}

/// Frames of every profile open and close like brackets, in order of time, and both formats tell of
/// the same time.
#[test]
fn every_capture_is_well_formed() {
    for capture in corpus::captures().into_iter().chain(corpus::fixtures()) {
        let session = captured(&capture);
        let wanted = Wanted::everything(&session);
        let (file, written) = speedscope(&session, &wanted);
        let frames = file["shared"]["frames"].as_array().map_or(0, Vec::len);
        let mut covered = 0.0;
        let mut opened = 0;
        for profile in file["profiles"].as_array().expect("profiles") {
            let at = |value: &Value| value.as_f64().expect("a time");
            let (mut open, mut last) = (Vec::new(), at(&profile["startValue"]));
            for event in profile["events"].as_array().expect("events") {
                let (frame, time) = (event["frame"].as_u64().expect("a frame"), at(&event["at"]));
                assert!(usize::try_from(frame).expect("small") < frames);
                assert!(time >= last, "{}: {event}", capture.name);
                last = time;
                if event["type"] == json!("O") {
                    opened += 1;
                    open.push((frame, time));
                } else {
                    let (begun, start) = open.pop().expect("it was opened");
                    assert_eq!(begun, frame, "{}", capture.name);
                    if open.is_empty() {
                        covered += time - start;
                    }
                }
            }
            assert!(open.is_empty(), "{}", capture.name);
            assert!(last <= at(&profile["endValue"]));
        }
        assert_eq!(written.slices, opened);
        let (text, lines) = collapsed(&session, &wanted);
        assert_eq!(lines.slices, opened, "{}", capture.name);
        let sum: f64 = text
            .lines()
            .map(|line| line.rsplit(' ').next().expect("a figure"))
            .map(|figure| figure.parse::<f64>().expect("nanoseconds"))
            .sum();
        let rounding = opened as f64;
        assert!(
            sum <= covered + 1.0 && sum >= covered - rounding,
            "{}: {sum} of {covered}",
            capture.name
        );
    }
}
