//! The results of a search: folders with their files, and counts of everything it found.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::folder::Folder;
use crate::host_file::HostFile;
use crate::kind::{FileKind, Place, Role};
use crate::note::{Note, NoteKind};
use crate::traces;

/// How many files per folder and reason a note names.
const NAMES_IN_NOTE: usize = 6;

/// Counts for the sentence that says what was searched and found.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) folders: usize,
    pub(crate) archives: usize,
    pub(crate) skipped_folders: usize,
    pub(crate) unreadable: usize,
    pub(crate) kinds: BTreeMap<FileKind, usize>,
    pub(crate) is_cut: bool,
}

/// Everything that one search has found so far.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    pub(crate) folders: BTreeMap<Vec<String>, Folder>,
    pub(crate) notes: Vec<Note>,
    pub(crate) tally: Tally,
    /// Number of files and folders found; compared with a limit.
    pub(crate) entries: usize,
}

impl Scan {
    pub(crate) fn note(
        &mut self,
        kind: NoteKind,
        path: impl Into<PathBuf>,
        message: impl Into<String>,
    ) {
        match kind {
            NoteKind::Unreadable => self.tally.unreadable += 1,
            NoteKind::Limit => self.tally.is_cut = true,
            NoteKind::Ignored | NoteKind::Joined | NoteKind::Offline => {}
        }
        self.notes.push(Note::new(kind, path, message));
    }

    /// A file to be read, in a folder; [`Scan::finish`] distinguishes two hosts with one name.
    pub(crate) fn add(&mut self, folder: Folder, role: Role, file: HostFile) {
        *self.tally.kinds.entry(role.kind()).or_default() += 1;
        let folder = self.folder(folder);
        match role {
            Role::Host => folder.hosts.push(file),
            Role::Trace => folder.traces.push(file),
            Role::Memory => folder.memory.push(file),
            Role::Program => folder.programs.push(file),
            Role::Manifest => folder.manifests.push(file),
            // Its entries are added one by one.
            Role::Archive => {}
        }
    }

    /// Any other file in a folder.
    pub(crate) fn add_other(&mut self, folder: Folder, kind: FileKind, name: String) {
        *self.tally.kinds.entry(kind).or_default() += 1;
        self.folder(folder).others.push((kind, name));
    }

    fn folder(&mut self, folder: Folder) -> &mut Folder {
        self.folders
            .entry(folder.location.clone())
            .or_insert(folder)
    }

    /// The folders with profiles of either kind, in the order of their locations, each host once;
    /// adds notes about the other files.
    pub(crate) fn finish(&mut self) -> Vec<Folder> {
        let mut with_hosts = Vec::new();
        let folders = std::mem::take(&mut self.folders).into_values();
        let divided: Vec<Folder> = folders
            .flat_map(|folder| traces::divide(folder, &mut self.notes))
            .collect();
        for mut folder in divided {
            drop_programs_of_profiles(&mut folder);
            self.notes.extend(notes_on_others(&folder));
            self.notes.extend(drop_lone_manifests(&mut folder));
            if folder.hosts.is_empty() && folder.memory.is_empty() && folder.programs.is_empty() {
                continue;
            }
            name_apart(&mut folder.memory);
            name_apart(&mut folder.programs);
            let (hosts, notes) = each_host_once(folder.hosts);
            folder.hosts = hosts;
            self.notes.extend(notes);
            with_hosts.push(folder);
        }
        self.notes = folded(std::mem::take(&mut self.notes));
        with_hosts
    }
}

/// Files that are ignored for one reason in more folders than this are one note: every capture of JAX
/// has a copy for a trace viewer.
const ALIKE: usize = 3;

/// Notes on ignored files, the same ones of many folders as one.
fn folded(notes: Vec<Note>) -> Vec<Note> {
    let is_ignored = |note: &Note| note.kind == NoteKind::Ignored;
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for note in notes.iter().filter(|note| is_ignored(note)) {
        *counts.entry(note.message.clone()).or_default() += 1;
    }
    let mut told: BTreeSet<String> = BTreeSet::new();
    let once = |mut note: Note| {
        let count = counts.get(&note.message).copied().unwrap_or(0);
        if !is_ignored(&note) || count <= ALIKE {
            return Some(note);
        }
        if !told.insert(note.message.clone()) {
            return None;
        }
        let more = count - 1;
        note.message = format!("{}, and so in {more} more places", note.message);
        Some(note)
    };
    notes.into_iter().filter_map(once).collect()
}

