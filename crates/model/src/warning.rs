//! Warnings: what was wrong with the input, what was repaired, what was left out.

/// Something about the input that a reader of the figures must know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// Its kind.
    pub kind: WarningKind,
    /// Host whose file it is about.
    pub host: String,
    /// Full sentence, with byte offset and plane if known.
    pub message: String,
    /// What to do about it; empty if nothing.
    pub hint: String,
}

/// The kind of a warning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WarningKind {
    /// A file that could not be read at all: its host is left out.
    Unread,
    /// Bytes that could not be decoded.
    Damaged,
    /// The file ends early.
    Truncated,
    /// The profiler itself reported errors or dropped events.
    Recorder,
    /// Something was adjusted during ingest: unsorted events, overlaps, missing names.
    Repaired,
    /// Something a figure needs was not recorded.
    Missing,
}

impl WarningKind {
    /// The word on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unread => "unread",
            Self::Damaged => "damaged",
            Self::Truncated => "truncated",
            Self::Recorder => "recorder",
            Self::Repaired => "repaired",
            Self::Missing => "missing",
        }
    }
}
