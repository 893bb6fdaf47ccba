//! Limits on searches and on decompression.

/// Limits on one search and on one decompression. The defaults suit typical log directories;
/// callers with other needs pass their own to [`crate::find_within`] and [`crate::open_within`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Folders are searched this many levels below the given one. A log directory needs about six
    /// (`train/plugins/profile/<run>/`); the rest is for experiment trees.
    pub max_depth: usize,
    /// Maximum number of files and folders in one search, including those listed in archives.
    pub max_entries: usize,
    /// Maximum decompressed bytes to read when listing a compressed tar found in a folder. A tar
    /// given by its own path is listed completely.
    pub max_listing_bytes: u64,
    /// A stream is rejected as a decompression bomb if it has decompressed to more than this ...
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
            bomb_bytes: 16 << 20,
            bomb_ratio: 150,
        }
    }
}
