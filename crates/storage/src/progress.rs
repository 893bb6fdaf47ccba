//! Telling a caller how far the reading of one host file is.

/// Told about bytes as they are read. Called from the reading thread, often: implementations
/// return quickly.
pub trait Progress: Sync {
    /// `done` of `total` bytes have been read, where the total is known: compressed ones for a
    /// file that is compressed as a whole, uncompressed ones for an entry of a zip.
    fn bytes(&self, done: u64, total: Option<u64>);
}

/// A [`Progress`] that tells nobody.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn bytes(&self, _done: u64, _total: Option<u64>) {}
}
