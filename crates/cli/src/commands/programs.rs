//! `stepscope sql`, `stepscope fleet` and `stepscope index --fleet`: hand their arguments to
//! `stepscope-sql` and `stepscope-fleet`, as git does with its own programs.

use std::ffi::OsString;
use std::process::Command as Process;

use clap::{Arg, ArgMatches, Command};
use stepscope_server::{fleet_program, no_fleet_program, no_sql_program, sql_program};

use crate::exit::{Exit, Failure};

/// The subcommand for queries, for the help and for completion; the program has its own help.
pub(crate) fn sql() -> Command {
    Command::new("sql")
        .about("Ask sessions in SQL: every table of every analysis, and every slice")
        .after_help(
            "Examples:\n  # Ops that take the most time, of all sessions below a folder\n  stepscope \
             sql ./logs \"select session, name, self_ps from ops order by self_ps desc limit 10\"\n  \
             # Every table\n  stepscope sql --tables",
        )
        .arg(
            Arg::new("rest")
                .num_args(0..)
                .value_name("PATH... [QUERY]")
                .trailing_var_arg(true)
                .allow_hyphen_values(true)
                .help("Paths of sessions, and a query; `--help` lists the options"),
        )
}

/// The same for queries on many machines.
pub(crate) fn fleet() -> Command {
    Command::new("fleet")
        .about("Run queries on many machines: a scheduler, and executors that open sessions")
        .after_help(
            "Examples:\n  # One scheduler, and an executor on every machine\n  stepscope fleet \
             scheduler --listen 10.0.0.1:50050\n  stepscope fleet executor --scheduler \
             df://10.0.0.1:50050 --allow gs://lab/runs",
        )
        .arg(
            Arg::new("rest")
                .num_args(0..)
                .value_name("scheduler|executor")
                .trailing_var_arg(true)
                .allow_hyphen_values(true)
                .help("What this process does; `--help` lists the options"),
        )
}

/// Runs the program in place of this one, if the command line is for it and it is there; otherwise
/// this program says what is missing.
pub(crate) fn hand_over(all: &[OsString]) -> Option<i32> {
    let (name, rest) = all.get(1..)?.split_first()?;
    let mut process = match name.to_str()? {
        "sql" | "index" if is_for_fleet(rest) => {
            let mut process = Process::new(fleet_program()?);
            process.arg(name);
            process
        }
        "sql" => Process::new(sql_program()?),
        "fleet" => Process::new(fleet_program()?),
        _ => return None,
    };
    process.args(rest);
    replace(&mut process).ok()
}

/// Whether a command line names a scheduler.
fn is_for_fleet(rest: &[OsString]) -> bool {
    let mut words = rest.iter().filter_map(|word| word.to_str());
    words.any(|word| word == "--fleet" || word.starts_with("--fleet="))
}

/// What to do without the program of `sql` or `fleet`.
pub(crate) fn missing(name: &str, arguments: &ArgMatches) -> Failure {
    let rest = arguments.get_many::<String>("rest").into_iter().flatten();
    let rest: Vec<OsString> = rest.map(OsString::from).collect();
    if name == "fleet" || is_for_fleet(&rest) {
        return missing_fleet();
    }
    let (message, hint) = no_sql_program();
    Failure::new(Exit::Failure, message).hint(hint)
}

/// What to do without the program of a fleet.
pub(crate) fn missing_fleet() -> Failure {
    let (message, hint) = no_fleet_program();
    Failure::new(Exit::Failure, message).hint(hint)
}

#[cfg(unix)]
fn replace(process: &mut Process) -> std::io::Result<i32> {
    use std::os::unix::process::CommandExt as _;
    Err(process.exec())
}

#[cfg(not(unix))]
fn replace(process: &mut Process) -> std::io::Result<i32> {
    Ok(process.status()?.code().unwrap_or(Exit::Failure as i32))
}
