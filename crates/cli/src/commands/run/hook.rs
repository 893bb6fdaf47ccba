//! The hook: a `sitecustomize.py` in a folder on PYTHONPATH, which every Python runs at its start.
//!
//! It is written here, and not taken from an installed package, so that this command needs no
//! Python of its own. It lies in the log directory, which the machines of a job share.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, process};

use crate::exit::{Exit, Failure};

const SITECUSTOMIZE: &str = include_str!("../../../../../python/stepscope/hook/sitecustomize.py");

/// Writes the hook and returns its folder. For a log directory in a bucket it is in the cache.
pub(super) fn write(logdir: &Path) -> Result<PathBuf, Failure> {
    let base = if stepscope_remote::is_url(logdir) {
        stepscope_remote::cache_folder()
    } else {
        logdir.join(".stepscope")
    };
    let folder = base.join("hook");
    let written = put(&folder).map(|()| folder);
    written.map_err(|error| {
        let message = format!(
            "cannot write into the log directory ({error}): {}",
            base.display()
        );
        Failure::new(Exit::Failure, message).hint("choose another folder with --logdir")
    })
}

/// The ranks of a job write the same file at the same time, so it appears whole.
fn put(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    let partial = folder.join(format!(".{}.partial", process::id()));
    let mut file = fs::File::create(&partial)?;
    file.write_all(SITECUSTOMIZE.as_bytes())?;
    fs::rename(&partial, folder.join("sitecustomize.py"))
}

/// PYTHONPATH with `folder` before what is there.
pub(super) fn python_path(folder: &Path) -> Result<OsString, Failure> {
    let before = env::var_os("PYTHONPATH").unwrap_or_default();
    let others = env::split_paths(&before).filter(|place| place != folder);
    let places = std::iter::once(folder.to_owned()).chain(others);
    env::join_paths(places.filter(|place| !place.as_os_str().is_empty())).map_err(|_| {
        let message = format!(
            "a log directory cannot have `:` in its path: {}",
            folder.display()
        );
        Failure::new(Exit::Usage, message)
    })
}
