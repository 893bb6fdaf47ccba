//! Buckets of S3 and containers of Azure, by `object_store`: who asks, where, and with what retries.

use std::sync::Arc;

use futures_util::StreamExt as _;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey, resolve_bucket_region};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::path::Path;
use object_store::{ClientOptions, ObjectMeta, ObjectStore, ObjectStoreExt as _};

use crate::address::{Address, Scheme};
use crate::error::{self, RemoteError, RemoteErrorKind, Service};
use crate::object::{Interest, Listing, Object};
use crate::settings::variable;
use crate::{aws_profile, metadata, runtime, settings};

/// A bucket and who asks it.
pub(crate) struct Bucket {
    pub(crate) store: Arc<dyn ObjectStore>,
    service: Service,
    tried: String,
}

fn client_options() -> ClientOptions {
    ClientOptions::new()
        .with_connect_timeout(runtime::CONNECT_TIMEOUT)
        .with_read_timeout(runtime::READ_TIMEOUT)
        // A slow line is no reason to give up as long as something arrives.
        .with_timeout_disabled()
}

impl Bucket {
    pub(crate) async fn new(address: &Address) -> Result<Self, RemoteError> {
        match address.scheme {
            Scheme::Azure => azure(address),
            _ => amazon(address).await,
        }
    }

    /// The objects below a prefix, or the one of exactly this name.
    pub(crate) async fn list(
        &self,
        address: &Address,
        interest: &Interest,
    ) -> Result<Listing, RemoteError> {
        let prefix = self.path(&address.path, &address.url)?;
        let mut listing = Listing {
            objects: Vec::new(),
            is_file: false,
            cut: None,
            offline: None,
        };
        let is_perhaps_file = !address.path.is_empty();
        if is_perhaps_file {
            match self.store.head(&prefix).await {
                Ok(meta) => {
                    let name = address.path.rsplit('/').next().unwrap_or_default();
                    listing
                        .objects
                        .push(object(&meta, address.url.clone(), name));
                    listing.is_file = true;
                    return Ok(listing);
                }
                // An answer to HEAD has no body that would say more; listing says it.
                Err(error) if has_answered(&error) => {}
                Err(error) => return Err(self.failure(&error, &address.url)),
            }
        }
        let below = if address.path.is_empty() {
            None
        } else {
            Some(&prefix)
        };
        let mut found = self.store.list(below);
        while let Some(meta) = found.next().await {
            let meta = meta.map_err(|error| self.failure(&error, &address.url))?;
            let location = meta.location.as_ref();
            let name = location
                .strip_prefix(prefix.as_ref())
                .unwrap_or(location)
                .trim_start_matches('/');
            listing
                .objects
                .push(object(&meta, address.child(name), name));
            if listing.objects.len() >= interest.max_entries {
                listing.cut = Some(format!(
                    "the search ended after {} objects",
                    interest.max_entries
                ));
                break;
            }
        }
        Ok(listing)
    }

    /// The name in the store of what a URL of it names.
    pub(crate) fn location(&self, object: &Object) -> Result<Path, RemoteError> {
        let address = Address::parse(&object.url)?;
        self.path(&address.path, &object.url)
    }

    #[expect(
        clippy::unused_self,
        reason = "beside what else a bucket says about names"
    )]
    fn path(&self, path: &str, url: &str) -> Result<Path, RemoteError> {
        // As the store names it, without escaping: what a listing gave is found again.
        Path::parse(path).map_err(|error| {
            RemoteError::new(
                RemoteErrorKind::Address,
                url,
                format!("no name of an object ({error})"),
            )
        })
    }

    /// Tells a person what an error of the store means.
    pub(crate) fn failure(&self, error: &object_store::Error, url: &str) -> RemoteError {
        let text = error::chain(error);
        if text.contains("Received redirect without LOCATION") {
            return error::wrong_region("", url);
        }
        if let Some(status) = status_of(&text) {
            return error::of_status(self.service, status, &text, url, &self.tried);
        }
        match error {
            object_store::Error::NotFound { .. } => {
                error::of_status(self.service, 404, &text, url, &self.tried)
            }
            object_store::Error::PermissionDenied { .. } => {
                error::of_status(self.service, 403, &text, url, &self.tried)
            }
            object_store::Error::Unauthenticated { .. } => {
                error::of_status(self.service, 401, &text, url, &self.tried)
            }
            _ => error::unreachable(&text, false, url),
        }
    }
}

