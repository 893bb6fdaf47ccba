//! Answers that are taken from parts of a profile are those of the whole.

use std::sync::Arc;

use stepscope_analysis::ANALYSES;
use stepscope_model::ingest::{HostInput, ingest};
use stepscope_model::{LeftOut, Reads, Session};
use stepscope_testing::{corpus, drawing};

/// The pieces of a file that are read, if they are enough.
fn in_parts(reads: Reads, file: &[u8]) -> Option<Vec<u8>> {
    let (mut read, mut left_out) = (Vec::new(), Vec::new());
    let mut rest = file;
    while !rest.is_empty() {
        // As much as a reader far away asks for at the least.
        let piece = reads.piece(&rest[..rest.len().min(256)])?;
        let (piece_bytes, others) = rest.split_at_checked(usize::try_from(piece.length).ok()?)?;
        if piece.is_read {
            read.extend_from_slice(piece_bytes);
        } else {
            left_out.push(LeftOut::by_tail(piece_bytes)?);
        }
        rest = others;
    }
    reads.suffices(&read, &left_out).then_some(read)
}

fn session(file: Vec<u8>) -> Session {
    let host = HostInput {
        host: "vm".to_owned(),
        bytes: Arc::new(file),
        problem: None,
    };
    ingest("parts", vec![host]).expect("it is a profile")
}

/// Every question that does not read everything, over both.
fn assert_same_answers(about: &str, whole: &Session, part: &Session) {
    let selections: [&[(&str, &str)]; 5] = [
        &[],
        &[("steps", "1..2")],
        &[("device", "TPU:0")],
        &[("time", "20us..150us")],
        &[("match", "dot")],
    ];
    assert_eq!(part.framework(), whole.framework(), "{about}");
    let mut asked = 0;
    for entry in ANALYSES {
        for options in selections {
            let pairs = || options.iter().copied();
            let is_of_devices = |matches| entry.reads(&matches) == Reads::Devices;
            if !entry.matches(pairs()).is_ok_and(is_of_devices) {
                continue;
            }
            asked += 1;
            let ask = |session: &Session| match entry.run_pairs(session, pairs()) {
                Ok(answer) => answer.json_text().expect("a report is JSON"),
                Err(error) => error.to_string(),
            };
            assert_eq!(ask(part), ask(whole), "{about}: {} {options:?}", entry.name);
        }
    }
    assert!(asked >= 12, "{asked} questions");
}

const TPU: &str = "
    host vm
    environment [profile_start_time=1700000000000000000 profile_stop_time=1700000001000000000]
    program 5 jit_step
      p.0 = f32[8,16] parameter(0)
      ROOT dot.1 = f32[8,8] dot(p.0, p.0) op_name=\"jit(step)/mul\" source=\"train.py:7\"
    device tpu:0 v6e
    line Steps
    repeat 3 every 100us
      10..90us $i
    end
    line XLA Modules
    repeat 3 every 100us
      10..90us jit_step(5) [run_id=$i program_id=5]
    end
    line XLA Ops
    each [program_id=5] {flops=2048 bytes_accessed=1024}
    repeat 3 every 100us
      10..60us dot.1
    end
    thread python
    repeat 3 every 100us
      0..95us train #step_num=$i,_r=1#
      1..5us data_loading
    end
";

fn drawn(text: &str) -> Vec<u8> {
    let space = drawing::draw(text).unwrap_or_else(|error| panic!("{error}"));
    space.to_bytes()
}

#[test]
fn what_a_tpu_did_stands_for_itself() {
    let whole = drawn(TPU);
    let part = in_parts(Reads::Devices, &whole).expect("the host's threads can be left out");
    assert!(part.len() < whole.len());
    let (whole, part) = (session(whole), session(part));
    assert!(part.tracks.len() < whole.tracks.len());
    assert_same_answers("drawn", &whole, &part);
}

#[test]
fn the_host_is_read_where_steps_time_or_the_framework_come_from_it() {
    let without_steps = TPU.replace("line Steps", "line Framework Ops");
    assert_eq!(in_parts(Reads::Devices, &drawn(&without_steps)), None);
    let of_others = TPU.replace("jit", "main");
    assert_eq!(in_parts(Reads::Devices, &drawn(&of_others)), None);
    let without_start = TPU.replace("profile_start_time", "other_time");
    assert_eq!(in_parts(Reads::Devices, &drawn(&without_start)), None);
}

#[test]
fn the_host_is_read_where_it_ran_programs_itself() {
    let ops = "
        thread tf_XLAEigen/42
        each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0]
        10..40us fusion.1
    ";
    assert_eq!(
        in_parts(Reads::Devices, &drawn(&format!("{TPU}{ops}"))),
        None
    );
}

#[test]
fn answers_over_parts_of_captures_are_those_of_the_whole() {
    let mut in_parts_count = 0;
    for capture in corpus::captures().into_iter().chain(corpus::fixtures()) {
        for path in &capture.hosts {
            let whole = corpus::read_bytes(path).expect("a capture can be read");
            let Some(part) = in_parts(Reads::Devices, &whole) else {
                continue;
            };
            in_parts_count += 1;
            assert!(part.len() < whole.len(), "{}", capture.name);
            eprintln!("{}: {} of {} bytes", capture.name, part.len(), whole.len());
            assert_same_answers(&capture.name, &session(whole), &session(part));
        }
    }
    let has_tpu = corpus::capture("tpu-v6e-4chip-jax").is_some();
    assert_eq!(in_parts_count > 0, has_tpu);
}
