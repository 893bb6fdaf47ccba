//! Memory profiles with and without captures: recognizing them, and finding their capture.

use std::fs::File;
use std::io::{Seek as _, SeekFrom};

use stepscope_model::heap::is_memory_profile;

use crate::compression::{Meter, decoder};
use crate::encoding::Encoding;
use crate::folder::Folder;
use crate::limits::Limits;
use crate::sniff::read_head;

/// Why a file named like a memory profile is not one.
pub(crate) const NO_PROFILE: &str =
    "named like a memory profile, but its content is not one in pprof's format";

/// Whether a file decompresses to something that starts like a memory profile. Rewinds the file.
pub(crate) fn is_begun_by(file: &mut File, encoding: Encoding) -> bool {
    let size_bytes = file.metadata().map_or(0, |metadata| metadata.len());
    let (meter, limits) = (Meter::of(size_bytes), Limits::default());
    let head = file.seek(SeekFrom::Start(0)).and_then(|_| {
        let head = decoder(encoding, &mut *file, &meter, &limits).and_then(read_head)?;
        file.seek(SeekFrom::Start(0))?;
        Ok(head)
    });
    head.is_ok_and(|head| is_memory_profile(&head))
}

/// Whether `size_bytes` of data that start with these bytes decompress to something that starts like
/// a memory profile.
pub(crate) fn begins_with(head: &[u8], encoding: Encoding, size_bytes: u64) -> bool {
    let (meter, limits) = (Meter::of(size_bytes), Limits::default());
    let head = decoder(encoding, head, &meter, &limits).and_then(read_head);
    head.is_ok_and(|head| is_memory_profile(&head))
}

/// Assigns the memory profiles of a log directory with one run, `plugins/profile/<run>`, to that
/// run: people save them next to `plugins`. With several runs the right one is unknown, so they
/// stay a separate session.
pub(crate) fn attach(folders: Vec<Folder>) -> Vec<Folder> {
    let mut kept: Vec<Folder> = Vec::with_capacity(folders.len());
    let (memory_only, mut runs): (Vec<Folder>, Vec<Folder>) = folders
        .into_iter()
        .partition(|folder| folder.hosts.is_empty() && folder.programs.is_empty());
    for folder in memory_only {
        let mut own = runs.iter_mut().filter(|run| is_run_of(run, &folder));
        match (own.next(), own.next()) {
            (Some(only), None) if !only.hosts.is_empty() => only.memory.extend(folder.memory),
            _ => kept.push(folder),
        }
    }
    kept.append(&mut runs);
    kept.sort_by(|a, b| a.location.cmp(&b.location));
    kept
}

fn is_run_of(run: &Folder, log: &Folder) -> bool {
    let rest = run.location.strip_prefix(log.location.as_slice());
    rest.is_some_and(|rest| rest.len() > 2 && rest[..2] == ["plugins", "profile"])
}
