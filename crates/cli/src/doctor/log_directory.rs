//! The log directory: whether it is writable, its file system, and how much space is free.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::root::Root;

/// Facts about the log directory.
#[derive(Debug, Clone)]
pub(crate) struct LogDirectory {
    /// As given, made absolute.
    pub(crate) path: PathBuf,
    /// It, or the nearest folder above it that exists.
    pub(crate) existing: PathBuf,
    /// Why it is not writable.
    pub(crate) problem: Option<String>,
    /// Why it is slow: a Windows or a network drive.
    pub(crate) slow: Option<String>,
    /// Free bytes on its disk, if `df` reports them.
    pub(crate) free_bytes: Option<u64>,
}

/// File systems on which writing and opening captures is slow.
const SLOW: [(&str, &str); 9] = [
    ("9p", "a Windows drive seen from WSL"),
    ("drvfs", "a Windows drive seen from WSL"),
    ("nfs", "a network drive"),
    ("nfs4", "a network drive"),
    ("cifs", "a network drive"),
    ("smb3", "a network drive"),
    ("afs", "a network drive"),
    ("ceph", "a network drive"),
    ("fuse", "a drive served by a program (FUSE)"),
];

impl LogDirectory {
    /// Inspects the folder; creates and removes one file in it, or in the nearest folder above it
    /// that exists.
    pub(crate) fn look(root: &Root, path: &Path, is_wsl: bool) -> Self {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let existing = path
            .ancestors()
            .find(|folder| fs::symlink_metadata(root.path(folder)).is_ok())
            .unwrap_or(&path)
            .to_owned();
        let mounts = root.read("/proc/mounts").unwrap_or_default();
        Self {
            problem: write_problem(&root.path(&existing)),
            slow: slow(&path, &mounts, is_wsl),
            free_bytes: free_bytes(&root.path(&existing)),
            path,
            existing,
        }
    }
}

/// Creates a file: permissions don't show exhausted quotas and read-only mounts.
fn write_problem(folder: &Path) -> Option<String> {
    if !folder.is_dir() {
        return Some("it is a file, not a folder".to_owned());
    }
    let probe = folder.join(format!(".stepscope-doctor-{}", std::process::id()));
    let made = OpenOptions::new().write(true).create_new(true).open(&probe);
    let problem = made.err().map(|error| error.to_string());
    if problem.is_none() {
        // What cannot be removed again was created by us and is empty.
        let _ = fs::remove_file(&probe);
    }
    problem
}

/// Why the drive of a folder is slow, from the list of mounts.
fn slow(path: &Path, mounts: &str, is_wsl: bool) -> Option<String> {
    let mut kind = "";
    let mut longest = 0;
    for line in mounts.lines() {
        let mut columns = line.split(' ').skip(1);
        let (Some(folder), Some(filesystem)) = (columns.next(), columns.next()) else {
            continue;
        };
        let folder = folder.replace("\\040", " ");
        if path.starts_with(&folder) && folder.len() >= longest {
            (longest, kind) = (folder.len(), filesystem);
        }
    }
    let base = kind.split('.').next().unwrap_or_default();
    if let Some((_, reason)) = SLOW.iter().find(|(name, _)| *name == base) {
        return Some(format!("{reason}, file system {kind}"));
    }
    let mut parts = path.iter().skip(1);
    let is_drive = parts.next().is_some_and(|part| part == "mnt")
        && parts.next().is_some_and(|part| part.len() == 1);
    (is_wsl && is_drive).then(|| SLOW[0].1.to_owned())
}

/// Runs `df`, because the standard library does not provide this.
fn free_bytes(folder: &Path) -> Option<u64> {
    let output = Command::new("df")
        .arg("-Pk")
        .arg(folder)
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().nth(1)?;
    let kilobytes: u64 = line.split_whitespace().rev().nth(2)?.parse().ok()?;
    kilobytes.checked_mul(1024)
}
