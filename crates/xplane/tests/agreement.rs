//! Two decoders that share no code agree: on any generated profile however it is spelled on the
//! wire, and on every recorded one.

mod support;

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use stepscope_testing::corpus;
use stepscope_testing::space::{
    EventData, StatValue, XEvent, XEventMetadata, XLine, XPlane, XSpace, XStat, XStatMetadata,
};
use support::{number, ours, padded_varint, split, theirs};

fn any_id() -> impl Strategy<Value = i64> {
    prop_oneof![4 => 0i64..200, 1 => any::<i64>(), 1 => Just(i64::MIN), 1 => Just(i64::MAX)]
}

fn any_value() -> impl Strategy<Value = Option<StatValue>> {
    prop_oneof![
        Just(None),
        any::<u64>().prop_map(|bits| Some(StatValue::Double(f64::from_bits(bits)))),
        any::<u64>().prop_map(|value| Some(StatValue::Uint64(value))),
        any::<i64>().prop_map(|value| Some(StatValue::Int64(value))),
        (0i64..200).prop_map(|value| Some(StatValue::Int64(value))),
        ".{0,12}".prop_map(|text| Some(StatValue::Str(text))),
        vec(any::<u8>(), 0..200).prop_map(|bytes| Some(StatValue::Bytes(bytes))),
        any::<u64>().prop_map(|id| Some(StatValue::Ref(id))),
        vec(any::<u8>(), 0..9).prop_map(|bytes| Some(StatValue::CompressedStr(bytes))),
    ]
}

fn any_stats() -> impl Strategy<Value = Vec<XStat>> {
    let stat = (any_id(), any_value());
    vec(
        stat.prop_map(|(metadata_id, value)| XStat { metadata_id, value }),
        0..4,
    )
}

fn any_event() -> impl Strategy<Value = XEvent> {
    let data = prop_oneof![
        1 => Just(None),
        6 => any_id().prop_map(|offset| Some(EventData::OffsetPs(offset))),
        2 => any_id().prop_map(|count| Some(EventData::NumOccurrences(count))),
    ];
    (any_id(), data, any_id(), any_stats()).prop_map(|(metadata_id, data, duration_ps, stats)| {
        XEvent {
            metadata_id,
            data,
            duration_ps,
            stats,
        }
    })
}

fn any_line() -> impl Strategy<Value = XLine> {
    let numbers = (any_id(), any_id(), any_id(), any_id());
    (numbers, ".{0,9}", ".{0,9}", vec(any_event(), 0..5)).prop_map(
        |((id, timestamp_ns, duration_ps, display_id), name, display_name, events)| XLine {
            id,
            name,
            timestamp_ns,
            events,
            duration_ps,
            display_id,
            display_name,
        },
    )
}

fn any_plane() -> impl Strategy<Value = XPlane> {
    let event_metadata = (
        ".{0,9}",
        vec(any::<u8>(), 0..4),
        ".{0,9}",
        any_stats(),
        vec(any_id(), 0..3),
    );
    let event_metadata = event_metadata.prop_map(
        |(name, metadata, display_name, stats, child_id)| XEventMetadata {
            id: 0,
            name,
            metadata,
            display_name,
            stats,
            child_id,
        },
    );
    let stat_metadata = (".{0,9}", ".{0,9}").prop_map(|(name, description)| XStatMetadata {
        id: 0,
        name,
        description,
    });
    let tables = (
        btree_map(any_id(), event_metadata, 0..5),
        btree_map(any_id(), stat_metadata, 0..5),
    );
    (
        any_id(),
        ".{0,12}",
        vec(any_line(), 0..4),
        tables,
        any_stats(),
    )
        .prop_map(
            |(id, name, lines, (mut event_metadata, mut stat_metadata), stats)| {
                for (&key, entry) in &mut event_metadata {
                    entry.id = key;
                }
                for (&key, entry) in &mut stat_metadata {
                    entry.id = key;
                }
                XPlane {
                    id,
                    name,
                    lines,
                    event_metadata,
                    stat_metadata,
                    stats,
                }
            },
        )
}

fn any_space() -> impl Strategy<Value = XSpace> {
    let texts = || vec(".{0,9}", 0..3);
    (vec(any_plane(), 0..4), texts(), texts(), texts()).prop_map(
        |(planes, errors, warnings, hostnames)| XSpace {
            planes,
            errors,
            warnings,
            hostnames,
        },
    )
}

/// Which fields of a message are messages themselves; map entries are named by their table.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Space,
    Plane,
    Line,
    Event,
    Stat,
    EventEntry,
    StatEntry,
    EventMetadata,
    StatMetadata,
}

