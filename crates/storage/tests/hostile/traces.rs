//! Traces of other tools that become more than they have.

use std::io::Write as _;

use stepscope_storage::{NoProgress, StorageError, open};

use crate::sizes::{is_in_a_small_budget, refusal};
use crate::tree::{Tree, found, profile};

fn varint(mut value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while value >= 0x80 {
        out.push(u8::try_from(value & 0x7f).expect("seven bits") | 0x80);
        value >>= 7;
    }
    out.push(u8::try_from(value).expect("seven bits"));
    out
}

fn number(field: u64, value: u64) -> Vec<u8> {
    [varint(field << 3), varint(value)].concat()
}

fn bytes(field: u64, body: &[u8]) -> Vec<u8> {
    let head = [varint(field << 3 | 2), varint(body.len() as u64)].concat();
    [head.as_slice(), body].concat()
}

/// A slice of one nanosecond, with more fields of the event.
fn slice(time: u64, more: &[u8]) -> Vec<u8> {
    let packet = |time: u64, kind: u64, more: &[u8]| {
        let event = [number(9, kind), number(11, 9), more.to_vec()].concat();
        let parts = [number(8, time), number(10, 5), bytes(11, &event)];
        bytes(1, &parts.concat())
    };
    [packet(time, 1, more), packet(time + 1, 2, &[])].concat()
}

/// Packets in a compressed one.
fn folded(packets: &[u8]) -> Vec<u8> {
    let level = flate2::Compression::best();
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), level);
    encoder.write_all(packets).expect("memory");
    let packed = encoder.finish().expect("memory");
    bytes(1, &[number(10, 5), bytes(50, &packed)].concat())
}

#[test]
fn packets_that_unfold_a_thousand_times_are_a_bomb_over_the_whole_trace() {
    // Each of ten is no bomb by itself.
    let zeros = bytes(1, &bytes(2000, &vec![0; 1 << 20])).repeat(8);
    let trace = [slice(1, &bytes(23, b"one")), folded(&zeros).repeat(10)].concat();
    assert!(trace.len() < 200_000, "{} bytes", trace.len());
    let error = refusal("vm.pftrace", &trace);
    assert!(matches!(error, StorageError::TooLarge { .. }), "{error:?}");
    let said = error.to_string();
    assert!(said.contains("like a decompression bomb"), "{said}");
}

#[test]
fn compressed_packets_of_a_real_trace_are_unfolded_all() {
    let events: Vec<Vec<u8>> = (0..3000)
        .map(|step| slice(10 * step, &bytes(23, b"matmul")))
        .collect();
    let trace = [
        slice(1, &bytes(23, b"one")),
        folded(&events.concat()).repeat(3),
    ]
    .concat();
    let tree = Tree::new();
    let path = tree.file("vm.pftrace", &trace);
    let opened = open(&found(&path).sessions[0].hosts[0], &NoProgress).expect("it opens");
    assert!(opened.as_ref().len() > 9000 * 6);
    assert_eq!(opened.truncated(), None);
}

#[test]
fn what_packets_unfold_to_is_charged() {
    if !is_in_a_small_budget("traces::what_packets_unfold_to_is_charged") {
        return;
    }
    let noise = bytes(1, &bytes(2000, &profile(1, 1 << 20)));
    let trace = [slice(1, &bytes(23, b"one")), folded(&noise).repeat(12)].concat();
    assert!(trace.len() < 6 << 20);
    let error = refusal("vm.pftrace", &trace);
    let is_it = matches!(error, StorageError::OverBudget { .. });
    assert!(is_it, "{error:?}");
}

#[test]
fn a_long_text_that_every_event_repeats_by_its_number_is_charged() {
    if !is_in_a_small_budget(
        "traces::a_long_text_that_every_event_repeats_by_its_number_is_charged",
    ) {
        return;
    }
    let text = profile(1, 1 << 20);
    let entry = bytes(29, &[number(1, 7), bytes(2, &text)].concat());
    let interned = bytes(1, &[number(10, 5), bytes(12, &entry)].concat());
    let annotation = bytes(4, &[bytes(10, b"text"), number(17, 7)].concat());
    let events: Vec<Vec<u8>> = (0..100).map(|step| slice(10 * step, &annotation)).collect();
    let trace = [slice(1, &[]), interned, events.concat()].concat();
    let error = refusal("vm.pftrace", &trace);
    let is_it = matches!(error, StorageError::OverBudget { .. });
    assert!(is_it, "{error:?}");
}

#[test]
fn numbers_of_texts_that_are_far_apart_take_no_more_memory() {
    if !is_in_a_small_budget("traces::numbers_of_texts_that_are_far_apart_take_no_more_memory") {
        return;
    }
    let before = peak_bytes();
    let entries: Vec<Vec<u8>> = (1..60_000)
        .map(|step| bytes(2, &[number(1, 1024 * step), bytes(2, b"x")].concat()))
        .collect();
    let interned = bytes(1, &[number(10, 5), bytes(12, &entries.concat())].concat());
    let trace = [slice(1, &bytes(23, b"one")), interned].concat();
    let tree = Tree::new();
    let path = tree.file("vm.pftrace", &trace);
    assert!(open(&found(&path).sessions[0].hosts[0], &NoProgress).is_ok());
    // A table of all numbers would have 980 MB.
    let Some((before, after)) = before.zip(peak_bytes()) else {
        return;
    };
    assert!(after - before < 100 << 20, "{} bytes", after - before);
}

/// The most memory that this process has had; `None` where the system does not tell.
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib << 10)
}
