//! Memory profiles beside and without captures: telling them by content, and whose they are.

use std::fs::File;
use std::io::{Seek as _, SeekFrom};

use stepscope_model::heap::is_memory_profile;

use crate::compression::{Meter, decoder};
use crate::limits::Limits;
use crate::scan::Folder;
use crate::sniff::{Encoding, read_head};

/// Why a file named as a memory profile is none.
pub(crate) const NO_PROFILE: &str =
    "named like a memory profile, but its content is not one in pprof's format";

/// Whether a file unfolds to something that begins as a memory profile. Leaves it at its beginning.
pub(crate) fn is_begun_by(file: &mut File, encoding: Encoding) -> bool {
    let (meter, limits) = (Meter::default(), Limits::default());
    let head = file.seek(SeekFrom::Start(0)).and_then(|_| {
        let head = decoder(encoding, &mut *file, &meter, &limits).and_then(read_head)?;
        file.seek(SeekFrom::Start(0))?;
        Ok(head)
    });
    head.is_ok_and(|head| is_memory_profile(&head))
}

/// Whether something that begins with these bytes unfolds to what begins as a memory profile.
pub(crate) fn begins_with(head: &[u8], encoding: Encoding) -> bool {
    let (meter, limits) = (Meter::default(), Limits::default());
    let head = decoder(encoding, head, &meter, &limits).and_then(read_head);
    head.is_ok_and(|head| is_memory_profile(&head))
}

/// Gives the memory profiles of a log directory that holds one run, `plugins/profile/<run>`, to that
/// run: people save them beside `plugins`. With several runs nobody knows whose they are, so they
/// stay a session of their own.
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
