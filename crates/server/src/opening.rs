//! Opening one session: its files become bytes, the bytes a [`Session`]. Used by the server on a
//! separate thread, and by callers without a server.

use std::sync::atomic::{AtomicU64, Ordering};

use stepscope_model::{Reads, Session};
use stepscope_storage::{OpenedSession, Progress, SessionFiles, hide_credentials, open_session};

/// Why a session cannot be opened, as shown to people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct OpenError {
    /// A sentence.
    pub message: String,
    /// What to do about it; may be empty.
    pub hint: String,
    /// Whether it would open if other sessions were closed.
    pub lacks_memory: bool,
}

impl OpenError {
    /// A bug in Stepscope.
    pub(crate) fn defect(detail: &str) -> Self {
        Self {
            message: format!("opening failed with an internal error: {detail}"),
            hint: "This is a bug in Stepscope; please report it.".to_owned(),
            lacks_memory: false,
        }
    }
}

/// Progress of opening, over all files.
#[derive(Debug)]
pub(crate) struct OpenProgress {
    hosts: Vec<AtomicU64>,
    total_bytes: u64,
}

impl OpenProgress {
    pub(crate) fn new(files: &SessionFiles) -> Self {
        let hosts = files.files().map(|_| AtomicU64::new(0)).collect();
        Self {
            hosts,
            total_bytes: files.size_bytes,
        }
    }

    /// Bytes read, and total bytes.
    pub(crate) fn bytes(&self) -> (u64, u64) {
        let read = |host: &AtomicU64| host.load(Ordering::Relaxed);
        let done: u64 = self.hosts.iter().map(read).sum();
        (done.min(self.total_bytes), self.total_bytes)
    }
}

/// The progress of one file.
struct HostProgress<'a> {
    done: &'a AtomicU64,
}

impl Progress for HostProgress<'_> {
    fn bytes(&self, done: u64, _total: Option<u64>) {
        self.done.store(done, Ordering::Relaxed);
    }
}

/// Reads and decodes all files of a session.
pub fn open_files(files: &SessionFiles) -> Result<Session, OpenError> {
    let opened = open_reading(files, Reads::Everything, &OpenProgress::new(files))?;
    Ok(opened.session)
}

pub(crate) fn open_reading(
    files: &SessionFiles,
    reads: Reads,
    progress: &OpenProgress,
) -> Result<OpenedSession, OpenError> {
    let listener = |file: usize| HostProgress {
        done: &progress.hosts[file],
    };
    open_session(files, reads, listener).map_err(|error| OpenError {
        message: hide_credentials(&error.to_string()).into_owned(),
        hint: hide_credentials(&error.hint()).into_owned(),
        lacks_memory: error.lacks_memory(),
    })
}
