//! Whether a file is still the one that was opened.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::session::SessionFiles;

/// What changes when a file is written: its identity, size, and times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stamp {
    identity: Option<(u64, u64)>,
    pub(crate) size_bytes: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        Self {
            identity: identity(metadata),
            size_bytes: metadata.len(),
            modified: metadata.modified().ok(),
        }
    }

    /// Whether an open file was written since.
    pub(crate) fn differs(&self, file: &fs::File) -> bool {
        file.metadata()
            .is_ok_and(|metadata| Self::of(&metadata) != *self)
    }
}

/// A file as it was when it was mapped: its stamp, and when the system last changed anything about
/// it. Whoever writes a file can restore all of the stamp, and not that time; but others change it
/// too, such as those who grant access, so that it says nothing about files that are not mapped.
#[derive(Debug)]
pub(crate) struct MappedStamp {
    stamp: Stamp,
    status_changed: Option<(i64, i64)>,
}

impl MappedStamp {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        Self {
            stamp: Stamp::of(metadata),
            status_changed: status_changed(metadata),
        }
    }

    pub(crate) const fn size_bytes(&self) -> u64 {
        self.stamp.size_bytes
    }

    /// Whether the file was written since. A file that was removed, or replaced by another one with
    /// its name, was not: what is mapped is the old one, which nobody can write any more.
    pub(crate) fn is_outdated(&self, path: &Path) -> bool {
        match fs::metadata(path) {
            Ok(metadata) => {
                let now = Self::of(&metadata);
                let is_same = now.stamp == self.stamp && now.status_changed == self.status_changed;
                now.stamp.identity == self.stamp.identity && !is_same
            }
            Err(error) => !matches!(
                error.kind(),
                io::ErrorKind::NotFound
                    | io::ErrorKind::NotADirectory
                    | io::ErrorKind::PermissionDenied
            ),
        }
    }
}

/// The state of the files of a session when it was opened.
#[derive(Debug, Clone)]
pub struct FileStamps(Vec<(PathBuf, Stamp)>);

impl FileStamps {
    /// The files on this machine as they are now. Take it before they are opened.
    pub fn of(files: &SessionFiles) -> Self {
        let here = files.files().filter(|file| file.remote.is_none());
        let mut paths: Vec<&PathBuf> = here.map(|file| &file.path).collect();
        // The entries of one archive are one file.
        paths.dedup();
        let stamped = paths
            .into_iter()
            .filter_map(|path| Some((path.clone(), Stamp::of(&fs::metadata(path).ok()?))));
        Self(stamped.collect())
    }

    /// Whether one of them was written or replaced since, so that opening the session again would
    /// show something else. Files that were removed do not count.
    pub fn are_outdated(&self) -> bool {
        self.0.iter().any(|(path, stamp)| {
            fs::metadata(path).is_ok_and(|metadata| Stamp::of(&metadata) != *stamp)
        })
    }
}

/// Device and number of the file; `None` where the system has none.
#[cfg(unix)]
#[expect(
    clippy::unnecessary_wraps,
    reason = "other systems tell none without opening the file again"
)]
fn identity(metadata: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    Some((metadata.dev(), metadata.ino()))
}

/// When anything about the file last changed; `None` where the system does not tell.
#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems do not tell")]
fn status_changed(metadata: &Metadata) -> Option<(i64, i64)> {
    use std::os::unix::fs::MetadataExt as _;
    Some((metadata.ctime(), metadata.ctime_nsec()))
}

#[cfg(not(unix))]
fn status_changed(_metadata: &Metadata) -> Option<(i64, i64)> {
    None
}

#[cfg(not(unix))]
fn identity(_metadata: &Metadata) -> Option<(u64, u64)> {
    None
}
