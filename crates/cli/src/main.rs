//! The `stepscope` command: arguments in, an answer on standard output, an exit code.

mod args;
mod commands;
mod exit;
mod format;
mod open;
mod output;
mod page;
mod table;

use clap::ArgMatches;
use stepscope_analysis::registry;

use exit::{Exit, Failure};
use output::Output;

fn main() {
    let exit = match args::command().try_get_matches_from(args::given()) {
        Ok(matches) => run(&matches),
        Err(error) => output::usage(&error),
    };
    // Ends without freeing anything: the system takes all memory back at once.
    std::process::exit(exit as i32);
}

fn run(matches: &ArgMatches) -> Exit {
    let Some((name, arguments)) = matches.subcommand() else {
        return Exit::Usage;
    };
    output::start_tracing(arguments.get_count("verbose"));
    let output = Output::new(arguments);
    answer(name, arguments, &output).unwrap_or_else(|failure| output::failure(&output, &failure))
}

fn answer(name: &str, arguments: &ArgMatches, output: &Output) -> Result<Exit, Failure> {
    match name {
        "view" => commands::view::run(arguments, output),
        "demo" => commands::demo::run(arguments, output),
        "report" => commands::report::run(arguments, output),
        "sessions" => commands::sessions::run(arguments, output),
        "completions" => commands::completions::run(arguments, output),
        name => match registry::find(name) {
            Some(entry) => commands::analysis::run(entry, arguments, output),
            None => Err(Failure::new(
                Exit::Usage,
                format!("there is no command {name}"),
            )),
        },
    }
}
