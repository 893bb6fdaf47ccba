//! From the results of a scan to sessions with unique names.

use std::collections::BTreeMap;
use std::path::Path;

use crate::error::StorageError;
use crate::explain;
use crate::folder::Folder;
use crate::host_file::HostFile;
use crate::join::join;
use crate::kind::Role;
use crate::memory;
use crate::scan::Scan;
use crate::session::{Found, SessionFiles, natural_order};

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
                    ([], []) => Role::Program.title(file),
                    ([], _) => Role::Memory.title(file),
                    // A trace is named without the suffixes of traces, a profile without its own.
                    ([host], _) => host.host.clone(),
                    _ => Role::Host.title(file),
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
