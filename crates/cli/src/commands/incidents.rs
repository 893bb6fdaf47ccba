//! `stepscope incidents`: what the flight recorder noticed, from the files that it left.

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command, value_parser};
use stepscope_recorder::{Incident, incidents_at};

use crate::args::flag;
use crate::exit::{Exit, Failure};
use crate::output::Output;

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
        .arg(
            flag(
                "json",
                "Print the incidents, and the steps and metrics of their runs, as JSON",
            )
            .help_heading("Output"),
        )
        .arg(flag("check", "Exit with code 4 if there are incidents"))
}

/// Prints the incidents at the path.
pub(crate) fn run(arguments: &ArgMatches, output: &Output) -> Result<Exit, Failure> {
    let path = super::path(arguments, "path")?;
    let report = incidents_at(path);
    if report.runs.is_empty() {
        if !path.exists() {
            let message = format!("no such file or directory: {}", path.display());
            return Err(Failure::new(Exit::Path, message));
        }
        let message = format!("no recorded run: {}", path.display());
        return Err(Failure::new(Exit::Path, message).hint(
            "give the log directory of `stepscope run --record` or of `stepscope.recorder`",
        ));
    }
    if arguments.get_flag("json") {
        let json = serde_json::to_string_pretty(&report).unwrap_or_default();
        output.json(&json)?;
    } else {
        output.text(&text(&report.incidents, report.runs.len()))?;
    }
    let is_checked = arguments.get_flag("check") && !report.incidents.is_empty();
    Ok(if is_checked { Exit::Check } else { Exit::Fine })
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
        lines.extend(lines_of(incident));
    }
    lines.join("\n") + "\n"
}

/// The lines for people, the same as in `report.txt`.
fn lines_of(incident: &Incident) -> Vec<String> {
    let cause = incident.cause.as_deref();
    let cause = cause.unwrap_or(if incident.is_reported {
        "unknown"
    } else {
        "unknown: its report was not written"
    });
    let mut lines = vec![
        format!("{}  {}", incident.id, incident.what),
        format!("  cause: {cause}"),
        format!("  rule: {}", incident.rule),
    ];
    for metric in &incident.metrics {
        lines.push(format!(
            "  {}, steps {} to {}: {}",
            metric.name,
            metric.step_first,
            metric.step_last,
            metric.values.join(", "),
        ));
    }
    for rank in &incident.ranks {
        let place = rank.place.as_ref();
        let place = place.map_or_else(String::new, |place| format!(", in {place}"));
        let step = match rank.step {
            ..0 => "before a step ended".to_owned(),
            step => format!("at step {step}"),
        };
        lines.push(format!(
            "  rank {} on {} (process {}): {step}{place}",
            rank.rank, rank.host, rank.pid,
        ));
    }
    for rank in &incident.missing_ranks {
        lines.push(format!("  rank {rank}: no answer"));
    }
    for capture in &incident.captures {
        lines.push(format!("  open it: stepscope view {}", capture.path));
    }
    if !incident.is_derived {
        lines.push(format!("  stacks: {}", incident.folder));
    }
    lines
}
