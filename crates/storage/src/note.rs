//! What a search wants to say beside the sessions it found.

use std::fmt;
use std::path::PathBuf;

/// What a [`Note`] is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NoteKind {
    /// Something that is not read, on purpose.
    Ignored,
    /// Something that would have been read and could not be.
    Unreadable,
    /// Sessions that were made into one.
    Joined,
    /// The search stopped before it had seen everything.
    Limit,
    /// A place far away cannot be reached, and what was kept of it is shown.
    Offline,
}

impl NoteKind {
    /// The word people see for it.
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

/// One remark about one place. Files of one folder that are ignored for the same reason share a
/// note, which names them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Note {
    /// The file or folder; inside an archive, the archive's path followed by the entry's.
    pub path: PathBuf,
    /// What the note is about.
    pub kind: NoteKind,
    /// The reason, as a phrase without trailing dot.
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
        write!(
            formatter,
            "{}: {message}: {}",
            kind.as_str(),
            path.display()
        )
    }
}
