//! Searching a folder and everything below it, within bounds and without going in circles.

use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use stepscope_remote::Object;

use crate::archive::{Cut, Entry, Format, ListingLimits};
use crate::encoding::Encoding;
use crate::error::{StorageError, plain_reason};
use crate::folder::Folder;
use crate::host_file::HostFile;
use crate::kind::{FileKind, Role};
use crate::limits::Limits;
use crate::listed::list;
use crate::memory;
use crate::note::NoteKind;
use crate::regular::{open_regular, open_sized};
use crate::scan::Scan;
use crate::sniff::{Content, read_head};
use crate::traces;

/// Folders that contain no captures and often very many files. Hidden folders are skipped as well.
const SKIPPED_FOLDERS: [&str; 5] = [
    "CVS",
    "__MACOSX",
    "__pycache__",
    "node_modules",
    "site-packages",
];

/// A folder still to be searched.
#[derive(Clone)]
struct Pending {
    folder: Folder,
    /// The path without links, to recognize a folder that is reached twice.
    real: PathBuf,
    depth: usize,
}

/// A search in progress.
pub(crate) struct Walk<'a> {
    limits: &'a Limits,
    pub(crate) scan: Scan,
    queue: VecDeque<Pending>,
    /// Folders below one named `plugins`, searched before all others so that a limit reached in a
    /// large folder next to it does not hide the captures.
    likely: VecDeque<Pending>,
    /// Links wait until all real folders are searched, so that a session is found at its real
    /// location and not through a link.
    links: VecDeque<(Pending, String)>,
    seen_folders: BTreeSet<PathBuf>,
    seen_files: BTreeSet<PathBuf>,
    too_deep: usize,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(limits: &'a Limits) -> Self {
        Self {
            limits,
            scan: Scan::default(),
            queue: VecDeque::new(),
            likely: VecDeque::new(),
            links: VecDeque::new(),
            seen_folders: BTreeSet::new(),
            seen_files: BTreeSet::new(),
            too_deep: 0,
        }
    }

    /// Searches a folder, level by level, each level in the order of names, folders below `plugins`
    /// first. Fails only if this folder itself cannot be listed.
    pub(crate) fn search(&mut self, root: Folder, real: &Path) -> Result<(), StorageError> {
        let path = root.path.clone();
        fs::read_dir(&path).map_err(StorageError::io("list the folder", &path))?;
        self.seen_folders.insert(real.to_path_buf());
        self.queue.push_back(Pending {
            folder: root,
            real: real.to_path_buf(),
            depth: 0,
        });
        loop {
            if let Some(pending) = self.likely.pop_front().or_else(|| self.queue.pop_front()) {
                if !self.search_one(&pending) {
                    break;
                }
            } else if let Some((parent, name)) = self.links.pop_front() {
                self.follow(&parent, &name, real);
            } else {
                break;
            }
        }
        if self.too_deep > 0 {
            let message = format!(
                "folders more than {} levels down were not searched, {} of them; \
                 give the path of one to search it",
                self.limits.max_depth, self.too_deep
            );
            self.scan.note(NoteKind::Limit, path, message);
        }
        Ok(())
    }

    /// Searches one folder. Returns false once the limit is reached.
    fn search_one(&mut self, pending: &Pending) -> bool {
        if self.scan.entries >= self.limits.max_entries {
            let message = format!(
                "the search stopped here after {} files and folders; give a folder further down \
                 to search it",
                self.scan.entries
            );
            self.scan
                .note(NoteKind::Limit, &pending.folder.path, message);
            return false;
        }
        let entries = match self.entries_of(&pending.folder.path) {
            Ok(entries) => entries,
            Err(error) => {
                let reason = plain_reason(&error);
                self.scan
                    .note(NoteKind::Unreadable, &pending.folder.path, reason);
                return true;
            }
        };
        self.scan.tally.folders += 1;
        for (name, kind) in entries {
            if kind.is_symlink() {
                self.links.push_back((pending.clone(), name));
            } else if kind.is_dir() {
                self.enqueue(pending, &name, pending.real.join(&name));
            } else if kind.is_file() {
                self.seen_files.insert(pending.real.join(&name));
                self.look_at_file(&pending.folder, name);
            } else {
                // Pipes, sockets, and devices: opening one may wait forever.
                self.scan
                    .add_other(pending.folder.clone(), FileKind::Other, name);
            }
        }
        true
    }

    /// Names and types of the entries of a folder, sorted by name. One folder may use half of what
    /// is left of the limit, so that a folder of a million checkpoints does not end the search.
    fn entries_of(&mut self, path: &Path) -> io::Result<Vec<(String, fs::FileType)>> {
        let left = self.limits.max_entries.saturating_sub(self.scan.entries);
        let room = left.div_ceil(2);
        let mut entries = Vec::new();
        for entry in fs::read_dir(path)? {
            if entries.len() == room {
                let message = format!(
                    "only {room} of its files and folders were searched, because there are more \
                        than a \
                     search of {} allows; give its own path to search all of it",
                    self.limits.max_entries
                );
                self.scan.note(NoteKind::Limit, path, message);
                break;
            }
            let entry = entry?;
            entries.push((
                entry.file_name().to_string_lossy().into_owned(),
                entry.file_type()?,
            ));
        }
        self.scan.entries += entries.len();
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(entries)
    }

    fn enqueue(&mut self, parent: &Pending, name: &str, real: PathBuf) {
        if is_skipped(name) {
            self.scan.tally.skipped_folders += 1;
        } else if parent.depth == self.limits.max_depth {
            self.too_deep += 1;
        } else if self.seen_folders.insert(real.clone()) {
            let folder = parent.folder.child(name);
            let is_likely = folder.naming.iter().any(|part| part == "plugins");
            let queue = if is_likely {
                &mut self.likely
            } else {
                &mut self.queue
            };
            queue.push_back(Pending {
                folder,
                real,
                depth: parent.depth + 1,
            });
        }
    }

    fn follow(&mut self, parent: &Pending, name: &str, real_root: &Path) {
        let path = parent.folder.path.join(name);
        let resolved = fs::canonicalize(&path).and_then(|real| Ok((fs::metadata(&real)?, real)));
        let (metadata, real) = match resolved {
            Ok(resolved) => resolved,
            Err(error) => {
                let reason = match error.kind() {
                    io::ErrorKind::NotFound => "a link that leads nowhere".to_owned(),
                    _ => format!("a link that cannot be followed ({})", plain_reason(&error)),
                };
                self.scan.note(NoteKind::Unreadable, path, reason);
                return;
            }
        };
        if metadata.is_dir() {
            if self.seen_folders.contains(&real) {
                let reason = "a link to a folder that is already searched";
                self.scan.note(NoteKind::Ignored, path, reason);
            } else if real_root.starts_with(&real) {
                let reason = "a link to a folder that contains the searched one";
                self.scan.note(NoteKind::Ignored, path, reason);
            } else {
                self.enqueue(parent, name, real);
            }
        } else if !metadata.is_file() {
            self.scan
                .add_other(parent.folder.clone(), FileKind::Other, name.to_owned());
        } else if self.seen_files.insert(real) {
            self.look_at_file(&parent.folder, name.to_owned());
        } else if matches!(FileKind::of(name), FileKind::Profile | FileKind::Archive) {
            let reason = "a link to a file that is already listed";
            self.scan.note(NoteKind::Ignored, path, reason);
        }
    }

    fn look_at_file(&mut self, folder: &Folder, name: String) {
        let path = folder.path.join(&name);
        let kind = FileKind::of(&name);
        let looked = match kind.role() {
            Some(Role::Host) => self.look_at_profile(folder, &name, &path),
            Some(Role::Archive) => self.look_at_archive(folder, &name, &path),
            Some(Role::Manifest) => self.take(folder, Role::Manifest, &name, Encoding::Plain),
            Some(Role::Program) => self.look_at_program(folder, &name, &path),
            Some(Role::Trace) => self.look_at_trace(folder, &name, &path),
            Some(Role::Memory) => self.look_at_memory(folder, &name, &path, kind),
            None => {
                self.scan.add_other(folder.clone(), kind, name);
                return;
            }
        };
        if let Err(error) = looked {
            self.scan
                .note(NoteKind::Unreadable, path, plain_reason(&error));
        }
    }

    fn look_at_profile(&mut self, folder: &Folder, name: &str, path: &Path) -> io::Result<()> {
        let content = Content::of(&read_head(open_regular(path)?)?);
        let encoding = match content {
            Content::Zip => return self.add_archive(folder, name, Format::Zip),
            Content::Tar => return self.add_archive(folder, name, Format::Tar(Encoding::Plain)),
            Content::Foreign(_) => {
                self.scan.add_other(
                    folder.clone(),
                    FileKind::ForeignCompression,
                    name.to_owned(),
                );
                return Ok(());
            }
            Content::LfsPointer => {
                self.scan
                    .add_other(folder.clone(), FileKind::LfsPointer, name.to_owned());
                let reason = "a Git LFS pointer; run git lfs pull to fetch the profile";
                self.scan.note(NoteKind::Unreadable, path, reason);
                return Ok(());
            }
            Content::Compressed(encoding) => encoding,
            Content::Other => Encoding::Plain,
        };
        self.take(folder, Role::Host, name, encoding)
    }

    /// Adds a file according to its type.
    fn take(
        &mut self,
        folder: &Folder,
        role: Role,
        name: &str,
        encoding: Encoding,
    ) -> io::Result<()> {
        let file = HostFile::on_disk(&folder.path.join(name), role, name, encoding)?;
        self.scan.add(folder.clone(), role, file);
        Ok(())
    }

    fn look_at_program(&mut self, folder: &Folder, name: &str, path: &Path) -> io::Result<()> {
        let encoding = match Content::of(&read_head(open_regular(path)?)?) {
            Content::Compressed(encoding) => encoding,
            Content::LfsPointer => {
                self.scan
                    .add_other(folder.clone(), FileKind::LfsPointer, name.to_owned());
                return Ok(());
            }
            _ => Encoding::Plain,
        };
        self.take(folder, Role::Program, name, encoding)
    }

    fn look_at_trace(&mut self, folder: &Folder, name: &str, path: &Path) -> io::Result<()> {
        let encoding = match Content::of(&read_head(open_regular(path)?)?) {
            Content::Compressed(encoding) => encoding,
            _ => Encoding::Plain,
        };
        let (trace, size_bytes) = open_sized(path)?;
        if traces::format_of(encoding, trace, size_bytes).is_some() {
            return self.take(folder, Role::Trace, name, encoding);
        }
        self.scan
            .add_other(folder.clone(), FileKind::TraceExport, name.to_owned());
        Ok(())
    }

    fn look_at_memory(
        &mut self,
        folder: &Folder,
        name: &str,
        path: &Path,
        kind: FileKind,
    ) -> io::Result<()> {
        let mut file = open_regular(path)?;
        let encoding = match Content::of(&read_head(&mut file)?) {
            Content::Compressed(encoding) => encoding,
            _ => Encoding::Plain,
        };
        if memory::is_begun_by(&mut file, encoding) {
            return self.take(folder, Role::Memory, name, encoding);
        }
        self.scan.add_other(folder.clone(), kind, name.to_owned());
        if kind == FileKind::MemoryProfile {
            self.scan
                .note(NoteKind::Unreadable, path, memory::NO_PROFILE);
        }
        Ok(())
    }

    fn look_at_archive(&mut self, folder: &Folder, name: &str, path: &Path) -> io::Result<()> {
        match Format::detect(&mut open_regular(path)?)? {
            Ok(format) => self.add_archive(folder, name, format),
            Err(content) => {
                self.scan
                    .add_other(folder.clone(), FileKind::Archive, name.to_owned());
                let reason = match content {
                    Content::Compressed(_) => "compressed, but contains no archive",
                    _ => "its content is neither a zip nor a tar archive",
                };
                self.scan.note(NoteKind::Unreadable, path, reason);
                Ok(())
            }
        }
    }

    fn add_archive(&mut self, folder: &Folder, name: &str, format: Format) -> io::Result<()> {
        let archive = folder.archive(name);
        let max_bytes = Some(self.limits.max_listing_bytes);
        let file = ArchiveFile {
            path: &archive.path,
            format,
            remote: None,
        };
        if let Err(error) = add_archive(&mut self.scan, &archive, &file, self.limits, max_bytes) {
            let reason = match error {
                StorageError::Corrupt { detail, .. } => detail,
                other => other.to_string(),
            };
            return Err(io::Error::other(reason));
        }
        Ok(())
    }
}

