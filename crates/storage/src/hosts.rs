//! Opening all hosts of a session at once, as far as they can be read.

use std::sync::Arc;

use rayon::prelude::*;
use stepscope_model::ingest::HostInput;

use crate::error::StorageError;
use crate::open::open;
use crate::progress::Progress;
use crate::session::{HostFile, SessionFiles};

/// The hosts of a session: what the ingest takes, and what could not be read.
pub struct OpenedHosts {
    /// Hosts that were opened, in the order of the session.
    pub inputs: Vec<HostInput>,
    /// Names of the others, each with the reason.
    pub unread: Vec<(String, StorageError)>,
}

/// Opens the hosts of a session in parallel. `progress` makes the listener of each host, which is
/// told the host's whole size at the end: mapped files are open without being read.
pub fn open_hosts<P: Progress>(
    files: &SessionFiles,
    progress: impl Fn(usize) -> P + Sync,
) -> OpenedHosts {
    let hosts = files.hosts.par_iter().enumerate();
    let opened: Vec<(String, Result<HostInput, StorageError>)> = hosts
        .map(|(position, host)| (host.host.clone(), open_host(host, &progress(position))))
        .collect();
    let (mut inputs, mut unread) = (Vec::new(), Vec::new());
    for (host, result) in opened {
        match result {
            Ok(input) => inputs.push(input),
            Err(error) => unread.push((host, error)),
        }
    }
    OpenedHosts { inputs, unread }
}

fn open_host(host: &HostFile, progress: &impl Progress) -> Result<HostInput, StorageError> {
    let profile = open(host, progress)?;
    progress.bytes(host.size_bytes, Some(host.size_bytes));
    Ok(HostInput {
        host: host.host.clone(),
        problem: profile.truncated(),
        bytes: Arc::new(profile),
    })
}
