//! Remote sessions: the same rules as for folders, over a listing instead of a disk.
//!
//! A search reads names, and the first bytes of the few files that only their content identifies.
//! Files are fetched when a session is opened, all at once; archives when they are listed.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use stepscope_remote::{Address, Interest, Listing, Object, RemoteError};

use crate::archive::Format;
use crate::encoding::Encoding;
use crate::error::{StorageError, plain_reason};
use crate::explain;
use crate::fetch::fetch_one;
use crate::finish::finish;
use crate::folder::Folder;
use crate::host_file::HostFile;
use crate::kind::{FileKind, MANIFEST_SUFFIX, Role};
use crate::limits::Limits;
use crate::memory;
use crate::note::NoteKind;
use crate::paths::parent_of;
use crate::progress::NoProgress;
use crate::regular::open_regular;
use crate::scan::Scan;
use crate::session::Found;
use crate::sniff::Content;
use crate::traces;
use crate::walk::{ArchiveFile, add_archive, is_skipped, placed};

/// Archives found in a search are fetched to list them up to this size. An archive given by its own
/// URL is fetched whatever its size.
const MAX_ARCHIVE_BYTES: u64 = 256 << 20;
/// Number of bytes that identify a memory profile, compressed or not.
const BEGINNING_BYTES: u64 = 4096;
/// Maximum number of files whose first bytes are read in one search.
const MAX_BEGINNINGS: usize = 64;

/// The sessions at a URL.
pub(crate) fn find(path: &Path, limits: &Limits) -> Result<Found, StorageError> {
    let refused = |error: RemoteError| StorageError::Remote {
        path: path.to_path_buf(),
        error: Box::new(error),
    };
    let given = path.to_string_lossy();
    let address = Address::parse(&given).map_err(refused)?;
    let listing = stepscope_remote::list(&given, &interest(limits)).map_err(refused)?;
    let mut scan = Scan::default();
    let shown = PathBuf::from(&address.url);
    note_offline(&mut scan, &shown, &listing);
    if let Some(reason) = &listing.cut {
        scan.note(NoteKind::Limit, &shown, reason);
    }
    if listing.is_file {
        return find_file(&address, listing, scan, limits);
    }
    let root = Folder::new(Vec::new(), address.parts(), shown.clone());
    scan.tally.folders += 1;
    scan.entries += listing.objects.len();
    let mut search = Search {
        scan,
        unsure: Vec::new(),
        archives: Vec::new(),
    };
    for object in &listing.objects {
        search.take(&root, object);
    }
    search.look_inside();
    search.look_into_archives(limits);
    finish(&shown, &shown, search.scan, None)
}

fn interest(limits: &Limits) -> Interest {
    Interest {
        file: |name| FileKind::of(name).role().is_some(),
        folder: |name| !is_skipped(name),
        max_entries: limits.max_entries,
        max_depth: limits.max_depth,
    }
}

fn note_offline(scan: &mut Scan, path: &Path, listing: &Listing) {
    let Some(offline) = &listing.offline else {
        return;
    };
    let age = SystemTime::now().duration_since(offline.listed);
    let minutes = age.map_or(0, |age| age.as_secs() / 60);
    let age = match minutes {
        0 => "less than a minute".to_owned(),
        1..120 => format!("{minutes} min"),
        120..2880 => format!("{} h", minutes / 60),
        _ => format!("{} days", minutes / 1440),
    };
    let message = format!(
        "it cannot be reached ({}); showing its contents of {age} ago, of which only files fetched \
            then \
         can be opened",
        offline.reason
    );
    scan.note(NoteKind::Offline, path, message);
}

/// One file given by its own URL.
fn find_file(
    address: &Address,
    mut listing: Listing,
    mut scan: Scan,
    limits: &Limits,
) -> Result<Found, StorageError> {
    let path = PathBuf::from(&address.url);
    let Some(object) = listing.objects.pop() else {
        return Err(explain::not_found(&path));
    };
    let name = object.name.clone();
    let kind = FileKind::of(&name);
    let head = if kind == FileKind::Archive {
        Vec::new()
    } else {
        beginning(&object)
    };
    let size_bytes = object.size_bytes;
    let is_trace =
        kind.may_be_trace() && traces::format_of(encoding(&head), &head[..], size_bytes).is_some();
    if !is_trace && let Some(error) = explain::not_a_profile(&path, kind) {
        return Err(error);
    }
    let parent = parent_of(&path);
    let mut naming = address.parts();
    naming.pop();
    let folder = Folder::new(Vec::new(), naming, parent.clone());
    if kind == FileKind::Archive {
        let host = remote_file(&object, &path, Role::Archive);
        let local = fetch_one(&host, &object, &NoProgress)?;
        let format = open_regular(&local).and_then(|mut file| Format::detect(&mut file));
        let Ok(format) = format.map_err(StorageError::io("read the file", &path))? else {
            return Err(StorageError::Corrupt {
                path,
                format: "archive",
                detail: "its content is neither a zip nor a tar archive".to_owned(),
            });
        };
        let archive = Folder {
            path: path.clone(),
            ..folder.archive(&name)
        };
        let file = ArchiveFile {
            path: &local,
            format,
            remote: Some(&object),
        };
        add_archive(&mut scan, &archive, &file, limits, None)?;
        return finish(&path, &parent, scan, None);
    }
    match Content::of(&head) {
        Content::Foreign(format) => return Err(explain::foreign_file(&path, format)),
        Content::LfsPointer => return Err(explain::lfs_pointer(&path)),
        _ => {}
    }
    let begins_as_memory = memory::begins_with(&head, encoding(&head), size_bytes);
    let role = Role::of_one(kind, is_trace, begins_as_memory);
    let file = remote_file(&object, &path, role);
    if role == Role::Host
        && let Some(manifest) = manifest_beside(address, &file.host, limits)
    {
        scan.add(folder.clone(), Role::Manifest, manifest);
    }
    scan.add(folder, role, file);
    finish(&path, &parent, scan, Some(&name))
}

