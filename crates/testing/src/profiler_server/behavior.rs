//! How a server behaves, and what it was asked.

use std::path::PathBuf;
use std::time::Duration;

use super::messages::ProfileRequest;

/// How a server behaves.
#[derive(Debug, Clone, Default)]
pub struct Behavior {
    /// The profile it sends.
    pub xspace: Vec<u8>,
    /// It reports that nothing happened.
    pub is_empty: bool,
    /// Number of requests that it refuses at first because another capture is running.
    pub busy_requests: u32,
    /// It refuses with ALREADY_EXISTS, as servers would if the code was not lost.
    pub keeps_code: bool,
    /// It never answers a request.
    pub hangs: bool,
    /// From before replies contained profiles: writes to the disk of its machine and sends an empty
    /// answer. The folder represents the root of that disk.
    pub writes_below: Option<PathBuf>,
    /// Its calls of continuous profiling.
    pub continuous: Continuous,
    /// Time to collect a profile after the window has passed.
    pub gathering: Duration,
}

/// Calls of continuous profiling that a server supports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Continuous {
    /// The current ones.
    #[default]
    Today,
    /// Under the names of 2025.
    Older,
    /// None.
    Missing,
}

/// The requests it received.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// Requests for a profile or for continuous profiling, in order.
    pub profiles: Vec<ProfileRequest>,
    /// Ids to end.
    pub terminated: Vec<String>,
    /// Names of all calls, in order.
    pub calls: Vec<String>,
}
