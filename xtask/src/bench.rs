//! The benches: a thin command over `cargo bench`.

use anyhow::Result;

use crate::process;

/// Runs the benches of the `benches` crate; the arguments go to `cargo bench` unchanged.
pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    let mut command = process::cargo(&["bench", "--package", "stepscope-benches"]);
    command.args(arguments);
    process::run(&mut command).map(drop)
}
