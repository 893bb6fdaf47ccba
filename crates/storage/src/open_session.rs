//! From the files of a session to the session: the one way in which every surface opens one.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Duration;

use stepscope_model::ingest::{IngestError, ingest_all, ingest_hosts};
use stepscope_model::remains::{EMPTY, WHY_EMPTY};
use stepscope_model::{Reads, Session, Warning, WarningKind};

use crate::copied::open_copied;
use crate::error::StorageError;
use crate::hosts::{OpenedHosts, open_hosts, open_hosts_with};
use crate::paths::shown;
use crate::progress::Progress;
use crate::session::SessionFiles;

/// How long to wait for whoever writes a file.
const PAUSE: Duration = Duration::from_millis(100);

/// A session, as far as it was requested.
pub struct OpenedSession {
    /// The session. Files that could not be read are warnings of the kind
    /// [`Unread`](WarningKind::Unread).
    pub session: Session,
    /// Bytes of remote files that were not fetched.
    pub left_out_bytes: u64,
}

/// Why a session cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenSessionError {
    /// None of its files can be read: why the first one cannot.
    #[error(transparent)]
    Unread(StorageError),
    /// It has no files.
    #[error("the session has no hosts")]
    NoHosts,
    /// The files were read but hold no profile.
    #[error("{error}: {file}")]
    Undecodable {
        /// What they hold instead.
        error: IngestError,
        /// The first of them.
        file: String,
    },
}

impl OpenSessionError {
    /// Whether memory that others use is all it lacks.
    pub const fn lacks_memory(&self) -> bool {
        matches!(self, Self::Unread(StorageError::OverBudget { .. }))
    }

    /// What to do about it; empty if nothing is known.
    pub fn hint(&self) -> String {
        match self {
            Self::Unread(error) => error.hint().unwrap_or_default(),
            Self::NoHosts => String::new(),
            Self::Undecodable { error, .. } => match error {
                IngestError::NoInput => "",
                IngestError::NotAMemoryProfile { .. } => {
                    "save one with `jax.profiler.save_device_memory_profile(\"memory.prof\")`"
                }
                IngestError::NotAProgram { .. } => {
                    "`XLA_FLAGS=\"--xla_dump_to=/tmp/hlo --xla_dump_hlo_as_proto\"` writes programs \
                     as *.hlo.pb"
                }
                IngestError::NotAProfile { found, .. } if found == EMPTY => {
                    return format!("the capture was interrupted, or too large: {WHY_EMPTY}");
                }
                _ => {
                    "stepscope reads what jax.profiler writes to <log dir>/plugins/profile/<run>/; \
                     give it that log directory or its *.xplane.pb"
                }
            }
            .to_owned(),
        }
    }
}

/// Opens all files of a session, as far as a question `reads` them. Files that cannot be read are
/// left out with a warning, as long as one can be read. `progress` creates the listener of each
/// file, as for [`open_hosts`].
///
/// A file that is written meanwhile is opened again: mapped once more, then from a copy that
/// nobody else writes.
///
/// # Errors
///
/// No file can be read, or none holds a profile.
pub fn open_session<P: Progress>(
    files: &SessionFiles,
    reads: Reads,
    progress: impl Fn(usize) -> P,
) -> Result<OpenedSession, OpenSessionError> {
    opened(files, reads, progress, |opened| {
        session_of(&files.name, &first_of(files), opened)
    })
}

/// What `make` makes of the files of a session, which do not change meanwhile.
pub(crate) fn opened<P: Progress, T>(
    files: &SessionFiles,
    reads: Reads,
    progress: impl Fn(usize) -> P,
    make: impl Fn(OpenedHosts) -> Result<T, OpenSessionError>,
) -> Result<T, OpenSessionError> {
    for _ in 0..2 {
        let opened = open_hosts(files, reads, &progress);
        let bytes = opened.bytes();
        // Bytes that change under a decoder may stop it in any way.
        let outcome = catch_unwind(AssertUnwindSafe(|| make(opened)));
        if bytes.iter().all(|bytes| bytes.changed().is_none()) {
            return outcome.unwrap_or_else(|panic| resume_unwind(panic));
        }
        std::thread::sleep(PAUSE);
    }
    make(open_hosts_with(files, reads, &progress, open_copied))
}

/// Opens a session of which only some hosts are decoded, by name. The others are there, with their
/// clocks and programs, but have no devices and no tracks, and there are no memory profiles unless no
/// host can be decoded. Steps are those that the decoded hosts show.
///
/// # Errors
///
/// As for [`open_session`].
pub fn open_session_of_hosts<P: Progress>(
    files: &SessionFiles,
    is_wanted: &dyn Fn(&str) -> bool,
    progress: impl Fn(usize) -> P,
) -> Result<OpenedSession, OpenSessionError> {
    opened(files, Reads::Everything, progress, |opened| {
        decoded(&files.name, &first_of(files), opened, Some(is_wanted))
    })
}

/// The first file, for messages.
fn first_of(files: &SessionFiles) -> String {
    let first = files.files().next();
    first.map_or_else(String::new, |file| shown(&file.display_path()))
}

/// The session of files that are open already; `file` is the first of them, for messages.
///
/// # Errors
///
/// See [`open_session`].
pub fn session_of(
    name: &str,
    file: &str,
    opened: OpenedHosts,
) -> Result<OpenedSession, OpenSessionError> {
    decoded(name, file, opened, None)
}

fn decoded(
    name: &str,
    file: &str,
    opened: OpenedHosts,
    wanted: Option<&dyn Fn(&str) -> bool>,
) -> Result<OpenedSession, OpenSessionError> {
    let OpenedHosts {
        inputs,
        memory,
        programs,
        manifests,
        unread,
        left_out_bytes,
    } = opened;
    if inputs.is_empty() && memory.is_empty() && programs.is_empty() {
        let first = unread.into_iter().next();
        return Err(first.map_or(OpenSessionError::NoHosts, |(_, error)| {
            OpenSessionError::Unread(error)
        }));
    }
    let decoded = match wanted {
        Some(wanted) if !inputs.is_empty() => match ingest_hosts(name, inputs, wanted) {
            // As in the whole session, where the files of hosts are no profiles.
            Err(_) if !memory.is_empty() => ingest_all(name, Vec::new(), memory, Vec::new()),
            decoded => decoded,
        },
        _ => ingest_all(name, inputs, memory, programs),
    };
    let mut session = decoded
        .map_err(|error| OpenSessionError::Undecodable {
            error,
            file: file.to_owned(),
        })?
        .with_manifests(manifests);
    // The other hosts are shown; every figure must come with the fact that this one is missing.
    let left_out = unread.into_iter().map(|(host, error)| Warning {
        kind: WarningKind::Unread,
        message: format!("left out: {error}"),
        hint: error.hint().unwrap_or_default(),
        host,
    });
    session.warnings.extend(left_out);
    Ok(OpenedSession {
        session,
        left_out_bytes,
    })
}
