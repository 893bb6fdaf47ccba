//! The summaries of a catalog in a bucket: several lists, each in an object that is never changed.
//!
//! Every run of `index` adds one, so many can write at the same time and none waits. A reader lists
//! them and fetches those that its mirror lacks. A run that finds many small ones joins them: it
//! writes the joined list, and only then deletes those that are in it. Two that do so at the same time
//! leave two lists, of which neither lacks anything.

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use bytes::Bytes;
use stepscope_remote::RemoteError;

use crate::digest::{digest, is_digest};
use crate::error::CatalogError;
use crate::folder::{Folder, summaries_name, write_whole};
use crate::locked::lock;
use crate::objects::Objects;
use crate::summaries::{Entry, Summaries};

/// A list is read up to this size: a hundred thousand sessions.
const MAX_LIST_BYTES: u64 = 128 << 20;
/// All lists are read up to this size, the newest first.
const MAX_ALL_BYTES: u64 = 1 << 30;
/// Smaller lists are joined, up to the limit of one.
const SMALL_BYTES: u64 = 8 << 20;
const MAX_JOINED_BYTES: u64 = 32 << 20;
/// So many small lists may stay.
const FEW: usize = 8;
/// A list that is gone when it is read was joined to another, which another listing has.
const ATTEMPTS: usize = 5;

/// What is known, from several lists.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    /// Oldest first.
    whole: Vec<List>,
    /// Names of those that are not what was written.
    damaged: Vec<String>,
}

#[derive(Debug)]
struct List {
    /// The digest of its content.
    name: String,
    bytes: u64,
    summaries: Summaries,
}

impl Lists {
    /// What they know together.
    pub(crate) fn joined(self) -> Summaries {
        Summaries::joined(self.whole.into_iter().map(|list| list.summaries))
    }
}

impl List {
    /// What was read, if it is what its name says.
    fn of(name: &str, bytes: Vec<u8>) -> Option<Self> {
        let size = bytes.len() as u64;
        if digest(&bytes) != name {
            return None;
        }
        Some(Self {
            name: name.to_owned(),
            bytes: size,
            summaries: Summaries::parsed(String::from_utf8(bytes).ok()?)?,
        })
    }
}

/// Where the lists are: a bucket and its mirror.
#[derive(Debug)]
pub(crate) struct Shelf {
    objects: Arc<dyn Objects>,
    mirror: Folder,
    /// Lists that this process wrote.
    own: Mutex<Vec<String>>,
}

impl Shelf {
    pub(crate) fn new(objects: Arc<dyn Objects>, mirror: Folder) -> Self {
        Self {
            objects,
            mirror,
            own: Mutex::default(),
        }
    }

    /// All lists were removed.
    pub(crate) fn cleared(&self) {
        lock(&self.own).clear();
    }

    /// The lists that are in the bucket now.
    pub(crate) fn lists(&self) -> Result<Lists, RemoteError> {
        let mut lists = self.lists_once()?;
        for _ in 1..ATTEMPTS {
            if lists.1 == 0 {
                break;
            }
            lists = self.lists_once()?;
        }
        Ok(lists.0)
    }

    /// The lists of one listing, and how many of them were gone when they were read.
    fn lists_once(&self) -> Result<(Lists, usize), RemoteError> {
        let folder = summaries_name();
        let mut listed = self.objects.list(&folder)?;
        listed.sort_by(|a, b| (b.modified_epoch_ms, &b.name).cmp(&(a.modified_epoch_ms, &a.name)));
        let mut lists = Lists::default();
        let (mut names, mut missing) = (Vec::new(), Vec::new());
        let mut total = 0;
        for stored in &listed {
            let name = stored.name.rsplit('/').next().unwrap_or_default();
            if !is_digest(name) {
                continue;
            }
            total += stored.size_bytes;
            if stored.size_bytes > MAX_LIST_BYTES {
                lists.damaged.push(name.to_owned());
            } else if total <= MAX_ALL_BYTES {
                names.push(name.to_owned());
            }
        }
        let mut here = Vec::new();
        for name in &names {
            match self.mirrored_list(name) {
                Some(list) => here.push(list),
                None => missing.push(format!("{folder}/{name}")),
            }
        }
        let mut gone_count = 0;
        let read = self.objects.read(&missing, MAX_LIST_BYTES);
        for (path, whole) in missing.iter().zip(read) {
            let name = path.rsplit('/').next().unwrap_or_default();
            let Some(whole) = whole? else {
                gone_count += 1;
                continue;
            };
            match List::of(name, whole.bytes.to_vec()) {
                Some(list) => {
                    self.mirror_list(name, &whole.bytes);
                    here.push(list);
                }
                None => lists.damaged.push(name.to_owned()),
            }
        }
        // As listed, the newest first.
        let position = |list: &List| names.iter().position(|name| *name == list.name);
        here.sort_by_key(|list| std::cmp::Reverse(position(list)));
        lists.whole = here;
        self.forget_lists(&names);
        Ok((lists, gone_count))
    }

