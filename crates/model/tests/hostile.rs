//! Files made to exhaust a reader: time stays short and memory a small multiple of the file.

#![expect(
    clippy::cast_possible_truncation,
    clippy::print_stdout,
    reason = "bytes of varints; figures for whoever changes the limits"
)]

use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use stepscope_model::ingest::{HostInput, ingest};
use stepscope_model::{HostId, Session};

/// Memory that any session may take, and what each byte of a file may add. A slice of two bytes
/// in the file is 24 bytes of columns; a lane, line or plane of its own is a few hundred.
const BASE_BYTES: usize = 96 << 20;
const BYTES_PER_FILE_BYTE: usize = 160;
const TIME_LIMIT: Duration = Duration::from_secs(30);

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

fn number(field: u64, value: u64) -> Vec<u8> {
    [varint(field << 3), varint(value)].concat()
}

fn field(field: u64, payload: &[u8]) -> Vec<u8> {
    [
        varint(field << 3 | 2),
        varint(payload.len() as u64),
        payload.to_vec(),
    ]
    .concat()
}

fn event(start_ps: u64, duration_ps: u64, stats: &[(u64, u64)]) -> Vec<u8> {
    let mut payload = [number(1, 1), number(2, start_ps), number(3, duration_ps)].concat();
    for &(id, value) in stats {
        payload.extend(field(4, &[number(1, id), number(4, value)].concat()));
    }
    field(4, &payload)
}

fn stat_names(names: &[&str]) -> Vec<u8> {
    let entry = |(id, name): (u64, &&str)| {
        field(
            5,
            &[number(1, id), field(2, &field(2, name.as_bytes()))].concat(),
        )
    };
    (1..).zip(names).flat_map(entry).collect()
}

/// A plane of one line.
fn plane(name: &str, stats: &[&str], events: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
    let line: Vec<u8> = field(2, b"line")
        .into_iter()
        .chain(events.flatten())
        .collect();
    let parts = [
        field(2, name.as_bytes()),
        field(3, &line),
        stat_names(stats),
    ];
    field(1, &parts.concat())
}

const COUNT: u64 = 100_000;
const HOST: &str = "/host:CPU";
/// Names of stats 1, 2, …
const STATS: [&str; 6] = [
    "hlo_op",
    "program_id",
    "device_ordinal",
    "run_id",
    "_r",
    "step_num",
];

