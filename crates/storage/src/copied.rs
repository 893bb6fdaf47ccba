//! Files that somebody is writing: read into memory, as far as what is there stays the same.

use std::fs::File;
use std::io::{self, Read};
use std::time::{Duration, SystemTime};

use crate::budget::Reserved;
use crate::bytes::ProfileBytes;
use crate::compression::{Exceeded, Meter};
use crate::error::StorageError;
use crate::host_file::HostFile;
use crate::limits::Limits;
use crate::open::{Opened, Opening, open_all};
use crate::progress::{NoProgress, Progress};
use crate::regular::open_regular;
use crate::stamp::Stamp;

/// How often a file is read until two readings agree, and the pause in between.
const TRIES: u32 = 5;
const PAUSE: Duration = Duration::from_millis(150);

/// A file that was written this recently counts as one that is still being written.
const RECENT: Duration = Duration::from_secs(5);

const BLOCK_BYTES: usize = 256 << 10;

/// All hosts in a file that changed while it was opened. What is there is read twice: a file that
/// grows keeps its beginning and is opened as far as it is whole, with a notice; a file that is
/// replaced by other contents is waited for, a moment.
pub(crate) fn open_copied(
    host: &HostFile,
    progress: &dyn Progress,
) -> Result<Vec<Opened>, StorageError> {
    let mut last = None;
    for attempt in 0..TRIES {
        if attempt > 0 {
            std::thread::sleep(PAUSE);
        }
        let tried = if host.entry.is_some() || host.remote.is_some() {
            open_all(host, progress)
        } else {
            open_copy(host)
        };
        match tried {
            Err(error @ StorageError::Changed { .. }) => last = Some(error),
            decided => return decided,
        }
    }
    let path = host.display_path();
    Err(last.unwrap_or(StorageError::Changed { path }))
}

fn open_copy(host: &HostFile) -> Result<Vec<Opened>, StorageError> {
    let path = &host.path;
    let read = || StorageError::io("read the file", path);
    let mut file = open_regular(path).map_err(read())?;
    let stamp = Stamp::of(&file.metadata().map_err(read())?);
    let mut reserved = Reserved::default();
    let fits = reserved.grow_to(stamp.size_bytes);
    fits.map_err(|short| Exceeded::Budget(short).error(host.display_path()))?;
    let bytes = first_bytes(&mut file, stamp.size_bytes).map_err(read())?;
    let mut again = open_regular(path).map_err(read())?;
    if !starts_with(&mut again, &bytes).map_err(read())? {
        let path = host.display_path();
        return Err(StorageError::Changed { path });
    }
    let is_growing = stamp.differs(&again) || is_recent(&again);
    let count = bytes.len();
    let limits = Limits::default();
    let opening = Opening {
        host,
        local: path,
        limits: &limits,
        progress: &NoProgress,
        meter: Meter::of(count as u64),
    };
    let mut opened = match opening.held_bytes(&bytes)? {
        Some(opened) => opened,
        None => vec![Opened {
            name: None,
            bytes: ProfileBytes::held_with(bytes, reserved, None),
        }],
    };
    if is_growing {
        let notice = format!(
            "the file was still being written: its first {count} bytes are shown; open it again \
             when it is complete"
        );
        for one in &mut opened {
            one.bytes.add_problem(&notice);
        }
    }
    Ok(opened)
}

/// As many bytes as the file had when it was opened, or fewer.
fn first_bytes(file: &mut File, size_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let size = usize::try_from(size_bytes).map_err(io::Error::other)?;
    bytes.try_reserve_exact(size)?;
    file.take(size_bytes).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Whether a file still starts with these bytes.
fn starts_with(file: &mut File, bytes: &[u8]) -> io::Result<bool> {
    let mut block = vec![0; BLOCK_BYTES];
    for expected in bytes.chunks(BLOCK_BYTES) {
        let found = &mut block[..expected.len()];
        match file.read_exact(found) {
            Ok(()) if found == expected => {}
            Ok(()) => return Ok(false),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(false),
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}

fn is_recent(file: &File) -> bool {
    let Ok(modified) = file.metadata().and_then(|metadata| metadata.modified()) else {
        return false;
    };
    let now = SystemTime::now();
    // The clock of a file server may be a little ahead.
    let age = now
        .duration_since(modified)
        .or(modified.duration_since(now));
    age.is_ok_and(|age| age < RECENT)
}
