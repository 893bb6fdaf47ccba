//! The command line: our own commands, and one subcommand per analysis.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, Command, value_parser};
use stepscope_analysis::asking::Asks;
use stepscope_analysis::catalogue::find;
use stepscope_analysis::{ANALYSES, COMPARISONS, ComparisonEntry, Entry};

use crate::args::{
    check, far_away, flag, formats, output, path, question, remote_command, serving, session, wide,
    with_options,
};
use crate::commands;

const EXAMPLES: &str = "\
Examples:
  # Try it on the bundled sample capture
  stepscope demo
  # Your own capture: the report in the terminal, then the pages in the browser
  stepscope view ./logs
  # The report only
  stepscope report ./logs
  # One question, for people and for programs
  stepscope ops ./logs --steps 3..8 --match dot
  stepscope ops ./logs --json

PATH is a log directory, a run directory, an *.xplane.pb or *.xplane.riegeli (also .gz or .zst), a
trace of Chrome or Perfetto (*.trace.json, *.pftrace), an archive of these (.zip, .tar, .tar.gz),
or a folder of any of them; or the URL of one of these: gs://, s3://, az://, https://, ssh://.

Exit codes: 0 success, 1 failure, 2 usage, 3 nothing usable at PATH, 4 a check did not pass";

/// The whole command line.
pub(crate) fn command() -> Command {
    Command::new("stepscope")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Profiler for JAX/XLA programs: see where the time goes")
        .after_help(EXAMPLES)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .disable_help_flag(true)
        .args(common())
        .subcommand(view())
        .subcommand(demo())
        .subcommand(report())
        .subcommand(sessions())
        .subcommand(commands::index::command())
        .subcommand(commands::run::command())
        .subcommand(commands::attach::command())
        .subcommand(commands::incidents::command())
        .subcommand(commands::capture::command())
        .subcommand(commands::export::command())
        .subcommand(commands::perfetto::command())
        .subcommand(commands::far::tunnel::command())
        .subcommands(ANALYSES.iter().map(analysis))
        .subcommands(COMPARISONS.iter().map(comparison))
        .subcommand(commands::programs::sql())
        .subcommand(commands::programs::fleet())
        .subcommand(commands::mcp::command())
        .subcommand(commands::skills::command())
        .subcommand(doctor())
        .subcommand(environment())
        .subcommand(completions())
}

fn common() -> [Arg; 4] {
    const HEADING: &str = "Common";
    [
        Arg::new("color")
            .long("color")
            .alias("colour")
            .value_name("WHEN")
            .value_parser(PossibleValuesParser::new(["auto", "always", "never"]))
            .hide_possible_values(true)
            .default_value("auto")
            .hide_default_value(true)
            .global(true)
            .help_heading(HEADING)
            .help("Colors: auto (default; honors NO_COLOR), always, never"),
        flag(
            "quiet",
            "Print only warnings and errors on standard error, no remarks or progress",
        )
        .short('q')
        .global(true)
        .help_heading(HEADING),
        // One form of help, the short one: the long form puts a blank line around every option.
        Arg::new("help")
            .long("help")
            .short('h')
            .action(ArgAction::HelpShort)
            .global(true)
            .help_heading(HEADING)
            .help("Print this help"),
        Arg::new("verbose")
            .long("verbose")
            .short('v')
            .action(ArgAction::Count)
            .global(true)
            .help_heading(HEADING)
            .help("Print more on standard error: -v progress, -vv details, -vvv everything"),
    ]
}

fn view() -> Command {
    Command::new("view")
        .about("Print the report of a session and serve the full report to the browser")
        .after_help(
            "Examples:\n  # Print the report and serve the pages at http://127.0.0.1:6006\n  \
             stepscope view ./logs\n  # As TensorBoard and XProf users type it\n  \
             stepscope view --logdir ./logs --port 6007 --bind_all\n  \
             # In a bucket, or on a machine reached over ssh\n  \
             stepscope view gs://lab/runs/today\n  stepscope view ssh://vm/data/logs",
        )
        .arg(path().required_unless_present("logdir"))
        .arg(
            Arg::new("logdir")
                .long("logdir")
                .short('l')
                .value_name("PATH")
                .value_parser(value_parser!(PathBuf))
                .conflicts_with("path")
                .help("Same as PATH, for TensorBoard and XProf users"),
        )
        .arg(session())
        .args(serving())
        .args(far_away())
        .arg(remote_command())
        .arg(flag("no-report", "Print only the address, not the report"))
        .arg(flag("no-serve", "Print the report and exit").conflicts_with("no-report"))
}

fn demo() -> Command {
    Command::new("demo")
        .about("Open the bundled sample capture")
        .after_help(
            "Examples:\n  # The report, then the pages at http://127.0.0.1:6006\n  stepscope demo\n  \
             # The report only\n  stepscope demo --no-serve\n\n\
             The capture: six training steps of a small GPT on four virtual CPU devices. One of the\n\
             steps is slow; the report shows which, and why.",
        )
        .args(serving())
        .arg(flag("no-report", "Print only the address, not the report"))
        .arg(flag("no-serve", "Print the report and exit").conflicts_with("no-report"))
}

fn report() -> Command {
    let command = Command::new("report")
        .about("Print the report of a session on one screen")
        .after_help(
            "Examples:\n  # Step time, where it goes, verdicts, busy devices, top ops, notes\n  \
             stepscope report ./logs\n  # Steps 100 to 199 only\n  \
             stepscope report ./logs --steps 100..200\n  \
             # In a script: exit code 4 when a verdict is bad\n  stepscope report ./logs --check",
        )
        .arg(path().required(true))
        .arg(session())
        .arg(check())
        .args(far_away())
        .arg(output());
    match find("overview") {
        Some(overview) => with_options(command, overview),
        None => command,
    }
}

