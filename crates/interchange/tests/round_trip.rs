//! A session written and read again has the same slices, samples and arrows.

mod support;

use std::fmt::Write as _;

use stepscope_interchange::write::Wanted;
use stepscope_interchange::{chrome, perfetto};
use stepscope_model::{Picos, Session, Span};
use stepscope_testing::corpus;
use support::{Grain, arrows, assert_same, captured, drawn, rows, samples, session_of_trace};

fn check(session: &Session, what: &str) {
    let wanted = Wanted::everything(session);
    let (bytes, written) = support::chrome(session, &wanted);
    let json: serde_json::Value = serde_json::from_slice(&bytes).expect("JSON");
    let events = json["traceEvents"].as_array().expect("events");
    let count = |phase: &str| events.iter().filter(|event| event["ph"] == phase).count() as u64;
    assert_eq!(count("X"), written.slices, "{what}");
    assert_eq!(count("C"), written.samples, "{what}");
    assert_eq!(
        (count("s"), count("f")),
        (written.flows, written.flows),
        "{what}"
    );
    let back = session_of_trace(chrome::read(bytes.as_slice()).expect("a trace"));
    assert_same(
        &rows(session, Grain::Picoseconds),
        &rows(&back, Grain::Picoseconds),
        &format!("{what} as Chrome JSON"),
    );
    assert_eq!(samples(session, 1), samples(&back, 1), "{what}");
    assert_eq!(session.epoch_ns, back.epoch_ns, "{what}");

    let (bytes, again) = support::perfetto(session, &wanted);
    assert_eq!(
        (written.slices, written.samples, written.flows),
        (again.slices, again.samples, again.flows),
        "{what}"
    );
    let back = session_of_trace(perfetto::read(bytes.as_slice()).expect("a trace"));
    assert_same(
        &rows(session, Grain::Nanoseconds),
        &rows(&back, Grain::Nanoseconds),
        &format!("{what} as Perfetto"),
    );
    assert_eq!(samples(session, 1000), samples(&back, 1000), "{what}");
    assert!(
        arrows(session, 1000) == arrows(&back, 1000),
        "{what}: arrows differ"
    );
    let numbers =
        |session: &Session| -> Vec<i64> { session.steps.iter().map(|step| step.number).collect() };
    assert_eq!(numbers(session), numbers(&back), "{what}");
}

/// Written as profiles, all of a session is what it was, and a part of it is what is wanted.
fn check_xplane(session: &Session, what: &str) {
    let (files, written) = support::xplane(session, &Wanted::everything(session));
    assert_eq!(files.len(), session.hosts.len(), "{what}");
    for ((_, bytes), host) in files.iter().zip(&session.hosts) {
        assert!(*bytes == (*host.bytes).as_ref(), "{what}: not as it was");
    }
    let all = rows(session, Grain::Picoseconds);
    assert_eq!(written.slices, all.len() as u64, "{what}");

    let Some(extent) = session.extent() else {
        return;
    };
    let third = (extent.end.0 - extent.start.0) / 3;
    let window = Span::new(Picos(extent.start.0 + third), Picos(extent.end.0 - third));
    let mut wanted = Wanted::everything(session);
    for windows in wanted.devices.iter_mut().chain(&mut wanted.hosts) {
        *windows = Some(vec![window]);
    }
    let is_wanted = |row: &support::Row| window.start.0 <= row.4 && row.4 < window.end.0;
    let expected: Vec<support::Row> = all.into_iter().filter(is_wanted).collect();
    let (files, written) = support::xplane(session, &wanted);
    assert_eq!(written.slices, expected.len() as u64, "{what}");
    if expected.is_empty() {
        return;
    }
    let back = support::session_of(files);
    let (expected, back) = (
        from_zero(&expected),
        from_zero(&rows(&back, Grain::Picoseconds)),
    );
    // The end of an op may lie outside the part.
    let back = support::with_async_ends(&expected, back);
    assert_same(&expected, &back, &format!("a third of {what} as XSpace"));
}

/// Rows with times since the first of them: a file that counts from its first line loses that.
fn from_zero(rows: &[support::Row]) -> Vec<support::Row> {
    let first = rows.iter().map(|row| row.4).min().unwrap_or(0);
    let mut rows = rows.to_vec();
    for row in &mut rows {
        row.4 -= first;
    }
    rows.sort();
    rows
}

#[test]
fn profiles_come_back() {
    for texts in [&[CPU][..], &[GPU], &[TPU], &[CPU, GPU]] {
        check_xplane(&drawn(texts), "a drawing");
    }
    for capture in corpus::fixtures().into_iter().chain(corpus::captures()) {
        check_xplane(&captured(&capture), &capture.name);
    }
}

#[test]
fn cpu_gpu_and_tpu_drawings_come_back() {
    check(&drawn(&[CPU]), "CPU");
    check(&drawn(&[GPU]), "GPU");
    check(&drawn(&[TPU]), "TPU");
    check(&drawn(&[CPU, GPU]), "two hosts");
}

