//! Where a library may read: links may lead out of its path.

use std::path::{Path, PathBuf};

use stepscope_analysis::Note;
use stepscope_analysis::format::counted;
use stepscope_storage::SessionFiles;

/// The only folders whose files are read, without links; none if links may lead anywhere.
#[derive(Default)]
pub(crate) struct Confines(Option<Vec<PathBuf>>);

impl Confines {
    /// Of what is at a path: it, or the folder of the file. A path that cannot be resolved holds
    /// nothing.
    pub(crate) fn of(root: &Path) -> Self {
        let Ok(real) = root.canonicalize() else {
            return Self(Some(Vec::new()));
        };
        if real.is_dir() {
            return Self(Some(vec![real]));
        }
        let beside = root.parent().and_then(|parent| parent.canonicalize().ok());
        let parent = real.parent().map(Path::to_path_buf);
        Self(Some(parent.into_iter().chain(beside).collect()))
    }

    /// Whether these files may be read.
    pub(crate) fn hold(&self, files: &SessionFiles) -> bool {
        let folders = self.0.as_deref();
        folders.is_none_or(|folders| files.is_below(folders))
    }
}

/// That so many sessions were left out, if any.
pub(crate) fn left_out(count: usize) -> Option<Note> {
    let sessions = counted(count, "session");
    let text = format!("{sessions} left out: links in them lead out of the folder");
    (count > 0).then(|| Note::warning("links-refused", text))
}
