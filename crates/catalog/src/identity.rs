//! What a capture is: by the paths, sizes and times of its files, which costs nothing, and by what
//! they contain.

use std::time::UNIX_EPOCH;

use stepscope_model::ProfileData;
use stepscope_storage::{HostFile, OpenedHosts, SessionFiles};

use crate::digest::Digest;
use crate::engine::engine;

/// What changes when a file of a session does: path, size and time, or the version of a remote file.
pub(crate) fn key(files: &SessionFiles) -> String {
    let mut digest = Digest::default();
    for (role, group) in [
        ("host", &files.hosts),
        ("memory", &files.memory),
        ("program", &files.programs),
        ("manifest", &files.manifests),
    ] {
        for file in group {
            digest.add(role);
            add_file(&mut digest, file);
        }
    }
    digest.text()
}

fn add_file(digest: &mut Digest, file: &HostFile) {
    // A relative path is another file in another folder.
    let path = std::path::absolute(&file.path);
    let is_remote = file.remote_version().is_some();
    let path = path.ok().filter(|_| !is_remote);
    let path = path.as_ref().unwrap_or(&file.path);
    digest.add_bytes(path.as_os_str().as_encoded_bytes());
    digest.add(file.entry.as_deref().unwrap_or_default());
    digest.add(&file.host);
    digest.add_bytes(&file.size_bytes.to_le_bytes());
    let modified = file
        .modified
        .and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let modified = modified.map_or(0, |since| since.as_nanos());
    digest.add_bytes(&modified.to_le_bytes());
    digest.add(file.remote_version().unwrap_or_default());
}

/// What decides every answer about a session: the engine, and the names and decompressed contents of
/// its files. The path is not part of it, so that a copy of a capture is the same capture.
pub(crate) fn address(opened: &OpenedHosts) -> String {
    let mut digest = Digest::default();
    digest.add(engine());
    let mut add = |role: &str, name: &str, bytes: &dyn ProfileData, rest: &str| {
        digest.add(role);
        digest.add(name);
        digest.add_bytes(bytes.as_ref());
        digest.add(rest);
    };
    let problem = |problem: &Option<String>| problem.clone().unwrap_or_default();
    for input in &opened.inputs {
        add("host", &input.host, &*input.bytes, &problem(&input.problem));
    }
    for input in &opened.memory {
        // Snapshots are ordered by the times of their files.
        let rest = format!("{:?} {}", input.written_epoch_ns, problem(&input.problem));
        add("memory", &input.name, &*input.bytes, &rest);
    }
    for input in &opened.programs {
        add(
            "program",
            &input.name,
            &*input.bytes,
            &problem(&input.problem),
        );
    }
    for input in &opened.manifests {
        digest.add("manifest");
        digest.add(&input.host);
        digest.add(&format!("{:?}", input.manifest));
    }
    digest.text()
}
