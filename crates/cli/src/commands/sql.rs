//! `stepscope sql`: hands its arguments to `stepscope-sql`, as git does with its own programs.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command as Process;

use clap::{Arg, Command};

use crate::exit::{Exit, Failure};

/// Name of the program, and of the variable that says where it is.
const PROGRAM: &str = "stepscope-sql";
const VARIABLE: &str = "STEPSCOPE_SQL";

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
    let mut process = Process::new(program()?);
    process.args(rest);
    replace(&mut process).ok()
}

/// What to do without the program.
pub(crate) fn missing() -> Failure {
    let message = format!("`stepscope sql` needs {PROGRAM}, which is not here or does not start");
    Failure::new(Exit::Failure, message).hint(format!(
        "put {PROGRAM} of the same release next to stepscope, or build it: cargo build --release \
         --package {PROGRAM}"
    ))
}

/// Next to this program, or where programs are.
fn program() -> Option<PathBuf> {
    if let Some(named) = env::var_os(VARIABLE) {
        return Some(PathBuf::from(named)).filter(|path| path.is_file());
    }
    let name = format!("{PROGRAM}{}", env::consts::EXE_SUFFIX);
    let own = env::current_exe().ok();
    let beside = own
        .as_deref()
        .and_then(std::path::Path::parent)
        .map(|folder| folder.join(&name));
    let paths = env::var_os("PATH").unwrap_or_default();
    let others = env::split_paths(&paths).map(|folder| folder.join(&name));
    let others: Vec<PathBuf> = others.collect();
    beside.into_iter().chain(others).find(|path| path.is_file())
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