/// One note for the files of a folder that are ignored for one reason.
fn notes_on_others(folder: &Folder) -> Vec<Note> {
    let place = if folder.hosts.is_empty() {
        Place::Elsewhere
    } else {
        Place::BesideProfiles
    };
    let mut by_reason: BTreeMap<&'static str, Vec<&str>> = BTreeMap::new();
    for (kind, name) in &folder.others {
        if let Some(reason) = kind.reason_ignored(place) {
            by_reason.entry(reason).or_default().push(name);
        }
    }
    let notes = by_reason.into_iter().map(|(reason, mut names)| {
        names.sort_unstable();
        if let [name] = names[..] {
            return Note::new(NoteKind::Ignored, folder.path.join(name), reason);
        }
        let shown = names[..names.len().min(NAMES_IN_NOTE)].join(", ");
        let more = names.len().saturating_sub(NAMES_IN_NOTE);
        let more = if more == 0 {
            String::new()
        } else {
            format!(" and {more} more")
        };
        let message = format!("{} files ({shown}{more}), each {reason}", names.len());
        Note::new(NoteKind::Ignored, &folder.path, message)
    });
    notes.collect()
}

/// Next to a profile, programs are copies left by other tools of those in the profile.
fn drop_programs_of_profiles(folder: &mut Folder) {
    if !folder.hosts.is_empty() {
        for program in folder.programs.drain(..) {
            let path = program.display_path();
            let name = path.file_name().unwrap_or(path.as_os_str());
            let name = name.to_string_lossy().into_owned();
            folder.others.push((FileKind::Program, name));
        }
    }
}

/// Drops manifests of hosts without a profile. Each gets a note: a capture that started is missing.
fn drop_lone_manifests(folder: &mut Folder) -> Vec<Note> {
    let hosts = &folder.hosts;
    let has_profile = |manifest: &HostFile| hosts.iter().any(|host| host.host == manifest.host);
    let (kept, lone): (Vec<_>, Vec<_>) = folder.manifests.drain(..).partition(has_profile);
    let reason =
        "a manifest without its profile: that capture is still running, or its program was killed";
    let notes = lone
        .iter()
        .map(|manifest| Note::new(NoteKind::Ignored, manifest.display_path(), reason))
        .collect();
    folder.manifests = kept;
    notes
}

/// Two snapshots with one name (`memory.prof`, `memory.pb.gz`) get their file names.
fn name_apart(snapshots: &mut [HostFile]) {
    let names: Vec<String> = snapshots.iter().map(|file| file.host.clone()).collect();
    for file in snapshots {
        if names.iter().filter(|name| **name == file.host).count() > 1 {
            let path = file.display_path();
            let name = path.file_name().unwrap_or(path.as_os_str());
            file.host = name.to_string_lossy().into_owned();
        }
    }
}

/// Of several files for the same host (plain and compressed), the one that opens fastest and is not
/// empty.
fn each_host_once(mut hosts: Vec<HostFile>) -> (Vec<HostFile>, Vec<Note>) {
    hosts.sort_by(|a, b| {
        let rank = |host: &HostFile| (host.size_bytes == 0, host.is_riegeli(), host.encoding);
        // Of two archive entries with one path, the later one replaces the earlier one.
        let later = b.index.cmp(&a.index);
        a.host
            .cmp(&b.host)
            .then(rank(a).cmp(&rank(b)))
            .then(later)
            .then(a.path.cmp(&b.path))
    });
    let mut kept: Vec<HostFile> = Vec::with_capacity(hosts.len());
    let mut notes = Vec::new();
    for host in hosts {
        match kept.last() {
            Some(last) if last.host == host.host => {
                let used = last.display_path();
                let used = used
                    .file_name()
                    .unwrap_or(used.as_os_str())
                    .to_string_lossy();
                let message = format!("the same host as {used}, which is used");
                notes.push(Note::new(NoteKind::Ignored, host.display_path(), message));
            }
            _ => kept.push(host),
        }
    }
    (kept, notes)
}
