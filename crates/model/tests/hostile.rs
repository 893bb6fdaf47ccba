//! Files made to exhaust a reader: time stays short and memory a small multiple of the file.

#![expect(
    clippy::cast_possible_truncation,
    clippy::print_stdout,
    reason = "bytes of varints; figures for whoever changes the limits"
)]

use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use stepscope_model::Session;
use stepscope_model::ingest::{HostInput, ingest};

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

fn cases() -> Vec<(&'static str, Vec<u8>)> {
    const COUNT: u64 = 100_000;
    let host = "/host:CPU";
    let end = field(
        1,
        &[field(2, b"/host:CPU"), field(3, &event(0, 1, &[]))].concat(),
    );
    let with_end = |mut bytes: Vec<u8>| {
        bytes.extend(&end);
        bytes
    };
    let op = field(4, &[field(4, &field(2, b"op"))].concat());
    let ops = |i: u64| {
        let stats = [(2, 7), (3, i), (4, i % 1000)];
        let mut payload = [number(1, 1), number(2, i * 10), number(3, 5)].concat();
        payload.extend(field(4, &[number(1, 1), number(7, 1)].concat()));
        for (id, value) in stats {
            payload.extend(field(4, &[number(1, id), number(4, value)].concat()));
        }
        field(4, &payload)
    };
    let names = [
        "hlo_op",
        "program_id",
        "device_ordinal",
        "run_id",
        "_r",
        "step_num",
    ];
    let launches = plane(
        host,
        &["correlation_id"],
        (0..64).map(|i| event(i, 0, &[(1, 1)])),
    );
    let kernels_line: Vec<u8> = [number(1, 7), field(2, b"Stream #7(Compute)")]
        .concat()
        .into_iter()
        .chain((0..COUNT).flat_map(|i| event(i * 10, 5, &[(1, 1)])))
        .collect();
    let kernels = field(
        1,
        &[
            field(2, b"/device:GPU:0"),
            field(3, &kernels_line),
            stat_names(&["correlation_id"]),
        ]
        .concat(),
    );
    let lines: Vec<u8> = (0..500_000)
        .flat_map(|id| field(3, &[number(1, id), field(4, &number(1, 1))].concat()))
        .collect();
    let sparse_stat = field(
        5,
        &[number(1, 65_535), field(2, &field(2, b"hlo_op"))].concat(),
    );
    let sparse_end = field(
        4,
        &[number(1, 1 << 20), field(2, &field(2, b"end: op"))].concat(),
    );
    let repeated_plane = |part: &[u8]| {
        let plane = field(1, &[field(2, b"/host:CPU"), part.to_vec()].concat());
        with_end(plane.repeat(20_000))
    };
    vec![
        (
            "overlapping",
            plane(host, &[], (0..COUNT).map(|i| event(i, COUNT, &[]))),
        ),
        (
            "nested",
            plane(
                host,
                &[],
                (0..COUNT).map(|i| event(i, 2 * (COUNT - i), &[])),
            ),
        ),
        (
            "equal",
            plane(host, &[], (0..COUNT).map(|_| event(0, 7, &[]))),
        ),
        (
            "instants",
            plane(host, &[], (0..COUNT).map(|_| event(0, 0, &[]))),
        ),
        (
            "nested annotations",
            plane(
                host,
                &["_r", "step_num"],
                (0..COUNT / 2).map(|i| event(i, 2 * (COUNT - i), &[(1, 1), (2, i)])),
            ),
        ),
        ("a million planes", with_end([0x0a, 0x00].repeat(1_000_000))),
        (
            "half a million lines",
            field(1, &[field(2, b"/host:CPU"), lines].concat()),
        ),
        ("a large stat id each", repeated_plane(&sparse_stat)),
        ("a large event id each", repeated_plane(&sparse_end)),
        ("a device each", {
            let own = plane(host, &names, (0..COUNT / 2).map(ops));
            [own, field(1, &[field(2, b"/host:CPU"), op].concat())].concat()
        }),
        ("one key for all arrows", [launches, kernels].concat()),
        ("steps times devices", {
            let steps = (0..COUNT / 4).map(|i| event(i * 10, 9, &[(5, 1), (6, i)]));
            plane(host, &names, steps.chain((0..COUNT / 4).map(ops)))
        }),
    ]
}

/// Names the case that a child process is to run.
const CASE: &str = "STEPSCOPE_HOSTILE_CASE";

/// Each case runs in a process of its own: memory is measured for whole processes.
#[test]
fn time_and_memory_stay_in_proportion_to_the_file() {
    if let Ok(wanted) = std::env::var(CASE) {
        let found = cases().into_iter().find(|(name, _)| *name == wanted);
        let (name, bytes) = found.expect("a case of that name");
        return check(name, bytes);
    }
    for (name, _) in cases() {
        let mut child = Command::new(std::env::current_exe().expect("the test itself"));
        let test = "time_and_memory_stay_in_proportion_to_the_file";
        let output = child
            .args(["--exact", test, "--nocapture"])
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
    let arrows = session.flows.all().len();
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
