//! Buckets of Google Cloud Storage: who asks, and where. `object_store` reads the credentials of
//! applications; those of people come from `gcloud`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use object_store::CredentialProvider;
use object_store::gcp::{GcpCredential, GoogleCloudStorageBuilder, GoogleConfigKey};
use tokio::process::Command;
use tokio::sync::Mutex;

use crate::address::Address;
use crate::bucket::{self, Bucket};
use crate::error::{self, RemoteError, RemoteErrorKind};
use crate::program::{self, CredentialsError};
use crate::settings::variable;
use crate::status::{Credentials, Service};
use crate::{metadata, settings};

const GCLOUD: &str = if cfg!(windows) {
    "gcloud.cmd"
} else {
    "gcloud"
};
/// Tokens of `gcloud` are good for an hour.
const TOKEN_LIFE: Duration = Duration::from_mins(40);
const TOKENS: [&str; 2] = ["CLOUDSDK_AUTH_ACCESS_TOKEN", "GOOGLE_OAUTH_ACCESS_TOKEN"];
/// Variables that `object_store` reads itself.
const IN_ENVIRONMENT: [&str; 4] = [
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GOOGLE_SERVICE_ACCOUNT",
    "GOOGLE_SERVICE_ACCOUNT_PATH",
    "GOOGLE_SERVICE_ACCOUNT_KEY",
];

pub(crate) async fn connect(address: &Address) -> Result<Bucket, RemoteError> {
    let emulator = variable("STORAGE_EMULATOR_HOST").map(|host| with_scheme(&host));
    let (mut builder, credentials) = signed(emulator.is_some()).await;
    let mut options = bucket::client_options();
    if let Some(emulator) = &emulator {
        builder = builder.with_base_url(emulator);
        options = options.with_allow_http(emulator.starts_with("http://"));
    }
    let store = builder
        .with_bucket_name(&address.place)
        .with_retry(metadata::retries())
        .with_client_options(options)
        .build();
    let store = store.map_err(|error| unusable(&error, address, &credentials))?;
    Ok(Bucket::new(store, Service::Google, credentials))
}

fn with_scheme(host: &str) -> String {
    let host = host.trim_end_matches('/');
    if host.contains("://") {
        host.to_owned()
    } else {
        format!("http://{host}")
    }
}

/// Signs with the first credentials there are. Where those of an application are not wanted, the
/// environment is not read: a file that is broken or of another kind would be in the way.
async fn signed(is_emulator: bool) -> (GoogleCloudStorageBuilder, Credentials) {
    let of_environment = GoogleCloudStorageBuilder::from_env();
    let is_unsigned = of_environment
        .get_config_value(&GoogleConfigKey::SkipSignature)
        .is_some_and(|value| value == "true");
    if settings::is_anonymous() || is_unsigned {
        return (unsigned(), Credentials::Unwanted);
    }
    if is_emulator {
        return (unsigned(), not_found("STORAGE_EMULATOR_HOST is set"));
    }
    let mut tokens = TOKENS
        .iter()
        .filter_map(|name| Some((name, variable(name)?)));
    if let Some((name, token)) = tokens.next() {
        let builder = GoogleCloudStorageBuilder::new().with_bearer_token(token);
        return (builder, Credentials::From((*name).to_owned()));
    }
    let mut named = IN_ENVIRONMENT.iter();
    if let Some(name) = named.find(|name| variable(name).is_some()) {
        return (of_environment, Credentials::From((*name).to_owned()));
    }
    if let Some(file) = default_file() {
        return (of_environment, Credentials::From(file));
    }
    let gcloud = Gcloud::new(GCLOUD);
    if gcloud.token().await.is_ok() {
        let builder = GoogleCloudStorageBuilder::new().with_credentials(Arc::new(gcloud));
        let name = "the account logged in to gcloud";
        return (builder, Credentials::From(name.to_owned()));
    }
    if metadata::answers() {
        let name = "the machine's service account";
        return (of_environment, Credentials::From(name.to_owned()));
    }
    let why = "GOOGLE_APPLICATION_CREDENTIALS is not set, there are no application default \
               credentials, gcloud has no token, and this machine is not on Google Cloud";
    (unsigned(), not_found(why))
}

fn unsigned() -> GoogleCloudStorageBuilder {
    GoogleCloudStorageBuilder::new()
        // Never sent; with it, no credentials are looked for.
        .with_bearer_token("")
        .with_skip_signature(true)
}

fn not_found(why: &str) -> Credentials {
    Credentials::NotFound {
        why: why.to_owned(),
        hint: String::new(),
    }
}

