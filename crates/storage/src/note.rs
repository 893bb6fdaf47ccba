//! Remarks of a search about what it found besides sessions.

use std::fmt;
use std::path::PathBuf;

use crate::paths::shown;

/// What a [`Note`] is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoteKind {
    /// A file that is not read, on purpose.
    Ignored,
    /// A file that should have been read but could not be.
    Unreadable,
    /// Run directories that were joined into one session.
    Joined,
    /// The search stopped before it had seen everything.
    Limit,
    /// A remote location cannot be reached; what is shown comes from the cache.
    Offline,
}

impl NoteKind {
    /// The word shown for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ignored => "ignored",
            Self::Unreadable => "unreadable",
            Self::Joined => "joined",
            Self::Limit => "limit",
            Self::Offline => "offline",
        }
    }
}

/// One remark about one location. Files of one folder that are ignored for the same reason share a
/// note, which names them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Note {
    /// The file or folder; in an archive, the archive's path followed by the entry's.
    pub path: PathBuf,
    /// What the note is about.
    pub kind: NoteKind,
    /// The reason, as a phrase without a trailing period.
    pub message: String,
}

impl Note {
    pub(crate) fn new(
        kind: NoteKind,
        path: impl Into<PathBuf>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            path: path.into(),
            kind,
            message: message.into(),
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            path,
            kind,
            message,
        } = self;
        write!(formatter, "{}: {message}: {}", kind.as_str(), shown(path))
    }
}
