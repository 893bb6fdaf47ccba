//! `stepscope sql`: hands its arguments to `stepscope-sql`, as git does with its own programs.

use std::ffi::OsString;
use std::process::Command as Process;

use clap::{Arg, Command};
use stepscope_server::{no_sql_program, sql_program};

use crate::exit::{Exit, Failure};

/// The subcommand, for the help and for completion; the program has its own help.
pub(crate) fn command() -> Command {
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

/// Runs the program in place of this one, if the command line is for it and it is there; otherwise
/// this program says what is missing.
pub(crate) fn hand_over(all: &[OsString]) -> Option<i32> {
    let (name, rest) = all.get(1..)?.split_first()?;
    if name != "sql" {
        return None;
    }
    let mut process = Process::new(sql_program()?);
    process.args(rest);
    replace(&mut process).ok()
}

/// What to do without the program.
pub(crate) fn missing() -> Failure {
    let (message, hint) = no_sql_program();
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