/// The file that `gcloud auth application-default login` writes, where `object_store` looks for it.
fn default_file() -> Option<String> {
    let (folder, below) = if cfg!(windows) {
        (variable("APPDATA")?, "gcloud")
    } else {
        (variable("HOME")?, ".config/gcloud")
    };
    let path = format!("{folder}/{below}/application_default_credentials.json");
    Path::new(&path).is_file().then_some(path)
}

fn unusable(
    error: &object_store::Error,
    address: &Address,
    credentials: &Credentials,
) -> RemoteError {
    let Credentials::From(name) = credentials else {
        return bucket::not_set_up(error, address);
    };
    let message = format!(
        "could not use the credentials from {name} ({})",
        error::chain(error)
    );
    RemoteError::new(RemoteErrorKind::Credentials, &address.url, message).with_hint(
        "use a service account key or `gcloud auth application-default login`; for other kinds of \
         credentials, set CLOUDSDK_AUTH_ACCESS_TOKEN=$(gcloud auth print-access-token)",
    )
}

/// The tokens of whoever is logged in to `gcloud`.
#[derive(Debug)]
struct Gcloud {
    program: PathBuf,
    /// The last token, and when it was printed.
    kept: Mutex<Option<(Arc<GcpCredential>, Instant)>>,
}

impl Gcloud {
    fn new(program: &str) -> Self {
        Self {
            program: program.into(),
            kept: Mutex::default(),
        }
    }

    async fn token(&self) -> Result<Arc<GcpCredential>, CredentialsError> {
        // Held while the program runs, so that requests side by side start it once.
        let mut kept = self.kept.lock().await;
        if let Some((token, _)) = kept
            .as_ref()
            .filter(|(_, made)| made.elapsed() < TOKEN_LIFE)
        {
            return Ok(Arc::clone(token));
        }
        let fresh = Arc::new(GcpCredential {
            bearer: self.print().await?,
        });
        *kept = Some((Arc::clone(&fresh), Instant::now()));
        Ok(fresh)
    }

    async fn print(&self) -> Result<String, CredentialsError> {
        let mut command = Command::new(&self.program);
        command
            .args(["auth", "print-access-token", "--quiet"])
            .env("CLOUDSDK_CORE_DISABLE_PROMPTS", "1");
        let failure = |what: &str| CredentialsError {
            message: format!("could not get an access token: gcloud {what}"),
            hint: "run `gcloud auth login`, or `gcloud auth application-default login`".to_owned(),
        };
        let printed = program::output(command, program::TIME_LIMIT).await;
        let printed = printed.map_err(|error| failure(&error.to_string()))?;
        let token = String::from_utf8_lossy(&printed).trim().to_owned();
        if token.is_empty() || token.contains(char::is_whitespace) {
            return Err(failure("printed no token"));
        }
        Ok(token)
    }
}

#[async_trait]
impl CredentialProvider for Gcloud {
    type Credential = GcpCredential;

    async fn get_credential(&self) -> object_store::Result<Arc<GcpCredential>> {
        self.token().await.map_err(|error| error.of_store("GCS"))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;

    use super::*;
    use crate::program::write_script;

    /// A script in place of `gcloud` that writes its arguments to the file `calls`.
    fn gcloud(folder: &Path, body: &str) -> Gcloud {
        let path = folder.join("gcloud");
        let calls = folder.join("calls");
        let script = format!("#!/bin/sh\necho \"$@\" >> '{}'\n{body}\n", calls.display());
        write_script(&path, &script);
        Gcloud::new(&path.to_string_lossy())
    }

    #[tokio::test]
    async fn gcloud_is_asked_once_for_a_token() {
        let folder = tempfile::tempdir().expect("a folder");
        let gcloud = gcloud(folder.path(), "echo ya29.token");
        for _ in 0..3 {
            let token = gcloud.get_credential().await.expect("a token");
            assert_eq!(token.bearer, "ya29.token");
        }
        let calls = fs::read_to_string(folder.path().join("calls")).expect("calls");
        assert_eq!(calls, "auth print-access-token --quiet\n");
    }

    #[tokio::test]
    async fn what_is_no_token_is_not_sent() {
        let folder = tempfile::tempdir().expect("a folder");
        for (body, expected) in [
            (
                "echo Updates are available; echo ya29.token",
                "gcloud printed no token",
            ),
            (
                "echo 'You do not have an account' >&2; exit 1",
                "do not have an account",
            ),
        ] {
            let error = gcloud(folder.path(), body).token().await.expect_err(body);
            assert!(error.message.contains(expected), "{error}");
        }
        let missing = Gcloud::new("/no/such/gcloud").token().await;
        let error = missing.expect_err("no program");
        assert!(error.message.ends_with("gcloud was not found"), "{error}");
    }
}
