//! The `stepscope` command: arguments in, an answer on standard output, an exit code.
//!
//! The program is [`run`]; the binary and the command of the Python package both call it.
//! [`render`] formats reports the same way elsewhere, such as in notebooks.

mod apart;
mod args;
mod command_tree;
mod commands;
mod doctor;
mod exit;
pub mod exporting;
mod file;
mod format;
mod open;
mod output;
mod page;
mod parts;
mod pasted;
mod refusal;
pub mod render;
mod shorten;
mod table;
mod words;

use std::ffi::OsString;

use clap::ArgMatches;
pub use commands::check::gate_settings;
pub use commands::index::{IndexElsewhere, Located};
pub use commands::sessions::table as sessions_table;
use stepscope_analysis::catalogue::{find, find_comparison};

use exit::{Exit, Failure};
use output::Output;

/// Runs the command line, program name first, as `std::env::args_os` gives it. Prints the answer
/// and returns the exit code: 0 success, 1 failure, 2 usage, 3 nothing usable at the path, 4 a
/// check did not pass. What it opened is freed only when the process ends.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> i32 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if let Some(exit) = commands::programs::hand_over(&arguments) {
        return exit;
    }
    run_line(words::with_view(arguments), None)
}

/// Runs the command line of `stepscope index`, program name first, for a program that reaches other
/// machines: they make the roll-ups if it has `--fleet`. The exit code is that of [`run`].
pub fn run_index(line: impl IntoIterator<Item = OsString>, elsewhere: &IndexElsewhere) -> i32 {
    run_line(line, Some(elsewhere))
}

fn run_line(line: impl IntoIterator<Item = OsString>, elsewhere: Option<&IndexElsewhere>) -> i32 {
    let exit = match command_tree::command().try_get_matches_from(line) {
        Ok(matches) => run_matches(&matches, elsewhere),
        Err(error) => output::usage(&error),
    };
    exit as i32
}

fn run_matches(matches: &ArgMatches, elsewhere: Option<&IndexElsewhere>) -> Exit {
    let Some((name, arguments)) = matches.subcommand() else {
        return Exit::Usage;
    };
    let output = Output::new(arguments);
    output::start_tracing(arguments.get_count("verbose"));
    choose_for_remote(arguments);
    let answered = match name {
        "index" => commands::index::run(arguments, &output, elsewhere),
        name => answer(name, arguments, &output),
    };
    answered.unwrap_or_else(|failure| output::failure(&output, &failure))
}

/// Options about remote paths apply to the whole process. Commands without a PATH have none.
fn choose_for_remote(arguments: &ArgMatches) {
    let is_set = |name: &str| arguments.try_get_one::<bool>(name).ok().flatten() == Some(&true);
    let cache_bytes = arguments.try_get_one::<u64>("cache-size").ok().flatten();
    stepscope_remote::choose(stepscope_remote::Settings {
        cache_bytes: cache_bytes.copied(),
        is_anonymous: is_set("anonymous"),
    });
}

fn answer(name: &str, arguments: &ArgMatches, output: &Output) -> Result<Exit, Failure> {
    match name {
        "view" => commands::view::run(arguments, output),
        "demo" => commands::demo::run(arguments, output),
        "report" => commands::report::run(arguments, output),
        "sessions" => commands::sessions::run(arguments, output),
        "doctor" => doctor::run(arguments, output),
        "env" => doctor::variables::run(arguments, output),
        "run" => commands::run::run(arguments, output),
        "attach" => commands::attach::run(arguments, output),
        "incidents" => commands::incidents::run(arguments, output),
        "capture" => commands::capture::run(arguments, output),
        "export" => commands::export::run(arguments, output),
        "perfetto" => commands::perfetto::run(arguments, output),
        "check" => commands::check::run(arguments, output),
        "tunnel" => commands::far::tunnel::run(arguments, output),
        "mcp" => commands::mcp::run(arguments, output),
        "skills" => commands::skills::run(arguments, output),
        "sql" | "fleet" => Err(commands::programs::missing(name, arguments)),
        "completions" => commands::completions::run(arguments, output),
        name => match (find(name), find_comparison(name)) {
            (Some(entry), _) => commands::analysis::run(entry, arguments, output),
            (None, Some(entry)) => commands::comparison::run(entry, arguments, output),
            (None, None) => Err(Failure::new(Exit::Usage, format!("unknown command {name}"))),
        },
    }
}
