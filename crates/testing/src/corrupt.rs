//! Damaged and hostile bytes for the tests of decoders: truncated files, flipped bits, wrong
//! lengths, endless nesting, and well-formed files with extreme numbers. All deterministic.

use crate::space::{
    EventData, StatValue, XEvent, XEventMetadata, XLine, XPlane, XSpace, XStat, XStatMetadata,
};

/// The bytes cut off after 0, `step`, 2·`step`, … bytes; never the whole.
pub fn truncations(bytes: &[u8], step: usize) -> impl Iterator<Item = &[u8]> {
    (0..bytes.len())
        .step_by(step.max(1))
        .map(|length| &bytes[..length])
}

/// Copies with one bit flipped: in every `step`-th byte, a bit that differs from byte to byte.
pub fn bit_flips(bytes: &[u8], step: usize) -> impl Iterator<Item = Vec<u8>> {
    (0..bytes.len()).step_by(step.max(1)).map(|index| {
        let mut copy = bytes.to_vec();
        copy[index] ^= 1 << (index % 8);
        copy
    })
}

/// `rounds` copies, each with `flips` bits flipped at random places derived from `seed`.
pub fn random_flips(
    bytes: &[u8],
    seed: u64,
    flips: usize,
    rounds: usize,
) -> impl Iterator<Item = Vec<u8>> {
    let mut state = seed | 1;
    (0..rounds).map(move |_| {
        let mut copy = bytes.to_vec();
        for _ in 0..flips {
            state = xorshift(state);
            let length = copy.len().max(1) as u64;
            let index = usize::try_from((state >> 8) % length).unwrap_or(0);
            if let Some(byte) = copy.get_mut(index) {
                *byte ^= 1 << (state % 8);
            }
        }
        copy
    })
}

/// Marsaglia's 64-bit xorshift; any nonzero state works.
fn xorshift(mut state: u64) -> u64 {
    state ^= state << 13;
    state ^= state >> 7;
    state ^ (state << 17)
}

/// Small inputs with wrong lengths, tags, or varints. Each has a name for the failure message. None
/// of them is a valid message.
pub fn hostile_lengths() -> Vec<(&'static str, Vec<u8>)> {
    const PLANE: u8 = 0x0a;
    let varint_max = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
    let with = |head: &[u8], tail: &[u8]| [head, tail].concat();
    vec![
        ("plane of 2^64-1 bytes", with(&[PLANE], &varint_max)),
        (
            "plane of 2^63 bytes",
            with(&[PLANE], &encoded_varint(1 << 63)),
        ),
        (
            "plane of 2^31 bytes",
            with(&[PLANE], &encoded_varint(1 << 31)),
        ),
        (
            "plane one byte longer than the file",
            vec![PLANE, 0x03, 0x08, 0x01],
        ),
        (
            "line longer than its plane",
            vec![PLANE, 0x04, 0x1a, 0x7f, 0x08, 0x01],
        ),
        ("plane without a length", vec![PLANE]),
        ("length cut inside its varint", vec![PLANE, 0x80]),
        ("varint of eleven bytes", with(&[PLANE], &[0x80; 11])),
        ("tag of eleven bytes", vec![0xff; 11]),
        ("field number 0", vec![0x02, 0x00]),
        ("wire type 6", vec![0x0e, 0x00]),
        ("wire type 7", vec![0x0f, 0x00]),
        ("plane as a varint", vec![0x08, 0x01]),
        ("group that never ends", vec![0x7b]),
        ("end of a group that never began", vec![0x7c]),
        ("fixed64 cut short", vec![0x79, 0x01, 0x02, 0x03]),
        ("fixed32 cut short", vec![0x7d, 0x01]),
    ]
}

/// Well-formed bytes nested `depth` deep: in an unknown length-delimited field (legal, to be
/// skipped without descending) and in unknown groups (one stack frame each if recursed into).
pub fn deep_nesting(depth: usize) -> Vec<(&'static str, Vec<u8>)> {
    const UNKNOWN_MESSAGE: u8 = 0x7a;
    const GROUP_BEGIN: u8 = 0x7b;
    const GROUP_END: u8 = 0x7c;
    // Innermost first, reversed at the end, so that construction stays linear.
    let mut reversed: Vec<u8> = Vec::new();
    for _ in 0..depth {
        let length = reversed.len() as u64;
        reversed.extend(encoded_varint(length).iter().rev());
        reversed.push(UNKNOWN_MESSAGE);
    }
    reversed.reverse();
    let groups = [vec![GROUP_BEGIN; depth], vec![GROUP_END; depth]].concat();
    vec![("messages", reversed), ("groups", groups)]
}

/// Valid spaces whose numbers overflow careless arithmetic: times at both ends of `i64`, negative
/// durations, dangling metadata IDs and references.
pub fn extreme_spaces() -> Vec<(&'static str, XSpace)> {
    let max = i64::MAX;
    vec![
        (
            "latest base, latest offset",
            one_event(max, EventData::OffsetPs(max), max),
        ),
        (
            "earliest base and offset",
            one_event(i64::MIN, EventData::OffsetPs(i64::MIN), max),
        ),
        (
            "negative duration",
            one_event(0, EventData::OffsetPs(0), -1),
        ),
        (
            "most negative duration",
            one_event(0, EventData::OffsetPs(0), i64::MIN),
        ),
        (
            "as often as can be",
            one_event(0, EventData::NumOccurrences(max), max),
        ),
        (
            "negative occurrences",
            one_event(0, EventData::NumOccurrences(-1), 1),
        ),
        ("nothing has metadata", without_metadata()),
        ("reference to itself and to nowhere", with_lost_references()),
    ]
}

fn one_event(timestamp_ns: i64, data: EventData, duration_ps: i64) -> XSpace {
    let event = XEvent {
        metadata_id: 1,
        data: Some(data),
        duration_ps,
        stats: vec![XStat {
            metadata_id: 1,
            value: Some(StatValue::Uint64(u64::MAX)),
        }],
    };
    let line = XLine {
        id: i64::MIN,
        name: "XLA Ops".into(),
        timestamp_ns,
        events: vec![event.clone(), event],
        ..XLine::default()
    };
    let metadata = XEventMetadata {
        id: 1,
        name: "fusion".into(),
        ..XEventMetadata::default()
    };
    let program_id = XStatMetadata {
        id: 1,
        name: "program_id".into(),
        ..XStatMetadata::default()
    };
    let plane = XPlane {
        name: "/device:TPU:0".into(),
        lines: vec![line],
        event_metadata: [(1, metadata)].into(),
        stat_metadata: [(1, program_id)].into(),
        ..XPlane::default()
    };
    XSpace {
        planes: vec![plane],
        ..XSpace::default()
    }
}

fn without_metadata() -> XSpace {
    let mut space = one_event(0, EventData::OffsetPs(1), 1);
    for plane in &mut space.planes {
        plane.event_metadata.clear();
        plane.stat_metadata.clear();
    }
    space
}

fn with_lost_references() -> XSpace {
    let mut space = one_event(0, EventData::OffsetPs(1), 1);
    let stat = |id| XStat {
        metadata_id: 1,
        value: Some(StatValue::Ref(id)),
    };
    for plane in &mut space.planes {
        plane.stats = vec![
            stat(1),
            stat(u64::MAX),
            XStat {
                metadata_id: -1,
                value: None,
            },
        ];
    }
    space
}

fn encoded_varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = (value & 0x7f) as u8;
        value >>= 7;
        if value == 0 {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}
