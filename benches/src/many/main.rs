//! Asks the product about a thousand hosts, ten thousand runs and millions of slices, all generated, and
//! prints what that takes next to its goals, as the table of `docs/internals/benchmarks.md`.
//!
//! ```text
//! cargo run --release -p stepscope-benches --bin many
//! ```

#![expect(
    clippy::print_stdout,
    reason = "the table is for whoever runs the program"
)]

mod asked;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clap::Parser;
use stepscope_benches::logs;
use stepscope_testing::corpus::repository_root;

use asked::{Asked, Figure, Goal};

/// Ask about many hosts, many runs and many slices.
#[derive(Debug, Parser)]
struct Options {
    /// Folder of the programs to measure [default: target/release]
    #[arg(long, value_name = "FOLDER")]
    programs: Option<PathBuf>,
    /// Hosts of the large session, 1 MB each
    #[arg(long, default_value_t = 1000)]
    hosts: usize,
    /// Runs that are indexed
    #[arg(long, default_value_t = 10_000)]
    runs: usize,
    /// How often the demo fixture is repeated: 25,000 slices each time
    #[arg(long, default_value_t = 150)]
    turns: i64,
    /// How often every question is asked
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Where the captures go [default: the system's temporary folder]
    #[arg(long, value_name = "FOLDER")]
    temporary: Option<PathBuf>,
}

const GIGABYTE: u64 = 1_000_000_000;

fn main() -> Result<ExitCode> {
    let options = Options::parse();
    ensure!(options.rounds > 0, "--rounds must be at least 1");
    let built = || repository_root().join("target/release");
    let programs = options.programs.clone().unwrap_or_else(built);
    let temporary = options.temporary.clone().unwrap_or_else(std::env::temp_dir);
    let folder = tempfile::tempdir_in(&temporary).context("no temporary folder")?;
    let asked = Asked::new(programs, folder.path(), options.rounds)?;
    let mut figures = Vec::new();
    if options.hosts > 0 {
        figures.extend(hosts(&asked, options.hosts)?);
    }
    if options.runs > 0 {
        figures.extend(runs(&asked, options.runs)?);
    }
    if options.turns > 0 {
        figures.extend(slices(&asked, options.turns)?);
    }
    println!("{}", asked::table(&figures));
    let is_met = figures.iter().all(Figure::is_met);
    Ok(if is_met {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Questions about one session of many hosts.
fn hosts(asked: &Asked, count: usize) -> Result<Vec<Figure>> {
    let folder = asked.folder("hosts")?;
    let size_bytes = logs::hosts(&folder, count)?;
    let title = |what: &str| format!("`{what}`, {count} hosts, {} MB", size_bytes / 1_000_000);
    let goal = Goal {
        seconds: Some(60.0),
        bytes: Some(GIGABYTE),
    };
    let figures = ["overview", "hosts"].map(|analysis| {
        let arguments = [analysis, asked::text(&folder), "--json"];
        asked.stepscope(&title(analysis), &arguments, goal)
    });
    figures.into_iter().collect()
}

/// Questions about many runs that are indexed.
fn runs(asked: &Asked, count: usize) -> Result<Vec<Figure>> {
    let folder = asked.folder("runs")?;
    let size_bytes = logs::runs(&folder, count)?;
    let path = asked::text(&folder);
    let what = format!("{count} runs, {} MB", size_bytes / 1_000_000);
    let none = Goal::default();
    let query = Goal {
        seconds: Some(3.0),
        bytes: Some(GIGABYTE),
    };
    let page = Goal {
        seconds: Some(0.3),
        bytes: None,
    };
    let by_program =
        "select program, count(*) as n, avg(step_ps) as step_ps from sessions group by 1";
    let by_op = "select name, count(*) as n, sum(self_ps) as self_ps from ops group by 1";
    let mut figures = vec![
        asked.once(&format!("`index`, {what}"), &["index", path])?,
        asked.stepscope(
            &format!("`sessions`, {what}"),
            &["sessions", path, "--json"],
            none,
        )?,
        asked.page(&format!("first list of the page, {what}"), &folder, page)?,
    ];
    for (title, text) in [
        ("sessions` by program", by_program),
        ("ops` by name", by_op),
    ] {
        let title = format!("SQL: `{title}, {what}");
        figures.extend(asked.sql(&title, &[path, text], query)?);
    }
    Ok(figures)
}

/// Slices by name, compared with the analysis that adds them up.
fn slices(asked: &Asked, turns: i64) -> Result<Vec<Figure>> {
    let folder = asked.folder("slices")?;
    let size_bytes = logs::long(&folder, turns)?;
    let path = asked::text(&folder);
    let what = format!(
        "{} thousand slices, {} MB",
        25 * turns,
        size_bytes / 1_000_000
    );
    let none = Goal::default();
    let by_name = "select name, count(*) as n, sum(self_ps) as self_ps from slices \
                   where role = 'ops' group by 1";
    let analysis = asked.stepscope(&format!("`ops`, {what}"), &["ops", path, "--json"], none)?;
    let goal = Goal {
        seconds: Some(3.0 * analysis.seconds()),
        bytes: None,
    };
    let query = asked.sql(
        &format!("SQL: `slices` by name, {what}"),
        &[path, by_name],
        goal,
    )?;
    let mut figures = vec![analysis];
    figures.extend(query);
    Ok(figures)
}
