//! Compressed tars: one pass takes out all that is wanted.

use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use stepscope_remote::each_tar_entry;

use crate::archive::{Format, LONGEST_NAME};
use crate::budget::Reserved;
use crate::compression::{Collected, Counting, Guarded, Meter, Reporting, collect, decoder};
use crate::encoding::Encoding;
use crate::error::StorageError;
use crate::fetch;
use crate::host_file::HostFile;
use crate::index::{self, Members};
use crate::kind::FileKind;
use crate::limits::Limits;
use crate::progress::{NoProgress, Progress};
use crate::regular::open_regular;
use crate::stamp::Stamp;

/// Bytes of entries that are kept on either side of those that are wanted.
const KEPT_BYTES: usize = 32 << 20;

/// What one pass took out of an archive, by position.
pub(crate) struct Pass {
    pub(crate) found: BTreeMap<usize, Collected>,
    /// What the pass hit, if it stopped early.
    pub(crate) meter: Meter,
    /// Where the archive itself is damaged.
    pub(crate) failure: Option<std::io::Error>,
}

impl Pass {
    /// One of the wanted entries; an error about `host` if the pass hit a limit before it.
    pub(crate) fn take(
        &mut self,
        index: usize,
        host: &HostFile,
    ) -> Option<Result<Collected, StorageError>> {
        let exceeded = self.meter.exceeded.get();
        let error = exceeded.map(|why| Err(why.error(host.display_path())));
        match self.found.remove(&index) {
            Some(collected) if collected.failure.is_none() => Some(Ok(collected)),
            _ if error.is_some() => error,
            cut => cut.map(Ok),
        }
    }
}