fn sessions() -> Command {
    Command::new("sessions")
        .about("List the sessions at a path: name, time, hosts, devices, size, duration, steps")
        .after_help(
            "Examples:\n  # Everything below a folder, and what was skipped and why\n  \
             stepscope sessions ./logs\n  # Without opening them: no devices, durations, or steps\n  \
             stepscope sessions ./logs --quick\n  # Remote sessions: only those already fetched \
             are opened, unless --fetch is given\n  stepscope sessions gs://lab/runs --fetch",
        )
        .arg(path().required(true))
        .arg(flag("quick", "Don't open the sessions: no devices, durations, or steps"))
        .arg(
            Arg::new("limit")
                .long("limit")
                .value_name("N")
                .value_parser(value_parser!(usize))
                .help("Open and show only the newest N; 0 for all [default: 50, with --json and --csv all]"),
        )
        .arg(
            flag("fetch", "Fetch remote sessions so that they can be opened too")
                .conflicts_with("quick"),
        )
        .args(far_away())
        .args(formats())
        .arg(output())
        .arg(wide())
}

fn doctor() -> Command {
    let folder = |name: &'static str, value: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name(value)
            .value_parser(value_parser!(PathBuf))
    };
    Command::new("doctor")
        .about("Check the environment, or a capture, and say what to change")
        .after_help(
            "Examples:\n  # Before a capture: Python, JAX, GPU tracing, log directory, ports\n  \
             stepscope doctor\n  # For the Python of a training job, and its log directory\n  \
             stepscope doctor --python ./venv/bin/python --logdir /data/profiles\n  \
             # The files and content of a capture\n  stepscope doctor ./logs\n\n\
             Exits with code 4 if any check is bad, as `report --check` does.",
        )
        .arg(path())
        .arg(session().requires("path"))
        .args(far_away())
        .arg(folder("python", "PYTHON").conflicts_with("path").help(
            "Python (or virtual environment) of the program to profile [default: \
                    $VIRTUAL_ENV, else python3]",
        ))
        .arg(
            folder("logdir", "FOLDER")
                .conflicts_with("path")
                .help("Log directory for captures [default: $PROFILE_DIR, else ./profiles]"),
        )
        .arg(
            folder("root", "FOLDER")
                .conflicts_with("path")
                .hide(true)
                .help("Check the machine whose root file system is mounted at this folder"),
        )
        .arg(
            flag(
                "json",
                "Print the checks, and the verdict on a capture, as \
            JSON",
            )
            .help_heading("Output"),
        )
        .arg(output())
}

fn environment() -> Command {
    Command::new("env")
        .about(
            "Print environment variables worth setting before a capture, and whether they are \
            set",
        )
        .after_help(
            "Examples:\n  # What each one does, and its current value\n  stepscope env\n  \
             # Set them in this shell\n  eval \"$(stepscope env)\"",
        )
        .arg(flag("json", "Print as JSON").help_heading("Output"))
        .arg(output())
}

fn completions() -> Command {
    Command::new("completions")
        .about("Print a completion script for a shell")
        .after_help(
            "Examples:\n  # For this shell only\n  source <(stepscope completions bash)\n  \
             # For good\n  stepscope completions fish > ~/.config/fish/completions/stepscope.fish",
        )
        .arg(
            Arg::new("shell")
                .value_name("SHELL")
                .required(true)
                .value_parser(value_parser!(clap_complete::Shell)),
        )
}

/// An analysis as a subcommand: its own options, and how to print.
fn analysis(entry: &'static Entry) -> Command {
    question(entry, [path().required(true), session()])
}

/// A question about several sessions as a subcommand.
fn comparison(entry: &'static ComparisonEntry) -> Command {
    if entry.name == commands::check::NAME {
        return commands::check::command(entry);
    }
    let several = [
        Arg::new("path")
            .value_name("PATH")
            .num_args(1..)
            .required(true)
            .help(match (entry.asks, entry.takes_files) {
                (Asks::NewestSession, _) => {
                    "Sessions, the baseline first: paths, PATH@NAME to choose one of several, or \
                     names of sessions in the first path, such as latest~1"
                }
                (Asks::EverySession, false) => {
                    "Paths, with all their sessions; PATH@NAME to choose one of several"
                }
                (Asks::EverySession, true) => {
                    "Paths, with all their sessions; PATH@NAME to choose one of several; and \
                     JSON files: benchmarks, or a history"
                }
            }),
        Arg::new("session")
            .long("session")
            .value_name("SESSION")
            .action(ArgAction::Append)
            .help(match entry.asks {
                Asks::NewestSession => {
                    "A session of the first PATH, by name, number, or latest~N; may be repeated"
                }
                Asks::EverySession => {
                    "Only this session of each PATH, by name, number, or latest~N; may be repeated"
                }
            }),
    ];
    question(entry, several)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn every_command_shows_an_example() {
        for command in command().get_subcommands() {
            let help = command
                .get_after_help()
                .map(ToString::to_string)
                .unwrap_or_default();
            assert!(
                help.contains("stepscope "),
                "{} has no example",
                command.get_name()
            );
        }
    }

    #[test]
    fn aliases_of_other_tools_reach_the_analysis() {
        for entry in ANALYSES {
            for name in entry.aliases.iter().chain([&entry.name]) {
                let parsed = command().try_get_matches_from(["stepscope", name, "logs"]);
                let found = parsed
                    .ok()
                    .and_then(|matches| matches.subcommand_name().map(str::to_owned));
                assert_eq!(found.as_deref(), Some(entry.name), "{name}");
            }
        }
    }
}
