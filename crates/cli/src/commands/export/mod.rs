//! `stepscope export`: a session, or part of it, as a file for another program or person. Each
//! trace format has its own file; what they share is in `file.rs` and `report.rs`. Reports are in
//! `share.rs`.

mod chrome;
mod flame;
mod perfetto;
pub(crate) mod report;
pub(crate) mod share;
mod xplane;

use std::path::{Path, PathBuf};

use clap::{Arg, ArgGroup, ArgMatches, Args, Command, FromArgMatches, value_parser};
use stepscope_analysis::AnalysisError;
use stepscope_analysis::asking::selection::Selection;
use stepscope_interchange::write::Wanted;
use stepscope_model::{Reads, Session};
use stepscope_server::share::about_now;

use super::open_session;
use crate::args;
use crate::exit::{Exit, Failure};
use crate::file;
use crate::open;
use crate::output::Output;
use report::Report;

/// A format: its option, and how a session is written in it.
struct Format {
    option: &'static str,
    help: &'static str,
    write: fn(&Session, &Wanted, &Path) -> Result<Report, Failure>,
}

const FORMATS: &[Format] = &[
    Format {
        option: "perfetto",
        help: "Perfetto's protobuf format, for ui.perfetto.dev and the trace processor (*.pftrace)",
        write: perfetto::write,
    },
    Format {
        option: "chrome",
        help: "Chrome's JSON format, for chrome://tracing and many other viewers (*.trace.json)",
        write: chrome::write,
    },
    Format {
        option: "xplane",
        help: "XSpace, the profiler's own format, for XProf and Stepscope (*.xplane.pb); \
               a folder of such files if the session has several hosts",
        write: xplane::write,
    },
    Format {
        option: "collapsed",
        help: "Stacks of the host threads, one per line, with self time in nanoseconds, for \
               flamegraph.pl and its kin (*.collapsed.txt)",
        write: flame::collapsed,
    },
    Format {
        option: "speedscope",
        help: "Stacks of the host threads, for speedscope.app (*.speedscope.json)",
        write: flame::speedscope,
    },
];

/// Options that select a part of the session.
const SELECTION: [&str; 7] = [
    "steps", "series", "time", "device", "host", "program", "match",
];

/// The subcommand.
pub(crate) fn command() -> Command {
    let formats = FORMATS.iter().map(|format| {
        Arg::new(format.option)
            .long(format.option)
            .value_name("FILE")
            .value_parser(value_parser!(PathBuf))
            .help_heading("Formats")
            .help(format!(
                "{}; compressed where the name ends in .gz",
                format.help
            ))
    });
    let command = Command::new("export")
        .about("Write a session, or part of it, for another program")
        .after_help(
            "Examples:\n  # For ui.perfetto.dev\n  \
             stepscope export ./logs --perfetto run.pftrace\n  \
             # Three steps of one device, for chrome://tracing\n  \
             stepscope export ./logs --steps 3..6 --device 0 --chrome part.trace.json.gz\n  \
             # Part of a large capture, as a capture\n  \
             stepscope export ./logs --steps 3..6 --xplane part.xplane.pb\n  \
             # Flame graphs of the host threads, one step\n  \
             stepscope export ./logs --steps 3 --collapsed host.txt --speedscope host.speedscope.json\n  \
             # One file for a colleague, with names redacted\n  \
             stepscope export ./logs --html report.html --redact\n  \
             # For DuckDB and pandas; for an issue\n  \
             stepscope export ./logs --parquet tables --markdown -",
        )
        .arg(args::path().required(true))
        .arg(args::session())
        .args(formats)
        .args(share::arguments())
        .group(
            ArgGroup::new("format")
                .args(FORMATS.iter().map(|format| format.option))
                .args(share::OPTIONS)
                .required(true)
                .multiple(true),
        );
    with_selection(command)
}

/// The shared selection, without options that only tables need.
pub(crate) fn with_selection(command: Command) -> Command {
    // The selection would replace the command's description.
    let about = command.get_about().cloned();
    Selection::augment_args(command)
        .about(about.unwrap_or_default())
        .mut_arg("sort", |argument| argument.hide(true))
        .mut_arg("limit", |argument| argument.hide(true))
}

