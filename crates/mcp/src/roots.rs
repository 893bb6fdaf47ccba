//! The folders whose sessions agents may read, and handles of sessions: the key in the links of the
//! page, after the name of the folder if there are several.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use stepscope_analysis::asking::distinct_names;
use stepscope_model::Reads;
use stepscope_server::{
    ErrorReport, Library, OpenSession, ServerError, SessionSummary, serve_on_loopback,
};
use stepscope_storage::shown;
use tokio::sync::OnceCell;

use crate::page::Next;

/// Why a call has no answer, and the call that helps.
#[derive(Debug, Clone, Default)]
pub(crate) struct Refusal {
    pub(crate) error: String,
    pub(crate) hint: String,
    pub(crate) next: Vec<Next>,
}

impl Refusal {
    pub(crate) fn new(error: impl Into<String>) -> Self {
        Self {
            error: error.into(),
            ..Self::default()
        }
    }

    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    /// Without the calls that are about one session.
    #[must_use]
    pub(crate) fn without_whole(self) -> Self {
        Self {
            next: Vec::new(),
            ..self
        }
    }

    #[must_use]
    pub(crate) fn next(mut self, next: Next) -> Self {
        self.next.push(next);
        self
    }
}

impl From<ErrorReport> for Refusal {
    fn from(report: ErrorReport) -> Self {
        Self::new(report.error).hint(report.hint)
    }
}

/// One folder, or file, or URL.
pub(crate) struct Root {
    /// Its name in handles.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) library: Arc<Library>,
    /// Address of a server of its pages for programs of this process, with the token, once there is
    /// one.
    pages: OnceCell<String>,
}

impl Root {
    /// The address of its pages, on loopback, with the token.
    pub(crate) async fn pages(&self) -> Result<&str, ServerError> {
        let served = || async {
            let ready = serve_on_loopback(Arc::clone(&self.library)).await?;
            Ok(ready.url)
        };
        self.pages.get_or_try_init(served).await.map(String::as_str)
    }
}

/// All of them.
pub(crate) struct Roots(pub(crate) Vec<Root>);

/// A session that an agent named.
pub(crate) struct Chosen<'a> {
    pub(crate) root: &'a Root,
    /// As agents name it.
    pub(crate) handle: String,
    pub(crate) summary: SessionSummary,
}

/// Separates the name of a folder from the key of a session.
const SEPARATOR: char = ':';

impl Roots {
    pub(crate) fn new(paths: &[PathBuf], library: impl Fn(&Path) -> Arc<Library>) -> Self {
        let places: Vec<(String, String)> = paths.iter().map(|path| place(path)).collect();
        let names = distinct_names(places.iter().map(|(name, place)| (&**name, &**place)));
        let roots = paths.iter().zip(names).map(|(path, name)| Root {
            name: name.replace(SEPARATOR, "_"),
            path: path.clone(),
            library: library(path),
            pages: OnceCell::new(),
        });
        Self(roots.collect())
    }

    /// The handle of a session of a folder.
    pub(crate) fn handle(&self, root: &Root, key: &str) -> String {
        match self.0.len() {
            1 => key.to_owned(),
            _ => format!("{}{SEPARATOR}{key}", root.name),
        }
    }

    /// All sessions: those of the first folder first, latest first.
    pub(crate) fn list(&self) -> Vec<Chosen<'_>> {
        let mut all = Vec::new();
        for root in &self.0 {
            let sessions = root.library.list().sessions.into_iter();
            all.extend(sessions.map(|summary| Chosen {
                root,
                handle: self.handle(root, &summary.key),
                summary,
            }));
        }
        all
    }

    /// Searches the folders for sessions, where a thread may block.
    pub(crate) async fn search(&self) -> Result<(), Refusal> {
        for root in &self.0 {
            let library = Arc::clone(&root.library);
            let search = move || {
                library.search();
                Ok(())
            };
            Library::compute("The search for sessions", search).await?;
        }
        Ok(())
    }

    /// The session with a handle; the latest one without.
    pub(crate) fn choose(&self, handle: Option<&str>) -> Result<Chosen<'_>, Refusal> {
        let mut all = self.list();
        let Some(handle) = handle else {
            if all.is_empty() {
                return Err(Refusal::new("No session in the folders that may be read.")
                    .hint("Capture one into such a folder: `stepscope capture --help`.")
                    .next(Next::new(
                        "sessions",
                        &[],
                        "what was looked at, and why it is empty",
                    )));
            }
            return Ok(all.swap_remove(0));
        };
        let found = all.iter().position(|one| one.handle == handle);
        found.map(|at| all.swap_remove(at)).ok_or_else(|| {
            let is_path = handle.contains(['/', '\\']) || handle.starts_with('.');
            let why = if is_path {
                "Sessions are named by handles, not by paths."
            } else {
                "It may have been moved or deleted."
            };
            Refusal::new(format!("Unknown session {handle:?}."))
                .hint(why)
                .next(Next::new("sessions", &[], "the handles of all sessions"))
        })
    }

    /// Opens a session as far as a question reads it.
    pub(crate) async fn open(
        &self,
        chosen: &Chosen<'_>,
        reads: Reads,
    ) -> Result<Arc<OpenSession>, Refusal> {
        let opened = chosen.root.library.open(&chosen.summary.key, reads).await;
        opened.map_err(|error| {
            Refusal::from(error).next(Next::new("sessions", &[], "the sessions that can be read"))
        })
    }
}

/// Name and place of a folder.
fn place(path: &Path) -> (String, String) {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let name = real.file_name().unwrap_or(real.as_os_str());
    (name.to_string_lossy().into_owned(), shown(&real))
}