#[test]
fn fixtures_and_captures_come_back() {
    for capture in corpus::fixtures() {
        check(&captured(&capture), &capture.name);
    }
    let captures = corpus::captures();
    if captures.is_empty() {
        println!("no corpus here: captures of others are left out");
    }
    for capture in captures {
        check(&captured(&capture), &capture.name);
    }
}

#[test]
fn a_part_is_written_alone() {
    let session = drawn(&[GPU]);
    let mut wanted = Wanted::everything(&session);
    let labels = session.labels.iter();
    wanted.labels = Some(
        labels
            .map(|label| session.text(label.name) == "gemm")
            .collect(),
    );
    let (bytes, _) = support::perfetto(&session, &wanted);
    let back = session_of_trace(perfetto::read(bytes.as_slice()).expect("a trace"));
    let mut only = rows(&session, Grain::Nanoseconds);
    only.retain(|row| row.3 == "gemm");
    assert_same(&only, &rows(&back, Grain::Nanoseconds), "one name");
    wanted.labels = None;
    wanted.devices = vec![None; session.devices.len()];
    let (bytes, _) = support::perfetto(&session, &wanted);
    let back = session_of_trace(perfetto::read(bytes.as_slice()).expect("a trace"));
    assert!(back.devices.is_empty(), "devices were left out");
}

/// A drawing of slices on threads, on streams of a GPU, and as ops of XLA:CPU, at any times.
fn drawing(slices: &[(usize, i64, i64, usize)]) -> String {
    let rows = [
        "thread python",
        "thread worker/7",
        "thread tf_XLAEigen/42",
        "device gpu:0 nvidia H100\nstream 7 Compute",
        "stream 9 Compute",
    ];
    let mut text = String::from("environment [profile_start_time=1700000000000000000]\n");
    for (row, head) in rows.iter().enumerate() {
        writeln!(text, "{head}").expect("in memory");
        for (number, &(_, start, duration, name)) in slices
            .iter()
            .enumerate()
            .filter(|(_, slice)| slice.0 == row)
        {
            let stats = match row {
                2 => "[hlo_op=$name hlo_module=jit_f program_id=5 device_ordinal=0]".to_owned(),
                3 | 4 => format!("[correlation_id={number}]"),
                _ => format!("[text=\"a b\" number={start} half=0.5]"),
            };
            writeln!(text, "{start}ps+{duration}ps name.{name} {stats}").expect("in memory");
        }
    }
    text
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(48))]

    #[test]
    fn any_session_comes_back(slices in proptest::collection::vec(
        (0_usize..5, 0_i64..9_000_000, 0_i64..4_000_000, 0_usize..6), 1..60)
    ) {
        let session = drawn(&[&drawing(&slices)]);
        check(&session, "drawn");
        check_xplane(&session, "drawn");
    }
}

const CPU: &str = "
    environment [profile_start_time=1700000000000000000]
    thread python
    repeat 3 every 100us
      0..90us train #step_num=$i,_r=1#
      1..5us  data_loading
      1..5us  same time
      6us mark
    end
    thread tf_XLAEigen/42
    each [hlo_op=$name hlo_module=jit_step program_id=5 device_ordinal=0 run_id=7]
    repeat 3 every 100us
      10..40us fusion.1
      15..20us inner
      50..80us all-reduce
    end
    thread overlapping
    0..10us a
    5..15us b
    7..15us c
    15us+7ps d
";

const GPU: &str = "
    environment [profile_start_time=1700000000000000000]
    thread python
    0..9us train #step_num=0,_r=1#
    1..2us cuLaunchKernel [correlation_id=11]
    3..4us cuLaunchKernel [correlation_id=12]
    5..6us produce [_pt=5 _p=77]
    thread other
    6..8us consume [_ct=5 _c=77]
    device gpu:0 nvidia H100
    stream 7 Compute
    10..30us gemm [correlation_id=11 kernel_details=\"regs:32 grid:1,1,1 block:64,1,1\"]
    30us+1500ps add [correlation_id=12]
    stream 9 MemcpyH2D
    12..20us MemcpyH2D [memcpy_details=\"size:64 dest:0 async:1\"]
    counter hbm_gbps 0us=1.5 10us=2.5 20us=3
";

const TPU: &str = "
    environment [profile_start_time=1700000000000000000]
    thread python
    0..9us train #step_num=0,_r=1#
    device tpu:0 v6e
    line Steps
    0..50us 0
    50..100us 1
    line XLA Modules
    1..49us jit_step(5)
    51..99us jit_step(5)
    line XLA Ops
    1..20us fusion.1 {hlo_category=\"loop fusion\" program_id=5 flops=100}
    20..49us convolution.2 {hlo_category=convolution program_id=5}
    51..99us fusion.1
";
