//! Why a path gave no profile.

use std::io;
use std::path::{Path, PathBuf};

use stepscope_remote::RemoteError;

use crate::note::Note;

/// Why nothing could be found, or a host file could not be opened. Each reads as a sentence that
/// ends with the path; [`StorageError::hint`] says what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum StorageError {
    /// Nothing has this path.
    #[error("there is no such file or folder: {}", path.display())]
    NotFound {
        /// The path as given.
        path: PathBuf,
        /// What to do instead.
        hint: String,
    },
    /// The path exists and holds no profile.
    #[error("no profile found: {searched}; {found}: {}", path.display())]
    NoProfiles {
        /// The path as given.
        path: PathBuf,
        /// What was searched, as in "looked in 14 folders".
        searched: String,
        /// What was there instead, as in "found 3 *.trace.json.gz, no *.xplane.pb".
        found: String,
        /// What to do.
        hint: String,
        /// What the search ignored or could not read.
        notes: Box<[Note]>,
    },
    /// The system refused.
    #[error("cannot {action} ({source}): {}", path.display())]
    Io {
        /// What was attempted, as in "read the file".
        action: &'static str,
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// An archive or a compressed file of which nothing could be read.
    #[error("the {format} data cannot be read ({detail}): {}", path.display())]
    Corrupt {
        /// The file, followed by the entry where it is one of an archive.
        path: PathBuf,
        /// The format, as in "gzip" or "zip archive".
        format: &'static str,
        /// What is wrong with it.
        detail: String,
    },
    /// A file that begins like a trace and holds nothing to be shown.
    #[error("{detail}: {}", path.display())]
    NotATrace {
        /// The file, followed by the entry where it is one of an archive.
        path: PathBuf,
        /// What it is instead.
        detail: String,
    },
    /// What is far away cannot be listed or fetched.
    #[error("{error}")]
    Remote {
        /// The URL as given.
        path: PathBuf,
        /// Why, with a hint.
        error: Box<RemoteError>,
    },
    /// The profile does not fit: a decompression bomb, or more than the memory there is.
    #[error("the file unfolds to too much: {detail}: {}", path.display())]
    TooLarge {
        /// The file, followed by the entry where it is one of an archive.
        path: PathBuf,
        /// Which limit it met and at what size.
        detail: String,
    },
}

impl StorageError {
    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NotFound { hint, .. } | Self::NoProfiles { hint, .. } => Some(hint.clone()),
            Self::Io { source, .. } => match source.kind() {
                io::ErrorKind::PermissionDenied => {
                    Some("make it readable for you (chmod u+r), or ask its owner to".to_owned())
                }
                io::ErrorKind::NotFound => {
                    Some("it was there a moment ago: look whether a clean-up removed it".to_owned())
                }
                _ => None,
            },
            Self::Remote { error, .. } => Some(error.hint.clone()).filter(|hint| !hint.is_empty()),
            Self::Corrupt { .. } => {
                Some("copy or download the file again, and compare the sizes".to_owned())
            }
            Self::NotATrace { .. } => Some(
                "traces are Chrome's JSON with \"traceEvents\", or Perfetto's protobuf with track \
                 events; captures of JAX are *.xplane.pb"
                    .to_owned(),
            ),
            Self::TooLarge { .. } => Some(
                "decompress it to a file first: an uncompressed *.xplane.pb is mapped, \
                 whatever its size"
                    .to_owned(),
            ),
        }
    }

    /// The path the error is about.
    pub fn path(&self) -> &Path {
        match self {
            Self::NotFound { path, .. }
            | Self::NoProfiles { path, .. }
            | Self::Io { path, .. }
            | Self::Remote { path, .. }
            | Self::Corrupt { path, .. }
            | Self::NotATrace { path, .. }
            | Self::TooLarge { path, .. } => path,
        }
    }

    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self::Io {
            action,
            path,
            source,
        }
    }
}

/// The phrase people know for a system error, without its code.
pub(crate) fn plain_reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::NotFound => "it is gone".to_owned(),
        _ => error.to_string(),
    }
}
