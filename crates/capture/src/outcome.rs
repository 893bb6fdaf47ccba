//! What a capture left.

use std::path::PathBuf;

use crate::address::Address;
use crate::failure::HostFailure;

/// What a capture left.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Name of the session's folder; never used twice.
    pub session_id: String,
    /// The session's folder, `<logdir>/plugins/profile/<session id>`. It is not there when no host
    /// gave anything.
    pub folder: PathBuf,
    /// The log directory of the request.
    pub logdir: PathBuf,
    /// Every host, in the order of the request.
    pub hosts: Vec<HostOutcome>,
    /// It was ended from outside before its time.
    pub was_ended_early: bool,
}

/// What one host gave.
#[derive(Debug, Clone)]
pub struct HostOutcome {
    /// Which host.
    pub address: Address,
    /// Its file, or why there is none.
    pub result: Result<HostFile, HostFailure>,
}

/// The file of one host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostFile {
    /// Path of the `.xplane.pb`.
    pub path: PathBuf,
    /// Its size.
    pub size_bytes: u64,
    /// The host said that nothing happened while it recorded.
    pub is_empty: bool,
    /// The host did not know how to hand the profile over and wrote the file itself.
    pub was_written_by_host: bool,
    /// How often the host was asked; more than once when its profiler was busy.
    pub attempts: u32,
}

/// How a capture ended, over all hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Every host gave a profile with events.
    Complete,
    /// Some hosts are missing or recorded nothing.
    Partial,
    /// No host recorded anything.
    Nothing,
}

impl Status {
    /// `complete`, `partial` or `nothing`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Partial => "partial",
            Self::Nothing => "nothing",
        }
    }
}

impl HostOutcome {
    /// Its file.
    pub fn file(&self) -> Option<&HostFile> {
        self.result.as_ref().ok()
    }

    /// Why there is none.
    pub fn failure(&self) -> Option<&HostFailure> {
        self.result.as_ref().err()
    }
}

impl Outcome {
    /// The files written.
    pub fn files(&self) -> impl Iterator<Item = &HostFile> {
        self.hosts.iter().filter_map(HostOutcome::file)
    }

    /// The hosts without a file.
    pub fn failed(&self) -> impl Iterator<Item = &HostOutcome> {
        self.hosts.iter().filter(|host| host.result.is_err())
    }

    /// How it ended, over all hosts.
    pub fn status(&self) -> Status {
        let full = self.files().filter(|file| !file.is_empty).count();
        match full {
            0 => Status::Nothing,
            full if full == self.hosts.len() => Status::Complete,
            _ => Status::Partial,
        }
    }
}
