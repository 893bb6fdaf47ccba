//! The files of the checkout: its root, and the text files that the house rules read.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

/// Folders with built, installed, or recorded files instead of written ones.
const NOT_OURS: [&str; 9] = [
    ".git",
    ".venv",
    "corpus",
    "dist",
    "node_modules",
    "playwright-report",
    "target",
    "test-results",
    "ui-dist",
];

/// The root folder of the repository.
pub(crate) fn root() -> PathBuf {
    let manifest_dir =
        env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    Path::new(&manifest_dir)
        .parent()
        .map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// One text file of the repository.
pub(crate) struct SourceFile {
    /// Path from the root, with `/` as the separator on every system.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl SourceFile {
    /// Whether the file name ends in one of these, given without the dot.
    pub(crate) fn has_extension(&self, extensions: &[&str]) -> bool {
        let extension = Path::new(&self.path).extension().and_then(OsStr::to_str);
        extension.is_some_and(|extension| extensions.contains(&extension))
    }

    /// Whether the path contains a folder with this name.
    pub(crate) fn is_below(&self, folder: &str) -> bool {
        self.path
            .split('/')
            .rev()
            .skip(1)
            .any(|part| part == folder)
    }
}

/// Every text file of the repository, sorted by path. Files that are not UTF-8 are skipped.
///
/// Lists the files that git tracks; in an unpacked archive, all files.
pub(crate) fn repository_files(root: &Path) -> Result<Vec<SourceFile>> {
    let mut command = Command::new("git");
    command.args(["ls-files", "-z"]).current_dir(root);
    let tracked = command
        .output()
        .ok()
        .filter(|output| output.status.success());
    let Some(tracked) = tracked.filter(|_| root.join(".git").exists()) else {
        return text_files(root);
    };
    let names = String::from_utf8_lossy(&tracked.stdout);
    let read = |path: &str| {
        let text = fs::read_to_string(root.join(path)).ok()?;
        Some(SourceFile {
            path: path.to_owned(),
            text,
        })
    };
    let mut files: Vec<SourceFile> = names.split_terminator('\0').filter_map(read).collect();
    files.sort_by(|left, right| left.path.cmp(&right.path));
    Ok(files)
}

/// Every text file below a folder, by its relative path, sorted. Files that are not UTF-8 are
/// skipped.
pub(crate) fn text_files(folder: &Path) -> Result<Vec<SourceFile>> {
    let mut files = Vec::new();
    collect(folder, "", &mut files)?;
    files.sort_by(|left, right| left.path.cmp(&right.path));
    Ok(files)
}

fn collect(folder: &Path, prefix: &str, files: &mut Vec<SourceFile>) -> Result<()> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        let kind = entry.file_type()?;
        if kind.is_dir() && !NOT_OURS.contains(&name.as_str()) {
            collect(&entry.path(), &format!("{path}/"), files)?;
        } else if kind.is_file()
            && let Ok(text) = fs::read_to_string(entry.path())
        {
            files.push(SourceFile { path, text });
        }
    }
    Ok(())
}
