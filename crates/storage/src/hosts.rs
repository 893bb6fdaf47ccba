//! Opening all hosts of a session at once, as far as they can be read.

use std::sync::Arc;
use std::time::SystemTime;

use rayon::prelude::*;
use stepscope_model::ManifestInput;
use stepscope_model::ingest::{HostInput, MemoryInput, ProgramInput};

use crate::bytes::ProfileBytes;
use crate::error::StorageError;
use crate::manifest;
use crate::open::open;
use crate::progress::Progress;
use crate::session::{HostFile, SessionFiles};

/// The hosts of a session: what the ingest takes, and what could not be read.
pub struct OpenedHosts {
    /// Hosts that were opened, in the order of the session.
    pub inputs: Vec<HostInput>,
    /// Memory profiles that were opened.
    pub memory: Vec<MemoryInput>,
    /// Programs that were opened.
    pub programs: Vec<ProgramInput>,
    /// Manifests, with the reason where one could not be read.
    pub manifests: Vec<ManifestInput>,
    /// Names of the others, each with the reason.
    pub unread: Vec<(String, StorageError)>,
}

/// Opens the files of a session in parallel. `progress` makes the listener of each file, hosts
/// first, then memory profiles and programs; it is told the file's whole size at the end: mapped files are
/// open without being read.
pub fn open_hosts<P: Progress>(
    files: &SessionFiles,
    progress: impl Fn(usize) -> P + Sync,
) -> OpenedHosts {
    let all: Vec<&HostFile> = files.files().collect();
    let opened: Vec<Result<ProfileBytes, StorageError>> = all
        .par_iter()
        .enumerate()
        .map(|(position, file)| open_file(file, &progress(position)))
        .collect();
    let mut hosts = OpenedHosts {
        inputs: Vec::new(),
        memory: Vec::new(),
        programs: Vec::new(),
        manifests: files.manifests.iter().map(manifest::read).collect(),
        unread: Vec::new(),
    };
    for (position, (file, result)) in all.into_iter().zip(opened).enumerate() {
        let name = file.host.clone();
        match result {
            Err(error) => hosts.unread.push((name, error)),
            Ok(profile) if position < files.hosts.len() => hosts.inputs.push(HostInput {
                host: name,
                problem: profile.truncated(),
                bytes: Arc::new(profile),
            }),
            Ok(program) if position >= files.hosts.len() + files.memory.len() => {
                hosts.programs.push(ProgramInput {
                    name,
                    problem: program.truncated(),
                    bytes: Arc::new(program),
                });
            }
            Ok(profile) => hosts.memory.push(MemoryInput {
                name,
                problem: profile.truncated(),
                written_epoch_ns: file.modified.and_then(epoch_ns),
                bytes: Arc::new(profile),
            }),
        }
    }
    hosts
}

fn open_file(file: &HostFile, progress: &impl Progress) -> Result<ProfileBytes, StorageError> {
    let profile = open(file, progress)?;
    progress.bytes(file.size_bytes, Some(file.size_bytes));
    Ok(profile)
}

fn epoch_ns(time: SystemTime) -> Option<u64> {
    let since_epoch = time.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    u64::try_from(since_epoch.as_nanos()).ok()
}
