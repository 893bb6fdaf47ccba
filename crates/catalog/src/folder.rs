//! The files of a catalog's folder, and how they appear and go.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use stepscope_storage::{make_private, open_lock, read_text};

use crate::digest::digest;
use crate::engine::engine;

pub(crate) const ROLL_UPS: &str = "roll-ups";
pub(crate) const SUFFIX: &str = ".rollup";
pub(crate) const SUMMARIES: &str = "summaries-";
const UNFINISHED: &str = ".new";
/// The time of a roll-up says when it was last used, to the day: a file that is read often is not
/// written as often.
const DAY: Duration = Duration::from_hours(24);
/// Summaries are read up to this size: a session takes some kilobytes.
const MAX_SUMMARIES_BYTES: u64 = 512 << 20;
/// What a process that was killed left is removed after this time.
const ABANDONED: Duration = Duration::from_hours(1);

/// A roll-up that is in the folder.
#[derive(Debug, Clone)]
pub struct Kept {
    /// What was captured.
    pub address: String,
    /// Size of the file.
    pub bytes: u64,
    /// When it was last used, to the day; of a bucket, when it was written.
    pub used: SystemTime,
}

/// A folder with roll-ups, of the user or of a team.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    pub(crate) root: PathBuf,
    /// Whether it is below the user's cache.
    pub(crate) is_private: bool,
}

/// The name under which summaries of this engine are.
pub(crate) fn summaries_name() -> String {
    let engine = &digest(engine().as_bytes())[..16];
    format!("{SUMMARIES}{engine}")
}

impl Folder {
    pub(crate) fn roll_up(&self, address: &str) -> PathBuf {
        self.root.join(ROLL_UPS).join(format!("{address}{SUFFIX}"))
    }

    pub(crate) fn summaries(&self) -> PathBuf {
        self.root.join(summaries_name())
    }

    /// The text of the summaries; nothing where others left something else in their place.
    pub(crate) fn summaries_text(&self) -> String {
        read_text(&self.summaries(), MAX_SUMMARIES_BYTES).unwrap_or_default()
    }

    /// Makes a folder below it.
    pub(crate) fn make(&self, below: &str) -> io::Result<()> {
        let folder = self.root.join(below);
        if self.is_private {
            return make_private(&folder, &self.root);
        }
        fs::create_dir_all(folder)
    }

    /// Writes a roll-up.
    pub(crate) fn write(&self, address: &str, bytes: &[u8]) -> io::Result<()> {
        self.make(ROLL_UPS)?;
        write_whole(&self.roll_up(address), bytes)
    }

    /// Until it is dropped, no other process changes the summaries.
    pub(crate) fn lock(&self) -> io::Result<File> {
        self.make(ROLL_UPS)?;
        let lock = open_lock(&self.root.join("lock"))?;
        lock.lock()?;
        Ok(lock)
    }

    /// The roll-ups in the folder, of any engine, longest unused first.
    pub(crate) fn kept(&self) -> Vec<Kept> {
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

    /// Removes the roll-ups that were not used for longest, until the rest fits. Which ones went.
    pub(crate) fn shrink(&self, limit_bytes: u64) -> HashSet<String> {
        let kept = self.kept();
        let mut total: u64 = kept.iter().map(|kept| kept.bytes).sum();
        self.remove_abandoned();
        let mut gone = HashSet::new();
        for Kept { address, bytes, .. } in kept {
            if total <= limit_bytes {
                break;
            }
            if fs::remove_file(self.roll_up(&address)).is_ok() {
                total -= bytes;
                gone.insert(address);
            }
        }
        gone
    }

    /// Removes what killed processes left, and summaries of engines that nobody used for a month.
    fn remove_abandoned(&self) {
        let remove = |folder: &Path, is_old: &dyn Fn(&str, Duration) -> bool| {
            for file in fs::read_dir(folder).into_iter().flatten().flatten() {
                let name = file.file_name().to_string_lossy().into_owned();
                let modified = file.metadata().and_then(|metadata| metadata.modified());
                let age = modified.ok().and_then(|time| time.elapsed().ok());
                if age.is_some_and(|age| is_old(&name, age)) {
                    let _ = self.remove(&file.path());
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
    pub(crate) fn clear(&self) -> io::Result<(usize, u64)> {
        if !self.root.is_dir() {
            return Ok((0, 0));
        }
        let _lock = self.lock()?;
        let (mut count, mut bytes) = (0, 0);
        for kept in self.kept() {
            fs::remove_file(self.roll_up(&kept.address))?;
            count += 1;
            bytes += kept.bytes;
        }
        for file in fs::read_dir(&self.root)?.flatten() {
            if file.file_name().to_string_lossy().starts_with(SUMMARIES) {
                self.remove(&file.path())?;
            }
        }
        // If nothing else is in it.
        let _ = fs::remove_dir(self.root.join(ROLL_UPS));
        Ok((count, bytes))
    }

    /// Removes a file. In the mirror of a bucket, summaries are a folder.
    fn remove(&self, path: &Path) -> io::Result<()> {
        if self.is_private && path.is_dir() {
            return fs::remove_dir_all(path);
        }
        fs::remove_file(path)
    }
}

/// Says that a roll-up is of use. Where that cannot be written, it goes a bit early.
pub(crate) fn use_now(path: &Path) {
    let modified = fs::metadata(path).and_then(|metadata| metadata.modified());
    let age = modified.ok().and_then(|time| time.elapsed().ok());
    if age.is_some_and(|age| age > DAY) {
        let file = OpenOptions::new().write(true).open(path);
        let _ = file.and_then(|file| file.set_modified(SystemTime::now()));
    }
}

/// Writes a file that appears whole. It is not forced to the disk: what a crash of the machine leaves
/// of it has another digest, and is made anew.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
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
