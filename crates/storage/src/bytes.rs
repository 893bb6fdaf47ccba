//! The bytes of one profile: mapped from disk, or held in memory.

use std::fmt;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use memmap2::{Mmap, UncheckedAdvice};
use stepscope_model::ProfileData;

use crate::budget::Reserved;
use crate::fault::Registered;
use crate::stamp::MappedStamp;

/// Less than this is read into memory instead of mapped: it costs little, and a copy cannot change.
/// Many of them cost much, so that beyond a limit they are mapped too ([`Reserved::for_copy`]).
const MAPPED_FROM_BYTES: u64 = 4 << 20;

/// One profile's bytes. Share them in an `Arc`; they are never copied.
pub struct ProfileBytes {
    source: Source,
    truncated: Option<String>,
}

enum Source {
    Mapped(Mapping),
    Held { bytes: Vec<u8>, _reserved: Reserved },
}

/// A part of a mapped file, which somebody may write meanwhile.
struct Mapping {
    /// Ends before the mapping does.
    registered: Registered,
    map: Mmap,
    range: Range<usize>,
    stamp: MappedStamp,
    /// Where the file is, to see whether it was written.
    path: PathBuf,
}

impl Mapping {
    fn changed(&self) -> Option<String> {
        let path = self.path.display();
        if self.stamp.is_outdated(&self.path) {
            return Some(format!("the file changed while it was open: {path}"));
        }
        let is_lost = self.registered.is_hit();
        is_lost.then(|| format!("a part of the file can no longer be read: {path}"))
    }
}

impl ProfileBytes {
    /// Bytes in memory that was reserved for them.
    pub(crate) fn held_with(bytes: Vec<u8>, reserved: Reserved, truncated: Option<String>) -> Self {
        let source = Source::Held {
            bytes,
            _reserved: reserved,
        };
        Self { source, truncated }
    }

    /// `size_bytes` of a file from `offset` on, or as many as the file has: mapped, or read if they
    /// are few. `path` is where the file is.
    pub(crate) fn map(
        file: &mut File,
        path: &Path,
        offset: u64,
        size_bytes: u64,
    ) -> io::Result<Self> {
        let stamp = MappedStamp::of(&file.metadata()?);
        let end = offset.saturating_add(size_bytes).min(stamp.size_bytes());
        let truncated = (end < offset.saturating_add(size_bytes)).then(|| {
            let present = end.saturating_sub(offset);
            format!("the archive is truncated: it has {present} of {size_bytes} bytes")
        });
        let wanted = end.saturating_sub(offset);
        let small = Some(wanted).filter(|&bytes| bytes < MAPPED_FROM_BYTES);
        if let Some(reserved) = small.and_then(Reserved::for_copy) {
            let bytes = read_part(file, offset, wanted)?;
            return Ok(Self::held_with(bytes, reserved, truncated));
        }
        let map = map_file(file)?;
        let Some(registered) = Registered::new(&map) else {
            return Err(io::ErrorKind::Unsupported.into());
        };
        let index = |position| usize::try_from(position).map_err(io::Error::other);
        // The file may have shrunk since its size was read.
        let end = index(end)?.min(map.len());
        let range = index(offset)?.min(end)..end;
        let source = Source::Mapped(Mapping {
            registered,
            map,
            range,
            stamp,
            // The current folder may change before the file is checked.
            path: std::path::absolute(path)?,
        });
        Ok(Self { source, truncated })
    }

    /// If compressed data or an archive ended early or was damaged: what happened, and how much
    /// could be read before that. The bytes are those that could be read.
    pub fn truncated(&self) -> Option<String> {
        self.truncated.clone()
    }

    /// Replaces the description of what could not be read.
    pub(crate) fn set_problem(&mut self, problem: String) {
        self.truncated = Some(problem);
    }

    /// Adds to the description of what could be read.
    pub(crate) fn add_problem(&mut self, problem: &str) {
        let said = self.truncated.take();
        self.truncated = Some(match said {
            Some(said) => format!("{problem}; {said}"),
            None => problem.to_owned(),
        });
    }

    /// Whether the bytes are mapped from the file rather than held in memory.
    pub fn is_mapped(&self) -> bool {
        matches!(self.source, Source::Mapped(_))
    }
}

/// A few bytes of a file.
fn read_part(file: &mut File, offset: u64, size_bytes: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(offset))?;
    let mut bytes = Vec::with_capacity(usize::try_from(size_bytes).unwrap_or(0));
    file.take(size_bytes).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[expect(
    unsafe_code,
    reason = "profiles are mapped, never read whole; std has no safe mapping"
)]
fn map_file(file: &File) -> io::Result<Mmap> {
    // SAFETY: the map is read-only and private to this process. The bytes may change under it if
    // another process writes the file. Decoders treat every byte as untrusted and keep no invariant
    // that a changed byte could break, and `Mapping::changed` tells whoever is about to believe
    // what was decoded. Touching pages past the end of a file that was truncated raises a signal,
    // which `fault` handles: the map is registered there before anybody reads it.
    unsafe { Mmap::map(file) }
}

impl AsRef<[u8]> for ProfileBytes {
    fn as_ref(&self) -> &[u8] {
        match &self.source {
            Source::Mapped(mapping) => &mapping.map[mapping.range.clone()],
            Source::Held { bytes, .. } => bytes,
        }
    }
}

/// Pages are released in multiples of this, the largest page size in use.
const PAGE_BYTES: usize = 1 << 16;

impl ProfileData for ProfileBytes {
    fn changed(&self) -> Option<String> {
        match &self.source {
            Source::Mapped(mapping) => mapping.changed(),
            Source::Held { .. } => None,
        }
    }

    #[cfg(target_os = "linux")]
    fn release(&self, released: Range<usize>) {
        let Source::Mapped(Mapping { map, range, .. }) = &self.source else {
            return;
        };
        // Rows are often smaller than a page; what others still read of it is found again.
        let start = (range.start + released.start) / PAGE_BYTES * PAGE_BYTES;
        let end = (range.start + released.end).next_multiple_of(PAGE_BYTES);
        let end = end.min(map.len());
        if start < end {
            forget_pages(map, start..end);
        }
    }
}

/// Best effort: if the system declines, the pages stay.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "the system's hint has no safe form")]
fn forget_pages(map: &Mmap, pages: Range<usize>) {
    // SAFETY: the map is private, read-only and backed by a file, so dropped pages are read from the
    // file again on the next touch; nothing was ever written to them that could be lost. Where
    // `fault` has put zeros instead, they are zeros again.
    let _ =
        unsafe { map.unchecked_advise_range(UncheckedAdvice::DontNeed, pages.start, pages.len()) };
}

impl fmt::Debug for ProfileBytes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ProfileBytes")
            .field("len", &self.as_ref().len())
            .field("is_mapped", &self.is_mapped())
            .field("truncated", &self.truncated)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::ProfileBytes;

    #[test]
    fn bytes_cross_threads() {
        fn check<T: Send + Sync + 'static>() {}
        check::<ProfileBytes>();
    }
}
