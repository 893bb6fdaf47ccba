//! Opening all hosts of a session, as far as they can be read.

use std::sync::Arc;
use std::time::SystemTime;

use rayon::prelude::*;
use stepscope_model::ingest::{HostInput, MemoryInput, ProgramInput};
use stepscope_model::{ManifestInput, ProfileData, Reads};

use crate::copied::open_copied;
use crate::error::StorageError;
use crate::fetch;
use crate::host_file::HostFile;
use crate::kind::Role;
use crate::manifest;
use crate::open::{Opened, open_all, open_member};
use crate::packed;
use crate::planes::{self, Partial};
use crate::progress::Progress;
use crate::remains::opened_or_stand_in;
use crate::session::SessionFiles;

/// The hosts of a session: the input of ingest, and what could not be read.
#[derive(Default)]
pub struct OpenedHosts {
    /// Opened hosts, in the order of the session.
    pub inputs: Vec<HostInput>,
    /// Opened memory profiles.
    pub memory: Vec<MemoryInput>,
    /// Opened programs.
    pub programs: Vec<ProgramInput>,
    /// Manifests, or why one could not be read.
    pub manifests: Vec<ManifestInput>,
    /// Names of the files that could not be read, each with the reason.
    pub unread: Vec<(String, StorageError)>,
    /// Bytes of remote profiles that were not fetched, because the question does not read them.
    pub left_out_bytes: u64,
}

/// Opens the files of a session in parallel. `progress` creates the listener of each file: hosts
/// first, then memory profiles and programs. At the end each listener receives the file's whole
/// size, since mapped files are opened without being read. For large remote profiles, only the
/// parts that a question `reads` are fetched.
pub fn open_hosts<P: Progress>(
    files: &SessionFiles,
    reads: Reads,
    progress: impl Fn(usize) -> P,
) -> OpenedHosts {
    open_hosts_with(files, reads, progress, open_all)
}

/// How a file is opened.
pub(crate) type OpenFile = fn(&HostFile, &dyn Progress) -> Result<Vec<Opened>, StorageError>;

/// [`open_hosts`], with one of the ways to open a file. A file that changes meanwhile is copied.
pub(crate) fn open_hosts_with<P: Progress>(
    files: &SessionFiles,
    reads: Reads,
    progress: impl Fn(usize) -> P,
    open: OpenFile,
) -> OpenedHosts {
    let (roles, all): (Vec<Role>, Vec<&HostFile>) = files.files_by_role().unzip();
    let listeners: Vec<P> = (0..all.len()).map(progress).collect();
    let hosts = files.hosts.len();
    let mut partial = planes::read_all(&all[..hosts], reads, &listeners[..hosts]);
    partial.resize_with(all.len(), || None);
    let left_out_bytes = partial
        .iter()
        .flatten()
        .map(|read| read.left_out_bytes)
        .sum();
    let is_wanted = |position: usize| partial[position].is_none();
    let unfetched = fetch::fetch_all(&all, is_wanted, &files.manifests, &listeners);
    let is_here = |position: usize| is_wanted(position) && unfetched[position].is_none();
    let together = packed::read_together(&all, is_here, &listeners);
    let opened: Vec<Result<Vec<Opened>, StorageError>> = all
        .par_iter()
        .zip(&listeners)
        .zip(unfetched)
        .zip(partial)
        .zip(together)
        .map(|((((file, listener), unfetched), partial), together)| {
            if let Some(Partial { bytes, .. }) = partial {
                return Ok(vec![Opened { name: None, bytes }]);
            }
            if let Some(error) = unfetched {
                return Err(error);
            }
            let opened = match together {
                Some(Ok((member, encoding))) => open_member(file, member, encoding),
                Some(Err(error)) => Err(error),
                None => open_file(file, open, listener),
            };
            opened_or_stand_in(file, opened, listener)
        })
        .collect();
    let mut hosts = OpenedHosts {
        manifests: files.manifests.iter().map(manifest::read).collect(),
        left_out_bytes,
        ..OpenedHosts::default()
    };
    for ((role, file), result) in roles.into_iter().zip(all).zip(opened) {
        match result {
            Ok(opened) => hosts.add(role, file, opened),
            Err(error) => hosts.unread.push((file.host.clone(), error)),
        }
    }
    hosts
}

impl OpenedHosts {
    /// What a file of a session contains, by the file's role.
    fn add(&mut self, role: Role, file: &HostFile, opened: Vec<Opened>) {
        let is_one = opened.len() == 1;
        for host in opened {
            let name = match host.name {
                Some(name) if !is_one => name,
                _ => file.host.clone(),
            };
            let problem = host.bytes.truncated();
            let written_epoch_ns = file.modified.and_then(epoch_ns);
            self.add_one(role, name, Arc::new(host.bytes), problem, written_epoch_ns);
        }
    }

    /// The bytes of all files.
    pub(crate) fn bytes(&self) -> Vec<Arc<dyn ProfileData>> {
        let inputs = self.inputs.iter().map(|input| &input.bytes);
        let memory = self.memory.iter().map(|input| &input.bytes);
        let programs = self.programs.iter().map(|input| &input.bytes);
        inputs.chain(memory).chain(programs).cloned().collect()
    }

    /// One file, decompressed, by its role.
    pub(crate) fn add_one(
        &mut self,
        role: Role,
        name: String,
        bytes: Arc<dyn ProfileData>,
        problem: Option<String>,
        written_epoch_ns: Option<u64>,
    ) {
        match role {
            Role::Program => self.programs.push(ProgramInput {
                name,
                bytes,
                problem,
            }),
            Role::Memory => self.memory.push(MemoryInput {
                name,
                bytes,
                problem,
                written_epoch_ns,
            }),
            Role::Host | Role::Trace | Role::Manifest | Role::Archive => {
                self.inputs.push(HostInput {
                    host: name,
                    bytes,
                    problem,
                });
            }
        }
    }
}

fn open_file(
    file: &HostFile,
    open: OpenFile,
    progress: &impl Progress,
) -> Result<Vec<Opened>, StorageError> {
    let profile = match open(file, progress) {
        Err(StorageError::Changed { .. }) => open_copied(file, progress)?,
        decided => decided?,
    };
    progress.bytes(file.size_bytes, Some(file.size_bytes));
    Ok(profile)
}

fn epoch_ns(time: SystemTime) -> Option<u64> {
    let since_epoch = time.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    u64::try_from(since_epoch.as_nanos()).ok()
}
