//! What was fetched, kept in the user's cache folder.
//!
//! ```text
//! <cache>/v1/objects/<digest of URL, version, size>/
//!     data       the file; it appears whole, and nothing of it changes any more
//!     part       what has been fetched of it so far; the rest is a hole
//!     ranges     which bytes of `part` are there: start and end of each range, eight bytes each
//!     lock       held by the process that fetches it; its time is that of the last use
//! <cache>/v1/listings/<digest of URL>.json
//! ```
//!
//! A file that changed far away has another version, so it is another entry: nothing here is ever
//! written over. Entries used longest ago go when there are too many bytes.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::credentials::hide_credentials;
use crate::object::Object;
use crate::private;
use crate::ranges::Ranges;
use crate::settings;

/// Layout of the folder; another layout is another folder.
const LAYOUT: &str = "v1";
/// How long a file stands for what is there where the server tells no version.
const CURRENT: Duration = Duration::from_mins(5);
/// Bytes of a digest in a name.
const DIGEST_BYTES: usize = 16;

/// A listing as it was when the place was last reached.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct KeptListing {
    /// Of the place that was listed: its URL may open it.
    place: String,
    pub(crate) is_file: bool,
    pub(crate) listed_epoch_s: u64,
    pub(crate) objects: Vec<Object>,
}

impl KeptListing {
    /// What may be kept of a listing. Nothing that opens a place is: the URL of a file that was
    /// given itself stays empty, and files below it whose URLs have signatures are left out.
    pub(crate) fn of(
        url: &str,
        is_file: bool,
        listed_epoch_s: u64,
        objects: impl Iterator<Item = Object>,
    ) -> Self {
        let objects = objects.filter_map(|mut object| {
            if object.url == url {
                object.url.clear();
            }
            let is_secret = hide_credentials(&object.url) != object.url;
            (!is_secret).then_some(object)
        });
        Self {
            place: digest(&[url]),
            is_file,
            listed_epoch_s,
            objects: objects.collect(),
        }
    }
}

fn root() -> PathBuf {
    settings::cache_folder().join(LAYOUT)
}

fn objects() -> PathBuf {
    root().join("objects")
}

fn digest(parts: &[&str]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part.len().to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let digest = hasher.finalize();
    format!("{:x}", Bytes::copy_from_slice(&digest[..DIGEST_BYTES]))
}

fn key(object: &Object) -> String {
    digest(&[&object.url, &object.version, &object.size_bytes.to_string()])
}

/// The file, if it is here and still what is there.
pub(crate) fn kept(object: &Object) -> Option<PathBuf> {
    used(object, is_current)
}

/// The file as it was when it was fetched, where nobody can say what it is now.
pub(crate) fn kept_once(object: &Object) -> Option<PathBuf> {
    used(object, |_, _| true)
}

fn used(object: &Object, is_wanted: fn(&Object, &fs::Metadata) -> bool) -> Option<PathBuf> {
    let key = key(object);
    let path = objects().join(&key).join("data");
    let metadata = File::open(&path).ok()?.metadata().ok()?;
    if metadata.len() != object.size_bytes || !is_wanted(object, &metadata) {
        return None;
    }
    touch(&objects().join(&key).join("lock"));
    protect(key);
    Some(path)
}

/// Whether an entry stands for the file that is there: by its version or, of a server that tells
/// none, for a while.
fn is_current(object: &Object, metadata: &fs::Metadata) -> bool {
    let is_fresh = || {
        let fetched = metadata.modified().ok();
        let age = fetched.and_then(|fetched| SystemTime::now().duration_since(fetched).ok());
        age.is_some_and(|age| age < CURRENT)
    };
    !object.version.is_empty() || is_fresh()
}

/// Says that an entry is of use now. Where that cannot be written, the entry goes a bit early. The
/// time of the file itself stays: to those who have it open, another time is another file.
fn touch(lock: &Path) {
    let lock = OpenOptions::new().write(true).open(lock);
    let _ = lock.and_then(|lock| lock.set_modified(SystemTime::now()));
}

impl Object {
    /// Whether all of it was fetched before, so that reading it takes no network. Asking is no use
    /// of it.
    pub fn is_here(&self) -> bool {
        let data = objects().join(key(self)).join("data");
        fs::metadata(data)
            .is_ok_and(|metadata| metadata.len() == self.size_bytes && is_current(self, &metadata))
    }
}

