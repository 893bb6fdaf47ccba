//! The library: the sessions below one path, each opened once and shared by all requests.
//!
//! ```text
//! closed ──asked for──► opening ──► open ──room is needed──► closed
//!    │                   ▲  └─────► failed ──asked for again──► opening
//!    │ asked for devices │ asked for the rest
//!    └────► opening ──► in parts ──room is needed──► closed       (of sessions far away)
//! ```

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};
use std::time::{Duration, Instant, UNIX_EPOCH};

use stepscope_analysis::{AnalysisError, Note};
use stepscope_catalog::{Catalog, Summaries};
use stepscope_model::{Reads, Session};
use stepscope_storage::{
    Found, NoteKind, SessionFiles, StorageError, find, hide_credentials, is_remote, shown,
};

use crate::confines::{Confines, left_out};
use crate::key::{key_of, key_of_name};
use crate::opening::OpenError;
use crate::queries::{Schema, sql_program};
use crate::report_cache::ReportCache;
use crate::reports::SessionSummary;
use crate::slot::{OpenSession, Slot, State};
use crate::turns::Openings;

/// A failed opening is retried after this time: the network may be back. The questions of one page
/// arrive together and share one failure.
const RETRY: Duration = Duration::from_secs(2);

/// How long a list of sessions is used before searching again.
const FRESH: Duration = Duration::from_secs(2);

/// The same for remote sessions: searching takes requests, which cost time and money.
const FRESH_REMOTE: Duration = Duration::from_secs(30);

/// The sessions below one path.
pub struct Library {
    root: Option<PathBuf>,
    shelf: RwLock<Shelf>,
    looked: Mutex<Instant>,
    is_read_only: AtomicBool,
    pub(crate) confines: Confines,
    /// Of several sessions.
    pub(crate) reports: Mutex<ReportCache>,
    /// The only hosts that may be captured, if these are restricted.
    capture_hosts: OnceLock<Vec<String>>,
    /// Folders whose source files may be shown.
    source_roots: OnceLock<Vec<PathBuf>>,
    /// The program that answers queries.
    sql_program: OnceLock<PathBuf>,
    /// What that program says about its tables.
    pub(crate) sql_schema: Schema,
    /// What is known of sessions that are not open.
    catalog: OnceLock<Catalog>,
    /// Who opens sessions.
    pub(crate) openings: Openings,
}

/// What was found, in the order of the list.
#[derive(Default)]
struct Shelf {
    slots: Vec<Arc<Slot>>,
    notes: Vec<Note>,
}

impl Library {
    /// The sessions below a path: whatever [`find`] accepts.
    pub fn at(root: &Path) -> Result<Arc<Self>, StorageError> {
        Ok(Self::holding(root, &find(root)?))
    }

    /// The sessions below a path that was just searched.
    pub fn holding(root: &Path, found: &Found) -> Arc<Self> {
        let library = Self::new(Some(root.to_path_buf()));
        library.put(found);
        Arc::new(library)
    }

    /// A folder without sessions yet: captures written to it will appear.
    pub fn awaiting(root: &Path) -> Arc<Self> {
        Arc::new(Self::new(Some(root.to_path_buf())))
    }

    /// The sessions below a path, without those of which a link leads to a file elsewhere. They are
    /// searched for when the list is asked for.
    pub fn confined(root: &Path) -> Arc<Self> {
        Arc::new(Self {
            confines: Confines::of(root),
            ..Self::new(Some(root.to_path_buf()))
        })
    }

    /// A library without a path; see [`Library::add_open`].
    pub fn empty() -> Arc<Self> {
        Arc::new(Self::new(None))
    }

    fn new(root: Option<PathBuf>) -> Self {
        Self {
            root,
            shelf: RwLock::default(),
            looked: Mutex::new(Instant::now()),
            is_read_only: AtomicBool::new(false),
            confines: Confines::default(),
            reports: Mutex::default(),
            capture_hosts: OnceLock::new(),
            source_roots: OnceLock::new(),
            sql_program: OnceLock::new(),
            sql_schema: Schema::new(),
            catalog: OnceLock::new(),
            openings: Openings::of_process(),
        }
    }

