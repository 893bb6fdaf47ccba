//! The sessions of a query: found at once, opened when a table needs them, and closed again.

use std::collections::VecDeque;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use crate::place::Place;
use crate::ranges::{Divided, HostRange, text_of};
use datafusion::error::DataFusionError;
use stepscope_catalog::{Catalog, Entry, RollUp};
use stepscope_model::{Known, Reads, Session};
use stepscope_storage::{
    NoProgress, OpenSessionError, SessionFiles, StorageError, find, open_range, open_session,
    open_session_of_hosts, shown, survey_hosts,
};

/// Sessions that stay open although no table reads them: the next query probably does.
const KEPT_OPEN: usize = 4;

/// What is between the name of a session and the reason why it is not opened.
pub const NOT_OPENED: &str = ": not opened: ";

/// The sessions at some paths.
#[derive(Default)]
pub struct Library {
    sources: Vec<Source>,
    recent: Mutex<VecDeque<Arc<Session>>>,
    catalog: Option<Arc<Catalog>>,
    /// Whether a session that cannot be opened is an error; otherwise it is left out with a remark.
    needs_all: bool,
    opened: AtomicUsize,
    decoded_hosts: AtomicUsize,
    read_slices: AtomicUsize,
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
    open: Mutex<Option<(OpenedPart, Weak<Session>)>>,
    /// The hosts that are read, if not all.
    range: Option<HostRange>,
    /// How readers on other machines divide it, once that is known: for each amount of what has to be
    /// known.
    divided: Mutex<Vec<Arc<Divided>>>,
    /// Whether its hosts need to know everything of each other, whatever is asked.
    is_entangled: AtomicBool,
    /// Why readers on other machines cannot open it.
    unopened: OnceLock<String>,
}

