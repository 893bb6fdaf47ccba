//! The folder of a catalog.
//!
//! ```text
//! FOLDER/
//!     roll-ups/ADDRESS.rollup     what all analyses say about one capture
//!     summaries-ENGINE            one line per session that was indexed
//!     lock                        held by whoever writes `summaries` or removes roll-ups
//! ```

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use stepscope_storage::{SessionFiles, cache_folder, make_private};

use crate::digest::digest;
use crate::engine::engine;
use crate::roll_up::RollUp;
use crate::summaries::{Entry, Summaries};

/// The variable that names another folder than that of the user's cache.
pub const VARIABLE: &str = "STEPSCOPE_CATALOG";

const ROLL_UPS: &str = "roll-ups";
const SUFFIX: &str = ".rollup";
const UNFINISHED: &str = ".new";
const SUMMARIES: &str = "summaries-";
/// The time of a roll-up says when it was last used, to the day: a file that is read often is not
/// written as often.
const DAY: Duration = Duration::from_hours(24);
/// What a process that was killed left is removed after this time.
const ABANDONED: Duration = Duration::from_hours(1);

/// Why something cannot be kept.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// The folder cannot be written.
    #[error("the catalog cannot be written: {0}")]
    Io(#[from] io::Error),
    /// A summary cannot be written as text.
    #[error("a summary cannot be written: {0}")]
    Text(#[from] serde_json::Error),
}

/// A folder with roll-ups.
#[derive(Debug)]
pub struct Catalog {
    root: PathBuf,
    /// Whether it is below the user's cache.
    is_private: bool,
    held: Mutex<Option<(FileState, Arc<Summaries>)>>,
}

type FileState = (u64, Option<SystemTime>);

/// A roll-up that is in the folder.
#[derive(Debug, Clone)]
pub struct Kept {
    /// What was captured.
    pub address: String,
    /// Size of the file.
    pub bytes: u64,
    /// When it was last used, to the day.
    pub used: SystemTime,
}

impl Catalog {
    /// The catalog of this user: the folder that `STEPSCOPE_CATALOG` names, or one of the cache.
    pub fn of_user() -> Self {
        match std::env::var_os(VARIABLE).filter(|folder| !folder.is_empty()) {
            Some(folder) => Self::at(Path::new(&folder)),
            None => Self::private(&cache_folder().join("catalog")),
        }
    }

    /// The catalog in a folder, which need not exist. Others may read it as far as its folder allows.
    pub fn at(folder: &Path) -> Self {
        Self::new(folder.to_path_buf(), false)
    }

    /// The catalog in a folder that nobody else may look into.
    pub fn private(folder: &Path) -> Self {
        Self::new(folder.to_path_buf(), true)
    }

    fn new(root: PathBuf, is_private: bool) -> Self {
        Self {
            root,
            is_private,
            held: Mutex::default(),
        }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.root
    }

    /// What is known of all sessions. Read again only if it was written since the last call.
    pub fn summaries(&self) -> Arc<Summaries> {
        let path = self.summaries_path();
        let state = fs::metadata(&path).map(|metadata| (metadata.len(), metadata.modified().ok()));
        let Ok(state) = state else {
            return Arc::default();
        };
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, summaries)) = &*held
            && *known == state
        {
            return Arc::clone(summaries);
        }
        let text = fs::read_to_string(&path).unwrap_or_default();
        let summaries = Arc::new(Summaries::parse(text));
        *held = Some((state, Arc::clone(&summaries)));
        summaries
    }

    /// What a comparison measured of a session, if it was indexed and did not change since.
    pub fn measured(&self, files: &SessionFiles, comparison: &str) -> Option<String> {
        let address = self.summaries().entry(files)?.address;
        let roll_up = self.roll_up(&address)?;
        roll_up.measured(comparison).map(str::to_owned)
    }

    /// The roll-up of a capture, if it is there and its footer is what was written.
    pub fn roll_up(&self, address: &str) -> Option<RollUp> {
        let path = self.path(address);
        match RollUp::open(&path, address) {
            Ok(roll_up) => {
                use_now(&path);
                Some(roll_up)
            }
            Err(error) => {
                tracing::debug!(path = %path.display(), %error, "the roll-up is not used");
                None
            }
        }
    }

    /// The roll-up of a capture, if all of it is what was written.
    pub(crate) fn whole_roll_up(&self, address: &str) -> Option<RollUp> {
        self.roll_up(address).filter(RollUp::is_whole)
    }

    /// The size of a roll-up; zero if it is not there.
    pub(crate) fn roll_up_bytes(&self, address: &str) -> u64 {
        fs::metadata(self.path(address)).map_or(0, |metadata| metadata.len())
    }

    fn path(&self, address: &str) -> PathBuf {
        self.root.join(ROLL_UPS).join(format!("{address}{SUFFIX}"))
    }

    fn summaries_path(&self) -> PathBuf {
        let engine = &digest(engine().as_bytes())[..16];
        self.root.join(format!("{SUMMARIES}{engine}"))
    }

    fn make_folder(&self) -> io::Result<()> {
        let folder = self.root.join(ROLL_UPS);
        if self.is_private {
            return make_private(&folder, &self.root);
        }
        fs::create_dir_all(folder)
    }

    /// Writes a roll-up.
    pub(crate) fn write(&self, address: &str, bytes: &[u8]) -> Result<(), CatalogError> {
        self.make_folder()?;
        Ok(write_whole(&self.path(address), bytes)?)
    }

    /// Adds what is known of sessions. What was known of a session with the same name and place goes.
    pub(crate) fn add(&self, new: Vec<(String, Entry)>) -> Result<(), CatalogError> {
        if new.is_empty() {
            return Ok(());
        }
        self.change(|entries| {
            let place = |entry: &Entry| (entry.location.clone(), entry.name.clone());
            let places: HashSet<_> = new.iter().map(|(_, entry)| place(entry)).collect();
            entries.retain(|(_, entry)| !places.contains(&place(entry)));
            entries.extend(new);
        })
    }

    /// Changes the summaries, while no other process does.
    fn change(&self, change: impl FnOnce(&mut Vec<(String, Entry)>)) -> Result<(), CatalogError> {
        let _lock = self.lock()?;
        let path = self.summaries_path();
        let text = fs::read_to_string(&path).unwrap_or_default();
        let mut entries = Summaries::parse(text).entries();
        change(&mut entries);
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        entries.dedup_by(|a, b| a.0 == b.0);
        let text = Summaries::written(&entries)?;
        Ok(write_whole(&path, text.as_bytes())?)
    }

    fn lock(&self) -> io::Result<File> {
        self.make_folder()?;
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        let lock = options.open(self.root.join("lock"))?;
        lock.lock()?;
        Ok(lock)
    }

    /// The roll-ups in the folder, of any engine, longest unused first.
    pub fn kept(&self) -> Vec<Kept> {
        let files = fs::read_dir(self.root.join(ROLL_UPS)).into_iter();
        let mut kept: Vec<Kept> = files
            .flatten()
            .flatten()
            .filter_map(|file| {
                let name = file.file_name().into_string().ok()?;
                let metadata = file.metadata().ok()?;
                Some(Kept {
                    address: name.strip_suffix(SUFFIX)?.to_owned(),
                    bytes: metadata.len(),
                    used: metadata.modified().ok()?,
                })
            })
            .collect();
        kept.sort_by(|a, b| (a.used, &a.address).cmp(&(b.used, &b.address)));
        kept
    }

    /// Removes the roll-ups that were not used for longest, until the rest fits, and what is known of
    /// their sessions. How many went.
    ///
    /// # Errors
    ///
    /// The folder cannot be written.
    pub fn evict(&self, limit_bytes: u64) -> Result<usize, CatalogError> {
        let kept = self.kept();
        let mut total: u64 = kept.iter().map(|kept| kept.bytes).sum();
        self.remove_abandoned();
        let mut gone = HashSet::new();
        for Kept { address, bytes, .. } in kept {
            if total <= limit_bytes {
                break;
            }
            if fs::remove_file(self.path(&address)).is_ok() {
                total -= bytes;
                gone.insert(address);
            }
        }
        if !gone.is_empty() {
            self.change(|entries| entries.retain(|(_, entry)| !gone.contains(&entry.address)))?;
        }
        Ok(gone.len())
    }

    /// Removes what killed processes left, and summaries of engines that nobody used for a month.
    fn remove_abandoned(&self) {
        let remove = |folder: &Path, is_old: &dyn Fn(&str, Duration) -> bool| {
            for file in fs::read_dir(folder).into_iter().flatten().flatten() {
                let name = file.file_name().to_string_lossy().into_owned();
                let modified = file.metadata().and_then(|metadata| metadata.modified());
                let age = modified.ok().and_then(|time| time.elapsed().ok());
                if age.is_some_and(|age| is_old(&name, age)) {
                    let _ = fs::remove_file(file.path());
                }
            }
        };
        let is_unfinished = |name: &str, age| name.ends_with(UNFINISHED) && age > ABANDONED;
        remove(&self.root.join(ROLL_UPS), &is_unfinished);
        remove(&self.root, &|name: &str, age| {
            is_unfinished(name, age) || (name.starts_with(SUMMARIES) && age > DAY * 30)
        });
    }

    /// Removes all roll-ups and summaries, and nothing else. How many roll-ups went, and their bytes.
    ///
    /// # Errors
    ///
    /// Something cannot be removed.
    pub fn clear(&self) -> Result<(usize, u64), CatalogError> {
        if !self.root.is_dir() {
            return Ok((0, 0));
        }
        let _lock = self.lock()?;
        let (mut count, mut bytes) = (0, 0);
        for kept in self.kept() {
            fs::remove_file(self.path(&kept.address))?;
            count += 1;
            bytes += kept.bytes;
        }
        for file in fs::read_dir(&self.root)?.flatten() {
            if file.file_name().to_string_lossy().starts_with(SUMMARIES) {
                fs::remove_file(file.path())?;
            }
        }
        // If nothing else is in it.
        let _ = fs::remove_dir(self.root.join(ROLL_UPS));
        Ok((count, bytes))
    }
}

/// Says that a roll-up is of use. Where that cannot be written, it goes a bit early.
fn use_now(path: &Path) {
    let modified = fs::metadata(path).and_then(|metadata| metadata.modified());
    let age = modified.ok().and_then(|time| time.elapsed().ok());
    if age.is_some_and(|age| age > DAY) {
        let file = OpenOptions::new().write(true).open(path);
        let _ = file.and_then(|file| file.set_modified(SystemTime::now()));
    }
}

/// Writes a file that appears whole. It is not forced to the disk: what a crash of the machine leaves
/// of it has another digest, and is made anew.
fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let mut fresh = path.as_os_str().to_owned();
    fresh.push(format!(".{}.{count}{UNFINISHED}", std::process::id()));
    let fresh = PathBuf::from(fresh);
    let written = File::create(&fresh).and_then(|mut file| file.write_all(bytes));
    let written = written.and_then(|()| fs::rename(&fresh, path));
    if written.is_err() {
        let _ = fs::remove_file(&fresh);
    }
    written
}
