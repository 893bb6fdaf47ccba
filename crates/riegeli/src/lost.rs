//! What of a file could not be read, where, and why.

use std::fmt;
use std::ops::Range;

/// Losses that are told one by one; of more, only the sums are kept.
const TOLD: usize = 8;

/// Why a part of a file was left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The file ends within it.
    CutShort,
    /// The header of a chunk is not what was written.
    HeaderHash,
    /// The data of a chunk is not what was written.
    DataHash,
    /// The hashes are right, but what they protect is not as the format has it.
    Malformed,
    /// A kind of chunk that nobody has described.
    UnknownKind(u8),
    /// A compression that nobody has described.
    UnknownCompression(u8),
}

impl fmt::Display for Cause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CutShort => formatter.write_str("the file ends there"),
            Self::HeaderHash => formatter.write_str("a chunk's header is damaged"),
            Self::DataHash => formatter.write_str("a chunk's data is damaged"),
            Self::Malformed => formatter.write_str("a chunk's data is malformed"),
            Self::UnknownKind(kind) => write!(formatter, "a chunk of unknown kind {kind:#04x}"),
            Self::UnknownCompression(kind) => {
                write!(formatter, "a chunk of unknown compression {kind:#04x}")
            }
        }
    }
}

/// A part of a file that was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    /// Bytes of the file.
    pub range: Range<u64>,
    /// Records in it; none where the header that says so is damaged itself.
    pub records: Option<u64>,
    /// Why.
    pub cause: Cause,
}

/// All that was left out of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Losses {
    /// The first of them, in the order of the file.
    pub first: Vec<Lost>,
    /// How many there are.
    pub count: u64,
    /// Bytes of the file in them.
    pub bytes: u64,
    /// Records in those that say how many they hold.
    pub records: u64,
    /// Where the file ends too early: the first byte of the chunk that is not whole.
    pub cut_at: Option<u64>,
}

impl Losses {
    /// Whether nothing was left out.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(crate) fn add(&mut self, lost: Lost) {
        self.count += 1;
        self.bytes += lost.range.end.saturating_sub(lost.range.start);
        self.records = self.records.saturating_add(lost.records.unwrap_or(0));
        if lost.cause == Cause::CutShort {
            self.cut_at = Some(lost.range.start);
        }
        if self.first.len() < TOLD {
            self.first.push(lost);
        }
    }
}