/// Entries that this process uses are not removed by it.
fn in_use() -> &'static Mutex<HashSet<String>> {
    static IN_USE: OnceLock<Mutex<HashSet<String>>> = OnceLock::new();
    IN_USE.get_or_init(Mutex::default)
}

fn protect(key: String) {
    let mut held = in_use().lock().unwrap_or_else(PoisonError::into_inner);
    held.insert(key);
}

/// An entry being fetched. Others that want the same file wait until it is dropped.
pub(crate) struct Entry {
    folder: PathBuf,
    file: File,
    /// The file `ranges`.
    written: File,
    /// What is there, from now and from before.
    done: Ranges,
    _lock: File,
}

/// Makes or takes up the entry of an object. None where another process has finished it meanwhile.
pub(crate) fn begin(object: &Object) -> io::Result<Option<Entry>> {
    let key = key(object);
    let folder = objects().join(&key);
    make_private(&folder)?;
    protect(key);
    let lock = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(folder.join("lock"))?;
    lock.lock()?;
    if kept(object).is_some() {
        return Ok(None);
    }
    let about = format!("{}\n{}\n", hide_credentials(&object.url), object.version);
    fs::write(folder.join("about"), about)?;
    let open = |name: &str| {
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).read(true).write(true);
        options.open(folder.join(name))
    };
    let file = open("part")?;
    let is_of_this_boot = is_of_this_boot(&folder.join("boot"))?;
    let is_new = file.metadata()?.len() != object.size_bytes || !is_of_this_boot;
    file.set_len(object.size_bytes)?;
    let mut written = open("ranges")?;
    let done = if is_new {
        written.set_len(0)?;
        Ranges::default()
    } else {
        ranges_of(&fs::read(folder.join("ranges"))?)
    };
    // What a process that was killed left of a range is written over.
    let whole = written.metadata()?.len() / RANGE_BYTES * RANGE_BYTES;
    written.seek(SeekFrom::Start(whole))?;
    Ok(Some(Entry {
        folder,
        file,
        written,
        done,
        _lock: lock,
    }))
}

/// Whether a part was begun since the machine started; remembers that it is from now on. What was
/// written before a crash of the machine may not have reached the disk.
fn is_of_this_boot(path: &Path) -> io::Result<bool> {
    let Ok(boot) = fs::read("/proc/sys/kernel/random/boot_id") else {
        return Ok(true);
    };
    let is_same = fs::read(path).is_ok_and(|known| known == boot);
    if !is_same {
        fs::write(path, boot)?;
    }
    Ok(is_same)
}

/// Bytes of one range in the file `ranges`.
const RANGE_BYTES: u64 = 16;

fn ranges_of(bytes: &[u8]) -> Ranges {
    let (numbers, _) = bytes.as_chunks::<8>();
    let (pairs, _) = numbers.as_chunks::<2>();
    let ranges = pairs
        .iter()
        .map(|[start, end]| u64::from_le_bytes(*start)..u64::from_le_bytes(*end));
    ranges.collect()
}

impl Entry {
    /// Where the bytes go.
    pub(crate) const fn file(&self) -> &File {
        &self.file
    }

