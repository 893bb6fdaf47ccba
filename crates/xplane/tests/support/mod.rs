//! What both decoders make of the same bytes, in one form: every field of every message, so that
//! one comparison says whether they agree. Names are lossy text, doubles are bits.

#![allow(
    dead_code,
    clippy::allow_attributes,
    reason = "each test file uses its own part, so no expectation holds in all of them"
)]

use std::collections::BTreeMap;

use stepscope_testing::space::{self, EventData, XEventMetadata, XPlane, XSpace, XStat};
use stepscope_xplane::{Line, Plane, Space, Stat, StatValue, lossy};

/// A stat: key and value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PlainStat(pub i64, pub PlainValue);

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PlainValue {
    None,
    DoubleBits(u64),
    Uint(u64),
    Int(i64),
    Text(String),
    Bytes(Vec<u8>),
    Ref(u64),
    Compressed(Vec<u8>),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PlainEvent {
    pub(crate) metadata_id: i64,
    /// Of a timed event; 0 where none is recorded.
    pub(crate) offset_ps: i64,
    pub(crate) duration_ps: i64,
    pub(crate) occurrences: Option<i64>,
    pub(crate) stats: Vec<PlainStat>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct PlainLine {
    pub(crate) id: i64,
    pub(crate) display_id: i64,
    pub(crate) name: String,
    pub(crate) display_name: String,
    pub(crate) timestamp_ns: i64,
    pub(crate) events: Vec<PlainEvent>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct PlainPlane {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) lines: Vec<PlainLine>,
    pub(crate) event_metadata: BTreeMap<i64, (String, String, Vec<PlainStat>)>,
    pub(crate) stat_metadata: BTreeMap<i64, String>,
    pub(crate) stats: Vec<PlainStat>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct PlainSpace {
    pub(crate) planes: Vec<PlainPlane>,
    pub(crate) errors: Vec<String>,
    pub(crate) warnings: Vec<String>,
    pub(crate) hostnames: Vec<String>,
}

/// What the decoder under test reads. Its three ways through the events of a line must agree.
pub(crate) fn ours(bytes: &[u8]) -> PlainSpace {
    let mut space = Space::scan(bytes);
    for line in space.planes.iter_mut().flat_map(|plane| &mut plane.lines) {
        line.complete();
    }
    let texts =
        |texts: &[std::borrow::Cow<'_, str>]| texts.iter().map(ToString::to_string).collect();
    PlainSpace {
        planes: space.planes.iter().map(plane_of_ours).collect(),
        errors: texts(&space.errors),
        warnings: texts(&space.warnings),
        hostnames: texts(&space.hostnames),
    }
}

fn plane_of_ours(plane: &Plane<'_>) -> PlainPlane {
    let event_metadata = plane.event_metadata.iter().map(|entry| {
        assert_eq!(
            plane.event_metadata.get(entry.id).map(|found| found.name),
            Some(entry.name)
        );
        let texts = (
            text(entry.name),
            text(entry.display_name),
            stats_of_ours(entry.stats()),
        );
        (entry.id, texts)
    });
    let stat_metadata = plane.stat_metadata.iter().map(|entry| {
        assert_eq!(
            plane.stat_metadata.get(entry.id).map(|found| found.name),
            Some(entry.name)
        );
        (entry.id, text(entry.name))
    });
    PlainPlane {
        id: plane.id,
        name: plane.name.to_string(),
        lines: plane.lines.iter().map(line_of_ours).collect(),
        event_metadata: event_metadata.collect(),
        stat_metadata: stat_metadata.collect(),
        stats: stats_of_ours(plane.stats()),
    }
}

/// A completed line.
pub(crate) fn line_of_ours(line: &Line<'_>) -> PlainLine {
    let events: Vec<PlainEvent> = line.events().map(|event| event_of_ours(&event)).collect();
    let mut visited = Vec::new();
    let mut one_pass = line.events();
    loop {
        let mut stats = Vec::new();
        let Some(event) = one_pass.next_with(&mut |stat| stats.push(plain(stat))) else {
            break;
        };
        visited.push(PlainEvent {
            stats,
            ..event_of_ours(&event)
        });
    }
    assert_eq!(
        events, visited,
        "both ways through the events of {}",
        line.name
    );
    PlainLine {
        id: line.id,
        display_id: line.display_id,
        name: line.name.to_string(),
        display_name: line.display_name.to_string(),
        timestamp_ns: line.timestamp_ns,
        events,
    }
}

fn event_of_ours(event: &stepscope_xplane::Event<'_>) -> PlainEvent {
    PlainEvent {
        metadata_id: event.metadata_id,
        offset_ps: if event.occurrences.is_some() {
            0
        } else {
            event.offset_ps
        },
        duration_ps: event.duration_ps,
        occurrences: event.occurrences,
        stats: stats_of_ours(event.stats()),
    }
}

fn stats_of_ours<'a>(stats: impl Iterator<Item = Stat<'a>>) -> Vec<PlainStat> {
    stats.map(plain).collect()
}

fn plain(stat: Stat<'_>) -> PlainStat {
    let value = match stat.value() {
        StatValue::None => PlainValue::None,
        StatValue::Double(value) => PlainValue::DoubleBits(value.to_bits()),
        StatValue::Uint(value) => PlainValue::Uint(value),
        StatValue::Int(value) => PlainValue::Int(value),
        StatValue::Text(value) => PlainValue::Text(text(value)),
        StatValue::Bytes(value) => PlainValue::Bytes(value.to_vec()),
        StatValue::Ref(value) => PlainValue::Ref(value),
        StatValue::CompressedText(value) => PlainValue::Compressed(value.to_vec()),
    };
    PlainStat(stat.metadata_id, value)
}

fn text(bytes: &[u8]) -> String {
    lossy(bytes).into_owned()
}

/// What the second opinion reads. Metadata is known by its key in the table.
pub(crate) fn theirs(space: &XSpace) -> PlainSpace {
    PlainSpace {
        planes: space.planes.iter().map(plane_of_theirs).collect(),
        errors: space.errors.clone(),
        warnings: space.warnings.clone(),
        hostnames: space.hostnames.clone(),
    }
}

fn plane_of_theirs(plane: &XPlane) -> PlainPlane {
    let texts = |entry: &XEventMetadata| {
        let stats = stats_of_theirs(&entry.stats);
        (entry.name.clone(), entry.display_name.clone(), stats)
    };
    let names = plane
        .stat_metadata
        .iter()
        .map(|(&id, entry)| (id, entry.name.clone()));
    PlainPlane {
        id: plane.id,
        name: plane.name.clone(),
        lines: plane.lines.iter().map(line_of_theirs).collect(),
        event_metadata: plane
            .event_metadata
            .iter()
            .map(|(&id, entry)| (id, texts(entry)))
            .collect(),
        stat_metadata: names.collect(),
        stats: stats_of_theirs(&plane.stats),
    }
}

fn line_of_theirs(line: &space::XLine) -> PlainLine {
    let events = line.events.iter().map(|event| {
        let (offset_ps, occurrences) = match event.data {
            Some(EventData::OffsetPs(offset)) => (offset, None),
            Some(EventData::NumOccurrences(count)) => (0, Some(count)),
            None => (0, None),
        };
        PlainEvent {
            metadata_id: event.metadata_id,
            offset_ps,
            duration_ps: event.duration_ps,
            occurrences,
            stats: stats_of_theirs(&event.stats),
        }
    });
    PlainLine {
        id: line.id,
        display_id: line.display_id,
        name: line.name.clone(),
        display_name: line.display_name.clone(),
        timestamp_ns: line.timestamp_ns,
        events: events.collect(),
    }
}

fn stats_of_theirs(stats: &[XStat]) -> Vec<PlainStat> {
    let plain = |stat: &XStat| {
        let value = match stat.value.clone() {
            None => PlainValue::None,
            Some(space::StatValue::Double(value)) => PlainValue::DoubleBits(value.to_bits()),
            Some(space::StatValue::Uint64(value)) => PlainValue::Uint(value),
            Some(space::StatValue::Int64(value)) => PlainValue::Int(value),
            Some(space::StatValue::Str(value)) => PlainValue::Text(value),
            Some(space::StatValue::Bytes(value)) => PlainValue::Bytes(value),
            Some(space::StatValue::Ref(value)) => PlainValue::Ref(value),
            Some(space::StatValue::CompressedStr(value)) => PlainValue::Compressed(value),
        };
        PlainStat(stat.metadata_id, value)
    };
    stats.iter().map(plain).collect()
}

/// A varint in at least `length` bytes; those beyond the need carry nothing.
pub(crate) fn padded_varint(mut value: u64, length: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = (value & 0x7f) as u8;
        value >>= 7;
        if value == 0 && bytes.len() + 1 >= length {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}

/// A length-delimited field.
pub(crate) fn field(number: u64, payload: &[u8]) -> Vec<u8> {
    let mut bytes = padded_varint(number << 3 | 2, 0);
    bytes.extend(padded_varint(payload.len() as u64, 0));
    bytes.extend_from_slice(payload);
    bytes
}

/// A varint field.
pub(crate) fn number(number: u64, value: u64) -> Vec<u8> {
    [padded_varint(number << 3, 0), padded_varint(value, 0)].concat()
}

/// One field of a message. A varint has no payload.
pub(crate) struct WireField<'a> {
    pub(crate) number: u64,
    pub(crate) wire_type: u64,
    pub(crate) varint: u64,
    pub(crate) payload: &'a [u8],
    /// Where the field begins and ends in the message.
    pub(crate) at: std::ops::Range<usize>,
}

/// The fields of a message that another encoder wrote, so it is valid.
pub(crate) fn split(message: &[u8]) -> Vec<WireField<'_>> {
    fn varint(bytes: &mut &[u8]) -> u64 {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = bytes[0];
            *bytes = &bytes[1..];
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        value
    }
    let mut bytes = message;
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let start = message.len() - bytes.len();
        let tag = varint(&mut bytes);
        let (number, wire_type) = (tag >> 3, tag & 7);
        let mut value = 0;
        let length = match wire_type {
            0 => {
                value = varint(&mut bytes);
                0
            }
            1 => 8,
            2 => usize::try_from(varint(&mut bytes)).expect("a length fits"),
            _ => 4,
        };
        let (payload, rest) = bytes.split_at(length);
        bytes = rest;
        let at = start..message.len() - bytes.len();
        fields.push(WireField {
            number,
            wire_type,
            varint: value,
            payload,
            at,
        });
    }
    fields
}