/// Writes every requested file.
pub(crate) fn run(arguments: &ArgMatches, output: &Output) -> Result<Exit, Failure> {
    refuse_mixed_output(arguments)?;
    let session = open_session(arguments, Reads::Everything, output)?;
    file::clean_up_on_signals();
    open::warn(session, &[], output);
    let mut kept = None;
    let redacted = share::redacted(session, arguments)?;
    let mut options = selected(arguments);
    let (session, about) = match redacted {
        Some(mut one) => {
            options = one.renames.options(&options);
            (&*kept.insert(one.session), one.about)
        }
        None => (session, about_now()),
    };
    share::run(session, &about, &options, arguments, output)?;
    let is_wanted = |format: &Format| arguments.contains_id(format.option);
    if FORMATS.iter().any(is_wanted) {
        let wanted = wanted_by(session, &options)?;
        for format in FORMATS {
            if let Some(path) = arguments.get_one::<PathBuf>(format.option) {
                let report = write(format.option, session, &wanted, path)?;
                output.remark(&format!("{}: {}", path.display(), report.sentence()));
            }
        }
    }
    share::say_kept(&about, arguments, output)?;
    Ok(Exit::Fine)
}

/// Standard output takes one file, and no folder.
fn refuse_mixed_output(arguments: &ArgMatches) -> Result<(), Failure> {
    let options = FORMATS.iter().map(|format| format.option);
    let options = options.chain(share::OPTIONS).chain(["redact-words"]);
    let is_output = |option: &&str| {
        let path = arguments.get_one::<PathBuf>(option);
        path.is_some_and(|path| path.as_os_str() == "-")
    };
    let given: Vec<&str> = options.filter(is_output).collect();
    if let Some(folder) = given
        .iter()
        .find(|option| matches!(**option, "csv" | "parquet"))
    {
        let message = format!("--{folder} writes a folder, which `-` is not");
        return Err(Failure::new(Exit::Usage, message).hint("give the name of a folder"));
    }
    if let [one, other, ..] = given[..] {
        let message = format!("--{one} and --{other} cannot both be written to standard output");
        return Err(Failure::new(Exit::Usage, message).hint("give a file to one of them"));
    }
    Ok(())
}

/// Options of the selection as name and value.
fn selected(arguments: &ArgMatches) -> Vec<(String, String)> {
    let given = SELECTION.iter().filter_map(|&name| {
        // Their type in clap is that of the selection's fields.
        let id = if name == "match" { "pattern" } else { name };
        let value = arguments.get_one::<String>(id)?;
        Some((name.to_owned(), value.clone()))
    });
    given.collect()
}

/// Writes a file in the format of an option.
pub(crate) fn write(
    option: &str,
    session: &Session,
    wanted: &Wanted,
    path: &Path,
) -> Result<Report, Failure> {
    let format = FORMATS.iter().find(|format| format.option == option);
    let unknown = || Failure::new(Exit::Usage, format!("unknown format {option:?}"));
    (format.ok_or_else(unknown)?.write)(session, wanted, path)
}

/// The part of the session selected by options, given as name and value.
pub(crate) fn wanted_by(
    session: &Session,
    options: &[(String, String)],
) -> Result<Wanted, Failure> {
    let words = options
        .iter()
        .map(|(name, value)| format!("--{name}={value}"));
    let command = with_selection(Command::new("export").no_binary_name(true));
    let arguments = command
        .try_get_matches_from(words)
        .map_err(|error| AnalysisError::Options(error.to_string()))?;
    wanted(session, &arguments)
}

/// The part of the session selected by the arguments.
pub(crate) fn wanted(session: &Session, arguments: &ArgMatches) -> Result<Wanted, Failure> {
    if session.tracks.is_empty() {
        let message = "the session has no time axis, so there is no trace to write";
        return Err(Failure::new(Exit::Path, message));
    }
    let selection = Selection::from_arg_matches(arguments)
        .map_err(|error| AnalysisError::Options(error.to_string()))?;
    let times = selection.parts(session)?;
    Ok(Wanted {
        devices: times.devices,
        hosts: times.hosts,
        labels: times.labels,
        steps: times.steps,
    })
}
