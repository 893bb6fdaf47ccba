//! Files that are in memory already: a session without a path.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use stepscope_model::ProfileData;
use stepscope_model::heap::is_memory_profile;
use stepscope_model::ingest::{HostInput, MemoryInput, ProgramInput};

use crate::compression::Meter;
use crate::error::StorageError;
use crate::explain;
use crate::hosts::OpenedHosts;
use crate::kind::{FileKind, host_name, program_name, snapshot_name, trace_name};
use crate::limits::Limits;
use crate::open::{Opened, Opening};
use crate::progress::NoProgress;
use crate::session::HostFile;
use crate::sniff::{Content, Encoding, HEAD_BYTES};

/// One file's hosts from its bytes: a profile, a trace, a memory profile or a program, compressed or
/// not, told by content as [`crate::find`] and [`crate::open_all`] tell it. `name` is what the file
/// would be called: it names the host, appears in messages, and its suffix tells a program. A plain
/// profile is kept as it is given, without a copy.
///
/// # Errors
///
/// Those of [`crate::open_all`], and [`StorageError::NoProfiles`] for archives and for compressions
/// that are not read.
pub fn open_bytes(name: &str, bytes: Arc<dyn ProfileData>) -> Result<OpenedHosts, StorageError> {
    let path = Path::new(name);
    let data = (*bytes).as_ref();
    let head = &data[..data.len().min(HEAD_BYTES)];
    let encoding = match Content::of(head) {
        Content::Foreign(format) => return Err(explain::foreign_file(path, format)),
        Content::LfsPointer => return Err(explain::lfs_pointer(path)),
        Content::Zip | Content::Tar => return Err(explain::archive_in_memory(path)),
        Content::Compressed(encoding) => encoding,
        Content::Other => Encoding::Plain,
    };
    let file = file_of(name, data.len(), encoding);
    let opened = Opening {
        host: &file,
        local: path,
        limits: &Limits::default(),
        progress: &NoProgress,
        meter: Meter::default(),
    }
    .held_bytes(data)?;
    Ok(match opened {
        Some(opened) => hosts_of(name, opened),
        None => one_of(name, bytes, None),
    })
}

fn file_of(name: &str, size: usize, encoding: Encoding) -> HostFile {
    HostFile {
        host: host_name(name),
        path: PathBuf::from(name),
        entry: None,
        size_bytes: size as u64,
        encoding,
        modified: None,
        index: 0,
        remote: None,
        stand_in: None,
    }
}

/// What was unfolded: several hosts of a trace, or one file.
fn hosts_of(name: &str, mut opened: Vec<Opened>) -> OpenedHosts {
    if opened.len() == 1
        && let Some(Opened { name: None, bytes }) = opened.pop_if(|only| only.name.is_none())
    {
        let problem = bytes.truncated();
        return one_of(name, Arc::new(bytes), problem);
    }
    let inputs = opened.into_iter().map(|host| HostInput {
        host: host.name.unwrap_or_else(|| trace_name(name)),
        problem: host.bytes.truncated(),
        bytes: Arc::new(host.bytes),
    });
    OpenedHosts {
        inputs: inputs.collect(),
        ..OpenedHosts::default()
    }
}

/// One file that is unfolded, as what it is.
fn one_of(name: &str, bytes: Arc<dyn ProfileData>, problem: Option<String>) -> OpenedHosts {
    let mut hosts = OpenedHosts::default();
    let kind = FileKind::of(name);
    if kind == FileKind::Program {
        let name = program_name(name);
        hosts.programs.push(ProgramInput {
            name,
            bytes,
            problem,
        });
    } else if kind == FileKind::MemoryProfile
        || kind != FileKind::Profile && is_memory_profile((*bytes).as_ref())
    {
        let (name, written_epoch_ns) = (snapshot_name(name), None);
        hosts.memory.push(MemoryInput {
            name,
            bytes,
            problem,
            written_epoch_ns,
        });
    } else {
        let host = host_name(name);
        hosts.inputs.push(HostInput {
            host,
            bytes,
            problem,
        });
    }
    hosts
}
