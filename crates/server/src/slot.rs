//! One session of the library, and its state.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use stepscope_analysis::views::timeline::TimelineIndex;
use stepscope_model::{Reads, Session};
use stepscope_storage::{FileStamps, Reserved, SessionFiles};
use tokio::sync::watch;

use crate::opening::{OpenError, OpenProgress};
use crate::report_cache::ReportCache;
use crate::reports::{SessionState, SessionSummary};

/// An open session and what is computed with it.
pub struct OpenSession {
    /// The session.
    pub session: Arc<Session>,
    /// For tiles and searches.
    pub timeline: TimelineIndex,
    pub(crate) reports: Mutex<ReportCache>,
    /// No two openings have the same number, not even of the same files.
    pub(crate) opening: u64,
    pub(crate) size_bytes: u64,
    /// Its columns, in the budget of the process.
    _columns: Reserved,
    last_used: AtomicU64,
    /// Its files as they were before they were read, and when that was.
    files: Option<(FileStamps, Instant)>,
}

/// How long a session is shown, at least, before it is read again because its files were written.
const REREAD: Duration = Duration::from_secs(1);

/// Openings so far.
static OPENINGS: AtomicU64 = AtomicU64::new(0);

/// Slots so far.
static SLOTS: AtomicU64 = AtomicU64::new(0);

/// Uses of all sessions so far.
static USES: AtomicU64 = AtomicU64::new(1);

impl OpenSession {
    pub(crate) fn new(session: impl Into<Arc<Session>>) -> Self {
        let session = session.into();
        let file_bytes: usize = session.hosts.iter().map(file_bytes).sum();
        // Start, duration, label and event of a slice.
        let column_bytes = session.slice_count() * 24;
        Self {
            timeline: TimelineIndex::new(&session),
            reports: Mutex::default(),
            opening: OPENINGS.fetch_add(1, Ordering::Relaxed),
            size_bytes: (file_bytes + column_bytes) as u64,
            _columns: Reserved::used(column_bytes as u64),
            last_used: AtomicU64::new(0),
            files: None,
            session,
        }
    }

    /// The same, with its files as they were before they were read.
    pub(crate) fn of_files(session: Session, files: FileStamps) -> Self {
        Self {
            files: Some((files, Instant::now())),
            ..Self::new(session)
        }
    }

    /// Whether something else is in its files by now. A file that is still being written is not
    /// read again all the time.
    pub(crate) fn is_outdated(&self) -> bool {
        let files = self.files.as_ref();
        files.is_some_and(|(stamps, at)| at.elapsed() > REREAD && stamps.are_outdated())
    }

    pub(crate) fn use_now(&self) {
        let now = USES.fetch_add(1, Ordering::Relaxed);
        self.last_used.store(now, Ordering::Relaxed);
    }

    /// Higher is later.
    pub(crate) fn last_used(&self) -> u64 {
        self.last_used.load(Ordering::Relaxed)
    }
}

fn file_bytes(host: &stepscope_model::Host) -> usize {
    (*host.bytes).as_ref().len()
}

/// The part of a remote session that was read for questions that need no more.
#[derive(Clone)]
pub(crate) struct PartsRead {
    pub(crate) open: Arc<OpenSession>,
    /// Bytes that were not fetched.
    pub(crate) left_out_bytes: u64,
}

/// State of a session. Parts that were read continue to answer while the rest is fetched, and if
/// that fails.
#[derive(Clone)]
pub(crate) enum State {
    Closed,
    Opening {
        progress: Arc<OpenProgress>,
        parts: Option<PartsRead>,
    },
    InParts(PartsRead),
    Open(Arc<OpenSession>),
    Failed {
        error: OpenError,
        at: Instant,
        parts: Option<PartsRead>,
    },
}

impl State {
    /// The parts that can answer before the whole session can.
    pub(crate) fn parts(&self) -> Option<&PartsRead> {
        match self {
            Self::InParts(parts) => Some(parts),
            Self::Opening { parts, .. } | Self::Failed { parts, .. } => parts.as_ref(),
            Self::Closed | Self::Open(_) => None,
        }
    }
}

