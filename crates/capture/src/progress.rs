//! How far a capture is, told while it runs.

use std::time::Duration;

/// What a host is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Phase {
    /// It is being reached.
    Connecting,
    /// Its profiler is used by somebody else; it is asked again.
    Busy,
    /// It waits for the instant at which all hosts start.
    Waiting,
    /// It records.
    Recording,
    /// The window is over and it gathers what it recorded.
    Gathering,
    /// What it recorded is on its way.
    Receiving,
    /// Its file is written.
    Done,
    /// It gave nothing, for this reason.
    Failed(String),
}

/// How far one host is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostProgress {
    /// What it is doing.
    pub phase: Phase,
    /// Time in this phase; while recording, time recorded so far.
    pub elapsed: Duration,
    /// Bytes that came so far.
    pub received_bytes: u64,
}

impl HostProgress {
    pub(crate) const fn new(phase: Phase, elapsed: Duration, received_bytes: u64) -> Self {
        Self {
            phase,
            elapsed,
            received_bytes,
        }
    }
}

/// Is told how far each host is: at every change, and a few times per second.
pub trait Progress: Send + Sync {
    /// `index` is the position of the host in the request.
    fn host(&self, index: usize, progress: &HostProgress);
}

/// Nobody wants to know.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn host(&self, _index: usize, _progress: &HostProgress) {}
}
