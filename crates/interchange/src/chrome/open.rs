//! Events that have begun and wait for their ends.

use crate::draft::LineIndex;

/// An event that has begun.
pub(super) struct Open {
    pub(super) metadata: i64,
    pub(super) start: i64,
    pub(super) stats: Vec<u8>,
    /// Of an asynchronous event.
    pub(super) line: Option<(usize, LineIndex)>,
}

/// What the two ends of an asynchronous event have in common: process where the id is local, category
/// and id.
pub(super) type AsyncKey = (Option<i64>, Vec<u8>, Vec<u8>);
