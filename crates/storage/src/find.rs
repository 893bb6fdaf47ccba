//! From any path to the sessions there.

use std::fs;
use std::io;
use std::path::Path;

use crate::archive::Format;
use crate::encoding::Encoding;
use crate::error::StorageError;
use crate::explain;
use crate::finish::finish;
use crate::folder::Folder;
use crate::host_file::HostFile;
use crate::kind::{FileKind, MANIFEST_SUFFIX, Role};
use crate::limits::Limits;
use crate::memory;
use crate::paths::{parent_of, parts_of};
use crate::regular::{open_regular, open_sized};
use crate::remote;
use crate::scan::Scan;
use crate::session::Found;
use crate::sniff::Content;
use crate::traces;
use crate::walk::{ArchiveFile, Walk, add_archive};

/// The sessions at a path, which may be a log directory, a run directory, one profile, an archive,
/// or a folder of any of these; or a URL of one of these. Reads names and first bytes; decodes
/// nothing.
///
/// # Errors
///
/// [`StorageError::NotFound`], [`StorageError::NoProfiles`] with what was found instead,
/// [`StorageError::Io`] and [`StorageError::Corrupt`] if the path itself cannot be read. Anything
/// below it that cannot be read becomes a note.
pub fn find(path: &Path) -> Result<Found, StorageError> {
    find_within(path, &Limits::default())
}

/// [`find`] with custom limits.
pub fn find_within(path: &Path, limits: &Limits) -> Result<Found, StorageError> {
    if stepscope_remote::is_url(path) {
        return remote::find(path, limits);
    }
    let metadata = fs::metadata(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => explain::not_found(path),
        _ => StorageError::io("inspect it", path)(error),
    })?;
    if metadata.is_dir() {
        find_in_folder(path, limits)
    } else if metadata.is_file() {
        find_in_file(path, limits)
    } else {
        let source = io::Error::new(io::ErrorKind::InvalidInput, "neither a file nor a folder");
        Err(StorageError::Io {
            action: "read it",
            path: path.into(),
            source,
        })
    }
}

fn find_in_folder(path: &Path, limits: &Limits) -> Result<Found, StorageError> {
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let root = Folder::new(Vec::new(), parts_of(&real), path.to_path_buf());
    let mut walk = Walk::new(limits);
    walk.search(root, &real)?;
    finish(path, path, walk.scan, None)
}

fn find_in_file(path: &Path, limits: &Limits) -> Result<Found, StorageError> {
    let name = path
        .file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
        .into_owned();
    let kind = FileKind::of(&name);
    let mut file = open_regular(path).map_err(StorageError::io("open the file", path))?;
    let detected = Format::detect(&mut file).map_err(StorageError::io("read the file", path))?;
    let parent = parent_of(path);
    let real_parent = fs::canonicalize(&parent).unwrap_or_else(|_| parent.clone());
    let folder = Folder::new(Vec::new(), parts_of(&real_parent), parent.clone());
    let mut scan = Scan::default();
    match detected {
        Ok(format) => {
            // The path as given, which may differ from `parent.join(name)`.
            let archive = Folder {
                path: path.to_path_buf(),
                ..folder.archive(&name)
            };
            let file = ArchiveFile {
                path,
                format,
                remote: None,
            };
            add_archive(&mut scan, &archive, &file, limits, None)?;
            finish(path, &parent, scan, None)
        }
        Err(Content::Foreign(format)) => Err(explain::foreign_file(path, format)),
        Err(Content::LfsPointer) => Err(explain::lfs_pointer(path)),
        Err(content) => {
            let encoding = match content {
                Content::Compressed(encoding) => encoding,
                _ => Encoding::Plain,
            };
            let is_trace = kind.may_be_trace()
                && open_sized(path).is_ok_and(|(file, size_bytes)| {
                    traces::format_of(encoding, file, size_bytes).is_some()
                });
            if !is_trace && let Some(error) = explain::not_a_profile(path, kind) {
                return Err(error);
            }
            if kind == FileKind::Archive {
                return Err(StorageError::Corrupt {
                    path: path.to_path_buf(),
                    format: "archive",
                    detail: "its content is neither a zip nor a tar archive".to_owned(),
                });
            }
            let begins_as_memory = memory::is_begun_by(&mut file, encoding);
            let role = Role::of_one(kind, is_trace, begins_as_memory);
            let mut file = HostFile::on_disk(path, role, &name, encoding)
                .map_err(StorageError::io("inspect the file", path))?;
            if role == Role::Host {
                if let Some(manifest) = manifest_beside(path, &file.host) {
                    scan.add(folder.clone(), Role::Manifest, manifest);
                }
                file.stand_in = traces::stand_in_beside(path, &file.host).map(Box::new);
            }
            scan.add(folder, role, file);
            finish(path, &parent, scan, Some(&name))
        }
    }
}

/// The manifest next to a profile that was given by its own path.
fn manifest_beside(profile: &Path, host: &str) -> Option<HostFile> {
    let name = format!("{host}{MANIFEST_SUFFIX}");
    let path = parent_of(profile).join(&name);
    HostFile::on_disk(&path, Role::Manifest, &name, Encoding::Plain).ok()
}
