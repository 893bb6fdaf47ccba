//! Fetching remote files: one, or all of a session at once.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use stepscope_remote::{Object, RemoteError};

use crate::error::StorageError;
use crate::explain;
use crate::host_file::HostFile;
use crate::progress::Progress;

/// Where the bytes of a file are on this machine, after fetching it if it is remote.
pub(crate) fn local<'a>(
    host: &'a HostFile,
    progress: &dyn Progress,
) -> Result<Cow<'a, Path>, StorageError> {
    match &host.remote {
        None => Ok(Cow::Borrowed(&host.path)),
        Some(object) => fetch_one(host, object, progress).map(Cow::Owned),
    }
}

/// Fetches one remote file.
pub(crate) fn fetch_one(
    host: &HostFile,
    object: &Object,
    progress: &dyn Progress,
) -> Result<PathBuf, StorageError> {
    let total = Some(object.size_bytes);
    let told = |_, done| progress.bytes(done, total);
    let fetched = stepscope_remote::fetch(std::slice::from_ref(object), &told);
    match fetched.into_iter().next() {
        Some(Ok(path)) => Ok(path),
        Some(Err(error)) => Err(unfetched(host, error)),
        None => Err(explain::not_found(&host.path)),
    }
}

fn unfetched(host: &HostFile, error: RemoteError) -> StorageError {
    StorageError::Remote {
        path: host.display_path(),
        error: Box::new(error),
    }
}

/// Fetches all remote files of a session that are selected by position, and returns for each of
/// `files` why it could not be fetched. Manifests are fetched too; a failure is reported when one
/// is read.
pub(crate) fn fetch_all<P: Progress>(
    files: &[&HostFile],
    is_wanted: impl Fn(usize) -> bool,
    manifests: &[HostFile],
    listeners: &[P],
) -> Vec<Option<StorageError>> {
    let mut errors: Vec<Option<StorageError>> = files.iter().map(|_| None).collect();
    let far = files
        .iter()
        .enumerate()
        .filter(|(position, file)| file.remote.is_some() && is_wanted(*position));
    let positions: Vec<usize> = far.map(|(position, _)| position).collect();
    let wanted = positions.iter().map(|&position| files[position]);
    let objects: Vec<Object> = wanted
        .chain(manifests)
        .filter_map(|file| file.remote.clone())
        .collect();
    // Entries of one archive are one file; the bar counts their decompressed bytes.
    let told = |object: usize, done: u64| {
        if let Some(&position) = positions.get(object) {
            let size_bytes = files[position].size_bytes;
            listeners[position].bytes(done.min(size_bytes), Some(size_bytes));
        }
    };
    let fetched = stepscope_remote::fetch(&objects, &told);
    for (&position, result) in positions.iter().zip(fetched) {
        if let Err(error) = result {
            errors[position] = Some(unfetched(files[position], error));
        }
    }
    errors
}