fn manifest_beside(address: &Address, host: &str, limits: &Limits) -> Option<HostFile> {
    let (folder, _) = address.url.rsplit_once('/')?;
    let url = format!("{folder}/{host}{MANIFEST_SUFFIX}");
    let listing = stepscope_remote::list(&url, &interest(limits)).ok()?;
    let object = listing.objects.first().filter(|_| listing.is_file)?;
    Some(remote_file(object, Path::new(&url), Role::Manifest))
}

/// A search over a listing.
struct Search {
    scan: Scan,
    /// Files whose first bytes identify them.
    unsure: Vec<(Folder, FileKind, HostFile)>,
    archives: Vec<(Folder, HostFile)>,
}

impl Search {
    fn take(&mut self, root: &Folder, object: &Object) {
        let parts = object.name.split('/').filter(|part| !part.is_empty());
        let Some((folder, file)) = placed(root, parts) else {
            return;
        };
        let kind = FileKind::of(file);
        let Some(role) = kind.role() else {
            self.scan.add_other(folder, kind, file.to_owned());
            return;
        };
        let host = remote_file(object, &folder.path.join(file), role);
        match role {
            Role::Archive => self.archives.push((folder.archive(file), host)),
            _ if kind.is_told_by_content() => self.unsure.push((folder, kind, host)),
            _ => self.scan.add(folder, role, host),
        }
    }

    /// Reads the first bytes of files that may be memory profiles.
    fn look_inside(&mut self) {
        for (position, (folder, kind, host)) in
            std::mem::take(&mut self.unsure).into_iter().enumerate()
        {
            let object = host.remote.as_ref().filter(|_| position < MAX_BEGINNINGS);
            let head = object.map(beginning).unwrap_or_default();
            let size_bytes = object.map_or(0, |object| object.size_bytes);
            if memory::begins_with(&head, encoding(&head), size_bytes) {
                self.scan.add(folder, Role::Memory, host);
            } else {
                self.scan.add_other(folder, kind, host.file_name());
            }
        }
    }

    fn look_into_archives(&mut self, limits: &Limits) {
        let archives = std::mem::take(&mut self.archives);
        let (small, large): (Vec<_>, Vec<_>) = archives
            .into_iter()
            .partition(|(_, host)| host.size_bytes <= MAX_ARCHIVE_BYTES);
        for (archive, host) in large {
            let message = format!(
                "an archive of {} MB, too large to fetch for a search; open its own URL",
                host.size_bytes / 1_000_000
            );
            self.scan.note(NoteKind::Limit, &archive.path, message);
        }
        let objects: Vec<Object> = small
            .iter()
            .filter_map(|(_, host)| host.remote.clone())
            .collect();
        let fetched = stepscope_remote::fetch(&objects, &|_, _| {});
        for (((archive, _), object), local) in small.into_iter().zip(&objects).zip(fetched) {
            if let Err(reason) = self.add(&archive, object, local, limits) {
                self.scan.note(NoteKind::Unreadable, &archive.path, reason);
            }
        }
    }

    fn add(
        &mut self,
        archive: &Folder,
        object: &Object,
        local: Result<PathBuf, RemoteError>,
        limits: &Limits,
    ) -> Result<(), String> {
        let local = local.map_err(|error| error.message)?;
        let format = open_regular(&local).and_then(|mut file| Format::detect(&mut file));
        let format = format
            .map_err(|error| plain_reason(&error))?
            .map_err(|_| "its content is neither a zip nor a tar archive".to_owned())?;
        let file = ArchiveFile {
            path: &local,
            format,
            remote: Some(object),
        };
        let max_bytes = Some(limits.max_listing_bytes);
        add_archive(&mut self.scan, archive, &file, limits, max_bytes).map_err(
            |error| match error {
                StorageError::Corrupt { detail, .. } => detail,
                other => other.to_string(),
            },
        )
    }
}

fn beginning(object: &Object) -> Vec<u8> {
    let one = std::slice::from_ref(object);
    let head = stepscope_remote::beginnings(one, BEGINNING_BYTES).pop();
    head.flatten().unwrap_or_default()
}

fn encoding(head: &[u8]) -> Encoding {
    match Content::of(head) {
        Content::Compressed(encoding) => encoding,
        _ => Encoding::Plain,
    }
}

/// A remote file, named by its role.
fn remote_file(object: &Object, path: &Path, role: Role) -> HostFile {
    let name = object.name.rsplit('/').next().unwrap_or(&object.name);
    HostFile {
        host: role.title(name),
        path: path.to_path_buf(),
        entry: None,
        size_bytes: object.size_bytes,
        encoding: Encoding::of_name(name),
        modified: object.modified(),
        index: 0,
        remote: Some(object.clone()),
        stand_in: None,
    }
}
