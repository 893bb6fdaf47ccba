//! Where the program that answers queries is.

use std::env;
use std::path::{Path, PathBuf};

/// Name of the program.
pub const SQL_PROGRAM: &str = "stepscope-sql";

/// The variable that says where it is.
const VARIABLE: &str = "STEPSCOPE_SQL";

/// The program that answers queries: the one that `STEPSCOPE_SQL` names, the one next to this
/// program, or the first where programs are.
pub fn sql_program() -> Option<PathBuf> {
    if let Some(named) = env::var_os(VARIABLE) {
        return Some(PathBuf::from(named)).filter(|path| path.is_file());
    }
    let name = format!("{SQL_PROGRAM}{}", env::consts::EXE_SUFFIX);
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
    (
        format!("SQL needs {SQL_PROGRAM}, which is not here or does not start"),
        format!(
            "put {SQL_PROGRAM} of the same release next to stepscope, or build it: `cargo build \
             --release --package {SQL_PROGRAM}`"
        ),
    )
}
