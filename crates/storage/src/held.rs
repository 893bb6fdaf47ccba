//! Files that are already in memory: a session without a path.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use stepscope_model::ProfileData;
use stepscope_model::ingest::HostInput;

use crate::compression::Meter;
use crate::encoding::Encoding;
use crate::error::StorageError;
use crate::explain;
use crate::host_file::HostFile;
use crate::hosts::OpenedHosts;
use crate::kind::{FileKind, Role};
use crate::limits::Limits;
use crate::memory;
use crate::open::{Opened, Opening};
use crate::progress::NoProgress;
use crate::sniff::{Content, HEAD_BYTES};
use crate::traces;

/// One file's hosts from its bytes: a profile, a trace, a memory profile, or a program, compressed
/// or not, recognized by content like in [`crate::find`] and [`crate::open_all`]. `name` is the
/// file's name: it names the host, appears in messages, and its suffix identifies a program. A
/// plain profile is kept as given, without a copy.
///
/// # Errors
///
/// Those of [`crate::open_all`], and [`StorageError::NoProfiles`] for archives and for unsupported
/// compressions.
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
    let size_bytes = data.len() as u64;
    let is_trace = traces::format_of(encoding, data, size_bytes).is_some();
    let begins_as_memory = memory::begins_with(data, encoding, size_bytes);
    let role = Role::of_one(FileKind::of(name), is_trace, begins_as_memory);
    let title = role.title(name);
    let file = file_of(name, data.len(), encoding);
    let opened = Opening {
        host: &file,
        local: path,
        limits: &Limits::default(),
        progress: &NoProgress,
        meter: Meter::of(size_bytes),
    }
    .held_bytes(data)?;
    let Some(mut opened) = opened else {
        return Ok(one_of(role, title, bytes, None));
    };
    match opened.pop() {
        Some(Opened { bytes, .. }) if opened.is_empty() => {
            let problem = bytes.truncated();
            Ok(one_of(role, title, Arc::new(bytes), problem))
        }
        last => {
            opened.extend(last);
            Ok(several(&title, opened))
        }
    }
}

fn file_of(name: &str, size: usize, encoding: Encoding) -> HostFile {
    HostFile {
        host: Role::Host.title(name),
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

/// The hosts of a trace.
fn several(title: &str, opened: Vec<Opened>) -> OpenedHosts {
    let inputs = opened.into_iter().map(|host| HostInput {
        host: host.name.unwrap_or_else(|| title.to_owned()),
        problem: host.bytes.truncated(),
        bytes: Arc::new(host.bytes),
    });
    OpenedHosts {
        inputs: inputs.collect(),
        ..OpenedHosts::default()
    }
}

/// One decompressed file, by its role.
fn one_of(
    role: Role,
    name: String,
    bytes: Arc<dyn ProfileData>,
    problem: Option<String>,
) -> OpenedHosts {
    let mut hosts = OpenedHosts::default();
    hosts.add_one(role, name, bytes, problem, None);
    hosts
}
