//! Opening one session: its files become bytes, the bytes a [`Session`]. Used by the server on a
//! separate thread, and by callers without a server.

use std::sync::atomic::{AtomicU64, Ordering};

use stepscope_model::ingest::ingest_all;
use stepscope_model::{Reads, Session, Warning, WarningKind};
use stepscope_storage::{OpenedHosts, Progress, SessionFiles, open_hosts};

/// Why a session cannot be opened, as shown to people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct OpenError {
    /// A sentence.
    pub message: String,
    /// What to do about it; may be empty.
    pub hint: String,
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

/// A session, as far as it was requested.
pub(crate) struct Opened {
    pub(crate) session: Session,
    /// Bytes of remote files that were not fetched.
    pub(crate) left_out_bytes: u64,
}

pub(crate) fn open_reading(
    files: &SessionFiles,
    reads: Reads,
    progress: &OpenProgress,
) -> Result<Opened, OpenError> {
    let OpenedHosts {
        inputs,
        memory,
        programs,
        manifests,
        unread,
        left_out_bytes,
    } = open_hosts(files, reads, |file| HostProgress {
        done: &progress.hosts[file],
    });
    if inputs.is_empty()
        && memory.is_empty()
        && programs.is_empty()
        && let Some((_, error)) = unread.first()
    {
        return Err(OpenError {
            message: error.to_string(),
            hint: error.hint().unwrap_or_default(),
        });
    }
    let mut session = ingest_all(&files.name, inputs, memory, programs)
        .map_err(|error| OpenError {
            message: format!("{error}: {}", files.location),
            hint: String::new(),
        })?
        .with_manifests(manifests);
    // The other hosts are shown; every figure must be accompanied by the fact that this one is
    // missing.
    session
        .warnings
        .extend(unread.into_iter().map(|(host, error)| Warning {
            kind: WarningKind::Damaged,
            message: format!("{host} is not shown: {error}"),
            hint: error.hint().unwrap_or_default(),
            host,
        }));
    Ok(Opened {
        session,
        left_out_bytes,
    })
}
