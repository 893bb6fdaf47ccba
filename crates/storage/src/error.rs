//! Errors of searching and opening.

use std::io;
use std::path::{Path, PathBuf};

use stepscope_remote::RemoteError;

use crate::note::Note;
use crate::paths::shown;

/// Why nothing was found, or a host file could not be opened. Each one reads as a sentence that
/// ends with the path; [`StorageError::hint`] says what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum StorageError {
    /// The path does not exist.
    #[error("no such file or folder: {}", shown(path))]
    NotFound {
        /// The path as given.
        path: PathBuf,
        /// What to do instead.
        hint: String,
    },
    /// The path exists but contains no profile.
    #[error("no profile found: {searched}; {found}: {}", shown(path))]
    NoProfiles {
        /// The path as given.
        path: PathBuf,
        /// What was searched, as in "looked in 14 folders".
        searched: String,
        /// What was found instead, as in "found 3 *.trace.json.gz, no *.xplane.pb".
        found: String,
        /// What to do.
        hint: String,
        /// What the search skipped or could not read.
        notes: Box<[Note]>,
    },
    /// A system error.
    #[error("cannot {action} ({source}): {}", shown(path))]
    Io {
        /// What was attempted, as in "read the file".
        action: &'static str,
        /// Where.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Nothing could be read of an archive or a compressed file.
    #[error("cannot read the {format} data ({detail}): {}", shown(path))]
    Corrupt {
        /// The file, followed by the entry if it is in an archive.
        path: PathBuf,
        /// The format, as in "gzip" or "zip archive".
        format: &'static str,
        /// What is wrong with it.
        detail: String,
    },
    /// A file that starts like a trace but has nothing to show.
    #[error("{detail}: {}", shown(path))]
    NotATrace {
        /// The file, followed by the entry if it is in an archive.
        path: PathBuf,
        /// What it is instead.
        detail: String,
    },
    /// A remote path cannot be listed or fetched.
    #[error("{error}")]
    Remote {
        /// The URL as given.
        path: PathBuf,
        /// Why, with a hint.
        error: Box<RemoteError>,
    },
    /// The profile does not fit into the memory that this process may use.
    #[error("the file does not fit into the memory budget: {detail}: {}", path.display())]
    OverBudget {
        /// The file, followed by the entry if it is in an archive.
        path: PathBuf,
        /// How much is needed, and how much there is.
        detail: String,
    },
    /// Somebody writes the file, so that no two parts of it belong together.
    #[error("the file changed while it was read: {}", path.display())]
    Changed {
        /// The file, followed by the entry if it is in an archive.
        path: PathBuf,
    },
    /// The profile does not fit: a decompression bomb, or not enough memory.
    #[error("the file is too large when decompressed: {detail}: {}", shown(path))]
    TooLarge {
        /// The file, followed by the entry if it is in an archive.
        path: PathBuf,
        /// Which limit it hit, and at what size.
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
                    Some("make it readable (chmod u+r), or ask its owner to".to_owned())
                }
                io::ErrorKind::NotFound => {
                    Some("it existed a moment ago: check whether a cleanup removed it".to_owned())
                }
                io::ErrorKind::InvalidInput => Some(
                    "give a log directory, a capture, or a trace".to_owned(),
                ),
                _ => None,
            },
            Self::Remote { error, .. } => Some(error.hint.clone()).filter(|hint| !hint.is_empty()),
            Self::Corrupt { .. } => {
                Some("copy or download the file again, and compare the sizes".to_owned())
            }
            // `stepscope check --history` writes them.
            Self::NotATrace { path, .. }
                if path.extension().is_some_and(|ending| ending == "jsonl") =>
            {
                Some(
                    "`stepscope history FILE` shows the runs that `stepscope check --history FILE` \
                     recorded"
                        .to_owned(),
                )
            }
            Self::NotATrace { .. } => Some(
                "traces are Chrome's JSON with \"traceEvents\", or Perfetto's protobuf with track \
                 events; captures of JAX are *.xplane.pb"
                    .to_owned(),
            ),
            Self::OverBudget { .. } => Some(
                "give the path of fewer hosts, or unpack and decompress the files first: an \
                 uncompressed *.xplane.pb takes no memory of its own; `STEPSCOPE_MEMORY_BYTES=32G` \
                 raises the budget, 60 % of the available memory by default"
                    .to_owned(),
            ),
            Self::Changed { .. } => {
                Some("open it again, once nothing writes it any more".to_owned())
            }
            Self::TooLarge { .. } => Some(
                "decompress it to a file first: an uncompressed *.xplane.pb is mapped into memory, \
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
            | Self::Changed { path }
            | Self::OverBudget { path, .. }
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

/// The usual phrase for a system error, without its code.
pub(crate) fn plain_reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::NotFound => "it no longer exists".to_owned(),
        _ => error.to_string(),
    }
}
