//! A catalog in a bucket, seen through a mirror: a folder of the user's cache with what was fetched.
//!
//! ```text
//! s3://BUCKET/PREFIX/
//!     roll-ups/ADDRESS.rollup     as in a folder
//!     summaries-ENGINE/DIGEST     what runs of `index` found, named by the digest of the content
//! ```
//!
//! Names say what is in an object, so a copy in the mirror is never outdated. Many may write at the
//! same time, since nobody changes an object of another; see `lists` for the summaries.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use bytes::Bytes;
use stepscope_remote::{RemoteError, Stored, Whole};

use crate::digest::is_digest;
use crate::error::CatalogError;
use crate::folder::{Folder, Kept, ROLL_UPS, SUFFIX, SUMMARIES};
use crate::lists::{Lists, Shelf};
use crate::locked::lock;
use crate::objects::Objects;
use crate::roll_up::{RollUp, Written};
use crate::summaries::{Entry, Summaries};

/// A roll-up in a bucket is read up to this size.
const MAX_ROLL_UP_BYTES: u64 = 128 << 20;
/// Roll-ups that are fetched at the same time, and held in memory until they are in the mirror.
const FETCHED_AT_ONCE: usize = 32;
/// How long a process goes without asking what others wrote.
const ASKED_EVERY: Duration = Duration::from_mins(1);

/// A bucket and its mirror.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) objects: Arc<dyn Objects>,
    mirror: Folder,
    /// Size of the mirror.
    limit_bytes: u64,
    /// Bytes that came into the mirror since it was last looked through; at first, more than enough.
    fetched: AtomicU64,
    known: Mutex<Known>,
    /// Roll-ups in the bucket by address, for those who write.
    stock: Mutex<Option<HashMap<String, Stored>>>,
    /// The summaries.
    shelf: Shelf,
    problem: Mutex<Option<RemoteError>>,
}

#[derive(Debug, Default)]
struct Known {
    asked: Option<Instant>,
    summaries: Arc<Summaries>,
    /// Roll-ups that are not there or damaged.
    absent: HashSet<String>,
}

impl Shared {
    pub(crate) fn new(objects: Arc<dyn Objects>, mirror: Folder, limit_bytes: u64) -> Self {
        Self {
            shelf: Shelf::new(Arc::clone(&objects), mirror.clone()),
            objects,
            mirror,
            limit_bytes,
            fetched: AtomicU64::new(u64::MAX / 2),
            known: Mutex::default(),
            stock: Mutex::default(),
            problem: Mutex::default(),
        }
    }

    /// What is known of all sessions. Where the bucket cannot be asked, what was known the last time.
    /// Only the first question waits: the bucket is asked again beside those that follow.
    pub(crate) fn summaries(self: &Arc<Self>) -> Arc<Summaries> {
        let mut known = lock(&self.known);
        let Some(asked) = known.asked else {
            let joined = self.shelf.lists().map_or_else(
                |error| {
                    self.note(error);
                    self.shelf.mirrored_lists().joined()
                },
                Lists::joined,
            );
            known.asked = Some(Instant::now());
            known.summaries = Arc::new(joined);
            known.absent.clear();
            return Arc::clone(&known.summaries);
        };
        if asked.elapsed() > ASKED_EVERY {
            known.asked = Some(Instant::now());
            let own = Arc::clone(self);
            std::thread::spawn(move || own.ask_again());
        }
        Arc::clone(&known.summaries)
    }

    fn ask_again(&self) {
        match self.shelf.lists() {
            Ok(lists) => {
                let joined = Arc::new(lists.joined());
                let mut known = lock(&self.known);
                known.summaries = joined;
                known.absent.clear();
            }
            Err(error) => self.note(error),
        }
    }

    /// The next question asks the bucket again.
    fn forget(&self) {
        lock(&self.known).asked = None;
    }

    /// Adds what is known of sessions.
    pub(crate) fn add(&self, new: Vec<(String, Entry)>) -> Result<(), CatalogError> {
        self.shelf.add(new)?;
        self.forget();
        Ok(())
    }

    /// Tidies up after the last of some calls of [`Shared::add`].
    pub(crate) fn settle(&self) -> Result<(), CatalogError> {
        if let Some(error) = self.shelf.settle()? {
            self.note(error);
        }
        self.forget();
        Ok(())
    }