/// One session of the library.
pub(crate) struct Slot {
    /// Its key in routes; no two sessions have the same.
    pub(crate) key: String,
    /// The name of its session, known before it is open.
    pub(crate) name: String,
    /// No two slots have the same number: one with other files is another slot.
    pub(crate) number: u64,
    /// `None` for a session that was added open.
    pub(crate) files: Option<SessionFiles>,
    /// Where it is, as a person would type it.
    pub(crate) path: String,
    state: watch::Sender<State>,
    /// What was learned when it was opened; it is kept when the session is closed to save memory.
    known: OnceLock<SessionSummary>,
}

impl Slot {
    pub(crate) fn new(
        key: String,
        name: String,
        files: Option<SessionFiles>,
        path: String,
    ) -> Self {
        Self {
            key,
            name,
            number: SLOTS.fetch_add(1, Ordering::Relaxed),
            files,
            path,
            state: watch::Sender::new(State::Closed),
            known: OnceLock::new(),
        }
    }

    /// Receives every change.
    pub(crate) fn follow(&self) -> watch::Receiver<State> {
        self.state.subscribe()
    }

    pub(crate) fn state(&self) -> State {
        self.state.borrow().clone()
    }

    /// Whether nothing of it has to be fetched. Checks the cache of remote files.
    pub(crate) fn is_here(&self) -> bool {
        self.files.as_ref().is_none_or(SessionFiles::is_here)
    }

    pub(crate) fn open(&self, open: &Arc<OpenSession>) {
        self.known.get_or_init(|| {
            let mut summary = self.closed();
            summary.describe(&open.session);
            summary
        });
        self.state.send_replace(State::Open(Arc::clone(open)));
    }

    pub(crate) fn hold_parts(&self, open: Arc<OpenSession>, left_out_bytes: u64) {
        self.state.send_replace(State::InParts(PartsRead {
            open,
            left_out_bytes,
        }));
    }

    /// Starts to open it with this progress, unless that is already happening or enough is open.
    pub(crate) fn begin(&self, reads: Reads, progress: &Arc<OpenProgress>) -> bool {
        self.state.send_if_modified(|state| {
            let is_enough = match state {
                State::Opening { .. } | State::Open(_) => true,
                State::InParts(_) => reads != Reads::Everything,
                State::Closed | State::Failed { .. } => false,
            };
            if !is_enough {
                *state = State::Opening {
                    progress: Arc::clone(progress),
                    parts: state.parts().cloned(),
                };
            }
            !is_enough
        })
    }

    /// Drops the held session, unless it has been replaced by now.
    pub(crate) fn close(&self, held: &Arc<OpenSession>) {
        self.state.send_if_modified(|state| {
            let is_held = match state {
                State::Open(open) | State::InParts(PartsRead { open, .. }) => {
                    Arc::ptr_eq(open, held)
                }
                _ => false,
            };
            if is_held {
                *state = State::Closed;
            }
            is_held
        });
    }

    pub(crate) fn fail(&self, error: OpenError) {
        self.state.send_modify(|state| {
            *state = State::Failed {
                error,
                at: Instant::now(),
                parts: state.parts().cloned(),
            };
        });
    }

    /// Its summary, under a number of the list.
    pub(crate) fn summary(&self, number: u32) -> SessionSummary {
        let state = self.state();
        let mut summary = match (self.known.get(), state.parts()) {
            (Some(known), _) => known.clone(),
            (None, Some(parts)) => {
                let mut summary = self.closed();
                summary.describe_parts(&parts.open.session, parts.left_out_bytes);
                summary
            }
            (None, None) => self.closed(),
        };
        summary.id = number;
        summary.state = match state {
            State::Closed => SessionState::Closed,
            State::Opening { parts: None, .. } => SessionState::Opening,
            State::Open(_) => SessionState::Open,
            State::Failed {
                error, parts: None, ..
            } => {
                summary.error = error.message;
                SessionState::Failed
            }
            State::InParts(_) | State::Opening { .. } | State::Failed { .. } => {
                SessionState::InParts
            }
        };
        summary
    }

    fn closed(&self) -> SessionSummary {
        let mut summary = SessionSummary::closed(0, &self.path, self.files.as_ref());
        summary.key.clone_from(&self.key);
        summary
    }
}
