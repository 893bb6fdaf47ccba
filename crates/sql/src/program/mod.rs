//! The command line of queries, for every program that answers them: arguments, forms of rows, exit
//! codes.

mod answer;
mod arguments;
mod ask;
mod describe;
mod prompt;
mod write;

use std::ffi::OsString;

use crate::engine::Connect;

/// Answers the question of a command line, program name first, and returns the exit code. What it
/// opened is freed only when the process ends. `connect` reaches the machines that `--fleet` names.
pub fn run(line: impl IntoIterator<Item = OsString>, connect: &Connect) -> i32 {
    match arguments::Arguments::of(line) {
        Ok(arguments) => ask::run(&arguments, connect),
        Err(exit) => exit,
    }
}
