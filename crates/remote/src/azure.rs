//! Containers of Azure Blob Storage: who asks, and where.

use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};

use crate::address::Address;
use crate::bucket::{self, Bucket};
use crate::error::{RemoteError, RemoteErrorKind};
use crate::settings::variable;
use crate::status::{Credentials, Service};
use crate::{metadata, settings};

/// Credentials that `object_store` finds in the environment, or that a connection string has.
const IN_BUILDER: [(AzureConfigKey, &str); 5] = [
    (AzureConfigKey::AccessKey, "the account key"),
    (AzureConfigKey::SasKey, "the SAS token"),
    (AzureConfigKey::Token, "the bearer token"),
    (AzureConfigKey::FederatedTokenFile, "the federated token"),
    (AzureConfigKey::ClientSecret, "the client secret"),
];

pub(crate) fn connect(address: &Address) -> Result<Bucket, RemoteError> {
    let mut builder = MicrosoftAzureBuilder::from_env()
        .with_container_name(&address.place)
        .with_retry(metadata::retries());
    let emulator = variable("AZURITE_BLOB_STORAGE_URL");
    let named_emulator =
        variable("AZURE_STORAGE_USE_EMULATOR").is_some_and(|value| value != "false");
    let is_emulator = emulator.is_some() || named_emulator;
    let mut options = bucket::client_options();
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
        let message = "the storage account is not set";
        return Err(RemoteError::new(RemoteErrorKind::Credentials, &address.url, message).with_hint(
            "set AZURE_STORAGE_ACCOUNT_NAME, or use abfss://CONTAINER@ACCOUNT.dfs.core.windows.net/PATH",
        ));
    }
    let endpoint = builder.get_config_value(&AzureConfigKey::Endpoint);
    let is_plain = endpoint.is_some_and(|endpoint| endpoint.starts_with("http://"));
    if is_plain {
        options = options.with_allow_http(true);
    }
    builder = builder.with_client_options(options);
    let (builder, credentials) = signed(builder, is_emulator);
    let store = builder.build();
    let store = store.map_err(|error| bucket::not_set_up(&error, address))?;
    Ok(Bucket::new(store, Service::Azure, credentials))
}

/// Signs with the first credentials there are.
fn signed(
    builder: MicrosoftAzureBuilder,
    is_emulator: bool,
) -> (MicrosoftAzureBuilder, Credentials) {
    let from = |name: &str| Credentials::From(name.to_owned());
    let mut found = IN_BUILDER.iter();
    let found = found.find(|(key, _)| builder.get_config_value(key).is_some());
    if settings::is_anonymous() {
        (builder.with_skip_signature(true), Credentials::Unwanted)
    } else if is_emulator {
        (builder, from("the emulator's account"))
    } else if let Some((_, name)) = found {
        (builder, from(name))
    } else if is_on_path("az") {
        (builder.with_use_azure_cli(true), from("the Azure CLI"))
    } else if metadata::answers() {
        (builder, from("the machine's identity"))
    } else {
        let why = "AZURE_STORAGE_ACCOUNT_KEY, AZURE_STORAGE_SAS_TOKEN and \
                   AZURE_STORAGE_CONNECTION_STRING are not set, the Azure CLI is not installed, and \
                   this machine is not on Azure";
        let credentials = Credentials::NotFound {
            why: why.to_owned(),
            hint: String::new(),
        };
        (builder.with_skip_signature(true), credentials)
    }
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
