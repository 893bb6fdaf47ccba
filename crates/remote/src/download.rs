//! Downloading one file: the parts of it that are wanted and not here, several at a time.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use futures_util::{StreamExt as _, stream};
use tokio::sync::Semaphore;

use crate::address::Address;
use crate::cache::{self, Entry};
use crate::error::{RemoteError, RemoteErrorKind};
use crate::object::Object;
use crate::pace::Pace;
use crate::source::Source;

/// Bytes asked for at a time: large enough that latency does not matter, small enough that little
/// is lost when a connection breaks.
const CHUNK_BYTES: u64 = 8 << 20;
/// Requests under way at a time, over all files.
const REQUESTS: usize = 12;
/// How often a chunk is asked for again.
const ATTEMPTS: u32 = 4;

static PERMITS: Semaphore = Semaphore::const_new(REQUESTS);

/// Fetches what is missing of a file and gives where it is.
pub(crate) async fn download(
    object: &Object,
    tell: &(impl Fn(u64) + Sync),
) -> Result<PathBuf, RemoteError> {
    let begun = {
        let object = object.clone();
        // Waits for the lock where another process fetches the same file.
        tokio::task::spawn_blocking(move || cache::begin(&object)).await
    };
    let begun = begun.unwrap_or_else(|error| Err(io::Error::other(error)));
    let Some(mut entry) = begun.map_err(|error| unwritten(object, &error))? else {
        tell(object.size_bytes);
        let kept = cache::kept(object);
        return kept.ok_or_else(|| unwritten(object, &io::ErrorKind::NotFound.into()));
    };
    let whole = 0..object.size_bytes;
    fill(object, &mut entry, std::slice::from_ref(&whole), tell).await?;
    entry.finish().map_err(|error| unwritten(object, &error))
}

fn unwritten(object: &Object, error: &io::Error) -> RemoteError {
    RemoteError::cache(&object.url, "write", error)
}

/// Fetches those of the `wanted` ranges that are missing; `tell` learns how many bytes of them are
/// here. Afterwards more may be: a server that knows no ranges sends everything.
pub(crate) async fn fill(
    object: &Object,
    entry: &mut Entry,
    wanted: &[Range<u64>],
    tell: &(impl Fn(u64) + Sync),
) -> Result<(), RemoteError> {
    let missing: Vec<Range<u64>> = wanted
        .iter()
        .flat_map(|range| entry.missing(range))
        .collect();
    let lengths = |ranges: &[Range<u64>]| ranges.iter().map(length).sum::<u64>();
    let total = lengths(wanted);
    let done = AtomicU64::new(total - lengths(&missing).min(total));
    // A server that sends everything sends more than was wanted.
    let told = |bytes: u64| {
        let now = done.fetch_add(bytes, Ordering::Relaxed).wrapping_add(bytes);
        tell(now.min(total));
    };
    told(0);
    let mut chunks = missing.into_iter().flat_map(|range| chunks_of(&range));
    let Some(first) = chunks.next() else {
        return Ok(());
    };
    let address = Address::parse(&object.url)?;
    let source = Source::of(&address).await?;
    let file = entry.file().try_clone();
    let filling = Filling {
        source: &source,
        object,
        file: file.map_err(|error| unwritten(object, &error))?,
    };
    let filled = filling.fill(entry, first, chunks, &told).await;
    filled.inspect_err(|error| {
        if error.kind == RemoteErrorKind::Credentials {
            Source::forget(&address);
        }
    })
}

fn chunks_of(range: &Range<u64>) -> impl Iterator<Item = Range<u64>> + use<> {
    let (start, end) = (range.start, range.end);
    let starts = (start..end).step_by(usize::try_from(CHUNK_BYTES).unwrap_or(usize::MAX));
    starts.map(move |first| first..(first + CHUNK_BYTES).min(end))
}

/// A file that is being filled.
struct Filling<'a> {
    source: &'a Source,
    object: &'a Object,
    file: File,
}

impl Filling<'_> {
    async fn fill(
        &self,
        entry: &mut Entry,
        first: Range<u64>,
        others: impl Iterator<Item = Range<u64>>,
        told: &(impl Fn(u64) + Sync),
    ) -> Result<(), RemoteError> {
        let marked = |entry: &mut Entry, range| {
            let marked = entry.mark(range);
            marked.map_err(|error| unwritten(self.object, &error))
        };
        // The first one shows whether the server knows ranges at all.
        let got = self.chunk(first, told).await?;
        let is_whole = length(&got) == self.object.size_bytes;
        marked(entry, got)?;
        if is_whole {
            return Ok(());
        }
        let mut parts =
            stream::iter(others.map(|range| self.chunk(range, told))).buffer_unordered(REQUESTS);
        while let Some(got) = parts.next().await {
            marked(entry, got?)?;
        }
        Ok(())
    }

    /// Fetches one chunk, again where the connection breaks. Gives what came: the chunk or, of a
    /// server that knows no ranges, everything.
    async fn chunk(
        &self,
        range: Range<u64>,
        told: &(impl Fn(u64) + Sync),
    ) -> Result<Range<u64>, RemoteError> {
        let mut pause = Duration::from_millis(250);
        let mut attempt = 1;
        loop {
            let permit = PERMITS.acquire().await;
            let mut written = 0;
            let result = self.chunk_once(&range, &mut written, told).await;
            drop(permit);
            match result {
                Err(error) if error.kind == RemoteErrorKind::Unreachable && attempt < ATTEMPTS => {
                    tracing::info!(%error, attempt, "asking again");
                    // What was counted is fetched again.
                    told(0_u64.wrapping_sub(written));
                    tokio::time::sleep(pause).await;
                    pause *= 3;
                    attempt += 1;
                }
                other => return other,
            }
        }
    }

    async fn chunk_once(
        &self,
        wanted: &Range<u64>,
        written: &mut u64,
        told: &(impl Fn(u64) + Sync),
    ) -> Result<Range<u64>, RemoteError> {
        let (object, mut range) = (self.object, wanted.clone());
        let answer = self.source.read(object, range.clone()).await?;
        if !answer.is_part {
            range = 0..object.size_bytes;
        }
        let mut bytes = answer.bytes;
        let mut pace = Pace::new(Instant::now());
        while let Some(some) = bytes.next().await {
            let some = some?;
            pace.take(some.len() as u64, Instant::now(), &object.url)?;
            let count = some.len() as u64;
            if *written + count > length(&range) {
                return Err(crate::error::changed(&object.url));
            }
            write_at(&self.file, &some, range.start + *written)
                .map_err(|error| unwritten(object, &error))?;
            *written += count;
            told(count);
        }
        if *written < length(&range) {
            let message = format!(
                "the connection closed after {written} of {} bytes",
                length(&range)
            );
            return Err(RemoteError::new(
                RemoteErrorKind::Unreachable,
                &object.url,
                message,
            ));
        }
        Ok(range)
    }
}

const fn length(range: &Range<u64>) -> u64 {
    range.end - range.start
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

#[cfg(windows)]
fn write_at(file: &File, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let count = std::os::windows::fs::FileExt::seek_write(file, bytes, offset)?;
        bytes = &bytes[count..];
        offset += count as u64;
    }
    Ok(())
}
