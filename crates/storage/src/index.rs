//! Where the entries of archives are, kept for the archives opened last: opening one session of an
//! archive takes no longer because it holds ten thousand.
//!
//! A compressed tar has no places, only an order. Each pass over one takes out all that is wanted,
//! and keeps some of what stands before and behind it, because that is what is asked for next.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use zip::ZipArchive;
use zip::result::ZipResult;

use crate::budget::Reserved;
use crate::file_at::FileAt;
use crate::stamp::Stamp;

/// Archives that are remembered.
const KEPT: usize = 4;

/// What is known of one archive.
#[derive(Clone)]
enum Known {
    Zip(ZipArchive<FileAt>),
    Tar(Arc<Vec<TarPlace>>),
    Packed(Arc<Members>),
}

/// An entry of a plain tar.
#[derive(Debug, Clone)]
pub(crate) struct TarPlace {
    pub(crate) name: String,
    pub(crate) position: u64,
    pub(crate) size_bytes: u64,
    pub(crate) is_sparse: bool,
}

/// Entries that were taken out of a compressed tar, by their position.
pub(crate) struct Members {
    pub(crate) bytes: BTreeMap<usize, (String, Arc<Vec<u8>>)>,
    pub(crate) _reserved: Reserved,
}

/// The archives opened last, the latest at the end.
static LAST: Mutex<VecDeque<(PathBuf, Stamp, Known)>> = Mutex::new(VecDeque::new());

fn known<T>(path: &Path, stamp: &Stamp, pick: impl Fn(&Known) -> Option<T>) -> Option<T> {
    let last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    let same = |(known, at, _): &&(PathBuf, Stamp, Known)| known == path && at == stamp;
    last.iter()
        .rev()
        .find(same)
        .and_then(|(_, _, known)| pick(known))
}

fn keep(path: &Path, stamp: &Stamp, known: Known) {
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    last.retain(|(other, _, _)| other != path);
    last.push_back((path.to_path_buf(), stamp.clone(), known));
    if last.len() > KEPT {
        last.pop_front();
    }
}

/// A zip archive, its directory read once.
pub(crate) fn zip(path: &Path, stamp: &Stamp, file: FileAt) -> ZipResult<ZipArchive<FileAt>> {
    let pick = |known: &Known| match known {
        Known::Zip(archive) => Some(archive.clone()),
        _ => None,
    };
    if let Some(archive) = self::known(path, stamp, pick) {
        return Ok(archive);
    }
    let archive = ZipArchive::new(file)?;
    keep(path, stamp, Known::Zip(archive.clone()));
    Ok(archive)
}

/// The entries of a plain tar, in its order, its headers read once.
pub(crate) fn tar<E>(
    path: &Path,
    stamp: &Stamp,
    read: impl FnOnce() -> Result<Vec<TarPlace>, E>,
) -> Result<Arc<Vec<TarPlace>>, E> {
    let pick = |known: &Known| match known {
        Known::Tar(places) => Some(Arc::clone(places)),
        _ => None,
    };
    if let Some(places) = self::known(path, stamp, pick) {
        return Ok(places);
    }
    let places = Arc::new(read()?);
    keep(path, stamp, Known::Tar(Arc::clone(&places)));
    Ok(places)
}

/// An entry of a compressed tar that an earlier pass took out.
pub(crate) fn member(path: &Path, stamp: &Stamp, index: usize, name: &str) -> Option<Arc<Vec<u8>>> {
    known(path, stamp, |known| match known {
        Known::Packed(members) => {
            let (kept, bytes) = members.bytes.get(&index)?;
            (kept == name).then(|| Arc::clone(bytes))
        }
        _ => None,
    })
}

/// Remembers entries of a compressed tar.
pub(crate) fn keep_members(path: &Path, stamp: &Stamp, members: Members) {
    keep(path, stamp, Known::Packed(Arc::new(members)));
}