/// An archive as a file: where its bytes are, and where they came from.
pub(crate) struct ArchiveFile<'a> {
    pub(crate) path: &'a Path,
    pub(crate) format: Format,
    pub(crate) remote: Option<&'a Object>,
}

/// Adds the contents of an archive, as if it were a folder.
pub(crate) fn add_archive(
    scan: &mut Scan,
    archive: &Folder,
    file: &ArchiveFile<'_>,
    limits: &Limits,
    max_bytes: Option<u64>,
) -> Result<(), StorageError> {
    let max_entries = limits.max_entries.saturating_sub(scan.entries);
    let bounds = ListingLimits {
        limits,
        max_entries,
        max_bytes,
    };
    let listing = list(file.path, file.format, &bounds)?;
    scan.tally.archives += 1;
    scan.entries += listing.entries.len();
    for entry in &listing.entries {
        add_entry(scan, archive, entry, file.remote);
    }
    match &listing.cut {
        Some(Cut::Unreadable(reason)) => {
            let message = format!("damaged or truncated; what came before is listed ({reason})");
            scan.note(NoteKind::Unreadable, &archive.path, message);
        }
        Some(Cut::Limit(message)) => {
            scan.note(NoteKind::Limit, &archive.path, message.clone());
        }
        None => {}
    }
    Ok(())
}

