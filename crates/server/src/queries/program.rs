//! Where the programs that answer queries are.

use std::env;
use std::path::{Path, PathBuf};

/// Name of the program.
pub const SQL_PROGRAM: &str = "stepscope-sql";

/// Name of the program for queries on many machines.
pub const FLEET_PROGRAM: &str = "stepscope-fleet";

/// The program that answers queries: the one that `STEPSCOPE_SQL` names, the one next to this
/// program, or the first where programs are.
pub fn sql_program() -> Option<PathBuf> {
    program(SQL_PROGRAM, "STEPSCOPE_SQL")
}

/// The same for queries on many machines, which `STEPSCOPE_FLEET` may name.
pub fn fleet_program() -> Option<PathBuf> {
    program(FLEET_PROGRAM, "STEPSCOPE_FLEET")
}

fn program(name: &str, variable: &str) -> Option<PathBuf> {
    if let Some(named) = env::var_os(variable) {
        return Some(PathBuf::from(named)).filter(|path| path.is_file());
    }
    let name = format!("{name}{}", env::consts::EXE_SUFFIX);
    let own = env::current_exe().ok();
    let beside = own
        .as_deref()
        .and_then(Path::parent)
        .map(|folder| folder.join(&name));
    let paths = env::var_os("PATH").unwrap_or_default();
    let others = env::split_paths(&paths).map(|folder| folder.join(&name));
    let others: Vec<PathBuf> = others.collect();
    beside.into_iter().chain(others).find(|path| path.is_file())
}

/// What is missing without it, and what to do.
pub fn no_sql_program() -> (String, String) {
    missing("SQL needs", SQL_PROGRAM, "crates/sql")
}

/// The same for queries on many machines.
pub fn no_fleet_program() -> (String, String) {
    missing("a fleet needs", FLEET_PROGRAM, "crates/fleet")
}

fn missing(needs: &str, name: &str, folder: &str) -> (String, String) {
    (
        format!("{needs} {name}, which was not found or does not start"),
        format!(
            "archives of releases contain it, the Python wheel does not: put {name} next to stepscope or \
             on PATH, or build it from the repository: `cargo install --path {folder}`"
        ),
    )
}