/// Takes entries out of a compressed tar, given by position, with their names. Entries near them
/// are kept for whoever asks next.
pub(crate) fn pass(
    path: &Path,
    encoding: Encoding,
    wanted: &BTreeMap<usize, &str>,
    limits: &Limits,
    progress: &dyn Progress,
    told: &dyn Fn(usize, u64),
) -> std::io::Result<Pass> {
    let file = open_regular(path)?;
    let stamp = Stamp::of(&file.metadata()?);
    let mut pass = Pass {
        found: BTreeMap::new(),
        meter: Meter::of(stamp.size_bytes),
        failure: None,
    };
    let mut nearby = Nearby::default();
    {
        let meter = &pass.meter;
        let unfolded = {
            let reporting = Reporting::new(file, progress, stamp.size_bytes);
            decoder(encoding, Counting::new(reporting, meter), meter, limits)?
        };
        let last = wanted.keys().next_back().copied().unwrap_or(0);
        each_tar_entry(unfolded, |index, entry| {
            let entry = match entry {
                Ok(entry) => entry,
                Err(failure) => {
                    pass.failure = Some(failure);
                    return ControlFlow::Break(());
                }
            };
            let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            let size_bytes = entry.size();
            let plausible = size_bytes.min(stamp.size_bytes.saturating_mul(64));
            let plausible = usize::try_from(plausible).unwrap_or(0);
            if wanted.get(&index).is_some_and(|wanted| *wanted == name) {
                let guarded = Guarded::new(entry, meter, limits);
                let collected = collect(guarded, plausible, meter);
                told(index, size_bytes);
                let is_cut = collected.failure.is_some();
                pass.found.insert(index, collected);
                if is_cut {
                    return ControlFlow::Break(());
                }
            } else if Nearby::takes(&name, size_bytes) {
                if index > last && nearby.is_full_behind(plausible) {
                    return ControlFlow::Break(());
                }
                nearby.add(index, name, collect(entry, plausible, meter), index > last);
            } else if index > last && nearby.behind_bytes == 0 && nearby.misses() {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        })?;
    }
    nearby.keep(path, &stamp);
    Ok(pass)
}

/// Entries before and behind the wanted ones.
#[derive(Default)]
struct Nearby {
    entries: VecDeque<(usize, String, Collected)>,
    before_bytes: usize,
    behind_bytes: usize,
    missed: usize,
}

impl Nearby {
    /// Whether an entry is of the kind that is asked for, and small.
    fn takes(name: &str, size_bytes: u64) -> bool {
        let file = name.rsplit('/').next().unwrap_or(name);
        let is_named = name.len() <= LONGEST_NAME && FileKind::of(file).role().is_some();
        is_named && size_bytes <= KEPT_BYTES as u64 / 4
    }

    fn is_full_behind(&self, more: usize) -> bool {
        self.behind_bytes.saturating_add(more) > KEPT_BYTES
    }

    /// Counts entries behind that nobody will ask for: after some, the pass ends.
    fn misses(&mut self) -> bool {
        self.missed += 1;
        self.missed > 16
    }

    fn add(&mut self, index: usize, name: String, collected: Collected, is_behind: bool) {
        if collected.failure.is_some() {
            return;
        }
        let bytes = held_bytes(&name, &collected);
        if is_behind {
            self.behind_bytes += bytes;
        } else {
            self.before_bytes += bytes;
        }
        self.entries.push_back((index, name, collected));
        while self.before_bytes > KEPT_BYTES {
            let Some((_, name, first)) = self.entries.pop_front() else {
                return;
            };
            let bytes = held_bytes(&name, &first);
            self.before_bytes = self.before_bytes.saturating_sub(bytes);
        }
    }

    fn keep(self, path: &Path, stamp: &Stamp) {
        let total: usize = self
            .entries
            .iter()
            .map(|(_, name, kept)| held_bytes(name, kept))
            .sum();
        let entries = self.entries.into_iter().map(|(index, name, kept)| {
            // Its reservation is made anew, for all of them.
            let Collected { bytes, .. } = kept;
            (index, (name, Arc::new(bytes)))
        });
        let bytes: BTreeMap<usize, (String, Arc<Vec<u8>>)> = entries.collect();
        let mut reserved = Reserved::default();
        if !bytes.is_empty() && reserved.grow_to(total as u64).is_ok() {
            let members = Members {
                bytes,
                _reserved: reserved,
            };
            index::keep_members(path, stamp, members);
        }
    }
}

/// Bytes that an entry takes: many are empty files.
fn held_bytes(name: &str, collected: &Collected) -> usize {
    name.len() + collected.bytes.len() + 128
}

/// An entry, and how its archive is compressed.
pub(crate) type Together = Result<(Collected, Encoding), StorageError>;

/// The entries of compressed tars among the files of a session, by the position of the file:
/// several of one archive in one pass. The rest is opened one by one.
pub(crate) fn read_together<P: Progress>(
    files: &[&HostFile],
    is_wanted: impl Fn(usize) -> bool,
    listeners: &[P],
) -> Vec<Option<Together>> {
    let mut read: Vec<Option<Together>> = files.iter().map(|_| None).collect();
    let mut archives: BTreeMap<&Path, Vec<usize>> = BTreeMap::new();
    for (position, file) in files.iter().enumerate() {
        if file.entry.is_some() && is_wanted(position) {
            archives.entry(&file.path).or_default().push(position);
        }
    }
    archives.retain(|_, positions| positions.len() > 1);
    for positions in archives.into_values() {
        let first = files[positions[0]];
        let Ok(local) = fetch::local(first, &NoProgress) else {
            continue;
        };
        let format = open_regular(&local).and_then(|mut file| Format::detect(&mut file));
        let Ok(Ok(Format::Tar(encoding))) = format else {
            continue;
        };
        if encoding == Encoding::Plain {
            continue;
        }
        let by_index: BTreeMap<usize, usize> = positions
            .iter()
            .map(|&position| (files[position].index, position))
            .collect();
        let entry = |position: usize| files[position].entry.as_deref().unwrap_or_default();
        let wanted = by_index
            .iter()
            .map(|(&index, &at)| (index, entry(at)))
            .collect();
        let told = |index: usize, bytes: u64| {
            if let Some(&position) = by_index.get(&index) {
                listeners[position].bytes(bytes, Some(bytes));
            }
        };
        let Ok(mut pass) = pass(
            &local,
            encoding,
            &wanted,
            &Limits::default(),
            &NoProgress,
            &told,
        ) else {
            continue;
        };
        for (&index, &position) in &by_index {
            let taken = pass.take(index, files[position]);
            read[position] = taken.map(|taken| taken.map(|member| (member, encoding)));
        }
    }
    read
}
