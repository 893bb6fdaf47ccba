//! Keys that a program prints for a profile: the AWS CLI, which knows every way to sign in, or the
//! profile's own `credential_process`. Both print the same JSON.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use object_store::CredentialProvider;
use object_store::aws::AwsCredential;
use serde::Deserialize;
use tokio::process::Command;
use tokio::sync::Mutex;

use crate::program::{self, CredentialsError, ProgramError};

/// Keys are replaced this long before they expire, so that they outlive a request.
const MARGIN: SignedDuration = SignedDuration::from_secs(60);

/// The keys of a profile, printed by a program and kept until they expire.
#[derive(Debug)]
pub(crate) struct PrintedKeys {
    profile: String,
    printer: Printer,
    time_limit: Duration,
    kept: Mutex<Option<Kept>>,
}

/// What prints them.
#[derive(Debug)]
enum Printer {
    /// The AWS CLI, with the setting of the profile that says how to sign in.
    Cli(OsString, Option<&'static str>),
    /// A command line of the profile.
    Process(String),
}

#[derive(Debug)]
struct Kept {
    keys: Arc<AwsCredential>,
    expiration: Option<Timestamp>,
}

/// What both programs print. Times are those of RFC 3339.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Printed {
    access_key_id: String,
    secret_access_key: String,
    session_token: Option<String>,
    expiration: Option<String>,
}

impl PrintedKeys {
    /// From `aws configure export-credentials`.
    pub(crate) fn of_cli(profile: &str, sign_in: Option<&'static str>) -> Self {
        Self::new(profile, Printer::Cli("aws".into(), sign_in))
    }

    /// From the command line in `credential_process`.
    pub(crate) fn of_process(profile: &str, command: String) -> Self {
        Self::new(profile, Printer::Process(command))
    }

    fn new(profile: &str, printer: Printer) -> Self {
        Self {
            profile: profile.to_owned(),
            printer,
            time_limit: program::TIME_LIMIT,
            kept: Mutex::default(),
        }
    }

    /// The keys, those printed before as long as they are good.
    pub(crate) async fn get(&self) -> Result<Arc<AwsCredential>, CredentialsError> {
        // Held while the program runs, so that requests side by side start it once.
        let mut kept = self.kept.lock().await;
        if let Some(kept) = kept.as_ref().filter(|kept| kept.is_good()) {
            return Ok(Arc::clone(&kept.keys));
        }
        let fresh = self.print().await?;
        let keys = Arc::clone(&fresh.keys);
        *kept = Some(fresh);
        Ok(keys)
    }

    async fn print(&self) -> Result<Kept, CredentialsError> {
        let printed = program::output(self.command(), self.time_limit).await;
        let printed = printed.map_err(|error| self.failure(&error))?;
        let printed: Printed = serde_json::from_slice(&printed)
            .map_err(|error| self.failure(&ProgramError::Unreadable(error)))?;
        Ok(Kept {
            keys: Arc::new(AwsCredential {
                key_id: printed.access_key_id,
                secret_key: printed.secret_access_key,
                token: printed.session_token,
            }),
            expiration: printed.expiration.and_then(|time| time.parse().ok()),
        })
    }

    fn command(&self) -> Command {
        match &self.printer {
            Printer::Cli(program, _) => {
                let mut command = Command::new(program);
                command.args(["configure", "export-credentials"]);
                command.args(["--profile", &self.profile, "--format", "process"]);
                command
            }
            Printer::Process(line) => {
                let (shell, flag) = if cfg!(windows) {
                    ("cmd", "/C")
                } else {
                    ("sh", "-c")
                };
                let mut command = Command::new(shell);
                command.args([flag, line]);
                command
            }
        }
    }

    fn failure(&self, error: &ProgramError) -> CredentialsError {
        let profile = &self.profile;
        let (program, hint) = match &self.printer {
            Printer::Cli(_, sign_in) => {
                let hint = match (error, sign_in) {
                    (ProgramError::NotFound, _) => {
                        "install AWS CLI v2, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
                            .to_owned()
                    }
                    (_, Some("sso_session" | "sso_start_url")) => {
                        format!("run `aws sso login --profile {profile}`")
                    }
                    (_, Some("login_session")) => format!("run `aws login --profile {profile}`"),
                    _ => format!(
                        "run `aws configure export-credentials --profile {profile}` to see why"
                    ),
                };
                ("the AWS CLI", hint)
            }
            Printer::Process(_) => (
                "credential_process",
                "check the command in ~/.aws/config".to_owned(),
            ),
        };
        CredentialsError {
            message: format!(
                "could not get credentials for AWS profile {profile}: {program} {error}"
            ),
            hint,
        }
    }
}

impl Kept {
    fn is_good(&self) -> bool {
        self.expiration
            .is_none_or(|expiration| expiration.duration_since(Timestamp::now()) > MARGIN)
    }
}

#[async_trait]
impl CredentialProvider for PrintedKeys {
    type Credential = AwsCredential;

    async fn get_credential(&self) -> object_store::Result<Arc<AwsCredential>> {
        self.get().await.map_err(|error| error.of_store("S3"))
    }
}

#[cfg(all(test, unix))]
#[path = "aws_keys_tests.rs"]
mod tests;