    /// Adds what is known of sessions, as a list of their own.
    pub(crate) fn add(&self, mut new: Vec<(String, Entry)>) -> Result<(), CatalogError> {
        new.sort_by(|a, b| a.0.cmp(&b.0));
        new.dedup_by(|a, b| a.0 == b.0);
        let name = self.write_list(&new)?;
        lock(&self.own).push(name);
        Ok(())
    }

    fn write_list(&self, entries: &[(String, Entry)]) -> Result<String, CatalogError> {
        let text = Bytes::from(Summaries::written(entries)?);
        let name = digest(&text);
        let path = format!("{}/{name}", summaries_name());
        self.objects.write(&path, text.clone())?;
        self.mirror_list(&name, &text);
        Ok(name)
    }

    /// Joins the lists that this process wrote, or all small ones if there are many. Lists that are
    /// damaged go. Returns why lists that are no longer needed stay.
    pub(crate) fn settle(&self) -> Result<Option<RemoteError>, CatalogError> {
        let own = std::mem::take(&mut *lock(&self.own));
        let Lists { whole, damaged } = self.lists()?;
        let small: Vec<List> = whole
            .into_iter()
            .filter(|list| list.bytes < SMALL_BYTES)
            .collect();
        let is_many = small.len() > FEW;
        let mut total = 0;
        let joined = small.into_iter().filter(|list| {
            let is_wanted = is_many || own.contains(&list.name);
            total += if is_wanted { list.bytes } else { 0 };
            is_wanted && total <= MAX_JOINED_BYTES
        });
        let joined: Vec<List> = joined.collect();
        let mut gone = damaged;
        if joined.len() > 1 {
            gone.extend(joined.iter().map(|list| list.name.clone()));
            let summaries = Summaries::joined(joined.into_iter().map(|list| list.summaries));
            let name = self.write_list(&summaries.newest())?;
            gone.retain(|gone| *gone != name);
        }
        let folder = summaries_name();
        let gone: Vec<String> = gone.iter().map(|name| format!("{folder}/{name}")).collect();
        // Whoever may write and not delete leaves more lists than needed, and nothing wrong.
        Ok(self.objects.remove(&gone).err())
    }

    fn list_path(&self, name: &str) -> PathBuf {
        self.mirror.summaries().join(name)
    }

    fn mirrored_list(&self, name: &str) -> Option<List> {
        List::of(name, fs::read(self.list_path(name)).ok()?)
    }

    /// Best effort, as for roll-ups.
    fn mirror_list(&self, name: &str, bytes: &[u8]) {
        let made = self.mirror.make(&summaries_name());
        let written = made.and_then(|()| write_whole(&self.list_path(name), bytes));
        if let Err(error) = written {
            tracing::warn!(%error, "a list of summaries is not kept in the cache");
        }
    }

    /// What is in the mirror, for when the bucket cannot be asked.
    pub(crate) fn mirrored_lists(&self) -> Lists {
        let files = fs::read_dir(self.mirror.summaries()).into_iter().flatten();
        let mut names: Vec<(SystemTime, String)> = files
            .filter_map(|file| {
                let file = file.ok()?;
                let written = file.metadata().ok()?.modified().ok()?;
                Some((written, file.file_name().into_string().ok()?))
            })
            .collect();
        names.sort();
        let lists = names
            .iter()
            .filter_map(|(_, name)| self.mirrored_list(name));
        Lists {
            whole: lists.collect(),
            damaged: Vec::new(),
        }
    }

    /// Removes from the mirror what is not in the bucket.
    fn forget_lists(&self, names: &[String]) {
        let files = fs::read_dir(self.mirror.summaries()).into_iter().flatten();
        for file in files.flatten() {
            let name = file.file_name();
            if is_digest(&name.to_string_lossy()) && !names.iter().any(|known| **known == *name) {
                let _ = fs::remove_file(file.path());
            }
        }
    }
}
