//! Perfetto's protobuf as other writers have it: sequences, clocks, defaults, arrows, damage.

mod support;

use std::io::Write as _;

use stepscope_interchange::{TraceError, perfetto};
use stepscope_model::Session;
use support::{Grain, arrows, rows, samples, session_of_trace};

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

fn fixed(field: u64, value: u64) -> Vec<u8> {
    [varint(field << 3 | 1), value.to_le_bytes().to_vec()].concat()
}

fn message(field: u64, parts: &[Vec<u8>]) -> Vec<u8> {
    let body = parts.concat();
    [varint(field << 3 | 2), varint(body.len() as u64), body].concat()
}

fn text(field: u64, value: &str) -> Vec<u8> {
    message(field, &[value.as_bytes().to_vec()])
}

fn packet(parts: &[Vec<u8>]) -> Vec<u8> {
    message(1, parts)
}

fn event(time: u64, kind: u64, parts: &[Vec<u8>]) -> Vec<u8> {
    let event = [&[number(9, kind)], parts].concat();
    packet(&[number(8, time), number(10, 5), message(11, &event)])
}

fn session(packets: &[Vec<u8>]) -> Session {
    let trace = perfetto::read(packets.concat().as_slice()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(trace.problem, None);
    session_of_trace(trace)
}

/// Row, name, start and duration in nanoseconds.
fn slices(session: &Session) -> Vec<(String, String, i64, i64)> {
    let all = rows(session, Grain::Nanoseconds).into_iter();
    all.map(|row| (row.2, row.3, row.4, row.5)).collect()
}

fn thread(uuid: u64, name: &str) -> Vec<u8> {
    let thread = message(4, &[number(1, 77), number(2, uuid), text(5, name)]);
    packet(&[message(60, &[number(1, uuid), thread])])
}

#[test]
fn slices_instants_and_arguments_of_threads() {
    let process = message(3, &[number(1, 77), text(6, "worker")]);
    let session = session(&[
        packet(&[message(60, &[number(1, 1), process])]),
        thread(9, "main"),
        event(
            1000,
            1,
            &[number(11, 9), text(23, "outer"), text(22, "cat")],
        ),
        event(
            1100,
            1,
            &[
                number(11, 9),
                text(23, "inner"),
                message(4, &[text(10, "n"), number(4, 5)]),
            ],
        ),
        event(1150, 3, &[number(11, 9), text(23, "mark")]),
        event(1200, 2, &[number(11, 9)]),
        event(1500, 2, &[number(11, 9)]),
        event(1600, 2, &[number(11, 9)]),
        event(1700, 1, &[number(11, 9), text(23, "open")]),
    ]);
    let main = "main".to_owned();
    let row = |name: &str, at, long| (main.clone(), name.to_owned(), at, long);
    let mut expected = vec![
        row("inner", 100, 100),
        row("mark", 150, 0),
        row("open", 700, 0),
        row("outer", 0, 500),
    ];
    expected.sort();
    assert_eq!(slices(&session), expected);
    let said: String = session.warnings.iter().map(|w| w.message.clone()).collect();
    assert!(
        said.contains("1 ends of slices") && said.contains("1 slices have no end"),
        "{said}"
    );
}

#[test]
fn names_defaults_and_incremental_clocks_of_a_sequence() {
    let clock = |id, time, more: Vec<u8>| message(1, &[number(1, id), number(2, time), more]);
    let snapshot = message(
        6,
        &[
            clock(6, 5000, Vec::new()),
            clock(1, 1_700_000_000_000_005_000, Vec::new()),
            clock(64, 5, [number(3, 1), number(4, 1000)].concat()),
        ],
    );
    let defaults = message(59, &[number(58, 64), message(11, &[number(11, 9)])]);
    let names = message(
        12,
        &[
            message(2, &[number(1, 1), text(2, "interned")]),
            message(1, &[number(1, 3), text(2, "category")]),
        ],
    );
    let delta = |by, parts: &[Vec<u8>]| packet(&[number(8, by), number(10, 5), message(11, parts)]);
    let session = session(&[
        packet(&[number(10, 5), number(13, 1), snapshot, defaults, names]),
        thread(9, "main"),
        delta(2, &[number(9, 1), number(10, 1), number(3, 3)]),
        delta(3, &[number(9, 2)]),
        // State is lost: the name is unknown, and so are clock and track.
        packet(&[number(10, 5), number(41, 1)]),
        packet(&[
            number(8, 20_000),
            number(10, 5),
            message(11, &[number(9, 3), number(10, 1), number(11, 9)]),
        ]),
    ]);
    let main = "main".to_owned();
    assert_eq!(
        slices(&session),
        [
            (main.clone(), "(unnamed)".to_owned(), 15_000, 0),
            (main, "interned".to_owned(), 2000, 3000),
        ]
    );
    assert_eq!(session.epoch_ns, Some(1_700_000_000_000_005_000));
}

#[test]
fn counters_and_arrows() {
    let counter = message(8, &[text(6, "MHz")]);
    let session = session(&[
        packet(&[message(60, &[number(1, 3), text(2, "clock"), counter])]),
        thread(9, "main"),
        thread(10, "other"),
        event(
            0,
            1,
            &[number(11, 9), text(23, "from"), fixed(47, 1), fixed(47, 2)],
        ),
        event(0, 1, &[number(11, 9), text(23, "child")]),
        event(5000, 2, &[number(11, 9)]),
        event(9000, 2, &[number(11, 9)]),
        event(6000, 1, &[number(11, 10), text(23, "to"), fixed(48, 1)]),
        event(7000, 2, &[number(11, 10)]),
        event(1000, 4, &[number(11, 3), number(30, 1400)]),
        event(2000, 4, &[number(11, 3), fixed(44, 1.5_f64.to_bits())]),
    ]);
    assert_eq!(
        samples(&session, 1000),
        [
            ("clock (MHz)".to_owned(), 1000, 1400.0),
            ("clock (MHz)".to_owned(), 2000, 1.5)
        ]
    );
    assert_eq!(
        arrows(&session, 1000),
        [("from".to_owned(), 0, "to".to_owned(), 6000)]
    );
}

#[test]
fn compressed_packets_are_unfolded_and_others_named() {
    let inner = event(10, 3, &[number(11, 9), text(23, "mark")]);
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&inner).expect("in memory");
    let compressed = encoder.finish().expect("in memory");
    let session = session(&[
        thread(9, "main"),
        packet(&[message(50, &[compressed])]),
        packet(&[number(8, 5), number(10, 1), message(1, &[number(1, 0)])]),
        packet(&[number(8, 5), number(10, 1), message(66, &[number(1, 0)])]),
    ]);
    assert_eq!(session.slice_count(), 1);
    let said: String = session.warnings.iter().map(|w| w.message.clone()).collect();
    assert!(
        said.contains("kernel scheduling and ftrace (1), CPU samples (1)"),
        "{said}"
    );
}