    /// Ranges that are there, one after the other.
    pub(crate) fn read(&self, ranges: &[Range<u64>]) -> io::Result<Vec<u8>> {
        let length = |range: &Range<u64>| range.end.saturating_sub(range.start);
        let total: u64 = ranges.iter().map(length).sum();
        let mut bytes = Vec::with_capacity(usize::try_from(total).unwrap_or(0));
        for range in ranges {
            (&self.file).seek(SeekFrom::Start(range.start))?;
            let count = (&self.file).take(length(range)).read_to_end(&mut bytes)?;
            if count as u64 != length(range) {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(bytes)
    }

    /// What of a range is not there yet.
    pub(crate) fn missing(&self, wanted: &Range<u64>) -> Vec<Range<u64>> {
        self.done.missing(wanted)
    }

    /// Remembers that a range is there, so that it is not fetched again after an interruption.
    pub(crate) fn mark(&mut self, range: Range<u64>) -> io::Result<()> {
        let pair = [range.start.to_le_bytes(), range.end.to_le_bytes()];
        self.written.write_all(pair.as_flattened())?;
        self.done.add(range);
        Ok(())
    }

    /// Makes the file appear: whole, and on the disk before it has its name.
    pub(crate) fn finish(self) -> io::Result<PathBuf> {
        let data = self.folder.join("data");
        let whole = 0..self.file.metadata()?.len();
        if !self.missing(&whole).is_empty() {
            return Err(io::Error::other("parts of the file were not fetched"));
        }
        self.file.sync_all()?;
        fs::rename(self.folder.join("part"), &data)?;
        // Best effort: without it, a crash of the machine may lose the name, never the contents.
        #[cfg(unix)]
        let _ = File::open(&self.folder).and_then(|folder| folder.sync_all());
        let _ = fs::remove_file(self.folder.join("ranges"));
        Ok(data)
    }
}

/// Removes the entries used longest ago until the rest fits.
pub(crate) fn evict() {
    evict_to(settings::cache_bytes());
}

fn evict_to(limit_bytes: u64) {
    let Ok(folders) = fs::read_dir(objects()) else {
        return;
    };
    let mut entries: Vec<(SystemTime, u64, PathBuf)> = folders
        .flatten()
        .map(|entry| {
            let (used, bytes) = use_of(&entry.path());
            (used, bytes, entry.path())
        })
        .collect();
    entries.sort();
    let mut total: u64 = entries.iter().map(|entry| entry.1).sum();
    let held = in_use().lock().unwrap_or_else(PoisonError::into_inner);
    for (_, bytes, folder) in entries {
        if total <= limit_bytes {
            return;
        }
        let name = folder
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        if name.is_some_and(|name| held.contains(&name)) || is_locked(&folder) {
            continue;
        }
        if fs::remove_dir_all(&folder).is_ok() {
            tracing::info!(folder = %folder.display(), bytes, "removed from the cache");
            total -= bytes;
        }
    }
}

/// When an entry was last of use, and the bytes it takes on disk.
fn use_of(folder: &Path) -> (SystemTime, u64) {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = files.filter_map(|file| file.metadata().ok());
    sizes.fold((SystemTime::UNIX_EPOCH, 0), |(used, bytes), metadata| {
        let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        (used.max(modified), bytes + bytes_on_disk(&metadata))
    })
}

/// A file that was fetched in parts takes less than its length.
fn bytes_on_disk(metadata: &fs::Metadata) -> u64 {
    #[cfg(unix)]
    return std::os::unix::fs::MetadataExt::blocks(metadata) * 512;
    #[cfg(not(unix))]
    metadata.len()
}

fn is_locked(folder: &Path) -> bool {
    File::open(folder.join("lock")).is_ok_and(|lock| lock.try_lock().is_err())
}

fn listing_path(place: &str) -> PathBuf {
    root().join("listings").join(format!("{place}.json"))
}

/// Keeps a listing for days without a network. Best effort: the cache is not the answer.
pub(crate) fn keep_listing(listing: &KeptListing) {
    let path = listing_path(&listing.place);
    let written = path.parent().map_or(Ok(()), make_private).and_then(|()| {
        let text = serde_json::to_vec(listing)?;
        let fresh = path.with_extension(format!("{}.new", std::process::id()));
        let mut file = File::create(&fresh)?;
        file.write_all(&text)?;
        file.sync_all()?;
        fs::rename(&fresh, &path)
    });
    if let Err(error) = written {
        tracing::warn!(%error, "the listing is not kept");
    }
}

/// The listing of a URL when it was last reached.
pub(crate) fn kept_listing(url: &str) -> Option<KeptListing> {
    let place = digest(&[url]);
    let path = listing_path(&place);
    let text = fs::read(&path).ok()?;
    let Ok(mut listing) = serde_json::from_slice::<KeptListing>(&text) else {
        // Earlier versions kept whole URLs.
        let _ = fs::remove_file(path);
        return None;
    };
    for object in listing
        .objects
        .iter_mut()
        .filter(|object| object.url.is_empty())
    {
        url.clone_into(&mut object.url);
    }
    (listing.place == place).then_some(listing)
}

/// Makes a folder of the cache.
fn make_private(folder: &Path) -> io::Result<()> {
    private::make_private(folder, &root())
}

#[cfg(all(test, unix))]
#[path = "cache_tests.rs"]
mod tests;
