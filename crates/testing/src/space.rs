//! XSpace and its messages by `prost` derive (proto3 package `tensorflow.profiler`).
//!
//! Maps are ordered, so encoding is deterministic. Strings must be valid UTF-8 here; a reader for
//! users must be more tolerant than this one.

use std::collections::BTreeMap;

use prost::{Message, Oneof};

/// One profile of one host.
#[derive(Clone, PartialEq, Message)]
pub struct XSpace {
    /// Devices, host threads, metadata.
    #[prost(message, repeated, tag = "1")]
    pub planes: Vec<XPlane>,
    /// Errors of the profiler itself.
    #[prost(string, repeated, tag = "2")]
    pub errors: Vec<String>,
    /// Warnings of the profiler itself.
    #[prost(string, repeated, tag = "3")]
    pub warnings: Vec<String>,
    /// Usually one.
    #[prost(string, repeated, tag = "4")]
    pub hostnames: Vec<String>,
}

/// A device, the host, or a carrier of metadata; the name decides which.
#[derive(Clone, PartialEq, Message)]
pub struct XPlane {
    /// Not unique across files.
    #[prost(int64, tag = "1")]
    pub id: i64,
    /// `/device:TPU:0`, `/host:CPU`, …
    #[prost(string, tag = "2")]
    pub name: String,
    /// Threads, streams, fixed rows.
    #[prost(message, repeated, tag = "3")]
    pub lines: Vec<XLine>,
    /// Names and constant stats of events, by id.
    #[prost(btree_map = "int64, message", tag = "4")]
    pub event_metadata: BTreeMap<i64, XEventMetadata>,
    /// Names of stats, and interned strings, by id.
    #[prost(btree_map = "int64, message", tag = "5")]
    pub stat_metadata: BTreeMap<i64, XStatMetadata>,
    /// Device capabilities and the like.
    #[prost(message, repeated, tag = "6")]
    pub stats: Vec<XStat>,
}

/// One row of time.
#[derive(Clone, PartialEq, Message)]
pub struct XLine {
    /// Thread id, stream id, or a fixed row id; may be negative.
    #[prost(int64, tag = "1")]
    pub id: i64,
    /// `XLA Ops`, `Stream #7(Compute)`, `python`, …
    #[prost(string, tag = "2")]
    pub name: String,
    /// Base of every offset in the line, in nanoseconds.
    #[prost(int64, tag = "3")]
    pub timestamp_ns: i64,
    /// Not always sorted.
    #[prost(message, repeated, tag = "4")]
    pub events: Vec<XEvent>,
    /// Optional extent of the line, in picoseconds.
    #[prost(int64, tag = "9")]
    pub duration_ps: i64,
    /// 0 = use `id`.
    #[prost(int64, tag = "10")]
    pub display_id: i64,
    /// Empty = use `name`.
    #[prost(string, tag = "11")]
    pub display_name: String,
}

/// One occurrence, or the sum of many.
#[derive(Clone, PartialEq, Message)]
pub struct XEvent {
    /// Key in the plane's `event_metadata`.
    #[prost(int64, tag = "1")]
    pub metadata_id: i64,
    /// When, or how often.
    #[prost(oneof = "EventData", tags = "2, 5")]
    pub data: Option<EventData>,
    /// 0 = instant. In picoseconds.
    #[prost(int64, tag = "3")]
    pub duration_ps: i64,
    /// Stats of this occurrence.
    #[prost(message, repeated, tag = "4")]
    pub stats: Vec<XStat>,
}

/// What kind of event it is.
#[derive(Clone, Copy, PartialEq, Eq, Oneof)]
pub enum EventData {
    /// A timed event: picoseconds after the line's base.
    #[prost(int64, tag = "2")]
    OffsetPs(i64),
    /// An aggregated event without a time.
    #[prost(int64, tag = "5")]
    NumOccurrences(i64),
}

/// A named value.
#[derive(Clone, PartialEq, Message)]
pub struct XStat {
    /// Key in the plane's `stat_metadata`.
    #[prost(int64, tag = "1")]
    pub metadata_id: i64,
    /// The value; absent means that the stat has no value.
    #[prost(oneof = "StatValue", tags = "2, 3, 4, 5, 6, 7, 8")]
    pub value: Option<StatValue>,
}

/// The value of a stat as it is on the wire.
#[derive(Clone, PartialEq, Oneof)]
pub enum StatValue {
    /// 64-bit float.
    #[prost(double, tag = "2")]
    Double(f64),
    /// Unsigned integer.
    #[prost(uint64, tag = "3")]
    Uint64(u64),
    /// Signed integer, two's complement varint.
    #[prost(int64, tag = "4")]
    Int64(i64),
    /// Text in place.
    #[prost(string, tag = "5")]
    Str(String),
    /// Opaque bytes, often a message.
    #[prost(bytes = "vec", tag = "6")]
    Bytes(Vec<u8>),
    /// Interned text: the *name* of the stat metadata with this id.
    #[prost(uint64, tag = "7")]
    Ref(u64),
    /// Gzipped text, in newer files.
    #[prost(bytes = "vec", tag = "8")]
    CompressedStr(Vec<u8>),
}

/// What all occurrences of an event have in common.
#[derive(Clone, PartialEq, Message)]
pub struct XEventMetadata {
    /// Equals the map key.
    #[prost(int64, tag = "1")]
    pub id: i64,
    /// TPU: the HLO text; host: the annotation.
    #[prost(string, tag = "2")]
    pub name: String,
    /// Normally empty.
    #[prost(bytes = "vec", tag = "3")]
    pub metadata: Vec<u8>,
    /// TPU: the HLO instruction name.
    #[prost(string, tag = "4")]
    pub display_name: String,
    /// Constant stats; TPU keeps op costs here.
    #[prost(message, repeated, tag = "5")]
    pub stats: Vec<XStat>,
    /// Fused ops.
    #[prost(int64, repeated, tag = "6")]
    pub child_id: Vec<i64>,
}

/// The name of a stat, or an interned string.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct XStatMetadata {
    /// Equals the map key.
    #[prost(int64, tag = "1")]
    pub id: i64,
    /// The name or the interned string.
    #[prost(string, tag = "2")]
    pub name: String,
    /// Rarely set.
    #[prost(string, tag = "3")]
    pub description: String,
}

impl XSpace {
    /// Decodes the bytes of an `.xplane.pb` file (uncompressed).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, prost::DecodeError> {
        Self::decode(bytes)
    }

    /// Encodes to the bytes of an `.xplane.pb` file. Equal spaces give equal bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.encode_to_vec()
    }

    /// The first plane of that name.
    pub fn plane(&self, name: &str) -> Option<&XPlane> {
        self.planes.iter().find(|plane| plane.name == name)
    }
}

impl XPlane {
    /// The first line of that name.
    pub fn line(&self, name: &str) -> Option<&XLine> {
        self.lines.iter().find(|line| line.name == name)
    }

    /// The metadata of an event; `None` where the file has no entry for it.
    pub fn metadata(&self, event: &XEvent) -> Option<&XEventMetadata> {
        self.event_metadata.get(&event.metadata_id)
    }

    /// The name of a stat; empty where the file has no entry for it.
    pub fn stat_name(&self, stat: &XStat) -> &str {
        self.stat_metadata
            .get(&stat.metadata_id)
            .map_or("", |metadata| &metadata.name)
    }
}
