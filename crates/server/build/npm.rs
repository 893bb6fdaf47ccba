//! Runs npm for the web UI: finds it, installs stale dependencies, and allows one run at a time.
//!
//! Shared by this crate's build script and by `cargo xtask`, so that both agree on what is fresh.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output};

/// The oldest Node.js that can build the UI, as major and minor version; Vite determines it.
const NODE_MIN: (u32, u32) = (20, 19);

/// On Windows, npm is a script that must be named in full.
const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };

/// Variables that cargo sets for build scripts and that JavaScript tools interpret as their own.
const CARGO_VARIABLES: [&str; 4] = ["DEBUG", "HOST", "TARGET", "PROFILE"];

/// Waits until no other process installs or builds in this UI folder, and locks it until dropped.
///
/// This is an advisory lock on `package.json`: the system releases it even if a build is killed.
pub(crate) fn lock(ui: &Path) -> Result<File, String> {
    let manifest = ui.join("package.json");
    let describe = |error| {
        format!(
            "cannot lock the web UI for building: {error}: {}",
            manifest.display()
        )
    };
    let file = File::open(&manifest).map_err(describe)?;
    file.lock().map_err(describe)?;
    Ok(file)
}

/// Checks that Node.js and npm are installed and new enough; the error says what to install.
pub(crate) fn check_tools() -> Result<(), String> {
    let advice = "install Node.js 20.19 or newer with npm (https://nodejs.org)";
    let version = version_of("node").ok_or_else(|| {
        format!("the web UI is built with Node.js, and `node` was not found: {advice}")
    })?;
    let mut numbers = version
        .trim_start_matches('v')
        .split('.')
        .map_while(|part| part.parse().ok());
    if (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) < NODE_MIN {
        return Err(format!(
            "the web UI needs a newer Node.js than {version}: {advice}"
        ));
    }
    version_of(NPM)
        .map(drop)
        .ok_or_else(|| format!("the web UI is built with npm, and `npm` was not found: {advice}"))
}

/// Runs `npm ci` if the installed packages are missing or older than `package-lock.json`.
///
/// The caller holds [`lock`]. Returns whether anything was installed.
pub(crate) fn install_if_stale(ui: &Path) -> Result<bool, String> {
    if !is_stale(ui)? {
        return Ok(false);
    }
    run(ui, &["ci", "--include=dev", "--no-audit", "--no-fund"])?;
    Ok(true)
}

/// Runs npm in the UI folder; on failure the error contains the end of its output.
pub(crate) fn run(ui: &Path, arguments: &[&str]) -> Result<(), String> {
    let mut command = Command::new(NPM);
    command.args(arguments).current_dir(ui);
    for name in CARGO_VARIABLES {
        command.env_remove(name);
    }
    let line = format!("npm {}", arguments.join(" "));
    let output = command
        .output()
        .map_err(|error| format!("cannot run `{line}`: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "`{line}` failed in {}\n{}",
        ui.display(),
        last_lines(&output, 40)
    ))
}

/// Whether `npm ci` is needed: npm writes `node_modules/.package-lock.json` at the end of an
/// install.
fn is_stale(ui: &Path) -> Result<bool, String> {
    let wanted = ui.join("package-lock.json");
    let wanted_at = fs::metadata(&wanted)
        .and_then(|metadata| metadata.modified())
        .map_err(|error| {
            format!(
                "cannot read the web UI's lock file: {error}: {}",
                wanted.display()
            )
        })?;
    let installed_at = fs::metadata(ui.join("node_modules/.package-lock.json"))
        .and_then(|metadata| metadata.modified());
    Ok(installed_at.map_or(true, |installed_at| installed_at < wanted_at))
}

/// The output of `program --version`, or nothing if the program cannot be run.
fn version_of(program: &str) -> Option<String> {
    let output = Command::new(program).arg("--version").output().ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The last lines of a program's output, errors after the rest.
fn last_lines(output: &Output, count: usize) -> String {
    let text = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}
