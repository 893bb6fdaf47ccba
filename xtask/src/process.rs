//! Runs other programs: cargo, npm and the tests, showing their output and counting test results.

use std::io::{self, BufRead, BufReader, IsTerminal, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, ffi::OsString};

use anyhow::{Context, Result, bail};

use crate::counts::Counts;
use crate::tree;

/// A cargo command in the root of the repository.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    command.args(arguments).current_dir(tree::root());
    // Set by `cargo run` for this program. Build scripts that read it would run again, and with them all
    // that depends on them, whenever a build by hand follows one by this program.
    command.env_remove("CARGO_MANIFEST_DIR");
    // This program's own output is piped to count tests; cargo would then drop its colors.
    if io::stdout().is_terminal() && env::var_os("CARGO_TERM_COLOR").is_none() {
        command.env("CARGO_TERM_COLOR", "always");
    }
    command
}

/// Any other command, in a folder.
pub(crate) fn program(name: &str, arguments: &[&str], folder: &Path) -> Command {
    let mut command = Command::new(name);
    command.args(arguments).current_dir(folder);
    command
}

/// Whether a program runs and succeeds; its output is discarded.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// Runs a command, shows its output, and fails if it fails.
pub(crate) fn run(command: &mut Command) -> Result<Counts> {
    let mut counts = Counts::default();
    run_counting(command, &mut counts)?;
    Ok(counts)
}

/// Like [`run`], and adds the test results in its output to `counts`, even if it fails.
pub(crate) fn run_counting(command: &mut Command, counts: &mut Counts) -> Result<()> {
    let line = describe(command);
    println!("$ {line}");
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot run `{line}`"))?;
    let stdout = child
        .stdout
        .take()
        .context("the output of a program was not piped")?;
    show_and_count(stdout, counts)
        .with_context(|| format!("cannot show the output of `{line}`"))?;
    let status = child
        .wait()
        .with_context(|| format!("cannot wait for `{line}`"))?;
    if !status.success() {
        bail!("`{line}` failed ({status})");
    }
    Ok(())
}

fn show_and_count(output: impl io::Read, counts: &mut Counts) -> io::Result<()> {
    let mut reader = BufReader::new(output);
    let mut shown = io::stdout().lock();
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line)? > 0 {
        shown.write_all(&line)?;
        shown.flush()?;
        counts.read_line(&String::from_utf8_lossy(&line));
        line.clear();
    }
    Ok(())
}

/// The command as one would type it.
fn describe(command: &Command) -> String {
    let name = Path::new(command.get_program())
        .file_name()
        .unwrap_or(command.get_program());
    let words = std::iter::once(name).chain(command.get_args());
    words
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}
