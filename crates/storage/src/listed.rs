//! Listings of archives, kept for the archives listed last: a compressed archive is decompressed as a
//! whole to list it, and a search lists it again each time.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::archive::{Format, Listing, ListingLimits, read_listing};
use crate::budget::Reserved;
use crate::error::StorageError;
use crate::limits::Limits;
use crate::regular::open_regular;
use crate::stamp::Stamp;

/// Archives whose listings are kept, and bytes of the names in them.
const KEPT: usize = 64;
const KEPT_BYTES: usize = 64 << 20;
/// Bytes of an entry beside its name.
const ENTRY_BYTES: usize = 128;

/// A listing, and what of its archive it was made within.
struct Kept {
    path: PathBuf,
    stamp: Stamp,
    limits: Limits,
    max_entries: usize,
    max_bytes: Option<u64>,
    listing: Arc<Listing>,
    bytes: usize,
    _reserved: Reserved,
}

impl Kept {
    /// Whether listing the archive anew would say the same.
    fn is_for(&self, path: &Path, stamp: &Stamp, bounds: &ListingLimits<'_>) -> bool {
        let is_same = self.path == path && self.stamp == *stamp && self.limits == *bounds.limits;
        let is_within = if self.listing.cut.is_none() {
            self.listing.seen <= bounds.max_entries && self.max_bytes == bounds.max_bytes
        } else {
            self.max_entries == bounds.max_entries && self.max_bytes == bounds.max_bytes
        };
        is_same && is_within
    }
}

/// The archives listed last, the latest at the end.
static LAST: Mutex<VecDeque<Kept>> = Mutex::new(VecDeque::new());

/// Lists the files of an archive, or gives what was listed of it before.
pub(crate) fn list(
    path: &Path,
    format: Format,
    bounds: &ListingLimits<'_>,
) -> Result<Arc<Listing>, StorageError> {
    let file = open_regular(path).map_err(StorageError::io("open the archive", path))?;
    let metadata = file.metadata();
    let metadata = metadata.map_err(StorageError::io("inspect the archive", path))?;
    let stamp = Stamp::of(&metadata);
    if let Some(known) = known(path, &stamp, bounds) {
        return Ok(known);
    }
    let listing = Arc::new(read_listing(file, &stamp, path, format, bounds)?);
    keep(path, stamp, bounds, &listing);
    Ok(listing)
}

/// What is known of an archive.
fn known(path: &Path, stamp: &Stamp, bounds: &ListingLimits<'_>) -> Option<Arc<Listing>> {
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    let at = last
        .iter()
        .position(|kept| kept.is_for(path, stamp, bounds))?;
    let kept = last.remove(at)?;
    let listing = Arc::clone(&kept.listing);
    last.push_back(kept);
    Some(listing)
}

/// Remembers a listing, if there is memory for it.
fn keep(path: &Path, stamp: Stamp, bounds: &ListingLimits<'_>, listing: &Arc<Listing>) {
    let bytes = listing.name_bytes + listing.entries.len() * ENTRY_BYTES;
    let mut reserved = Reserved::default();
    if bytes > KEPT_BYTES || reserved.grow_to(bytes as u64).is_err() {
        return;
    }
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    last.retain(|kept| kept.path != path);
    last.push_back(Kept {
        path: path.to_path_buf(),
        stamp,
        limits: bounds.limits.clone(),
        max_entries: bounds.max_entries,
        max_bytes: bounds.max_bytes,
        listing: Arc::clone(listing),
        bytes,
        _reserved: reserved,
    });
    let is_too_much = |last: &VecDeque<Kept>| {
        last.len() > KEPT || last.iter().map(|kept| kept.bytes).sum::<usize>() > KEPT_BYTES
    };
    while is_too_much(&last) {
        last.pop_front();
    }
}
