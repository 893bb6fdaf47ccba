//! `stepscope incidents`: what the flight recorder noticed, from the files that it left.
//!
//! The Python package writes them (`python/stepscope/incidents.py`); here they are found and shown.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command, value_parser};
use serde::Serialize;
use serde_json::Value;

use crate::args::flag;
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Larger files are not incidents.
const MOST_BYTES: u64 = 4 << 20;

/// The subcommand.
pub(crate) fn command() -> Command {
    Command::new("incidents")
        .about("List what the flight recorder noticed: what happened, which rank, what it did")
        .after_help(
            "Examples:\n  # All runs of a log directory, oldest first\n  \
             stepscope incidents ./profiles\n  # For programs\n  \
             stepscope incidents ./profiles --json\n  \
             # In a script: exit code 4 if there is any\n  \
             stepscope incidents ./profiles/record/2026_11_25_14_05_09_123 --check",
        )
        .arg(
            Arg::new("path")
                .value_name("PATH")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("Log directory, or the folder of one run in DIR/record"),
        )
        .arg(flag("json", "Print the incidents as JSON").help_heading("Output"))
        .arg(flag("check", "Exit with code 4 if there are incidents"))
}

/// One incident, whole or as far as its ranks have answered.
#[derive(Debug, Serialize)]
struct Incident {
    folder: PathBuf,
    /// Whether its report was written.
    is_reported: bool,
    #[serde(flatten)]
    content: Value,
}

/// Prints the incidents at the path.
pub(crate) fn run(arguments: &ArgMatches, output: &Output) -> Result<Exit, Failure> {
    let path = super::path(arguments, "path")?;
    let runs = runs(path);
    if runs.is_empty() {
        let message = format!("no recorded run: {}", path.display());
        return Err(Failure::new(Exit::Path, message).hint(
            "give the log directory of `stepscope run --record` or of `stepscope.recorder`",
        ));
    }
    let mut found: Vec<Incident> = runs.iter().flat_map(|run| incidents(run)).collect();
    found.sort_by(|left, right| {
        left.at()
            .cmp(&right.at())
            .then(left.folder.cmp(&right.folder))
    });
    if arguments.get_flag("json") {
        let json = serde_json::to_string_pretty(&found).unwrap_or_default();
        output.json(&json)?;
    } else {
        output.text(&text(&found, runs.len()))?;
    }
    let is_checked = arguments.get_flag("check") && !found.is_empty();
    Ok(if is_checked { Exit::Check } else { Exit::Fine })
}

/// The folders of runs at a path: those in its `record`, or the path itself.
fn runs(path: &Path) -> Vec<PathBuf> {
    if path.join("incidents").is_dir() {
        return vec![path.to_owned()];
    }
    let folders = children(&path.join("record"));
    let is_run = |folder: &PathBuf| folder.join("incidents").is_dir();
    folders.into_iter().filter(is_run).collect()
}

fn incidents(run: &Path) -> Vec<Incident> {
    let folders = children(&run.join("incidents"));
    folders.into_iter().filter_map(Incident::read).collect()
}

/// What is in a folder, sorted by name; nothing if it cannot be read.
fn children(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    found.sort();
    found
}

impl Incident {
    fn read(folder: PathBuf) -> Option<Self> {
        let content = |name: &str| {
            let text = stepscope_storage::read_text(&folder.join(name), MOST_BYTES).ok()?;
            serde_json::from_str::<Value>(&text)
                .ok()
                .filter(Value::is_object)
        };
        let reported = content("incident.json");
        let is_reported = reported.is_some();
        let content = reported.or_else(|| content("request.json"))?;
        Some(Self {
            folder,
            is_reported,
            content,
        })
    }

    fn text(&self, key: &str) -> &str {
        self.content[key].as_str().unwrap_or("unknown")
    }

    fn at(&self) -> u64 {
        self.content["unix_ns"].as_u64().unwrap_or_default()
    }

    /// The lines for people, the same as in `report.txt`.
    fn lines(&self) -> Vec<String> {
        let cause = if self.is_reported {
            self.text("cause")
        } else {
            "unknown: its report was not written yet"
        };
        let mut lines = vec![
            format!("{}  {}", self.text("id"), self.text("what")),
            format!("  cause: {cause}"),
            format!("  rule: {}", self.text("rule")),
        ];
        for rank in self.list("ranks") {
            let place = rank["where"].as_str();
            let place = place
                .map(|place| format!(", in {place}"))
                .unwrap_or_default();
            lines.push(format!(
                "  rank {} on {} (process {}): at step {}{place}",
                rank["rank"],
                rank["host"].as_str().unwrap_or("unknown"),
                rank["pid"],
                rank["step"],
            ));
        }
        for rank in self.list("missing_ranks") {
            lines.push(format!("  rank {rank}: no answer"));
        }
        for captured in self.list("captures").iter().filter_map(Value::as_str) {
            lines.push(format!("  open it: stepscope view {captured}"));
        }
        lines.push(format!("  stacks: {}", self.folder.display()));
        lines
    }

    fn list(&self, key: &str) -> &[Value] {
        self.content[key].as_array().map_or(&[], Vec::as_slice)
    }
}

fn text(found: &[Incident], runs: usize) -> String {
    use stepscope_analysis::telling::format::counted;

    let mut lines = vec![format!(
        "{} in {}",
        counted(found.len(), "incident"),
        counted(runs, "recorded run"),
    )];
    for incident in found {
        lines.push(String::new());
        lines.extend(incident.lines());
    }
    lines.join("\n") + "\n"
}