    /// From now on only these hosts may be captured, each as `HOST` or `HOST:PORT`: clients that may
    /// read sessions could otherwise reach into the network of this machine.
    pub fn restrict_captures(&self, hosts: Vec<String>) {
        // A library is served once; the first restriction stays.
        let _ = self.capture_hosts.set(hosts);
    }

    pub(crate) fn capture_hosts(&self) -> Option<&[String]> {
        self.capture_hosts.get().map(Vec::as_slice)
    }

    /// From now on, lines of source files below these folders are shown, if a session names them.
    pub fn show_sources(&self, roots: Vec<PathBuf>) {
        // As above: the first choice stays.
        let _ = self.source_roots.set(roots);
    }

    /// From now on, the list shows what is in this catalog of sessions that are not open.
    pub fn use_catalog(&self, catalog: Catalog) {
        // As above: the first choice stays.
        let _ = self.catalog.set(catalog);
    }

    /// What a comparison measured of a session when it was indexed.
    pub(crate) fn measured(&self, slot: &Slot, comparison: &str) -> Option<String> {
        let files = slot.files.as_ref()?;
        self.catalog.get()?.measured(files, comparison)
    }

    pub(crate) fn source_roots(&self) -> &[PathBuf] {
        self.source_roots.get().map_or(&[], Vec::as_slice)
    }

    /// Names the program that answers queries; otherwise it is looked for when one is asked.
    pub fn answer_queries_with(&self, program: PathBuf) {
        // As above: the first choice stays.
        let _ = self.sql_program.set(program);
    }

    pub(crate) fn sql_program(&self) -> Option<PathBuf> {
        self.sql_program.get().cloned().or_else(sql_program)
    }

    /// Disables captures to its path, which may be several folders in one.
    pub fn refuse_captures(&self) {
        self.is_read_only.store(true, Ordering::Relaxed);
    }

    pub(crate) fn refuses_captures(&self) -> bool {
        self.is_read_only.load(Ordering::Relaxed)
    }

    /// Adds a session that is already open and not in a file. Returns its key in routes.
    pub fn add_open(&self, session: impl Into<Arc<Session>>) -> String {
        let session = session.into();
        let mut listed = self.shelf.write().unwrap_or_else(PoisonError::into_inner);
        let key = unique_key(key_of_name(&session.name), |key| {
            listed.slots.iter().any(|slot| slot.key == key)
        });
        let slot = Slot::new(key.clone(), session.name.clone(), None, String::new());
        slot.open(&Arc::new(OpenSession::new(session)));
        listed.slots.insert(0, Arc::new(slot));
        key
    }

    /// The key in routes of the session in these files.
    pub fn key_of(&self, files: &SessionFiles) -> Option<String> {
        let slots = self.slots();
        slots
            .iter()
            .find(|slot| is_unchanged(slot, files))
            .map(|slot| slot.key.clone())
    }

    /// The path as given; empty without one.
    pub(crate) fn root(&self) -> String {
        self.root
            .as_ref()
            .map(|root| shown(root))
            .unwrap_or_default()
    }

