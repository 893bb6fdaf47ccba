//! What an executor may open: plans come over the network, so whoever reaches the scheduler could
//! otherwise read every file that the executor can.

use std::fs;
use std::path::{Component, Path, PathBuf};

use stepscope_storage::is_remote;

/// Folders and URLs below which everything may be opened.
#[derive(Debug, Default)]
pub struct Allowed {
    folders: Vec<PathBuf>,
    urls: Vec<String>,
}

impl Allowed {
    /// Everything below these paths and URLs.
    ///
    /// # Errors
    ///
    /// A path that does not exist.
    pub fn below(roots: &[PathBuf]) -> Result<Self, String> {
        let mut allowed = Self::default();
        for root in roots {
            if is_remote(root) {
                let url = root.to_str().ok_or("a URL is not UTF-8")?;
                allowed.urls.push(url.trim_end_matches('/').to_owned());
            } else {
                let real = fs::canonicalize(root);
                let real = real.map_err(|error| format!("{}: {error}", root.display()))?;
                allowed.folders.push(real);
            }
        }
        Ok(allowed)
    }

    /// Whether this may be opened. Symbolic links are followed first.
    ///
    /// # Errors
    ///
    /// Says that it may not, or that it does not exist.
    pub fn check(&self, path: &Path) -> Result<(), String> {
        let is_allowed = if is_remote(path) {
            let text = path.to_string_lossy();
            let is_plain = !path.components().any(|part| part == Component::ParentDir)
                && !text.to_ascii_lowercase().contains("%2e");
            let is_below = |url: &String| {
                let rest = text.strip_prefix(url.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            is_plain && self.urls.iter().any(is_below)
        } else {
            let real = self.real(path)?;
            self.folders.iter().any(|folder| real.starts_with(folder))
        };
        if is_allowed {
            return Ok(());
        }
        Err(format!(
            "{} is not below a path that this executor may open",
            path.display()
        ))
    }

    /// The path without links. Of a path into an archive, that of the archive.
    fn real(&self, path: &Path) -> Result<PathBuf, String> {
        let mut whole = path;
        loop {
            match fs::canonicalize(whole) {
                Ok(real) if whole == path || real.is_file() => return Ok(real),
                // What does not exist is told only of what may be seen.
                Ok(real) if self.folders.iter().any(|folder| real.starts_with(folder)) => {
                    return Err(format!("{}: not found", path.display()));
                }
                Ok(real) => return Ok(real),
                Err(_) => match whole.parent() {
                    Some(parent) => whole = parent,
                    None => return Err(format!("{}: not found", path.display())),
                },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_below_an_allowed_path_is_opened() {
        let folder = tempfile::tempdir().expect("a folder");
        let (open, closed) = (folder.path().join("open"), folder.path().join("closed"));
        for path in [&open, &closed] {
            fs::create_dir(path).expect("a folder");
            fs::write(path.join("a.xplane.pb"), "").expect("a file");
        }
        let urls = ["gs://lab/runs/", "https://host:8080/logs"].map(PathBuf::from);
        let roots: Vec<PathBuf> = urls.into_iter().chain([open.clone()]).collect();
        let allowed = Allowed::below(&roots).expect("roots");
        for path in [
            open.clone(),
            open.join("a.xplane.pb"),
            "gs://lab/runs".into(),
            "gs://lab/runs/monday".into(),
            "https://host:8080/logs/a".into(),
        ] {
            assert_eq!(allowed.check(&path), Ok(()), "{path:?}");
        }
        for path in [
            closed.join("a.xplane.pb"),
            open.join("../closed/a.xplane.pb"),
            folder.path().to_path_buf(),
            closed.join("missing"),
            "/etc/passwd".into(),
            "gs://lab/runs-private/a".into(),
            "gs://lab/runs/../private".into(),
            "gs://lab/runs/%2e%2e/private".into(),
            "gs://other/runs/a".into(),
            "https://host:80801/logs/a".into(),
        ] {
            let error = allowed.check(&path).expect_err("refused");
            assert!(error.contains("may open"), "{path:?}: {error}");
        }
        let missing = allowed.check(&open.join("missing")).expect_err("missing");
        assert!(missing.contains("not found"), "{missing}");
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_nowhere_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let (open, closed) = (folder.path().join("open"), folder.path().join("closed"));
        fs::create_dir(&open).expect("a folder");
        fs::create_dir(&closed).expect("a folder");
        std::os::unix::fs::symlink(&closed, open.join("link")).expect("a link");
        let allowed = Allowed::below(std::slice::from_ref(&open)).expect("a root");
        assert!(allowed.check(&open.join("link")).is_err());
    }
}
