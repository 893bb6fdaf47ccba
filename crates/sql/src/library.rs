//! The sessions of a query: found at once, opened when a table needs them, and closed again.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::place::Place;
use datafusion::error::DataFusionError;
use stepscope_catalog::{Catalog, Entry, RollUp};
use stepscope_model::{Reads, Session};
use stepscope_storage::{NoProgress, SessionFiles, StorageError, find, open_session, shown};

/// Sessions that stay open although no table reads them: the next query probably does.
const KEPT_OPEN: usize = 4;

/// The sessions at some paths.
#[derive(Default)]
pub struct Library {
    sources: Vec<Source>,
    recent: Mutex<VecDeque<Arc<Session>>>,
    catalog: Option<Arc<Catalog>>,
    /// Whether a session that cannot be opened is an error; otherwise it is left out with a remark.
    needs_all: bool,
    opened: AtomicUsize,
    remarks: Mutex<Vec<String>>,
}

/// A session that can be opened.
pub struct Source {
    /// Its name, with its place if others have the same.
    pub name: String,
    /// Where it is, as people write it.
    pub location: String,
    /// Its files.
    pub files: SessionFiles,
    /// What was searched, and the path of the session.
    found_at: (PathBuf, PathBuf),
    /// What is known of it without opening it.
    pub(crate) indexed: Option<Entry>,
    open: Mutex<Option<(Reads, Weak<Session>)>>,
}

impl Library {
    /// The sessions at these paths, in their order; only those that `keep` wants, by the position of
    /// their path.
    ///
    /// # Errors
    ///
    /// A path without sessions.
    pub fn find(
        paths: &[PathBuf],
        keep: impl Fn(usize, &SessionFiles) -> bool,
    ) -> Result<Self, StorageError> {
        let mut library = Self::default();
        for (position, path) in paths.iter().enumerate() {
            let found = find(path)?;
            for files in found.sessions.iter().filter(|files| keep(position, files)) {
                let own = found.path_of(files);
                library.sources.push(Source {
                    name: files.name.clone(),
                    location: shown(&own),
                    files: files.clone(),
                    found_at: (path.clone(), own),
                    indexed: None,
                    open: Mutex::default(),
                });
            }
        }
        library.tell_apart();
        Ok(library)
    }

    /// The sessions at places that another process found. All of them are needed: one that is not
    /// there, or not as it was, is an error.
    ///
    /// # Errors
    ///
    /// Says which session is missing or `may_open` refused, and why.
    pub fn at(
        places: &[Place],
        may_open: &dyn Fn(&Path) -> Result<(), String>,
    ) -> Result<Self, String> {
        let source = |place: &Place| {
            let files = place.find(may_open);
            Ok(Source {
                name: place.name.clone(),
                location: place.location.clone(),
                files: files.map_err(|reason| format!("{}: {reason}", place.name))?,
                found_at: (place.root.clone(), place.path.clone()),
                indexed: None,
                open: Mutex::default(),
            })
        };
        Ok(Self {
            sources: places.iter().map(source).collect::<Result<_, String>>()?,
            needs_all: true,
            ..Self::default()
        })
    }

    /// The same, with what a catalog says of sessions, which then need not be opened.
    #[must_use]
    pub fn with_catalog(mut self, catalog: impl Into<Arc<Catalog>>) -> Self {
        let catalog = catalog.into();
        let summaries = catalog.summaries();
        for source in &mut self.sources {
            source.indexed = summaries.entry(&source.files);
        }
        if let Some(problem) = catalog.take_problem() {
            self.remark(problem.to_string());
        }
        self.catalog = Some(catalog);
        self
    }

    /// The roll-up of a session, if it was indexed and nothing is wrong with it.
    pub(crate) fn roll_up(&self, source: &Source) -> Option<RollUp> {
        let address = &source.indexed.as_ref()?.address;
        self.catalog.as_ref()?.roll_up(address)
    }

    /// Fetches the roll-ups of sessions that will be read next, together, where they are in a bucket.
    pub(crate) fn bring_roll_ups(&self, positions: &[usize]) {
        let Some(catalog) = &self.catalog else {
            return;
        };
        let sources = positions.iter().filter_map(|&at| self.sources.get(at));
        catalog.bring_listed(sources.filter_map(|source| source.indexed.as_ref()));
    }

    /// Names that several sessions have are followed by their place.
    fn tell_apart(&mut self) {
        let mut names: Vec<String> = self.sources.iter().map(|one| one.name.clone()).collect();
        names.sort();
        for source in &mut self.sources {
            let first = names.partition_point(|name| *name < source.name);
            if names.get(first + 1) == Some(&source.name) {
                source.name = format!("{} ({})", source.name, source.location);
            }
        }
    }

    /// Its sessions, by position.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// How many times a session was opened.
    pub fn opened_count(&self) -> usize {
        self.opened.load(Ordering::Relaxed)
    }

    /// Opens a session, or hands out the one that is open. `None` if it cannot be opened; a remark says
    /// why.
    ///
    /// # Errors
    ///
    /// It cannot be opened, and all sessions are needed.
    pub(crate) fn open(
        &self,
        position: usize,
        reads: Reads,
    ) -> Result<Option<Arc<Session>>, DataFusionError> {
        let Some(source) = self.sources.get(position) else {
            return Ok(None);
        };
        let mut open = lock(&source.open);
        if let Some((had, session)) = &*open
            && (*had == reads || *had == Reads::Everything)
            && let Some(session) = session.upgrade()
        {
            return Ok(Some(session));
        }
        match self.opened(source, reads) {
            Ok(session) => {
                *open = Some((reads, Arc::downgrade(&session)));
                Ok(Some(session))
            }
            Err(reason) => {
                let reason = format!("{}: not opened: {reason}", source.name);
                if self.needs_all {
                    return Err(DataFusionError::Execution(reason));
                }
                self.remark(reason);
                Ok(None)
            }
        }
    }

    fn opened(&self, source: &Source, reads: Reads) -> Result<Arc<Session>, String> {
        let open = || open_session(&source.files, reads, |_| NoProgress);
        let opened = open().or_else(|error| {
            // Those that nobody reads may be what is in the way.
            if error.lacks_memory() {
                lock(&self.recent).clear();
                return open();
            }
            Err(error)
        });
        self.opened.fetch_add(1, Ordering::Relaxed);
        let session = Arc::new(opened.map_err(|error| error.to_string())?.session);
        let mut recent = lock(&self.recent);
        recent.push_front(Arc::clone(&session));
        recent.truncate(KEPT_OPEN);
        Ok(session)
    }

    /// Notes what a reader of the answer has to know. Each is kept once.
    pub(crate) fn remark(&self, text: String) {
        let mut remarks = lock(&self.remarks);
        if !remarks.contains(&text) {
            remarks.push(text);
        }
    }

    /// The remarks since the last call.
    pub fn take_remarks(&self) -> Vec<String> {
        std::mem::take(&mut *lock(&self.remarks))
    }
}

impl Source {
    /// Where another process finds it.
    ///
    /// # Errors
    ///
    /// A place that no plan may or can contain. Says why.
    pub fn place(&self) -> Result<Place, String> {
        let (root, path) = &self.found_at;
        let place = Place::of(&self.files, &self.name, &self.location, root, path);
        place.map_err(|reason| format!("{}: {reason}", self.name))
    }
}

impl std::fmt::Debug for Library {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} sessions", self.sources.len())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