    /// The path.
    pub fn root_path(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    /// The key of the session whose files are in a folder.
    pub(crate) fn key_in(&self, folder: &Path) -> Option<String> {
        let folder = folder.canonicalize().ok()?;
        let is_in = |slot: &&Arc<Slot>| {
            let hosts = slot.files.iter().flat_map(|files| &files.hosts);
            let mut paths = hosts.filter_map(|host| host.path.canonicalize().ok());
            paths.any(|path| path.parent() == Some(&folder))
        };
        self.slots().iter().find(is_in).map(|slot| slot.key.clone())
    }

    pub(crate) fn slots(&self) -> Vec<Arc<Slot>> {
        self.read().slots.clone()
    }

    pub(crate) fn notes(&self) -> Vec<Note> {
        self.read().notes.clone()
    }

    /// The session with a key, or with the number that it currently has in the list.
    pub(crate) fn slot(&self, wanted: &str) -> Option<Arc<Slot>> {
        let slots = self.slots();
        let keyed = slots.iter().find(|slot| slot.key == wanted);
        let numbered = || slots.get(wanted.parse::<usize>().ok()?);
        keyed.or_else(numbered).cloned()
    }

    /// The summary of a session.
    pub(crate) fn summary(&self, slot: &Slot) -> SessionSummary {
        let slots = self.slots();
        let position = slots.iter().position(|known| known.key == slot.key);
        listed(slot, position.unwrap_or(0), &self.indexed())
    }

    fn indexed(&self) -> Arc<Summaries> {
        let catalog = self.catalog.get();
        catalog.map_or_else(Arc::default, Catalog::summaries)
    }

    /// Summaries of all sessions, in the order of the list.
    pub(crate) fn summaries(&self) -> Vec<SessionSummary> {
        let slots = self.slots();
        let indexed = self.indexed();
        let numbered = slots.iter().enumerate();
        numbered
            .map(|(position, slot)| listed(slot, position, &indexed))
            .collect()
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, Shelf> {
        self.shelf.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session captured last: the first of the list.
    pub fn newest(&self) -> Option<String> {
        self.read().slots.first().map(|slot| slot.key.clone())
    }

    /// Starts to open a session on its own thread, unless that already happened or it is remote.
    pub fn begin_opening_if_here(self: &Arc<Self>, key: &str) {
        if let Some(slot) = self.slot(key).filter(|slot| slot.is_here()) {
            self.begin(&slot, Reads::Everything);
        }
    }

    /// The open session, once it is open; all waiting requests share one opening.
    pub(crate) async fn opened(
        self: &Arc<Self>,
        slot: &Arc<Slot>,
    ) -> Result<Arc<OpenSession>, OpenError> {
        self.opened_as(slot, Reads::Everything).await
    }

    /// The session as far as a question reads it: for a remote one that is not open, only the
    /// planes needed for that are fetched. `reads` is only evaluated for sessions that are not
    /// open.
    pub(crate) async fn opened_reading(
        self: &Arc<Self>,
        slot: &Arc<Slot>,
        reads: impl FnOnce() -> Reads,
    ) -> Result<Arc<OpenSession>, OpenError> {
        let reads = match slot.state() {
            State::Open(_) => Reads::Everything,
            State::Closed if slot.is_here() => Reads::Everything,
            _ => reads(),
        };
        self.opened_as(slot, reads).await
    }

    async fn opened_as(
        self: &Arc<Self>,
        slot: &Arc<Slot>,
        reads: Reads,
    ) -> Result<Arc<OpenSession>, OpenError> {
        let asked = Instant::now();
        let mut state = slot.follow();
        loop {
            let now = state.borrow_and_update().clone();
            let parts = now.parts().filter(|_| reads != Reads::Everything);
            if let Some(parts) = parts {
                parts.open.use_now();
                return Ok(Arc::clone(&parts.open));
            }
            match now {
                State::Open(open) => {
                    if let Some(why) = open.session.changed() {
                        return Err(self.give_up(slot, &open, why));
                    }
                    if open.is_outdated() {
                        slot.close(&open);
                        continue;
                    }
                    open.use_now();
                    return Ok(open);
                }
                State::Failed { error, at, .. } if at + RETRY > asked => return Err(error),
                State::Closed | State::InParts(_) | State::Failed { .. } => self.begin(slot, reads),
                State::Opening { .. } => {
                    // The slot holds the sender, so a change always arrives.
                    if state.changed().await.is_err() {
                        return Err(OpenError::defect("the session is gone"));
                    }
                }
            }
        }
    }

    /// Closes a session whose files were written: this request says so, and a later one opens what
    /// is there now.
    fn give_up(self: &Arc<Self>, slot: &Slot, open: &Arc<OpenSession>, why: String) -> OpenError {
        slot.close(open);
        let library = Arc::clone(self);
        // The list tells sizes and times; without the thread it is right a little later.
        let search = std::thread::Builder::new().name("look-again".to_owned());
        let _ = search.spawn(move || library.look_again());
        OpenError {
            message: why,
            hint: AnalysisError::REOPEN.to_owned(),
            lacks_memory: false,
        }
    }

    /// Searches for sessions again, unless that happened a moment ago. Known sessions keep their
    /// key.
    pub(crate) fn refresh(&self) {
        let is_remote = self.root.as_deref().is_some_and(is_remote);
        self.look(if is_remote { FRESH_REMOTE } else { FRESH });
    }

    /// Searches for sessions now, for example because one was just captured.
    pub(crate) fn look_again(&self) {
        self.look(Duration::ZERO);
    }

    fn look(&self, fresh: Duration) {
        let Some(root) = &self.root else { return };
        let mut looked: MutexGuard<'_, Instant> =
            self.looked.lock().unwrap_or_else(PoisonError::into_inner);
        if looked.elapsed() < fresh {
            return;
        }
        match find(root) {
            Ok(found) => self.put(&found),
            // Open sessions stay; the list says why the search failed.
            Err(error) => {
                let note = Note::warning("search-failed", error.to_string());
                let hint = error.hint().unwrap_or_default();
                self.put_notes(vec![note.with_hint(hint)]);
            }
        }
        *looked = Instant::now();
    }

    fn put_notes(&self, notes: Vec<Note>) {
        let mut listed = self.shelf.write().unwrap_or_else(PoisonError::into_inner);
        listed.notes = notes;
    }

    fn put(&self, found: &Found) {
        let mut notes: Vec<Note> = found.notes.iter().map(note).collect();
        let mut within = found.newest_first();
        let count = within.len();
        within.retain(|files| self.confines.hold(files));
        notes.extend(left_out(count - within.len()));
        let mut listed = self.shelf.write().unwrap_or_else(PoisonError::into_inner);
        let known = std::mem::take(&mut listed.slots);
        let mut by_path: HashMap<&str, Vec<&Arc<Slot>>> = HashMap::new();
        for slot in &known {
            by_path.entry(&slot.path).or_default().push(slot);
        }
        let mut keys: HashSet<String> = known.iter().map(|slot| slot.key.clone()).collect();
        let handed_in = known.iter().filter(|slot| slot.files.is_none());
        listed.slots = handed_in.cloned().collect();
        for files in within {
            let path = path_of(&found.root, &files.location);
            let before = by_path.get(path.as_str()).map_or(&[][..], Vec::as_slice);
            let same = before.iter().find(|slot| is_unchanged(slot, files));
            let slot = if let Some(slot) = same {
                Arc::clone(slot)
            } else {
                let key = before.first().map_or_else(
                    || unique_key(key_of(files), |key| keys.contains(key)),
                    |slot| slot.key.clone(),
                );
                keys.insert(key.clone());
                Arc::new(Slot::new(
                    key,
                    files.name.clone(),
                    Some(files.clone()),
                    path,
                ))
            };
            listed.slots.push(slot);
        }
        listed.notes = notes;
    }
}

/// The key, or one derived from it that is not taken.
fn unique_key(key: String, is_taken: impl Fn(&str) -> bool) -> String {
    let is_free = |key: &String| !is_taken(key);
    let others = (2..).map(|count: usize| format!("{key}~{count}"));
    let mut candidates = std::iter::once(key.clone()).chain(others);
    candidates.find(is_free).unwrap_or(key)
}

/// The summary of a session at a position of the list, with what its roll-up says.
fn listed(slot: &Slot, position: usize, indexed: &Summaries) -> SessionSummary {
    let mut summary = slot.summary(u32::try_from(position).unwrap_or(u32::MAX));
    if let Some(entry) = slot.files.as_ref().and_then(|files| indexed.entry(files)) {
        summary.add_roll_up(&entry.summary);
    }
    summary
}

fn is_unchanged(slot: &Slot, files: &SessionFiles) -> bool {
    slot.files
        .as_ref()
        .is_some_and(|known| known.files().eq(files.files()))
}

/// Where a session is, as a path that can be typed; without credentials of a URL.
fn path_of(root: &Path, location: &str) -> String {
    match location {
        "." => shown(root),
        location => shown(&root.join(location)),
    }
}

/// A note of a search, for reports.
pub(crate) fn note(note: &stepscope_storage::Note) -> Note {
    let text = format!("{}: {}", hide_credentials(&note.message), shown(&note.path));
    match note.kind {
        NoteKind::Unreadable => Note::warning("file-unreadable", text),
        NoteKind::Limit => Note::warning("search-limit", text),
        NoteKind::Offline => Note::warning("location-offline", text),
        NoteKind::Ignored => Note::info("files-ignored", text),
        NoteKind::Joined => Note::info("runs-joined", text),
    }
}

/// When a session was last written, in milliseconds since the epoch.
pub(crate) fn modified_epoch_ms(files: &SessionFiles) -> Option<u64> {
    let since_epoch = files.modified?.duration_since(UNIX_EPOCH).ok()?;
    u64::try_from(since_epoch.as_millis()).ok()
}
