//! Reports to a caller how far the reading of one host file is.

/// Receives the number of bytes as they are read. Called often, from the reading thread:
/// implementations should return quickly.
pub trait Progress: Sync {
    /// `done` of `total` bytes have been read, if the total is known: compressed bytes for a file
    /// that is compressed as a whole, uncompressed bytes for an entry of a zip.
    fn bytes(&self, done: u64, total: Option<u64>);
}

/// A [`Progress`] that does nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn bytes(&self, _done: u64, _total: Option<u64>) {}
}
