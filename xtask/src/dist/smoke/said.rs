//! What programs print.

use std::process::Command;

use anyhow::{Context, Result, bail};

/// A line of the report of a capture.
pub(super) const REPORTED: &str = "Step time";

/// What a program prints; an error with its messages if it fails.
pub(super) fn said(command: &mut Command) -> Result<String> {
    let output = command.output();
    let output = output.with_context(|| format!("cannot run {command:?}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        let messages = String::from_utf8_lossy(&output.stderr);
        bail!("{command:?} failed ({}):\n{text}{messages}", output.status);
    }
    Ok(text)
}
