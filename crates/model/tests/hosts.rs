//! Several hosts and their clocks, epochs in lines, program ids.

use crate::support::{
    assert_picture, assert_text, label, runs, session, sessions, slice, warnings,
};

const EPOCH_NS: u64 = 1_700_000_000_000_000_000;

#[test]
fn hosts_are_placed_by_when_their_profiles_began() {
    let session = sessions(&[
        "environment [profile_start_time=1700000000000005000]\n thread a/1\n 0..10us x",
        "environment [profile_start_time=1700000000000000000]\n thread a/1\n 0..10us x",
        "thread a/1\n 0..10us x",
    ]);
    assert_eq!(session.epoch_ns, Some(EPOCH_NS));
    assert_picture(
        &session,
        "host_thread host0 \"a/1\" #1
           0: x 5us..15us
         host_thread host1 \"a/1\" #1
           0: x 0us..10us
         host_thread host2 \"a/1\" #1
           0: x 0us..10us",
    );
}

#[test]
fn a_host_whose_clock_was_never_set_begins_with_the_session() {
    let session = sessions(&[
        "environment [profile_start_time=5000]\n thread a/1\n 0..10us x",
        "environment [profile_start_time=1700000000000000000]\n thread a/1\n 0..10us x",
    ]);
    assert_picture(
        &session,
        "host_thread host0 \"a/1\" #1
           0: x 0us..10us
         host_thread host1 \"a/1\" #1
           0: x 0us..10us",
    );
    assert_eq!(
        warnings(&session),
        [
            "By its clock the recording began 19675 days after that of another host; it is shown from the session's start"
        ]
    );
}

#[test]
fn timestamps_since_the_epoch_are_counted_from_the_profiles_start() {
    let session = session(
        "environment [profile_start_time=1700000000000000000]
         origin 1700000000s
         thread a/1
           3..10us x
         line b [id=2 at=5ms]
           5ms..6ms y",
    );
    assert_eq!(session.epoch_ns, Some(EPOCH_NS));
    assert_picture(
        &session,
        "host_thread host0 \"a/1\" #1
           0: x 3us..10us
         host_thread host0 \"b\" #2
           0: y 5000us..6000us",
    );
}

/// Old files have no start; but lines that count from the epoch say how hosts lie to each other.
#[test]
fn timestamps_since_the_epoch_align_hosts_without_a_recorded_start() {
    let session = sessions(&[
        "origin 1700000000s\n thread a/1\n 3..10us x",
        "origin 1700000005s\n thread a/1\n 3..10us x",
    ]);
    assert_eq!(session.epoch_ns, Some(EPOCH_NS));
    assert_picture(
        &session,
        "host_thread host0 \"a/1\" #1
           0: x 3us..10us
         host_thread host1 \"a/1\" #1
           0: x 5000003us..5000010us",
    );
}

#[test]
fn a_start_later_than_the_first_line_leaves_nothing_before_zero() {
    let session = sessions(&[
        "environment [profile_start_time=1700000002000000000]
         origin 1700000001s\n thread a/1\n 0..10us x",
        "environment [profile_start_time=1700000001000000000]\n thread a/1\n 0..10us x",
    ]);
    assert_picture(
        &session,
        "host_thread host0 \"a/1\" #1
           0: x 0us..10us
         host_thread host1 \"a/1\" #1
           0: x 0us..10us",
    );
}

#[test]
fn program_ids_may_be_zero_huge_or_negative() {
    let session = session(
        "program 0 jit_zero
           ROOT p.0 = f32[8] parameter(0)
         program 12190760917235803885 jit_huge
           ROOT p.0 = f32[8] parameter(0)
         thread tf_XLAEigen/42
           0..10us  a [hlo_op=p.0 hlo_module=jit_zero program_id=0 device_ordinal=0 run_id=1]
           10..20us b [hlo_op=p.0 hlo_module=jit_huge program_id=12190760917235803885 device_ordinal=0 run_id=2]
           20..30us c [hlo_op=p.0 hlo_module=jit_huge program_id=-6255983156473747731 device_ordinal=0 run_id=3]",
    );
    let titles: Vec<String> = session
        .programs
        .iter()
        .map(stepscope_model::Program::title)
        .collect();
    assert_eq!(titles.len(), 2, "{titles:?}");
    assert_text(
        &runs(&session),
        "jit_zero(0) CPU:0 0us..10us
         jit_huge(12190760917235803885) CPU:0 10us..20us
         jit_huge(12190760917235803885) CPU:0 20us..30us",
    );
    assert!(session.programs.iter().all(|program| program.hlo.is_some()));
}

