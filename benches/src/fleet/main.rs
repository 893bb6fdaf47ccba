//! Asks a fleet on this machine, and prints what that takes apart from reading, as the tables of
//! `docs/fleet.md`.
//!
//! ```text
//! cargo run --release -p stepscope-benches --bin fleet
//! ```
//!
//! Every figure of a table is from one run, and so are ratios: other work on the machine slows all of
//! them. Processor time is user and system time, from `/proc`: that of executors includes reading.

#![expect(
    clippy::print_stdout,
    reason = "the tables are for whoever runs the program"
)]

mod hosts;
mod processes;
mod tasks;

use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use clap::Parser;
use stepscope_testing::corpus::repository_root;

use processes::Programs;

/// Ask a fleet.
#[derive(Debug, Parser)]
struct Options {
    /// Folder of the programs to measure [default: target/release]
    #[arg(long, value_name = "FOLDER")]
    programs: Option<PathBuf>,
    /// Sessions of the larger of two queries, each of which is a task
    #[arg(long, default_value_t = 256)]
    sessions: usize,
    /// Hosts of a large session, 1 MB each
    #[arg(long, default_value_t = 100)]
    hosts: usize,
    /// How often every question is asked
    #[arg(long, default_value_t = 5)]
    rounds: u32,
    /// Where the captures go [default: the system's temporary folder]
    #[arg(long, value_name = "FOLDER")]
    temporary: Option<PathBuf>,
}

fn main() -> Result<()> {
    let options = Options::parse();
    ensure!(options.rounds > 0, "--rounds must be at least 1");
    let built = || repository_root().join("target/release");
    let programs = options.programs.clone().unwrap_or_else(built);
    let temporary = options.temporary.clone().unwrap_or_else(std::env::temp_dir);
    let folder = tempfile::tempdir_in(&temporary).context("no temporary folder")?;
    let programs = Programs::in_folder(&programs, folder.path())?;
    if options.sessions > tasks::FEW {
        println!(
            "{}",
            tasks::table(&programs, options.sessions, options.rounds)?
        );
    }
    if options.hosts > 0 {
        println!(
            "{}",
            hosts::table(&programs, options.hosts, options.rounds)?
        );
    }
    Ok(())
}
