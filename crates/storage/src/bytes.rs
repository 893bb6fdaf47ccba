//! The bytes of one profile: mapped from disk, or held in memory.

use std::fmt;
use std::fs::File;
use std::io;
use std::ops::Range;

use memmap2::{Mmap, UncheckedAdvice};
use stepscope_model::ProfileData;

/// One profile's bytes. Share them in an `Arc`; they are never copied.
pub struct ProfileBytes {
    source: Source,
    truncated: Option<String>,
}

enum Source {
    Mapped { map: Mmap, range: Range<usize> },
    Held(Vec<u8>),
}

impl ProfileBytes {
    pub(crate) fn held(bytes: Vec<u8>, truncated: Option<String>) -> Self {
        Self {
            source: Source::Held(bytes),
            truncated,
        }
    }

    /// Maps `size_bytes` of a file from `offset` on, or as many as the file has. Mapping zero bytes
    /// fails on Linux, so an empty range is held in memory instead.
    pub(crate) fn map(file: &File, offset: u64, size_bytes: u64) -> io::Result<Self> {
        let file_bytes = file.metadata()?.len();
        let end = offset.saturating_add(size_bytes).min(file_bytes);
        let truncated = (end < offset.saturating_add(size_bytes)).then(|| {
            let present = end.saturating_sub(offset);
            format!("the archive is truncated: it has {present} of {size_bytes} bytes")
        });
        if end <= offset {
            return Ok(Self::held(Vec::new(), truncated));
        }
        let map = map_file(file)?;
        let index = |position| usize::try_from(position).map_err(io::Error::other);
        // The file may have shrunk since its size was read.
        let end = index(end)?.min(map.len());
        let range = index(offset)?.min(end)..end;
        Ok(Self {
            source: Source::Mapped { map, range },
            truncated,
        })
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
        matches!(self.source, Source::Mapped { .. })
    }
}

#[expect(
    unsafe_code,
    reason = "profiles are mapped, never read whole; std has no safe mapping"
)]
fn map_file(file: &File) -> io::Result<Mmap> {
    // SAFETY: the map is read-only and private to this process. The bytes may change under it if
    // another process writes the file, and touching pages past the end of a file truncated after
    // this ends the process with SIGBUS. Profilers write a profile once, under its final name,
    // when the capture is over, and never touch it again; decoders treat every byte as untrusted
    // and keep no invariant that a changed byte could break.
    unsafe { Mmap::map(file) }
}

impl AsRef<[u8]> for ProfileBytes {
    fn as_ref(&self) -> &[u8] {
        match &self.source {
            Source::Mapped { map, range } => &map[range.clone()],
            Source::Held(bytes) => bytes,
        }
    }
}

/// Pages are released in multiples of this, the largest page size in use.
const PAGE_BYTES: usize = 1 << 16;

impl ProfileData for ProfileBytes {
    #[cfg(target_os = "linux")]
    fn release(&self, released: Range<usize>) {
        let Source::Mapped { map, range } = &self.source else {
            return;
        };
        let start = (range.start + released.start).next_multiple_of(PAGE_BYTES);
        let end = (range.start + released.end).min(range.end) / PAGE_BYTES * PAGE_BYTES;
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
    // file again on the next touch; nothing was ever written to them that could be lost.
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
