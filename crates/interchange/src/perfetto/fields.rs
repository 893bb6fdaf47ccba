//! Numbers of fields, from Perfetto's public `perfetto_trace.proto`.

/// Of `TracePacket`.
pub(crate) mod packet {
    /// Of a packet in its trace.
    pub(crate) const TAG: u8 = 0x0a;

    pub(crate) const CLOCK_SNAPSHOT: u32 = 6;
    pub(crate) const TIMESTAMP: u32 = 8;
    pub(crate) const SEQUENCE: u32 = 10;
    pub(crate) const TRACK_EVENT: u32 = 11;
    pub(crate) const INTERNED_DATA: u32 = 12;
    pub(crate) const SEQUENCE_FLAGS: u32 = 13;
    pub(crate) const STATE_CLEARED: u32 = 41;
    pub(crate) const PACKET_DROPPED: u32 = 42;
    pub(crate) const COMPRESSED: u32 = 50;
    pub(crate) const CLOCK_ID: u32 = 58;
    pub(crate) const DEFAULTS: u32 = 59;
    pub(crate) const TRACK_DESCRIPTOR: u32 = 60;
    pub(crate) const FIRST_ON_SEQUENCE: u32 = 87;
}

/// Of `TrackEvent`.
pub(crate) mod event {
    pub(crate) const CATEGORY_IIDS: u32 = 3;
    pub(crate) const ANNOTATIONS: u32 = 4;
    pub(crate) const LEGACY: u32 = 6;
    pub(crate) const TYPE: u32 = 9;
    pub(crate) const NAME_IID: u32 = 10;
    pub(crate) const TRACK: u32 = 11;
    pub(crate) const EXTRA_VALUES: u32 = 12;
    pub(crate) const CATEGORIES: u32 = 22;
    pub(crate) const NAME: u32 = 23;
    pub(crate) const COUNTER_VALUE: u32 = 30;
    pub(crate) const EXTRA_TRACKS: u32 = 31;
    pub(crate) const FLOWS_OLD: u32 = 36;
    pub(crate) const ENDING_FLOWS_OLD: u32 = 42;
    pub(crate) const DOUBLE_COUNTER_VALUE: u32 = 44;
    pub(crate) const EXTRA_DOUBLE_TRACKS: u32 = 45;
    pub(crate) const EXTRA_DOUBLE_VALUES: u32 = 46;
    pub(crate) const FLOWS: u32 = 47;
    pub(crate) const ENDING_FLOWS: u32 = 48;

    pub(crate) const BEGIN: u64 = 1;
    pub(crate) const END: u64 = 2;
    pub(crate) const INSTANT: u64 = 3;
    pub(crate) const COUNTER: u64 = 4;
}

/// Of `InternedData`.
pub(crate) mod interned {
    pub(crate) const CATEGORIES: u32 = 1;
    pub(crate) const EVENT_NAMES: u32 = 2;
    pub(crate) const ANNOTATION_NAMES: u32 = 3;
    pub(crate) const ANNOTATION_TEXTS: u32 = 29;
}

/// Of `TrackDescriptor`.
pub(crate) mod track {
    pub(crate) const UUID: u32 = 1;
    pub(crate) const NAME: u32 = 2;
    pub(crate) const PROCESS: u32 = 3;
    pub(crate) const THREAD: u32 = 4;
    pub(crate) const PARENT: u32 = 5;
    pub(crate) const COUNTER: u32 = 8;
    pub(crate) const STATIC_NAME: u32 = 10;
    pub(crate) const CHILD_ORDERING: u32 = 11;
    pub(crate) const RANK: u32 = 12;
    pub(crate) const ATRACE_NAME: u32 = 13;
    pub(crate) const DESCRIPTION: u32 = 14;

    /// Children stand in the order of their ranks.
    pub(crate) const EXPLICIT: u64 = 3;
}

/// Of `DebugAnnotation`.
pub(crate) mod annotation {
    pub(crate) const NAME_IID: u32 = 1;
    pub(crate) const BOOL: u32 = 2;
    pub(crate) const UINT: u32 = 3;
    pub(crate) const INT: u32 = 4;
    pub(crate) const DOUBLE: u32 = 5;
    pub(crate) const TEXT: u32 = 6;
    pub(crate) const POINTER: u32 = 7;
    pub(crate) const JSON: u32 = 9;
    pub(crate) const NAME: u32 = 10;
    pub(crate) const ENTRIES: u32 = 11;
    pub(crate) const ELEMENTS: u32 = 12;
    pub(crate) const TEXT_IID: u32 = 17;
}

/// Builtin clocks.
pub(crate) mod clock {
    pub(crate) const REALTIME: u64 = 1;
    pub(crate) const BOOTTIME: u64 = 6;
    /// Clocks from here on belong to one sequence.
    pub(crate) const OF_SEQUENCE: u64 = 64;
    /// And from here on to all again.
    pub(crate) const OF_TRACE: u64 = 128;
}
