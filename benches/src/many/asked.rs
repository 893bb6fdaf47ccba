//! Asking: one process per answer, its time and its memory, and the table of all figures.

#![expect(clippy::print_stderr, reason = "progress of what takes minutes")]

use std::cell::Cell;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Result, ensure};
use stepscope_benches::child::{self, Cost};
use stepscope_benches::http;
use stepscope_benches::paired::median;

/// An answer of a list may not be shorter.
const LEAST_BYTES: usize = 1000;

/// What an answer may take; nothing is asked of what is missing.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Goal {
    pub(crate) seconds: Option<f64>,
    pub(crate) bytes: Option<u64>,
}

/// What an answer took.
#[derive(Debug)]
pub(crate) struct Figure {
    what: String,
    costs: Vec<Cost>,
    goal: Goal,
}

impl Figure {
    /// The median time.
    pub(crate) fn seconds(&self) -> f64 {
        let times: Vec<f64> = self.costs.iter().map(|cost| cost.wall_seconds).collect();
        median(&times)
    }

    /// The most memory of any round.
    fn peak_bytes(&self) -> u64 {
        let peaks = self.costs.iter().map(|cost| cost.peak_bytes);
        peaks.max().unwrap_or(0)
    }

    pub(crate) fn is_met(&self) -> bool {
        let Goal { seconds, bytes } = self.goal;
        seconds.is_none_or(|most| self.seconds() <= most)
            && bytes.is_none_or(|most| self.peak_bytes() <= most)
    }
}

/// The programs, the folder for captures, and how often each question is asked.
pub(crate) struct Asked<'a> {
    programs: PathBuf,
    folder: &'a Path,
    rounds: usize,
}

impl<'a> Asked<'a> {
    pub(crate) fn new(programs: PathBuf, folder: &'a Path, rounds: usize) -> Result<Self> {
        for program in ["stepscope", "stepscope-sql"] {
            let path = programs.join(program);
            ensure!(
                path.exists(),
                "{} is absent; build it first",
                path.display()
            );
        }
        Ok(Self {
            programs,
            folder,
            rounds,
        })
    }

    /// A new folder for captures.
    pub(crate) fn folder(&self, name: &str) -> Result<PathBuf> {
        let folder = self.folder.join(name);
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.programs.join(program));
        command.args(arguments);
        // Roll-ups go to the same folder, and nothing that the user has is used.
        command.env("STEPSCOPE_CATALOG", self.folder.join("catalog"));
        command.env("XDG_CACHE_HOME", self.folder.join("cache"));
        command
    }

    fn figure(
        what: &str,
        rounds: usize,
        goal: Goal,
        ask: impl Fn() -> Result<Cost>,
    ) -> Result<Figure> {
        let mut costs = Vec::new();
        for round in 0..rounds {
            let cost = ask()?;
            eprintln!("round {}: {what}: {cost}", round + 1);
            costs.push(cost);
        }
        Ok(Figure {
            what: what.to_owned(),
            costs,
            goal,
        })
    }

    /// Runs `stepscope` to its end.
    pub(crate) fn stepscope(&self, what: &str, arguments: &[&str], goal: Goal) -> Result<Figure> {
        let ask = || child::run(&mut self.command("stepscope", arguments));
        Self::figure(what, self.rounds, goal, ask)
    }

    /// The same, once: what a second time has nothing to do.
    pub(crate) fn once(&self, what: &str, arguments: &[&str]) -> Result<Figure> {
        let ask = || child::run(&mut self.command("stepscope", arguments));
        Self::figure(what, 1, Goal::default(), ask)
    }

    /// Runs `stepscope-sql` to its end; `None` where it was not built.
    pub(crate) fn sql(&self, what: &str, arguments: &[&str], goal: Goal) -> Result<Option<Figure>> {
        let program = "stepscope-sql";
        if !self.programs.join(program).exists() {
            eprintln!("left out, since {program} was not built: {what}");
            return Ok(None);
        }
        let ask = || child::run(&mut self.command(program, arguments));
        Self::figure(what, self.rounds, goal, ask).map(Some)
    }

    /// Starts a server and asks for the list of sessions: the time from the request to its last byte.
    pub(crate) fn page(&self, what: &str, folder: &Path, goal: Goal) -> Result<Figure> {
        let ask = || {
            let port = child::free_port()?;
            let arguments = ["view", text(folder), "--no-report", "--no-token", "--port"];
            let mut command = self.command("stepscope", &arguments);
            let seconds = Cell::new(0.0);
            let get = |port| {
                let start = Instant::now();
                let list = http::get(port, "/api/sessions")?;
                seconds.set(start.elapsed().as_secs_f64());
                Ok(list)
            };
            let cost = child::serve(command.arg(port.to_string()), port, get, |list| {
                ensure!(list.len() > LEAST_BYTES, "{} bytes are no list", list.len());
                Ok(())
            })?;
            Ok(Cost {
                wall_seconds: seconds.get(),
                ..cost
            })
        };
        Self::figure(what, self.rounds, goal, ask)
    }
}

/// The path of a folder that is named here.
pub(crate) fn text(folder: &Path) -> &str {
    folder.to_str().unwrap_or_default()
}

/// All figures with their goals.
pub(crate) fn table(figures: &[Figure]) -> String {
    let mut text = String::from(
        "| question | time | goal | peak memory | goal | |\n|---|---|---|---|---|---|\n",
    );
    for figure in figures {
        let Goal { seconds, bytes } = figure.goal;
        let verdict = match (seconds, bytes) {
            (None, None) => "",
            _ if figure.is_met() => "met",
            _ => "not met",
        };
        let seconds = seconds.map_or_else(String::new, |most| format!("{most:.2} s"));
        let bytes = bytes.map_or_else(String::new, |most| format!("{} MB", most / 1_000_000));
        // Writing to a text never fails.
        let _ = writeln!(
            text,
            "| {} | {:.2} s | {seconds} | {} MB | {bytes} | {verdict} |",
            figure.what,
            figure.seconds(),
            figure.peak_bytes() / 1_000_000,
        );
    }
    text
}
