//! The commands, one file each.

pub(crate) mod analysis;
pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod report;
pub(crate) mod sessions;
mod steps_section;
pub(crate) mod view;

use std::path::Path;

use clap::ArgMatches;
use stepscope_model::Session;

use crate::exit::{Exit, Failure};
use crate::open;
use crate::output::Output;

/// Finds, chooses and opens the session that the arguments ask for.
fn open_session(arguments: &ArgMatches, output: &Output) -> Result<&'static Session, Failure> {
    let path = path(arguments, "path")?;
    let found = open::find(path, output)?;
    let wanted = arguments.get_one::<String>("session").map(String::as_str);
    open::open(open::choose(&found, wanted, output)?, output)
}

fn path<'a>(arguments: &'a ArgMatches, name: &str) -> Result<&'a Path, Failure> {
    let given = arguments.get_one::<std::path::PathBuf>(name);
    given
        .map(AsRef::as_ref)
        .ok_or_else(|| Failure::new(Exit::Usage, "PATH is missing"))
}
