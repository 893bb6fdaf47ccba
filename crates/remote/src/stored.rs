//! Objects of a folder of a bucket that is written, too.

use bytes::Bytes;

/// An object that is in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// Its path below the folder.
    pub name: String,
    /// Its size.
    pub size_bytes: u64,
    /// When it was written, in milliseconds since the Unix epoch.
    pub modified_epoch_ms: i64,
    /// What changes when it is written: an entity tag. Empty if the service gives none.
    pub version: String,
}

/// An object that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Whole {
    /// All of it.
    pub bytes: Bytes,
    /// As in [`Stored`].
    pub version: String,
}