    /// Keeps why the bucket did not do what was asked.
    fn note(&self, error: RemoteError) {
        tracing::debug!(%error, hint = error.hint, "the catalog's bucket");
        lock(&self.problem).get_or_insert(error);
    }

    /// Why the bucket did not do what was asked, once.
    pub(crate) fn take_problem(&self) -> Option<RemoteError> {
        lock(&self.problem).take()
    }

    /// Asks for everything that writing needs to know.
    pub(crate) fn prepare(&self) -> Result<(), RemoteError> {
        let summaries = Arc::new(self.shelf.lists()?.joined());
        *lock(&self.stock) = Some(self.listed()?);
        let asked = Some(Instant::now());
        let absent = HashSet::new();
        *lock(&self.known) = Known {
            asked,
            summaries,
            absent,
        };
        Ok(())
    }

    /// Roll-ups in the bucket, of any engine, by address.
    fn listed(&self) -> Result<HashMap<String, Stored>, RemoteError> {
        let stored = self.objects.list(ROLL_UPS)?.into_iter();
        let named = stored.filter_map(|one| Some((address_of(&one.name)?.to_owned(), one)));
        Ok(named.collect())
    }

    /// Roll-ups in the bucket, oldest first.
    pub(crate) fn kept(&self) -> Result<Vec<Kept>, RemoteError> {
        let kept = self.listed()?.into_iter().map(|(address, stored)| {
            let written = u64::try_from(stored.modified_epoch_ms).unwrap_or(0);
            let written = SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(written));
            Kept {
                address,
                bytes: stored.size_bytes,
                used: written.unwrap_or(SystemTime::UNIX_EPOCH),
            }
        });
        let mut kept: Vec<Kept> = kept.collect();
        kept.sort_by(|a, b| (a.used, &a.address).cmp(&(b.used, &b.address)));
        Ok(kept)
    }

    /// Fetches a roll-up that the mirror lacks, unless it is not there or damaged.
    pub(crate) fn fetch(&self, address: &str) -> Option<RollUp> {
        if !is_digest(address) || lock(&self.known).absent.contains(address) {
            return None;
        }
        match self.whole(address) {
            Ok(Some((roll_up, _))) => return Some(roll_up),
            Ok(None) => {}
            Err(error) => self.note(error),
        }
        lock(&self.known).absent.insert(address.to_owned());
        None
    }

    /// Fetches the roll-ups that the mirror lacks, many at a time.
    pub(crate) fn bring(&self, addresses: &[String]) {
        let is_missing =
            |address: &&String| is_digest(address) && !self.mirror.roll_up(address).exists();
        let missing: Vec<&String> = addresses.iter().filter(is_missing).collect();
        for some in missing.chunks(FETCHED_AT_ONCE) {
            let names: Vec<String> = some.iter().map(|address| name_of(address)).collect();
            let read = self.objects.read(&names, MAX_ROLL_UP_BYTES);
            for (address, whole) in some.iter().zip(read) {
                match whole {
                    Ok(Some(whole)) => drop(self.mirrored(address, whole)),
                    Ok(None) => {}
                    // Whoever needs it asks again.
                    Err(error) => return self.note(error),
                }
            }
        }
    }

    /// A roll-up as it is in the bucket now, if all of it is what was written.
    fn whole(&self, address: &str) -> Result<Option<(RollUp, Written)>, RemoteError> {
        let mut read = self.objects.read(&[name_of(address)], MAX_ROLL_UP_BYTES);
        let whole = read.pop().transpose()?.flatten();
        Ok(whole.and_then(|whole| self.mirrored(address, whole)))
    }

    /// Checks what was fetched and keeps it in the mirror.
    fn mirrored(&self, address: &str, whole: Whole) -> Option<(RollUp, Written)> {
        let Whole { bytes, version } = whole;
        let roll_up = match RollUp::of_bytes(bytes.clone(), address) {
            Ok(roll_up) => roll_up,
            Err(error) => {
                tracing::debug!(address, %error, "the roll-up in the bucket is not used");
                return None;
            }
        };
        self.mirror(address, &bytes);
        let bytes = bytes.len() as u64;
        Some((roll_up, Written { bytes, version }))
    }

    /// Best effort: without it, the next question fetches again.
    fn mirror(&self, address: &str, bytes: &[u8]) {
        if let Err(error) = self.mirror.write(address, bytes) {
            tracing::warn!(%error, "a roll-up is not kept in the cache");
        }
        let size = bytes.len() as u64;
        let fetched = self.fetched.fetch_add(size, Ordering::Relaxed) + size;
        if fetched > self.limit_bytes / 16 {
            self.fetched.store(0, Ordering::Relaxed);
            self.mirror.shrink(self.limit_bytes);
        }
    }

    /// A roll-up that is whole in the bucket. One that is whole in the mirror alone is written.
    pub(crate) fn ensured(&self, address: &str) -> Option<(RollUp, Written)> {
        if !is_digest(address) {
            return None;
        }
        match self.whole(address) {
            Ok(Some(whole)) => return Some(whole),
            Ok(None) => {}
            Err(error) => {
                self.note(error);
                return None;
            }
        }
        let bytes = Bytes::from(fs::read(self.mirror.roll_up(address)).ok()?);
        let roll_up = RollUp::of_bytes(bytes.clone(), address).ok()?;
        let written = self.write(address, &bytes);
        Some((roll_up, written.ok()?))
    }

    /// What is known of a session, if its roll-up is whole: it has the version that its writer saw, or
    /// it was read.
    pub(crate) fn checked(&self, entry: Entry) -> Option<Entry> {
        let is_as_written = {
            let mut stock = lock(&self.stock);
            if stock.is_none() {
                *stock = Some(self.listed().ok()?);
            }
            let stored = stock.as_ref()?.get(&entry.address);
            stored.is_some_and(|stored| {
                let is_same = (stored.size_bytes, &stored.version) == (entry.bytes, &entry.version);
                is_same && !stored.version.is_empty()
            })
        };
        if is_as_written {
            return Some(entry);
        }
        let (_, Written { bytes, version }) = self.ensured(&entry.address)?;
        Some(Entry {
            bytes,
            version,
            ..entry
        })
    }

    /// Writes a roll-up, to the bucket and to the mirror.
    pub(crate) fn write(&self, address: &str, bytes: &Bytes) -> Result<Written, RemoteError> {
        let version = self.objects.write(&name_of(address), bytes.clone())?;
        self.mirror(address, bytes);
        lock(&self.known).absent.remove(address);
        let bytes = bytes.len() as u64;
        if let Some(stock) = &mut *lock(&self.stock) {
            let stored = Stored {
                name: name_of(address),
                size_bytes: bytes,
                modified_epoch_ms: 0,
                version: version.clone(),
            };
            stock.insert(address.to_owned(), stored);
        }
        Ok(Written { bytes, version })
    }

    /// Removes all roll-ups and summaries, and nothing else. How many roll-ups went, and their bytes.
    pub(crate) fn clear(&self) -> Result<(usize, u64), RemoteError> {
        let stored = self.objects.list("")?.into_iter();
        let (roll_ups, rest): (Vec<Stored>, Vec<Stored>) =
            stored.partition(|one| address_of(&one.name).is_some());
        let lists = rest.into_iter().filter(|one| is_list(&one.name));
        let lists: Vec<String> = lists.map(|one| one.name).collect();
        let bytes = roll_ups.iter().map(|one| one.size_bytes).sum();
        // Lists first: what is interrupted leaves nothing that is listed and not there.
        self.objects.remove(&lists)?;
        let names: Vec<String> = roll_ups.into_iter().map(|one| one.name).collect();
        self.objects.remove(&names)?;
        *lock(&self.known) = Known::default();
        *lock(&self.stock) = None;
        self.shelf.cleared();
        if let Err(error) = self.mirror.clear() {
            tracing::warn!(%error, "the cache of the catalog is not removed");
        }
        Ok((names.len(), bytes))
    }
}

fn name_of(address: &str) -> String {
    format!("{ROLL_UPS}/{address}{SUFFIX}")
}

/// What `roll-ups/ADDRESS.rollup` says; `None` for objects of others.
fn address_of(name: &str) -> Option<&str> {
    let name = name.strip_prefix(ROLL_UPS)?.strip_prefix('/')?;
    name.strip_suffix(SUFFIX)
        .filter(|address| is_digest(address))
}

/// Whether an object is a list of summaries, of any engine.
fn is_list(name: &str) -> bool {
    let parts = name
        .strip_prefix(SUMMARIES)
        .and_then(|rest| rest.split_once('/'));
    parts.is_some_and(|(engine, list)| {
        engine.bytes().all(|letter| letter.is_ascii_hexdigit()) && is_digest(list)
    })
}
