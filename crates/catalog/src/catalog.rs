//! A catalog: a folder, or a bucket with a mirror.
//!
//! ```text
//! FOLDER/
//!     roll-ups/ADDRESS.rollup     what all analyses say about one capture
//!     summaries-ENGINE            one line per session that was indexed
//!     lock                        held by whoever writes `summaries` or removes roll-ups
//! ```

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use stepscope_remote::{BucketFolder, RemoteError, parse_size};
use stepscope_storage::{SessionFiles, cache_folder};

use crate::digest::{digest, is_digest};
use crate::error::CatalogError;
use crate::folder::{Folder, Kept, use_now, write_whole};
use crate::locked::lock;
use crate::objects::Objects;
use crate::roll_up::{RollUp, Written};
use crate::shared::Shared;
use crate::summaries::{Entry, Summaries};

/// The variable that names another folder than that of the user's cache, or a bucket.
pub const VARIABLE: &str = "STEPSCOPE_CATALOG";

/// The variable with the size of the mirror of a bucket, as for folders.
const SIZE_VARIABLE: &str = "STEPSCOPE_CATALOG_SIZE";
/// Its size unless told otherwise.
const MIRROR_BYTES: u64 = 5 << 30;

/// How often what is done is written down: a killed process loses no more than this. A bucket gets an
/// object each time.
const FLUSHED_EVERY: Duration = Duration::from_secs(3);
const FLUSHED_TO_BUCKET_EVERY: Duration = Duration::from_secs(30);

/// A folder or a bucket with roll-ups.
#[derive(Debug)]
pub struct Catalog {
    folder: Folder,
    held: Mutex<Option<(FileState, Arc<Summaries>)>>,
    /// The bucket that `folder` mirrors.
    shared: Option<Arc<Shared>>,
    /// Why nothing can be read or written.
    unusable: Option<RemoteError>,
}

type FileState = (u64, Option<SystemTime>);

impl Catalog {
    /// The catalog of this user: what `STEPSCOPE_CATALOG` names, or a folder of the cache.
    pub fn of_user() -> Self {
        match std::env::var_os(VARIABLE).filter(|place| !place.is_empty()) {
            Some(place) => Self::named(Path::new(&place)),
            None => Self::private(&cache_folder().join("catalog")),
        }
    }

    /// The catalog at a path or at the URL of a bucket's folder. Asks nobody; with any other URL,
    /// [`Catalog::prepare`] fails.
    pub fn named(place: &Path) -> Self {
        let url = place.to_str().filter(|text| text.contains("://"));
        let Some(url) = url else {
            return Self::at(place);
        };
        match BucketFolder::at(url) {
            Ok(bucket) => {
                let mirror = cache_folder()
                    .join("catalogs")
                    .join(digest(bucket.url().as_bytes()));
                let size = std::env::var(SIZE_VARIABLE);
                let size = size.ok().and_then(|size| parse_size(&size));
                Self::in_bucket(Arc::new(bucket), &mirror, size.unwrap_or(MIRROR_BYTES))
            }
            Err(error) => Self {
                unusable: Some(error),
                // Nothing is ever written there.
                ..Self::private(&cache_folder().join("catalogs/none"))
            },
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

    /// The catalog in a bucket. What was fetched of it is kept in a folder of this user, up to a size.
    pub fn in_bucket(objects: Arc<dyn Objects>, mirror: &Path, mirror_bytes: u64) -> Self {
        let folder = |root: &Path| Folder {
            root: root.to_path_buf(),
            is_private: true,
        };
        Self {
            shared: Some(Arc::new(Shared::new(objects, folder(mirror), mirror_bytes))),
            ..Self::private(mirror)
        }
    }

    fn new(root: PathBuf, is_private: bool) -> Self {
        Self {
            folder: Folder { root, is_private },
            held: Mutex::default(),
            shared: None,
            unusable: None,
        }
    }

    /// The folder; of a bucket, that of the mirror.
    pub fn folder(&self) -> &Path {
        &self.folder.root
    }

    /// Where it is, for people: a path or a URL.
    pub fn place(&self) -> String {
        match (&self.unusable, &self.shared) {
            (Some(error), _) => error.url.clone(),
            (None, Some(shared)) => shared.objects.url().to_owned(),
            (None, None) => stepscope_storage::shown(&self.folder.root),
        }
    }

    /// Asks a bucket for everything that writing needs to know; again, if it was asked before.
    ///
    /// # Errors
    ///
    /// The bucket does not answer or does not allow it, or the URL is not one of a bucket.
    pub fn prepare(&self) -> Result<(), CatalogError> {
        self.usable()?;
        let prepared = self
            .shared
            .as_ref()
            .map_or(Ok(()), |shared| shared.prepare());
        Ok(prepared?)
    }

    fn usable(&self) -> Result<(), CatalogError> {
        self.unusable
            .clone()
            .map_or(Ok(()), |error| Err(error.into()))
    }

    /// Why a bucket did not do what was asked since the last call: readers then see less, or what
    /// was known before.
    pub fn take_problem(&self) -> Option<CatalogError> {
        let of_bucket = || self.shared.as_ref()?.take_problem();
        let problem = self.unusable.clone().or_else(of_bucket);
        problem.map(CatalogError::from)
    }

    /// What is known of all sessions. Read again only if it was written since the last call; a bucket
    /// is asked once a minute.
    pub fn summaries(&self) -> Arc<Summaries> {
        if let Some(shared) = &self.shared {
            return shared.summaries();
        }
        if self.unusable.is_some() {
            return Arc::default();
        }
        let path = self.folder.summaries();
        let state = fs::metadata(&path).map(|metadata| (metadata.len(), metadata.modified().ok()));
        let Ok(state) = state else {
            return Arc::default();
        };
        let mut held = lock(&self.held);
        if let Some((known, summaries)) = &*held
            && *known == state
        {
            return Arc::clone(summaries);
        }
        let text = self.folder.summaries_text();
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
        let path = self.folder.roll_up(address);
        match RollUp::open(&path, address) {
            Ok(roll_up) => {
                use_now(&path);
                Some(roll_up)
            }
            Err(error) => {
                tracing::debug!(path = %path.display(), %error, "the roll-up is not used");
                self.shared.as_ref()?.fetch(address)
            }
        }
    }

    /// Fetches the roll-ups of these sessions from a bucket, many at a time, where they will all be
    /// read. A folder has them.
    pub fn bring<'a>(&self, files: impl IntoIterator<Item = &'a SessionFiles>) {
        if self.shared.is_some() {
            let summaries = self.summaries();
            let known = files.into_iter().filter_map(|files| summaries.entry(files));
            let entries: Vec<Entry> = known.collect();
            self.bring_listed(&entries);
        }
    }

    /// The same for sessions whose entries are known.
    pub fn bring_listed<'a>(&self, entries: impl IntoIterator<Item = &'a Entry>) {
        if let Some(shared) = &self.shared {
            let entries = entries.into_iter();
            let addresses: Vec<String> = entries.map(|entry| entry.address.clone()).collect();
            shared.bring(&addresses);
        }
    }

