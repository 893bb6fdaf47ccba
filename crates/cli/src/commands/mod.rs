//! The commands, one file each.

pub(crate) mod analysis;
pub(crate) mod attach;
pub(crate) mod capture;
pub(crate) mod check;
pub(crate) mod comparison;
pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod export;
pub(crate) mod far;
mod findings_section;
pub(crate) mod incidents;
pub(crate) mod index;
pub(crate) mod mcp;
mod one_by_one;
pub(crate) mod perfetto;
pub(crate) mod programs;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod sessions;
pub(crate) mod skills;
mod steps_section;
mod token;
pub(crate) mod view;

use std::path::Path;

use clap::ArgMatches;
use stepscope_model::{Reads, Session};
use stepscope_storage::SessionFiles;

use crate::exit::{Exit, Failure};
use crate::open;
use crate::output::Output;

/// Finds, chooses, and opens the session that the arguments select, as far as a question `reads`
/// it.
fn open_session(
    arguments: &ArgMatches,
    reads: Reads,
    output: &Output,
) -> Result<&'static Session, Failure> {
    let path = path(arguments, "path")?;
    let found = open::find(path, output)?;
    let wanted = arguments.get_one::<String>("session").map(String::as_str);
    let files = open::choose(&found, wanted, output)?;
    match with_other_snapshot(files, arguments, output)? {
        Some(files) => open::open(&files, reads, output),
        None => open::open(files, reads, output),
    }
}

/// The session with one more memory snapshot, if `--against` is a path instead of a snapshot of the
/// session: the last snapshot at that path, named by the path as typed.
fn with_other_snapshot(
    files: &SessionFiles,
    arguments: &ArgMatches,
    output: &Output,
) -> Result<Option<SessionFiles>, Failure> {
    let against = arguments.try_get_one::<String>("against").ok().flatten();
    let is_place = |name: &str| {
        let path = Path::new(name);
        stepscope_remote::is_url(path) || path.exists()
    };
    let is_here = |name: &str| files.memory.iter().any(|snapshot| snapshot.host == name);
    let Some(against) = against.filter(|name| !is_here(name) && is_place(name)) else {
        return Ok(None);
    };
    let found = open::find(Path::new(against), output)?;
    let other = open::choose(&found, None, output)?;
    let Some(snapshot) = other.memory.last() else {
        let message = format!("--against {against} is not a memory profile");
        return Err(Failure::new(Exit::Path, message)
            .hint("give a file written by jax.profiler.save_device_memory_profile"));
    };
    let mut files = files.clone();
    let mut snapshot = snapshot.clone();
    snapshot.host.clone_from(against);
    files.size_bytes += snapshot.size_bytes;
    files.memory.push(snapshot);
    Ok(Some(files))
}

fn path<'a>(arguments: &'a ArgMatches, name: &str) -> Result<&'a Path, Failure> {
    let given = arguments.get_one::<std::path::PathBuf>(name);
    given
        .map(AsRef::as_ref)
        .ok_or_else(|| Failure::new(Exit::Usage, "PATH is missing"))
}