type Case = (&'static str, fn() -> Vec<u8>);

/// The files, made when asked for.
const CASES: [Case; 12] = [
    ("overlapping", || {
        plane(HOST, &[], (0..COUNT).map(|i| event(i, COUNT, &[])))
    }),
    ("nested", || {
        plane(
            HOST,
            &[],
            (0..COUNT).map(|i| event(i, 2 * (COUNT - i), &[])),
        )
    }),
    ("equal", || {
        plane(HOST, &[], (0..COUNT).map(|_| event(0, 7, &[])))
    }),
    ("instants", || {
        plane(HOST, &[], (0..COUNT).map(|_| event(0, 0, &[])))
    }),
    ("nested annotations", || {
        let nested = |i| event(i, 2 * (COUNT - i), &[(5, 1), (6, i)]);
        plane(HOST, &STATS, (0..COUNT / 2).map(nested))
    }),
    ("a million planes", || {
        [[0x0a, 0x00].repeat(1_000_000), one_slice()].concat()
    }),
    ("half a million lines", || {
        let line = |id| field(3, &[number(1, id), field(4, &number(1, 1))].concat());
        let lines: Vec<u8> = (0..500_000).flat_map(line).collect();
        field(1, &[field(2, HOST.as_bytes()), lines].concat())
    }),
    ("a large stat id each", || {
        repeated_plane(&field(
            5,
            &[number(1, 65_535), field(2, &field(2, b"hlo_op"))].concat(),
        ))
    }),
    ("a large event id each", || {
        repeated_plane(&field(
            4,
            &[number(1, 1 << 20), field(2, &field(2, b"end: op"))].concat(),
        ))
    }),
    ("a device each", || {
        plane(HOST, &STATS, (0..COUNT / 2).map(own_device_op))
    }),
    ("one key for all arrows", || {
        let stats = &["correlation_id"];
        let launches = plane(HOST, stats, (0..64).map(|i| event(i, 0, &[(1, 1)])));
        let kernels = (0..COUNT).flat_map(|i| event(i * 10, 5, &[(1, 1)]));
        let head = [number(1, 7), field(2, b"Stream #7(Compute)")].concat();
        let line: Vec<u8> = head.into_iter().chain(kernels).collect();
        let gpu = [
            field(2, b"/device:GPU:0"),
            field(3, &line),
            stat_names(stats),
        ]
        .concat();
        [launches, field(1, &gpu)].concat()
    }),
    ("steps times devices", || {
        let steps = (0..COUNT / 4).map(|i| event(i * 10, 9, &[(5, 1), (6, i)]));
        plane(HOST, &STATS, steps.chain((0..COUNT / 4).map(own_device_op)))
    }),
];

/// A plane with one slice, so that there is a session.
fn one_slice() -> Vec<u8> {
    field(
        1,
        &[field(2, HOST.as_bytes()), field(3, &event(0, 1, &[]))].concat(),
    )
}

fn repeated_plane(part: &[u8]) -> Vec<u8> {
    let plane = field(1, &[field(2, HOST.as_bytes()), part.to_vec()].concat());
    [plane.repeat(20_000), one_slice()].concat()
}

/// An op of XLA:CPU on a device of its own.
fn own_device_op(i: u64) -> Vec<u8> {
    let mut payload = [number(1, 1), number(2, i * 10), number(3, 5)].concat();
    payload.extend(field(4, &[number(1, 1), number(7, 1)].concat()));
    for (id, value) in [(2, 7), (3, i), (4, i % 1000)] {
        payload.extend(field(4, &[number(1, id), number(4, value)].concat()));
    }
    field(4, &payload)
}

/// Names the case that a child process is to run.
const CASE: &str = "STEPSCOPE_HOSTILE_CASE";

/// Each case runs in a process of its own: memory is measured for whole processes.
#[test]
fn time_and_memory_stay_in_proportion_to_the_file() {
    if let Ok(wanted) = std::env::var(CASE) {
        let found = CASES.iter().find(|(name, _)| *name == wanted);
        let (name, make) = found.expect("a case of that name");
        return check(name, make());
    }
    for (name, _) in CASES {
        let mut child = Command::new(std::env::current_exe().expect("the test itself"));
        let own_name = "time_and_memory_stay_in_proportion_to_the_file";
        let output = child
            .args(["--exact", own_name, "--nocapture"])
            .env(CASE, name)
            .output();
        let output = output.expect("a child process");
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text);
        println!(
            "{}",
            text.lines()
                .find(|line| line.contains("peak"))
                .unwrap_or_default()
        );
        assert!(output.status.success(), "{name}: {text}");
    }
}

fn check(name: &str, bytes: Vec<u8>) {
    let file = bytes.len();
    let before = memory_bytes("VmRSS:");
    let start = Instant::now();
    let session = session_of(bytes);
    let arrows = session.flows_of(HostId(0)).all().len();
    let took = start.elapsed();
    let used = memory_bytes("VmHWM:").saturating_sub(before);
    println!(
        "{name}: file {file} bytes, {} slices, {arrows} arrows, peak +{} MiB ({} per byte), {took:.1?}",
        session.slice_count(),
        used >> 20,
        used / file
    );
    assert!(took < TIME_LIMIT, "{name} took {took:?}");
    assert!(
        used < BASE_BYTES + BYTES_PER_FILE_BYTE * file,
        "{name}: {} MiB",
        used >> 20
    );
}

fn session_of(bytes: Vec<u8>) -> Session {
    let input = HostInput {
        host: "vm".to_owned(),
        bytes: Arc::new(bytes),
        problem: None,
    };
    ingest("hostile", vec![input]).expect("a session")
}

/// Resident memory of this process, the present or the highest; 0 where the system does not tell,
/// and then only the time is checked.
fn memory_bytes(key: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(key));
    let number = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<usize>().ok());
    number.unwrap_or(0) << 10
}
