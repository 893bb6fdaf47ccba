//! One file to be read, on disk, in an archive, or remote.

use std::path::{Path, PathBuf};
use std::time::SystemTime;
use std::{fs, io};

use stepscope_remote::Object;

use crate::encoding::Encoding;
use crate::kind::Role;
use crate::title::is_riegeli;

/// One profile, of a host or of memory, on disk or in an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostFile {
    /// The file name without `.xplane.pb` or `.xplane.riegeli` and the compression suffix.
    pub host: String,
    /// The file on disk: the profile, or its archive. A URL if it is remote.
    pub path: PathBuf,
    /// The entry's name, if `path` is an archive.
    pub entry: Option<String>,
    /// Bytes of the file on disk, or of the entry when extracted from its archive. A compressed
    /// profile decompresses to more.
    pub size_bytes: u64,
    /// How the file is compressed, by its first bytes; by its name inside an archive.
    pub encoding: Encoding,
    /// When the file or the entry was last written.
    pub modified: Option<SystemTime>,
    /// Position among the archive's entries; two may have the same name.
    pub(crate) index: usize,
    /// The remote file at `path`.
    pub(crate) remote: Option<Object>,
    /// A viewer's trace of the same host, to be shown if the profile is empty or truncated.
    pub(crate) stand_in: Option<Box<Self>>,
}

impl HostFile {
    /// A separate file on disk, named by its role.
    pub(crate) fn on_disk(
        path: &Path,
        role: Role,
        name: &str,
        encoding: Encoding,
    ) -> io::Result<Self> {
        let metadata = fs::metadata(path)?;
        Ok(Self {
            host: role.title(name),
            path: path.to_path_buf(),
            entry: None,
            size_bytes: metadata.len(),
            encoding,
            modified: metadata.modified().ok(),
            index: 0,
            remote: None,
            stand_in: None,
        })
    }

    /// The path for messages: that of the file, followed by the entry's in an archive.
    pub fn display_path(&self) -> PathBuf {
        match &self.entry {
            Some(entry) => self.path.join(entry),
            None => self.path.clone(),
        }
    }

    /// What changes when the content of a remote file does; `None` for a file on disk.
    pub fn remote_version(&self) -> Option<&str> {
        self.remote.as_ref().map(|object| object.version.as_str())
    }

    /// The name of the file or the entry.
    pub(crate) fn file_name(&self) -> String {
        let path = self.display_path();
        let name = path.file_name().unwrap_or(path.as_os_str());
        name.to_string_lossy().into_owned()
    }

    /// Whether it is named like a file of Riegeli records.
    pub(crate) fn is_riegeli(&self) -> bool {
        is_riegeli(&self.file_name())
    }
}
