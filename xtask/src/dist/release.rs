//! A release of one target, and where its files are.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::target::Target;

/// A release of one target.
pub(super) struct Release {
    /// The root of the repository.
    pub(super) root: PathBuf,
    pub(super) target: Target,
}

impl Release {
    /// The folder with everything that is released.
    pub(super) fn folder(&self) -> PathBuf {
        self.root.join("dist")
    }

    /// A file of that folder.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }
}

/// The size of a file, in bytes.
pub(super) fn size_bytes(path: &Path) -> Result<u64> {
    let metadata = fs::metadata(path);
    let metadata = metadata.with_context(|| format!("not there: {}", path.display()))?;
    Ok(metadata.len())
}
