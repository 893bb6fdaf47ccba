//! Compares Stepscope with other profilers on one capture: they take turns, and the figures are
//! printed as tables for `docs/internals/benchmarks.md`.
//!
//! ```text
//! cargo run --release -p stepscope-benches --bin peers -- \
//!     --capture HOST.xplane.pb --xprof-rs BIN --xprof-python PYTHON
//! ```

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tables on standard output, progress on standard error"
)]

mod contestant;
mod table;
mod tools;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Parser;
use stepscope_benches::child::Cost;
use stepscope_testing::corpus::repository_root;

use contestant::{Contestant, Program, Question};
use table::Column;

/// Compare Stepscope with other profilers, in turns on one capture.
#[derive(Debug, Parser)]
struct Options {
    /// The profile, uncompressed: HOST.xplane.pb
    #[arg(long, value_name = "FILE")]
    capture: PathBuf,
    /// The stepscope to measure [default: target/release/stepscope]
    #[arg(long, value_name = "BIN")]
    stepscope: Option<PathBuf>,
    /// xprof-rs 0.1.3: `cargo install xprof-rs --version 0.1.3`
    #[arg(long, value_name = "BIN")]
    xprof_rs: Option<PathBuf>,
    /// The Python of an environment with XProf: `pip install xprof==2.24.2`
    #[arg(long, value_name = "PYTHON")]
    xprof_python: Option<PathBuf>,
    /// Number of rounds
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// XProf is slow and takes part only in the first rounds
    #[arg(long, default_value_t = 3)]
    xprof_rounds: usize,
    /// Also run XProf's other tools, once each, next to our subcommands
    #[arg(long, requires = "xprof_python")]
    tools: bool,
    /// Also repeat the capture this many times in one file, for Stepscope only; 20 makes 3.6 GB
    #[arg(long, default_value_t = 0, value_name = "TIMES")]
    large: usize,
    /// Where the copies go [default: the system's temporary folder]
    #[arg(long, value_name = "FOLDER")]
    temporary: Option<PathBuf>,
}

fn main() -> Result<()> {
    let options = Options::parse();
    ensure!(options.rounds > 0, "--rounds must be at least 1");
    let size_bytes = fs::metadata(&options.capture)
        .with_context(|| format!("cannot read {}", options.capture.display()))?
        .len();
    let contestants = contestants(&options)?;
    println!("{}\n", table::machine());
    let mut medians = Vec::new();
    for question in Question::ALL {
        let columns = play(&options, &contestants, question)?;
        println!("{}", table::comparison(question, size_bytes, &columns));
        medians.push(columns[0].peak_bytes());
    }
    if options.tools
        && let Some(python) = &options.xprof_python
    {
        let stepscope = &contestants[0].path;
        println!("{}", tools::table(stepscope, python, || linked(&options))?);
    }
    if options.large > 0 {
        large(&options, &contestants[0], size_bytes, &medians)?;
    }
    Ok(())
}

fn contestants(options: &Options) -> Result<Vec<Contestant>> {
    let built = || repository_root().join("target/release/stepscope");
    let stepscope = options.stepscope.clone().unwrap_or_else(built);
    let mut contestants = vec![Contestant::new(Program::Stepscope, stepscope)];
    let others = [
        (Program::XprofRs, &options.xprof_rs),
        (Program::Xprof, &options.xprof_python),
    ];
    for (program, path) in others {
        contestants.extend(path.clone().map(|path| Contestant::new(program, path)));
    }
    for contestant in &contestants {
        let path = &contestant.path;
        ensure!(
            path.exists(),
            "{} is absent; build or install it first",
            path.display()
        );
    }
    Ok(contestants)
}

/// All rounds of one task.
fn play(options: &Options, contestants: &[Contestant], question: Question) -> Result<Vec<Column>> {
    warm(&options.capture)?;
    let mut columns: Vec<Column> = contestants
        .iter()
        .map(|contestant| Column::new(contestant.program))
        .collect();
    for round in 0..options.rounds {
        let mut order: Vec<usize> = (0..contestants.len()).collect();
        if round % 2 == 1 {
            // The order is reversed in every other round, so that a machine that slows down is fair
            // too.
            order.reverse();
        }
        for index in order {
            let (contestant, column) = (&contestants[index], &mut columns[index]);
            if contestant.program == Program::Xprof && round >= options.xprof_rounds {
                continue;
            }
            let cost = turn(options, contestant, question)?;
            eprintln!(
                "round {}: {question} {}: {cost}",
                round + 1,
                contestant.program
            );
            column.costs.push(cost);
        }
    }
    Ok(columns)
}

/// One process on its own log directory, so that it cannot use what an earlier one has left.
fn turn(options: &Options, contestant: &Contestant, question: Question) -> Result<Cost> {
    contestant.answer(question, linked(options)?.path())
}

/// A separate log directory with the capture.
fn linked(options: &Options) -> Result<tempfile::TempDir> {
    let folder = temporary_folder(options)?;
    let file = profile_path(folder.path())?;
    if fs::hard_link(&options.capture, &file).is_err() {
        fs::copy(&options.capture, &file).context("cannot copy the capture")?;
    }
    Ok(folder)
}

/// A very large file: the capture repeated, which is a single profile again, since planes with the
/// same name are parts of one plane.
fn large(
    options: &Options,
    stepscope: &Contestant,
    size_bytes: u64,
    small_peaks: &[f64],
) -> Result<()> {
    let folder = temporary_folder(options)?;
    let path = profile_path(folder.path())?;
    let mut file = File::create(&path)?;
    for _ in 0..options.large {
        io::copy(&mut File::open(&options.capture)?, &mut file)?;
    }
    drop(file);
    warm(&path)?;
    let mut rows = Vec::new();
    for (question, &small_peak) in Question::ALL.into_iter().zip(small_peaks) {
        let cost = stepscope.answer(question, folder.path())?;
        eprintln!("large: {question}: {cost}");
        rows.push((question, cost, small_peak));
    }
    println!("{}", table::large(options.large, size_bytes, &rows));
    Ok(())
}

fn temporary_folder(options: &Options) -> Result<tempfile::TempDir> {
    let parent = options.temporary.clone().unwrap_or_else(std::env::temp_dir);
    let mut builder = tempfile::Builder::new();
    let folder = builder.prefix("stepscope-peers-").tempdir_in(&parent);
    folder.with_context(|| format!("cannot make a folder in {}", parent.display()))
}

/// The path of the profile in a log directory; its folders are created.
fn profile_path(logdir: &Path) -> Result<PathBuf> {
    let path = contestant::profile_in(logdir);
    fs::create_dir_all(path.parent().unwrap_or(logdir))?;
    Ok(path)
}

/// Reads a file so that it is in the page cache.
fn warm(path: &Path) -> Result<()> {
    io::copy(&mut File::open(path)?, &mut io::sink())?;
    Ok(())
}