/// XLA:CPU runs what it read from the persistent cache under the id 0.
#[test]
fn a_program_out_of_the_cache_is_found_by_its_name() {
    let session = session(
        "program 7 jit_stage
           ROOT s.0 = f32[8] parameter(0)
         program 17 jit_evaluate
           p.0 = f32[8] parameter(0)
           ROOT add.1 = f32[8] add(p.0, p.0)
         program 21 jit_twice
           ROOT p.0 = f32[8] parameter(0)
         program 22 jit_twice
           ROOT p.0 = f32[4] parameter(0)
         program 0 jit_zero
           ROOT p.0 = f32[8] parameter(0)
         thread tf_XLAEigen/42
         each [device_ordinal=0]
           0..10us  add.1 [hlo_op=add.1 hlo_module=jit_evaluate program_id=0 run_id=1]
           10..20us p.0 [hlo_op=p.0 hlo_module=jit_twice program_id=0 run_id=2]
           20..30us p.0 [hlo_op=p.0 hlo_module=jit_zero program_id=0 run_id=3]
           30..40us p.0 [hlo_op=p.0 hlo_module=jit_gone program_id=7 run_id=4]",
    );
    assert_text(
        &runs(&session),
        "jit_evaluate(17) CPU:0 0us..10us
         jit_twice(0) CPU:0 10us..20us
         jit_zero(0) CPU:0 20us..30us
         jit_gone(7) CPU:0 30us..40us",
    );
    let op = label(&session, "add.1").op.expect("an op");
    assert_eq!(
        session.text(session.op(op).category),
        "non-fusion elementwise"
    );
    let without: Vec<String> = session
        .programs
        .iter()
        .filter(|program| program.hlo.is_none())
        .map(stepscope_model::Program::title)
        .collect();
    assert_eq!(without, ["jit_twice(0)", "jit_gone(7)"]);
}

/// Hosts count their programs for themselves: the same id may be another program there.
#[test]
fn equal_ids_on_several_hosts_are_told_apart_by_name() {
    let host = |name: &str, extra: &str| {
        format!(
            "program 5 {name}
               p.0 = f32[8] parameter(0)
               ROOT {extra} = f32[8] add(p.0, p.0) op_name=\"{name}/add\"
             thread tf_XLAEigen/42
               0..10us {extra} [hlo_op={extra} hlo_module={name} program_id=5 device_ordinal=0]"
        )
    };
    let session = sessions(&[
        &host("jit_train", "add.1"),
        &host("jit_eval", "add.2"),
        &host("jit_train", "add.1"),
    ]);
    assert_eq!(session.programs.len(), 2);
    let scope = |name| {
        let op = label(&session, name).op.expect("an op");
        session.text(session.op(op).scope).to_owned()
    };
    assert_eq!(
        [scope("add.1"), scope("add.2")],
        ["jit_train/add", "jit_eval/add"]
    );
    // The same program on two hosts is one, and so are its ops.
    assert_eq!(session.ops.len(), 2);
    assert_eq!(session.devices.len(), 3);
    assert_eq!(
        session.device_title(session.device_ids().next().expect("three")),
        "host0/CPU:0"
    );
    assert_eq!(slice(&session, "add.2").track.index(), 1);
}

/// Python frames may last until the tracer has collected its events, long after the profiler was stopped.
#[test]
fn what_the_profiler_does_after_its_end_is_not_captured() {
    let captured = |stop_us: i64, ops: &str| {
        let start = 1_700_000_000_000_000_000_i64;
        let text = format!(
            "environment [profile_start_time={start} profile_stop_time={}]
            host vm
            thread python
              0..900us $contextlib.py:1 __exit__
            device tpu:0 v6e
            line XLA Ops
              {ops} dot.1",
            start + stop_us * 1000
        );
        let captured = session(&text).captured().expect("something");
        captured.duration().0 / 1_000_000
    };
    assert_eq!(captured(300, "0..200us"), 300);
    assert_eq!(captured(300, "0..400us"), 400, "work of a device counts");
    assert_eq!(captured(0, "0..200us"), 900, "no end was recorded");
}

/// Two hosts that ran a program, each under an ID of its own process.
fn program_of_two(ids: [u32; 2], shapes: [&str; 2]) -> stepscope_model::Session {
    let host = |at: usize| {
        let (id, shape) = (ids[at], shapes[at]);
        format!(
            "thread tf_XLAEigen/1
               5..45us dot.2 [hlo_op=dot.2 hlo_module=jit_step program_id={id} device_ordinal=0 run_id=1]
             program {id} jit_step
               h.0 = {shape} parameter(0)
               ROOT dot.2 = {shape} dot(h.0, h.0)"
        )
    };
    sessions(&[&host(0), &host(1)])
}

/// Each process counts its programs: what lists the same instructions is one program, whose ops are one.
#[test]
fn a_program_is_one_on_all_hosts_whatever_ids_they_gave_it() {
    let session = program_of_two([70, 93], ["f32[32,32]"; 2]);
    assert_text(
        &runs(&session),
        "jit_step(70) host0/CPU:0 5us..45us
         jit_step(70) host1/CPU:0 5us..45us",
    );
    assert_eq!(session.programs.len(), 1);
    assert_eq!(session.programs[0].other_ids, [93]);
    assert_eq!(session.ops.len(), 1);
}

/// Stages of a pipeline, each compiled by its process under the same number.
#[test]
fn programs_of_one_id_that_list_other_instructions_are_two() {
    let session = program_of_two([70, 70], ["f32[32,32]", "f32[64,64]"]);
    let programs: Vec<usize> = (session.program_runs.iter())
        .map(|run| run.program.index())
        .collect();
    assert_eq!(programs, [0, 1]);
    let shape = |at: usize| {
        let hlo = session.programs[at].hlo.as_ref().expect("decoded");
        hlo.instruction("dot.2").map(|dot| dot.shape.to_string())
    };
    assert_ne!(shape(0), shape(1));
}