fn child_kind(kind: Kind, field: u64) -> Option<Kind> {
    match (kind, field) {
        (Kind::Space, 1) => Some(Kind::Plane),
        (Kind::Plane, 3) => Some(Kind::Line),
        (Kind::Plane, 4) => Some(Kind::EventEntry),
        (Kind::Plane, 5) => Some(Kind::StatEntry),
        (Kind::Plane, 6) | (Kind::Event, 4) | (Kind::EventMetadata, 5) => Some(Kind::Stat),
        (Kind::Line, 4) => Some(Kind::Event),
        (Kind::EventEntry, 2) => Some(Kind::EventMetadata),
        (Kind::StatEntry, 2) => Some(Kind::StatMetadata),
        _ => None,
    }
}

/// Spells a valid message otherwise: fields in another order (those of one number keep theirs),
/// unknown fields of every wire type between them, tags and numbers in more bytes than needed.
struct Speller {
    state: u64,
}

impl Speller {
    fn roll(&mut self, sides: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 11) % sides
    }

    fn message(&mut self, kind: Kind, bytes: &[u8]) -> Vec<u8> {
        let mut fields = split(bytes);
        // A stable sort by a number that is random for each field number.
        let salt = self.roll(1 << 20) | 1;
        fields.sort_by_key(|field| (field.number * 2_654_435_761) ^ salt);
        let mut out = Vec::new();
        for field in fields {
            self.unknown(kind, &mut out);
            let slack = usize::from(self.roll(8) == 0);
            out.extend(padded_varint(
                field.number << 3 | field.wire_type,
                1 + slack,
            ));
            match field.wire_type {
                0 => out.extend(padded_varint(field.varint, 1 + 2 * slack)),
                2 => {
                    let child = child_kind(kind, field.number);
                    let payload = child.map(|child| self.message(child, field.payload));
                    let payload = payload.as_deref().unwrap_or(field.payload);
                    out.extend(padded_varint(payload.len() as u64, 1 + slack));
                    out.extend_from_slice(payload);
                }
                _ => out.extend_from_slice(field.payload),
            }
        }
        self.unknown(kind, &mut out);
        out
    }

    /// Field numbers 5 to 8 of a line are reserved; everywhere 50 is free.
    fn unknown(&mut self, kind: Kind, out: &mut Vec<u8>) {
        let free = if kind == Kind::Line {
            5 + self.roll(4)
        } else {
            50
        };
        match self.roll(12) {
            0 => out.extend(number(free, u64::MAX)),
            1 => out.extend([padded_varint(free << 3 | 1, 0), vec![0xee; 8]].concat()),
            2 => out.extend(support::field(free, b"\x0a\x03abc")),
            3 => out.extend([padded_varint(free << 3 | 5, 0), vec![0xee; 4]].concat()),
            4 => {
                let inside = [
                    number(1, 7),
                    padded_varint(free << 3 | 3, 0),
                    padded_varint(free << 3 | 4, 0),
                ];
                out.extend(padded_varint(free << 3 | 3, 0));
                out.extend(inside.concat());
                out.extend(padded_varint(free << 3 | 4, 0));
            }
            _ => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_profile_decodes_to_what_was_encoded(space in any_space()) {
        prop_assert_eq!(ours(&space.to_bytes()), theirs(&space));
    }

    #[test]
    fn any_spelling_of_it_decodes_to_the_same(space in any_space(), seed in 1u64..) {
        let bytes = Speller { state: seed }.message(Kind::Space, &space.to_bytes());
        let reread = XSpace::from_bytes(&bytes).expect("the spelling is valid");
        prop_assert_eq!(ours(&bytes), theirs(&reread));
    }

    #[test]
    fn one_after_the_other_is_both(first in any_space(), second in any_space()) {
        let bytes = [first.to_bytes(), second.to_bytes()].concat();
        let both = XSpace::from_bytes(&bytes).expect("a concatenation is valid");
        prop_assert_eq!(ours(&bytes), theirs(&both));
    }
}

#[test]
fn every_recorded_profile_decodes_to_the_same() {
    let mut events = 0;
    for capture in corpus::fixtures().into_iter().chain(corpus::captures()) {
        for host in &capture.hosts {
            let bytes = corpus::read_bytes(host).expect("the file is readable");
            let space = XSpace::from_bytes(&bytes).expect("the file is whole");
            let (ours, theirs) = (ours(&bytes), theirs(&space));
            for (ours, theirs) in ours.planes.iter().zip(&theirs.planes) {
                for (ours, theirs) in ours.lines.iter().zip(&theirs.lines) {
                    assert!(ours == theirs, "line {} of {}", theirs.name, host.display());
                }
            }
            assert!(ours == theirs, "{}", host.display());
            let problems = stepscope_xplane::Space::scan(&bytes).problems;
            assert!(problems.is_empty(), "{problems:?} in {}", host.display());
            let lines = theirs.planes.iter().flat_map(|plane| &plane.lines);
            events += lines.map(|line| line.events.len()).sum::<usize>();
        }
    }
    assert!(events > 10_000, "the fixtures alone hold more: {events}");
}
