//! Programs that print credentials: `aws`, `gcloud`, and the `credential_process` of a profile. They
//! run with a time limit and without input.

use std::io;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

/// Longer than any of them takes on a slow network.
pub(crate) const TIME_LIMIT: Duration = Duration::from_mins(1);

/// Why a program printed nothing to use. Reads on after the program's name.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProgramError {
    #[error("was not found")]
    NotFound,
    #[error("could not be started ({0})")]
    NotStarted(io::Error),
    #[error("did not finish within {} seconds", .0.as_secs())]
    TimedOut(Duration),
    /// With the last line of its standard error, or its exit status.
    #[error("failed ({0})")]
    Failed(String),
    #[error("printed no credentials that Stepscope can read ({0})")]
    Unreadable(serde_json::Error),
}

/// Why there are no credentials although the person set some up. `object_store` carries it from
/// their source to where errors are reported.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub(crate) struct CredentialsError {
    pub(crate) message: String,
    pub(crate) hint: String,
}

impl CredentialsError {
    /// As an error of a store.
    pub(crate) fn of_store(self, store: &'static str) -> object_store::Error {
        object_store::Error::Generic {
            store,
            source: Box::new(self),
        }
    }
}

/// What a program prints on its standard output.
pub(crate) async fn output(
    mut command: Command,
    time_limit: Duration,
) -> Result<Vec<u8>, ProgramError> {
    command.stdin(Stdio::null()).kill_on_drop(true);
    let output = tokio::time::timeout(time_limit, command.output())
        .await
        .map_err(|_| ProgramError::TimedOut(time_limit))?
        .map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => ProgramError::NotFound,
            _ => ProgramError::NotStarted(error),
        })?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().map(str::trim).rfind(|line| !line.is_empty());
    let detail = last.map_or_else(|| output.status.to_string(), str::to_owned);
    Err(ProgramError::Failed(detail))
}

/// Writes an executable script for a test. Another process writes it: a file that this one has open for
/// writing is also open in every process that another test starts meanwhile, and cannot be run until that
/// one is gone.
#[cfg(all(test, unix))]
pub(crate) fn write_script(path: &std::path::Path, script: &str) {
    use std::os::unix::fs::PermissionsExt as _;

    let text = path.with_extension("txt");
    std::fs::write(&text, script).expect("a script");
    let copied = std::process::Command::new("cp")
        .arg(&text)
        .arg(path)
        .status();
    assert!(copied.expect("cp").success());
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(path, executable).expect("executable");
}