/// Whether the other side said something, rather than nothing.
fn has_answered(error: &object_store::Error) -> bool {
    matches!(
        error,
        object_store::Error::NotFound { .. }
            | object_store::Error::PermissionDenied { .. }
            | object_store::Error::Unauthenticated { .. }
    ) || status_of(&error::chain(error)).is_some()
        || error::chain(error).contains("Received redirect")
}

/// The status in `…status code: 403 Forbidden…`.
fn status_of(text: &str) -> Option<u16> {
    let (_, rest) = text.split_once("status code: ")?;
    rest.get(..3)?.parse().ok()
}

fn object(meta: &ObjectMeta, url: String, name: &str) -> Object {
    let written = meta.last_modified.timestamp();
    // A listing of Azure leaves out the quotes that its answers have.
    let tag = meta
        .e_tag
        .as_ref()
        .map(|tag| tag.trim_matches('"').to_owned());
    let version = tag.unwrap_or_else(|| written.to_string());
    Object {
        url,
        name: name.to_owned(),
        size_bytes: meta.size,
        modified_epoch_s: u64::try_from(written).ok(),
        version,
    }
}

async fn amazon(address: &Address) -> Result<Bucket, RemoteError> {
    let profile = aws_profile::read();
    let mut builder = AmazonS3Builder::from_env()
        .with_bucket_name(&address.place)
        .with_retry(metadata::retries());
    let endpoint = variable("AWS_ENDPOINT_URL_S3")
        .or_else(|| variable("AWS_ENDPOINT_URL"))
        .or_else(|| variable("AWS_ENDPOINT"))
        .or_else(|| profile.endpoint.clone());
    let mut options = client_options();
    if let Some(endpoint) = &endpoint {
        builder = builder.with_endpoint(endpoint);
        options = options.with_allow_http(endpoint.starts_with("http://"));
    }
    builder = builder.with_client_options(options.clone());
    let tried;
    let is_unsigned = builder
        .get_config_value(&AmazonS3ConfigKey::SkipSignature)
        .is_some_and(|v| v == "true");
    if settings::is_anonymous() || is_unsigned {
        (builder, tried) = (
            builder.with_skip_signature(true),
            "none, as asked for".to_owned(),
        );
    } else if variable("AWS_ACCESS_KEY_ID").is_some() {
        tried = "AWS_ACCESS_KEY_ID".to_owned();
    } else if let Some(name) = [
        "AWS_WEB_IDENTITY_TOKEN_FILE",
        "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
        "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    ]
    .into_iter()
    .find(|name| variable(name).is_some())
    {
        tried = name.to_owned();
    } else if let Some(keys) = profile.keys {
        builder = builder
            .with_access_key_id(keys.id)
            .with_secret_access_key(keys.secret);
        if let Some(token) = keys.token {
            builder = builder.with_token(token);
        }
        tried = format!("profile {}", profile.name);
    } else if variable("AWS_EC2_METADATA_DISABLED").as_deref() != Some("true")
        && (variable("AWS_METADATA_ENDPOINT").is_some() || metadata::answers())
    {
        tried = "the machine's role".to_owned();
    } else {
        builder = builder.with_skip_signature(true);
        let problem = profile
            .problem
            .unwrap_or_else(|| format!("no keys in profile {}", profile.name));
        tried = format!(
            "none: AWS_ACCESS_KEY_ID is not set, {problem}, and this machine is not on AWS"
        );
    }
    let region = variable("AWS_REGION")
        .or_else(|| variable("AWS_DEFAULT_REGION"))
        .or(profile.region);
    match (region, &endpoint) {
        (Some(region), _) => builder = builder.with_region(region),
        // Buckets say where they are to anybody.
        (None, None) => {
            if let Ok(region) = resolve_bucket_region(&address.place, &options).await {
                builder = builder.with_region(region);
            }
        }
        (None, Some(_)) => {}
    }
    let store = builder.build().map_err(|error| unbuilt(&error, address))?;
    Ok(Bucket {
        store: Arc::new(store),
        service: Service::Amazon,
        tried,
    })
}

fn azure(address: &Address) -> Result<Bucket, RemoteError> {
    let mut builder = MicrosoftAzureBuilder::from_env()
        .with_container_name(&address.place)
        .with_retry(metadata::retries());
    let emulator = variable("AZURITE_BLOB_STORAGE_URL");
    let named_emulator =
        variable("AZURE_STORAGE_USE_EMULATOR").is_some_and(|value| value != "false");
    let is_emulator = emulator.is_some() || named_emulator;
    let mut options = client_options();
    if is_emulator {
        builder = builder.with_use_emulator(true);
        options = options.with_allow_http(true);
    }
    for (key, value) in connection_string() {
        builder = builder.with_config(key, value);
    }
    if let Some(account) = &address.account {
        builder = builder.with_account(account);
    }
    let has_account = builder
        .get_config_value(&AzureConfigKey::AccountName)
        .is_some();
    if !has_account && !is_emulator {
        let message = "the storage account is not known";
        return Err(RemoteError::new(RemoteErrorKind::Credentials, &address.url, message).with_hint(
            "set AZURE_STORAGE_ACCOUNT_NAME, or give abfss://CONTAINER@ACCOUNT.dfs.core.windows.net/PATH",
        ));
    }
    let endpoint = builder.get_config_value(&AzureConfigKey::Endpoint);
    let is_plain = endpoint.is_some_and(|endpoint| endpoint.starts_with("http://"));
    if is_plain {
        options = options.with_allow_http(true);
    }
    builder = builder.with_client_options(options);
    let known = [
        (AzureConfigKey::AccessKey, "the account's key"),
        (AzureConfigKey::SasKey, "the SAS token"),
        (AzureConfigKey::Token, "the bearer token"),
        (AzureConfigKey::FederatedTokenFile, "the federated token"),
        (AzureConfigKey::ClientSecret, "the client's secret"),
    ];
    let found = known
        .iter()
        .find(|(key, _)| builder.get_config_value(key).is_some());
    let tried;
    if settings::is_anonymous() {
        (builder, tried) = (builder.with_skip_signature(true), "none, as asked for");
    } else if is_emulator {
        tried = "the emulator's account";
    } else if let Some((_, name)) = found {
        tried = name;
    } else if is_on_path("az") {
        (builder, tried) = (builder.with_use_azure_cli(true), "the account of az");
    } else if metadata::answers() {
        tried = "the machine's identity";
    } else {
        builder = builder.with_skip_signature(true);
        tried = "none: no AZURE_STORAGE_ACCOUNT_KEY, AZURE_STORAGE_SAS_TOKEN or \
                 AZURE_STORAGE_CONNECTION_STRING, no az, and this is no machine of Azure";
    }
    let store = builder.build().map_err(|error| unbuilt(&error, address))?;
    Ok(Bucket {
        store: Arc::new(store),
        service: Service::Azure,
        tried: tried.to_owned(),
    })
}

/// What `AZURE_STORAGE_CONNECTION_STRING` says, as its portal gives it.
fn connection_string() -> Vec<(AzureConfigKey, String)> {
    let Some(text) = variable("AZURE_STORAGE_CONNECTION_STRING") else {
        return Vec::new();
    };
    let pairs = text.split(';').filter_map(|pair| pair.split_once('='));
    let settings = pairs.filter_map(|(name, value)| {
        let key = match name {
            "AccountName" => AzureConfigKey::AccountName,
            "AccountKey" => AzureConfigKey::AccessKey,
            "SharedAccessSignature" => AzureConfigKey::SasKey,
            "BlobEndpoint" => AzureConfigKey::Endpoint,
            _ => return None,
        };
        Some((key, value.to_owned()))
    });
    settings.collect()
}

fn is_on_path(program: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(program).is_file())
}

fn unbuilt(error: &object_store::Error, address: &Address) -> RemoteError {
    let message = format!(
        "the settings of this service cannot be used ({})",
        error::chain(error)
    );
    RemoteError::new(RemoteErrorKind::Credentials, &address.url, message)
}
