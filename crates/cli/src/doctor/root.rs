//! The root below which every file of a machine is looked up, `/` by default: tests describe another
//! machine as files in a folder, and a container or a disk can be inspected from outside.

use std::fs;
use std::path::{Path, PathBuf};

/// No file that is looked at is larger.
const MAX_BYTES: u64 = 64 << 20;

/// A folder that serves as `/`.
#[derive(Debug, Clone)]
pub(crate) struct Root(pub(crate) PathBuf);

impl Root {
    /// The location of a path of the machine.
    pub(crate) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = path.as_ref();
        self.0.join(path.strip_prefix("/").unwrap_or(path))
    }

    pub(crate) fn read(&self, path: impl AsRef<Path>) -> Option<String> {
        let bytes = stepscope_storage::read_bytes(&self.path(path), MAX_BYTES).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    pub(crate) fn exists(&self, path: &str) -> bool {
        self.path(path).exists()
    }

    /// Names in a folder, sorted; none where it cannot be read.
    pub(crate) fn names(&self, path: impl AsRef<Path>) -> Vec<String> {
        let entries = fs::read_dir(self.path(path)).into_iter().flatten();
        let mut names: Vec<String> = entries
            .filter_map(Result::ok)
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}
