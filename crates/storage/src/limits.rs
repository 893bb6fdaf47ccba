//! How far a search goes and how much a compressed file may unfold to.

/// Bounds on one search and on one decompression. The defaults suit a person's log directories;
/// a caller with other needs passes its own to [`crate::find_within`] and
/// [`crate::open_within`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Folders are searched this many levels below the given one. A log directory needs about
    /// six (`train/plugins/profile/<run>/`); the rest is room for experiment trees.
    pub max_depth: usize,
    /// Files and folders looked at in one search, those listed in archives included.
    pub max_entries: usize,
    /// Decompressed bytes read to list one compressed tar that a folder search came across. One
    /// given by its own path is listed whole.
    pub max_listing_bytes: u64,
    /// A stream is refused as a decompression bomb once it has unfolded to more than this ...
    pub bomb_bytes: u64,
    /// ... and to more than this many times its compressed size. Profiles compress about 5 to 30
    /// times; a stream of zeros, 1,000 times with gzip and more with zstd.
    pub bomb_ratio: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_depth: 24,
            max_entries: 200_000,
            max_listing_bytes: 16 << 30,
            bomb_bytes: 1 << 30,
            bomb_ratio: 250,
        }
    }
}
