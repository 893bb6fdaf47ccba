//! Messages for a path without profiles: what was searched, what was found, what to do.

use std::fs;
use std::path::Path;

use crate::error::StorageError;
use crate::kind::{FileKind, KINDS};
use crate::note::Note;
use crate::paths::parent_of;
use crate::scan::Tally;

const RECORD: &str = "record a capture with `with jax.profiler.trace(\"/tmp/log\"): ...` around a \
                      few steps, then open /tmp/log";

/// How many names of a folder a hint lists.
const NAMES_IN_HINT: usize = 5;

pub(crate) fn not_found(path: &Path) -> StorageError {
    let hint = hint_not_found(path);
    StorageError::NotFound {
        path: path.to_path_buf(),
        hint,
    }
}

fn hint_not_found(path: &Path) -> String {
    let text = path.to_string_lossy();
    if let Some((scheme, _)) = text.split_once(":/") {
        return format!(
            "{scheme} URLs are not supported; gs://, s3://, az://, https://, and ssh:// are"
        );
    }
    if text.starts_with('~') {
        return "the shell did not expand ~; write the home directory in full".to_owned();
    }
    let existing = path.ancestors().skip(1).find(|ancestor| ancestor.is_dir());
    let existing = match existing {
        Some(ancestor) if !ancestor.as_os_str().is_empty() => ancestor,
        _ => Path::new("."),
    };
    let mut names: Vec<String> = fs::read_dir(existing)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| !name.starts_with('.'))
        .take(10_000)
        .collect();
    names.sort();
    let shown = names[..names.len().min(NAMES_IN_HINT)].join(", ");
    let shown = match names.len() {
        0 => "nothing".to_owned(),
        1..=NAMES_IN_HINT => shown,
        more => format!("{shown} and {} more", more - NAMES_IN_HINT),
    };
    format!("{} exists and contains {shown}", existing.display())
}

/// The error for a folder or an archive without profiles.
pub(crate) fn no_profiles(path: &Path, tally: &Tally, notes: Vec<Note>) -> StorageError {
    StorageError::NoProfiles {
        path: path.to_path_buf(),
        searched: searched(tally),
        found: found(tally),
        hint: hint(tally),
        notes: notes.into(),
    }
}

fn searched(tally: &Tally) -> String {
    let mut parts = Vec::new();
    if tally.folders > 0 {
        parts.push(counted(tally.folders, "folder", "folders"));
    }
    if tally.archives > 0 {
        parts.push(counted(tally.archives, "archive", "archives"));
    }
    let mut text = format!("looked in {}", parts.join(" and "));
    if tally.skipped_folders > 0 {
        let skipped = counted(
            tally.skipped_folders,
            "hidden or package folder",
            "hidden or package folders",
        );
        text = format!("{text} (not in {skipped})");
    }
    if tally.is_cut {
        format!("{text} until a limit was reached")
    } else {
        text
    }
}

fn found(tally: &Tally) -> String {
    let is_lead = |kind: FileKind| kind != FileKind::Archive || tally.archives == 0;
    let mut parts: Vec<String> = tally
        .kinds
        .iter()
        .filter(|(kind, count)| is_lead(**kind) && **count > 0)
        .map(|(kind, count)| format!("{count} {}", kind.label(*count)))
        .collect();
    if tally.unreadable > 0 {
        parts.push(format!("{} unreadable", tally.unreadable));
    }
    let has_profiles = tally.kinds.contains_key(&FileKind::Profile);
    if !has_profiles {
        parts.push("no *.xplane.pb".to_owned());
    }
    match parts.len() {
        1 if !has_profiles => "found no files at all".to_owned(),
        _ => format!("found {}", parts.join(", ")),
    }
}

fn hint(tally: &Tally) -> String {
    let has = |kind| tally.kinds.contains_key(&kind);
    if tally.is_cut {
        return "give a folder further down: the run directory with the *.xplane.pb".into();
    }
    if has(FileKind::LfsPointer) {
        return "run `git lfs pull` to fetch the actual files".into();
    }
    if tally.unreadable > 0 {
        return "the notes say what cannot be read and why; make it readable, or ask its owner"
            .into();
    }
    let mut leads = KINDS.iter().filter(|facts| has(facts.kind));
    let advice = leads.find_map(|facts| facts.advice);
    advice.unwrap_or(RECORD).into()
}

/// The error for a single file that is known not to be a profile.
pub(crate) fn not_a_profile(path: &Path, kind: FileKind) -> Option<StorageError> {
    let [what, advice] = kind.facts().alone?;
    let hint = match sibling_profile(path) {
        Some(sibling) => format!("the capture itself is next to it: open {sibling}"),
        None => advice.to_owned(),
    };
    Some(one_file(path, what, hint))
}

pub(crate) fn foreign_file(path: &Path, format: &str) -> StorageError {
    let hint =
        format!("decompress it first; {format} is not supported, but gzip, zstd, zip, and tar are");
    one_file(path, &format!("{format} data"), hint)
}

pub(crate) fn lfs_pointer(path: &Path) -> StorageError {
    one_file(
        path,
        "a Git LFS pointer",
        "run `git lfs pull` to fetch the profile".to_owned(),
    )
}

pub(crate) fn archive_in_memory(path: &Path) -> StorageError {
    let hint = "write it to a file and open that: an archive may contain several sessions";
    one_file(path, "an archive", hint.to_owned())
}

fn one_file(path: &Path, what: &str, hint: String) -> StorageError {
    StorageError::NoProfiles {
        path: path.to_path_buf(),
        searched: "looked at one file".to_owned(),
        found: format!("found {what}, no *.xplane.pb"),
        hint,
        notes: Box::default(),
    }
}

/// The first profile in the same folder, by name.
fn sibling_profile(path: &Path) -> Option<String> {
    let folder = parent_of(path);
    let entries = fs::read_dir(&folder).ok()?.flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let first = names
        .filter(|name| FileKind::of(name) == FileKind::Profile)
        .min()?;
    Some(folder.join(first).display().to_string())
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