/// What of a session is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum OpenedPart {
    /// What these questions read.
    Reads(Reads),
    /// What was recorded on these hosts, and what all files say about clocks and programs.
    Hosts(Vec<String>),
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
                let (name, location) = (files.name.clone(), shown(&own));
                let found_at = (path.clone(), own);
                let source = Source::new(name, location, files.clone(), found_at);
                library.sources.push(source);
            }
        }
        library.tell_apart();
        Ok(library)
    }

    /// The sessions at places that another process found. All of them are needed: one that is not
    /// there, not as it was, or cannot be opened is an error.
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
            let files = files.map_err(|reason| format!("{}: {reason}", place.name))?;
            let (name, location) = (place.name.clone(), place.location.clone());
            let found_at = (place.root.clone(), place.path.clone());
            Ok(Source {
                range: place.range.clone(),
                ..Source::new(name, location, files, found_at)
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

    /// How many slices were read to find rows of `slices` and `slice_ancestors`.
    pub fn read_slice_count(&self) -> usize {
        self.read_slices.load(Ordering::Relaxed)
    }

    /// Adds to the number of slices that were read.
    pub(crate) fn count_slices(&self, count: usize) {
        self.read_slices.fetch_add(count, Ordering::Relaxed);
    }

    /// How many files of hosts were decoded.
    pub fn decoded_host_count(&self) -> usize {
        self.decoded_hosts.load(Ordering::Relaxed)
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
        part: &OpenedPart,
    ) -> Result<Option<Arc<Session>>, DataFusionError> {
        let Some(source) = self.sources.get(position) else {
            return Ok(None);
        };
        let mut open = lock(&source.open);
        if let Some((had, session)) = &*open
            && (had == part || *had == OpenedPart::Reads(Reads::Everything))
            && let Some(session) = session.upgrade()
        {
            return Ok(Some(session));
        }
        match self.opened(source, part) {
            Ok(session) => {
                *open = Some((part.clone(), Arc::downgrade(&session)));
                Ok(Some(session))
            }
            Err(reason) => {
                let reason = source.not_opened(&reason);
                if self.needs_all {
                    return Err(DataFusionError::Execution(reason));
                }
                self.remark(reason);
                Ok(None)
            }
        }
    }

    fn opened(&self, source: &Source, part: &OpenedPart) -> Result<Arc<Session>, String> {
        let files = &source.files;
        let mut decoded = files.hosts.len();
        let opened = match (&source.range, part) {
            (Some(range), part) => {
                let wanted = match part {
                    OpenedPart::Hosts(hosts) if range.frame.known < Known::Everything => {
                        &files.only_named(&|name| is_among(hosts, name))
                    }
                    _ => files,
                };
                decoded = wanted.hosts.len();
                self.with_memory(|| open_range(wanted, &range.frame))
            }
            (None, OpenedPart::Reads(reads)) => self.with_memory(|| {
                let opened = open_session(files, *reads, |_| NoProgress)?;
                Ok(Ok(opened.session))
            }),
            (None, OpenedPart::Hosts(hosts)) => {
                decoded = hosts.len();
                let is_wanted = |name: &str| is_among(hosts, name);
                self.with_memory(|| {
                    let opened = open_session_of_hosts(files, &is_wanted, |_| NoProgress)?;
                    Ok(Ok(opened.session))
                })
            }
        };
        self.opened.fetch_add(1, Ordering::Relaxed);
        self.decoded_hosts.fetch_add(decoded, Ordering::Relaxed);
        let session = opened.map_err(|error| error.to_string())?;
        let session = Arc::new(session.map_err(|error| error.to_string())?);
        let mut recent = lock(&self.recent);
        recent.push_front(Arc::clone(&session));
        recent.truncate(KEPT_OPEN);
        Ok(session)
    }

    fn with_memory<T>(
        &self,
        open: impl Fn() -> Result<T, OpenSessionError>,
    ) -> Result<T, OpenSessionError> {
        open().or_else(|error| {
            // Those that nobody reads may be what is in the way.
            if error.lacks_memory() {
                lock(&self.recent).clear();
                return open();
            }
            Err(error)
        })
    }

    /// What has to be known of a session before others read it, as text: of some of its hosts, what
    /// matters to the others; of a whole session only that it can be opened.
    ///
    /// # Errors
    ///
    /// It cannot be opened. Says why, as a remark does.
    pub fn survey(&self, position: usize) -> Result<String, String> {
        let Some(source) = self.sources.get(position) else {
            return Err("the session is not there".to_owned());
        };
        let not_opened = |reason: String| source.not_opened(&reason);
        let Some(range) = &source.range else {
            let part = OpenedPart::Reads(Reads::Everything);
            let opened = self.opened(source, &part).map_err(not_opened)?;
            return Ok(opened.name.clone());
        };
        let known = range.frame.known;
        let facts = self.with_memory(|| survey_hosts(&source.files, known));
        let facts = facts.map_err(|error| not_opened(error.to_string()))?;
        if known == Known::Everything {
            self.decoded_hosts
                .fetch_add(source.files.hosts.len(), Ordering::Relaxed);
        }
        text_of(facts)
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
    fn new(
        name: String,
        location: String,
        files: SessionFiles,
        found_at: (PathBuf, PathBuf),
    ) -> Self {
        Self {
            name,
            location,
            files,
            found_at,
            indexed: None,
            open: Mutex::default(),
            range: None,
            divided: Mutex::default(),
            is_entangled: AtomicBool::new(false),
            unopened: OnceLock::new(),
        }
    }

    fn not_opened(&self, reason: &str) -> String {
        format!("{}{NOT_OPENED}{reason}", self.name)
    }

    /// How readers on other machines divide it into these ranges, if as much is known of them.
    pub(crate) fn divided(&self, ranges: &[Range<usize>], known: Known) -> Option<Arc<Divided>> {
        let divided = lock(&self.divided);
        let mut divided = divided.iter();
        divided.find(|own| own.tells(ranges, known)).cloned()
    }

    /// Keeps how readers on other machines divide it.
    pub(crate) fn divide(&self, divided: Divided) {
        lock(&self.divided).push(Arc::new(divided));
    }

    /// How much its hosts have to know of each other where a reader asks for this much.
    pub(crate) fn needed(&self, known: Known) -> Known {
        if self.is_entangled.load(Ordering::Relaxed) {
            return Known::Everything;
        }
        known
    }

    /// Has its hosts know everything of each other. False if they do already.
    pub(crate) fn entangle(&self) -> bool {
        !self.is_entangled.swap(true, Ordering::Relaxed)
    }

    /// Why readers on other machines cannot open it, if they cannot.
    pub(crate) fn unopened(&self) -> Option<&str> {
        self.unopened.get().map(String::as_str)
    }

    /// Has readers on other machines leave it out.
    pub(crate) fn leave_out(&self, reason: &str) {
        self.unopened.get_or_init(|| self.not_opened(reason));
    }

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

fn is_among(names: &[String], name: &str) -> bool {
    names.iter().any(|own| own == name)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
