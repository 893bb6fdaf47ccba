//! Many requests of many kinds to one server, for minutes; normal runs do it for seconds.

use anyhow::{Context, Result, bail};

use crate::process;

/// Minutes of a run that asks for no number.
const MINUTES: u64 = 30;

/// `--minutes N`: how long.
pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    let minutes: u64 = match arguments {
        [] => MINUTES,
        ["--minutes", value] => value
            .parse()
            .with_context(|| format!("--minutes {value}: a number is needed"))?,
        _ => bail!(
            "not an option: {}; there is --minutes N",
            arguments.join(" ")
        ),
    };
    // The release build: what users run, and what is fast enough to be kept busy.
    let mut command = process::cargo(&[
        "test",
        "--release",
        "--package",
        "stepscope-cli",
        "--test",
        "cli",
    ]);
    command
        .args(["soak", "--", "--nocapture"])
        .env("STEPSCOPE_SOAK_MINUTES", minutes.to_string());
    process::run(&mut command).map(drop)
}