#[test]
fn times_out_of_reach_and_ends_before_beginnings_are_counted() {
    let session = session(&[
        event(1000, 1, &[text(23, "backwards")]),
        event(500, 2, &[]),
        event(1 << 62, 3, &[text(23, "far")]),
    ]);
    assert_eq!(session.slice_count(), 1);
    let said: String = session.warnings.iter().map(|w| w.message.clone()).collect();
    assert!(said.contains("1 slices end before they begin"), "{said}");
    assert!(said.contains("1 events lie more than 13 days"), "{said}");
}

#[test]
fn damage_and_early_ends_keep_what_came_before() {
    let whole = [
        thread(9, "main"),
        event(10, 3, &[number(11, 9), text(23, "mark")]),
    ]
    .concat();
    let more = event(20, 3, &[number(11, 9), text(23, "later")]);
    for cut in 1..more.len() {
        let bytes = [whole.as_slice(), &more[..cut]].concat();
        let trace = perfetto::read(bytes.as_slice()).expect("one event");
        assert!(trace.problem.is_some(), "{cut}");
        assert_eq!(session_of_trace(trace).slice_count(), 1);
    }
    let damaged = [whole.as_slice(), &[0x0b, 1, 1]].concat();
    let trace = perfetto::read(damaged.as_slice()).expect("one event");
    assert!(trace.problem.expect("damage").contains("not packets"));
    // A packet that claims more than there is, and more than there can be.
    for length in [1 << 60, u64::MAX] {
        let hostile = [whole.as_slice(), &[0x0a], varint(length).as_slice()].concat();
        let trace = perfetto::read(hostile.as_slice()).expect("one event");
        assert!(trace.problem.is_some(), "{length}");
    }
    let empty = perfetto::read(packet(&[number(8, 1), number(10, 1)]).as_slice());
    assert!(matches!(empty, Err(TraceError::NotATrace { .. })));
}

proptest::proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(0_u8.., 0..300)) {
        let start = [thread(9, "main"), event(10, 1, &[number(11, 9)])].concat();
        let _ = perfetto::read([start.as_slice(), &bytes].concat().as_slice());
    }
}
