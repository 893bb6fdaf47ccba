//! Where a session is, for another process that opens it with its own credentials.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use stepscope_storage::{SessionFiles, find, hide_credentials, is_remote};

use crate::ranges::HostRange;

/// A session that another process can find. Never contains credentials.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// Its name in the answer.
    pub name: String,
    /// Its place in the answer.
    pub location: String,
    /// Path or URL of the session.
    pub path: PathBuf,
    /// Path or URL below which it was found.
    pub root: PathBuf,
    /// Its name among the sessions found there.
    session: String,
    file_count: usize,
    size_bytes: u64,
    /// The hosts that are read, if not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) range: Option<HostRange>,
}

impl Place {
    /// The place of a session that was found below `root`.
    ///
    /// # Errors
    ///
    /// A path with credentials, or one that is not text. Says why.
    pub fn of(
        files: &SessionFiles,
        name: &str,
        location: &str,
        root: &Path,
        path: &Path,
    ) -> Result<Self, String> {
        Ok(Self {
            name: name.to_owned(),
            location: location.to_owned(),
            path: portable(path)?,
            root: portable(root)?,
            session: files.name.clone(),
            file_count: files.files().count(),
            size_bytes: files.size_bytes,
            range: None,
        })
    }

    /// The same under another name.
    #[must_use]
    pub fn named(mut self, name: String) -> Self {
        self.name = name;
        self
    }

    /// The same with only a range of the hosts; all if there is none.
    pub(crate) fn with_range(mut self, range: Option<HostRange>) -> Self {
        self.range = range;
        self
    }

    /// The same files here, those that are read: at its path or, if they lie in several folders, below
    /// its root.
    pub(crate) fn find(
        &self,
        may_open: &dyn Fn(&Path) -> Result<(), String>,
    ) -> Result<SessionFiles, String> {
        let mut reason = None;
        for path in [&self.path, &self.root] {
            let found = may_open(path).and_then(|()| find(path).map_err(|error| error.to_string()));
            let found = match found {
                Ok(found) => found,
                Err(error) => {
                    reason.get_or_insert(error);
                    continue;
                }
            };
            let mut sessions = found.sessions.into_iter();
            let is_same = |files: &SessionFiles| {
                files.files().count() == self.file_count && files.size_bytes == self.size_bytes
            };
            let same = if path == &self.path {
                sessions.find(is_same)
            } else {
                sessions.find(|files| files.name == self.session && is_same(files))
            };
            if let Some(files) = same {
                let range = self.range.as_ref();
                let files =
                    range.map_or_else(|| files.clone(), |own| files.only(own.hosts.clone()));
                for file in files.files() {
                    may_open(&file.path)?;
                }
                return Ok(files);
            }
        }
        Err(reason
            .unwrap_or_else(|| "the files are not those that the query was planned for".to_owned()))
    }
}

/// A path that means the same to other processes.
fn portable(path: &Path) -> Result<PathBuf, String> {
    let text = path.to_str().ok_or("its path is not UTF-8")?;
    if is_remote(path) {
        let has_user = || {
            let authority = text.split("//").nth(1).unwrap_or_default();
            authority
                .split('/')
                .next()
                .is_some_and(|own| own.contains('@'))
        };
        let is_ssh = text.starts_with("ssh:");
        if hide_credentials(text) != text || text.contains('?') || (has_user() && !is_ssh) {
            return Err("its URL has credentials, which no plan may contain".to_owned());
        }
        return Ok(path.to_path_buf());
    }
    std::path::absolute(path).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_with_credentials_are_refused() {
        for url in [
            "https://me:secret@host/logs",
            "https://token@host/logs",
            "https://host/run.xplane.pb?X-Amz-Signature=abc",
            "https://host/run.xplane.pb?sig=abc&se=2026",
        ] {
            let error = portable(Path::new(url)).expect_err(url);
            assert!(error.contains("credentials"), "{url}: {error}");
        }
        for url in ["https://host/logs", "gs://lab/runs/a b", "s3://lab/me@home"] {
            assert_eq!(portable(Path::new(url)), Ok(PathBuf::from(url)));
        }
        let here = portable(Path::new("logs")).expect("a path");
        assert!(here.is_absolute() && here.ends_with("logs"), "{here:?}");
    }
}
