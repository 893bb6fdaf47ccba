//! From any path to the sessions there.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::archive::Format;
use crate::error::StorageError;
use crate::explain;
use crate::join::join;
use crate::kind::{FileKind, Role, host_name, program_name, snapshot_name};
use crate::limits::Limits;
use crate::manifest;
use crate::memory;
use crate::remote;
use crate::scan::{Folder, Scan};
use crate::session::{Found, HostFile, SessionFiles, natural_order};
use crate::sniff::{Content, Encoding};
use crate::traces;
use crate::walk::{ArchiveFile, Walk, add_archive, file_on_disk};

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
    let mut file = File::open(path).map_err(StorageError::io("open the file", path))?;
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
            let may_be_trace = matches!(kind, FileKind::TraceExport | FileKind::Other);
            let is_trace = may_be_trace
                && File::open(path).is_ok_and(|file| traces::format_of(encoding, file).is_some());
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
            let mut file = file_on_disk(path, role, &name, encoding)
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
    let name = format!("{host}{}", manifest::SUFFIX);
    let path = parent_of(profile).join(&name);
    file_on_disk(&path, Role::Manifest, &name, Encoding::Plain).ok()
}

/// Makes sessions from the results of a scan. `file` is the name if a single file was given.
pub(crate) fn finish(
    path: &Path,
    root: &Path,
    mut scan: Scan,
    file: Option<&str>,
) -> Result<Found, StorageError> {
    let folders = scan.finish();
    let (folders, joined) = join(folders);
    let folders = memory::attach(folders);
    let mut notes = std::mem::take(&mut scan.notes);
    notes.extend(joined);
    notes.sort();
    if folders.is_empty() {
        return Err(explain::no_profiles(path, &scan.tally, notes));
    }
    let names = unique_names(&folders, file);
    let mut sessions: Vec<SessionFiles> = folders
        .into_iter()
        .zip(names)
        .map(|(folder, name)| session_of(folder, name, file))
        .collect();
    sessions.sort_by(|a, b| {
        natural_order(&a.name, &b.name).then_with(|| natural_order(&a.location, &b.location))
    });
    Ok(Found {
        sessions,
        notes,
        root: root.to_path_buf(),
    })
}

fn session_of(folder: Folder, name: String, file: Option<&str>) -> SessionFiles {
    let location = match (file, folder.location.is_empty()) {
        (Some(file), _) => file.to_owned(),
        (None, true) => ".".to_owned(),
        (None, false) => folder.location.join("/"),
    };
    let mut hosts: Vec<HostFile> = folder.hosts;
    hosts.sort_by(|a, b| natural_order(&a.host, &b.host));
    let mut memory = folder.memory;
    memory.sort_by(|a, b| natural_order(&a.host, &b.host));
    let mut programs = folder.programs;
    programs.sort_by(|a, b| natural_order(&a.host, &b.host));
    let mut manifests = folder.manifests;
    manifests.sort_by(|a, b| natural_order(&a.host, &b.host));
    let files = || hosts.iter().chain(&memory).chain(&programs);
    SessionFiles {
        name,
        location,
        modified: files().filter_map(|file| file.modified).max(),
        joined_from: folder.joined_from,
        size_bytes: files().map(|file| file.size_bytes).sum(),
        hosts,
        memory,
        programs,
        manifests,
    }
}

/// Each folder's run name. If several have the same name, each is prefixed with as many of its
/// parent folders as needed to be unique, leaving out `plugins/profile`.
fn unique_names(folders: &[Folder], file: Option<&str>) -> Vec<String> {
    let mut names: Vec<String> = match file {
        Some(file) => folders
            .iter()
            .map(
                |folder| match (folder.hosts.as_slice(), folder.memory.as_slice()) {
                    ([], []) => program_name(file),
                    ([], _) => snapshot_name(file),
                    // A trace is named without the suffixes of traces, a profile without its own.
                    ([host], _) => host.host.clone(),
                    _ => host_name(file),
                },
            )
            .collect(),
        None => folders.iter().map(Folder::run_name).collect(),
    };
    let longest = folders
        .iter()
        .map(|folder| folder.location.len())
        .max()
        .unwrap_or(0);
    for parts in 1..=longest {
        let ambiguous = repeated(&names);
        if ambiguous.iter().all(|is_repeated| !is_repeated) {
            return names;
        }
        for ((name, folder), is_repeated) in names.iter_mut().zip(folders).zip(ambiguous) {
            if is_repeated && let Some(longer) = last_parts(&folder.location, parts) {
                *name = longer;
            }
        }
    }
    // Different archives may contain the same path.
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    for name in &mut names {
        let count = taken
            .entry(name.clone())
            .and_modify(|count| *count += 1)
            .or_insert(1);
        if *count > 1 {
            *name = format!("{name} ({count})");
        }
    }
    names
}

fn repeated(names: &[String]) -> Vec<bool> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    names.iter().map(|name| counts[name.as_str()] > 1).collect()
}

/// The last `count` parts of a location. `None` for the root of the search.
fn last_parts(location: &[String], count: usize) -> Option<String> {
    let mut parts: Vec<&str> = location.iter().map(String::as_str).collect();
    while let Some(at) = parts
        .windows(2)
        .position(|pair| pair == ["plugins", "profile"])
    {
        parts.drain(at..at + 2);
    }
    let last = &parts[parts.len().saturating_sub(count)..];
    (!last.is_empty()).then(|| last.join("/"))
}

fn parts_of(path: &Path) -> Vec<String> {
    let normal = path.components().filter_map(|component| match component {
        std::path::Component::Normal(part) => Some(part.to_string_lossy().into_owned()),
        _ => None,
    });
    normal.collect()
}

/// The folder of a file; `.` for a bare name.
pub(crate) fn parent_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => PathBuf::from("."),
        Some(parent) => parent.to_path_buf(),
        None => path.to_path_buf(),
    }
}
