//! `stepscope completions`: a completion script for a shell.

use clap::ArgMatches;

use crate::command_tree;
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Prints the script.
pub(crate) fn run(arguments: &ArgMatches, output: &Output) -> Result<Exit, Failure> {
    let Some(&shell) = arguments.get_one::<clap_complete::Shell>("shell") else {
        return Err(Failure::new(Exit::Usage, "SHELL is missing"));
    };
    let mut script = Vec::new();
    clap_complete::generate(
        shell,
        &mut command_tree::command(),
        "stepscope",
        &mut script,
    );
    output.data(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Fine)
}