/// Whether folders with this name are skipped.
pub(crate) fn is_skipped(name: &str) -> bool {
    name.starts_with('.') || SKIPPED_FOLDERS.contains(&name)
}

/// The folder below `root` and the name of a file, from the parts of its path; `None` if a folder
/// is one of the skipped ones.
pub(crate) fn placed<'a>(
    root: &Folder,
    parts: impl Iterator<Item = &'a str>,
) -> Option<(Folder, &'a str)> {
    let mut parts: Vec<&str> = parts.collect();
    let name = parts.pop()?;
    if parts.iter().any(|part| is_skipped(part)) {
        return None;
    }
    let folder = parts.iter();
    let folder = folder.fold(root.clone(), |folder, part| folder.child(part));
    Some((folder, name))
}

fn add_entry(scan: &mut Scan, archive: &Folder, entry: &Entry, object: Option<&Object>) {
    let parts = entry.name.split('/');
    let parts = parts.filter(|part| !matches!(*part, "" | "."));
    let Some((folder, name)) = placed(archive, parts) else {
        return;
    };
    let kind = FileKind::of(name);
    // Only their first bytes say whether files of the other types are read, and those are
    // compressed.
    let is_told_by_name = |role: &Role| *role != Role::Archive && !kind.is_told_by_content();
    let Some(role) = kind.role().filter(is_told_by_name) else {
        scan.add_other(folder, kind, name.to_owned());
        return;
    };
    if let Some(problem) = entry.problem {
        scan.add_other(folder.clone(), kind, name.to_owned());
        scan.note(NoteKind::Unreadable, folder.path.join(name), problem);
        return;
    }
    let file = HostFile {
        host: role.title(name),
        path: archive.path.clone(),
        remote: object.cloned(),
        encoding: Encoding::of_name(name),
        size_bytes: entry.size_bytes,
        modified: entry.modified,
        index: entry.index,
        entry: Some(entry.name.clone()),
        stand_in: None,
    };
    scan.add(folder, role, file);
}