    /// The roll-up of a capture, if all of it is what was written; in a bucket, what is there now.
    pub(crate) fn whole_roll_up(&self, address: &str) -> Option<(RollUp, Written)> {
        if let Some(shared) = &self.shared {
            return shared.ensured(address);
        }
        let roll_up = self.roll_up(address).filter(RollUp::is_whole)?;
        let metadata = fs::metadata(self.folder.roll_up(address));
        let bytes = metadata.map_or(0, |metadata| metadata.len());
        let version = String::new();
        Some((roll_up, Written { bytes, version }))
    }

    /// What is known of a session whose roll-up is whole.
    pub(crate) fn checked(&self, entry: Entry) -> Option<Entry> {
        // What others say is the name of a file: only what a digest can be.
        if !is_digest(&entry.address) {
            return None;
        }
        match &self.shared {
            Some(shared) => shared.checked(entry),
            None => self.whole_roll_up(&entry.address).map(|_| entry),
        }
    }

    /// Writes a roll-up.
    pub(crate) fn write(&self, address: &str, bytes: Vec<u8>) -> Result<Written, CatalogError> {
        self.usable()?;
        if let Some(shared) = &self.shared {
            return Ok(shared.write(address, &Bytes::from(bytes))?);
        }
        self.folder.write(address, &bytes)?;
        let (bytes, version) = (bytes.len() as u64, String::new());
        Ok(Written { bytes, version })
    }

    /// How often what is done is written down.
    pub(crate) const fn flushed_every(&self) -> Duration {
        match self.shared {
            Some(_) => FLUSHED_TO_BUCKET_EVERY,
            None => FLUSHED_EVERY,
        }
    }

    /// Tidies up after the last of some calls of [`Catalog::add`].
    pub(crate) fn settle(&self) -> Result<(), CatalogError> {
        self.shared
            .as_ref()
            .map_or(Ok(()), |shared| shared.settle())
    }

    /// Adds what is known of sessions. What was known of a session with the same name and place goes.
    pub(crate) fn add(&self, new: Vec<(String, Entry)>) -> Result<(), CatalogError> {
        if new.is_empty() {
            return Ok(());
        }
        self.usable()?;
        if let Some(shared) = &self.shared {
            return shared.add(new);
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
        let _lock = self.folder.lock()?;
        let path = self.folder.summaries();
        let mut entries = Summaries::parse(self.folder.summaries_text()).entries();
        change(&mut entries);
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        entries.dedup_by(|a, b| a.0 == b.0);
        let text = Summaries::written(&entries)?;
        Ok(write_whole(&path, text.as_bytes())?)
    }

    /// The roll-ups that are there, of any engine, longest unused first.
    ///
    /// # Errors
    ///
    /// The bucket does not answer.
    pub fn kept(&self) -> Result<Vec<Kept>, CatalogError> {
        match &self.shared {
            Some(shared) => Ok(shared.kept()?),
            None => Ok(self.folder.kept()),
        }
    }

    /// Removes the roll-ups that were not used for longest, until the rest fits, and what is known of
    /// their sessions. How many went. Of a bucket, only the mirror is limited, and none counts: others
    /// use the bucket, too.
    ///
    /// # Errors
    ///
    /// The folder cannot be written.
    pub fn evict(&self, limit_bytes: u64) -> Result<usize, CatalogError> {
        let gone = self.folder.shrink(limit_bytes);
        if self.shared.is_some() {
            return Ok(0);
        }
        if !gone.is_empty() {
            self.change(|entries| entries.retain(|(_, entry)| !gone.contains(&entry.address)))?;
        }
        Ok(gone.len())
    }

    /// Removes all roll-ups and summaries, and nothing else. How many roll-ups went, and their bytes.
    ///
    /// # Errors
    ///
    /// Something cannot be removed.
    pub fn clear(&self) -> Result<(usize, u64), CatalogError> {
        self.usable()?;
        match &self.shared {
            Some(shared) => Ok(shared.clear()?),
            None => Ok(self.folder.clear()?),
        }
    }
}
