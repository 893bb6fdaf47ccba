//! Buckets of S3, and of services that speak its protocol: who asks, where, and in which region.

use std::sync::Arc;

use object_store::ClientOptions;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey, resolve_bucket_region};

use crate::address::Address;
use crate::aws_keys::PrintedKeys;
use crate::aws_profile::{self, Source};
use crate::bucket::{self, Bucket};
use crate::error::RemoteError;
use crate::program::CredentialsError;
use crate::settings::variable;
use crate::status::{Credentials, Service};
use crate::{metadata, settings};

/// Variables that `object_store` reads itself.
const IN_ENVIRONMENT: [&str; 4] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
];

pub(crate) async fn connect(address: &Address) -> Result<Bucket, RemoteError> {
    let profile = aws_profile::read();
    let endpoint = variable("AWS_ENDPOINT_URL_S3")
        .or_else(|| variable("AWS_ENDPOINT_URL"))
        .or_else(|| variable("AWS_ENDPOINT"))
        .or(profile.endpoint);
    let mut builder = AmazonS3Builder::from_env()
        .with_bucket_name(&address.place)
        .with_retry(metadata::retries());
    let mut options = bucket::client_options();
    if let Some(endpoint) = &endpoint {
        builder = builder.with_endpoint(endpoint);
        options = options.with_allow_http(endpoint.starts_with("http://"));
    }
    builder = builder.with_client_options(options.clone());
    let region = variable("AWS_REGION")
        .or_else(|| variable("AWS_DEFAULT_REGION"))
        .or(profile.region);
    if let Some(region) = region_of(region, endpoint.is_some(), address, &options).await {
        builder = builder.with_region(region);
    }
    let (builder, credentials) = signed(builder, &profile.name, profile.credentials).await;
    let store = builder.build();
    let store = store.map_err(|error| bucket::not_set_up(&error, address))?;
    Ok(Bucket::new(store, Service::Amazon, credentials))
}

/// The region to ask. Buckets of Amazon say where they are to anybody.
async fn region_of(
    known: Option<String>,
    has_endpoint: bool,
    address: &Address,
    options: &ClientOptions,
) -> Option<String> {
    if known.is_some() || has_endpoint {
        return known;
    }
    resolve_bucket_region(&address.place, options).await.ok()
}

/// Signs with the first credentials there are.
async fn signed(
    builder: AmazonS3Builder,
    profile: &str,
    source: Source,
) -> (AmazonS3Builder, Credentials) {
    let is_unsigned = builder
        .get_config_value(&AmazonS3ConfigKey::SkipSignature)
        .is_some_and(|value| value == "true");
    if settings::is_anonymous() || is_unsigned {
        return (builder.with_skip_signature(true), Credentials::Unwanted);
    }
    let in_environment = IN_ENVIRONMENT.into_iter();
    if let Some(name) = in_environment
        .into_iter()
        .find(|name| variable(name).is_some())
    {
        return (builder, Credentials::From(name.to_owned()));
    }
    let of_profile = || Credentials::From(format!("profile {profile}"));
    let (why, hint) = match of_source(profile, source).await {
        Ok(Some(keys)) => return (keys.sign(builder), of_profile()),
        Ok(None) => {
            let why = format!(
                "AWS_ACCESS_KEY_ID is not set, profile {profile} has no keys, and this machine is \
                 not on AWS"
            );
            (why, String::new())
        }
        Err(error) => (error.message, error.hint),
    };
    let has_metadata = variable("AWS_EC2_METADATA_DISABLED").as_deref() != Some("true");
    if has_metadata && (variable("AWS_METADATA_ENDPOINT").is_some() || metadata::answers()) {
        return (builder, Credentials::From("the machine's role".to_owned()));
    }
    let builder = builder.with_skip_signature(true);
    (builder, Credentials::NotFound { why, hint })
}

/// What a profile gives to sign with.
enum ProfileKeys {
    Written(aws_profile::Keys),
    Printed(PrintedKeys),
}

/// The keys of a profile. Programs are run now, so that it shows whether they have any.
async fn of_source(profile: &str, source: Source) -> Result<Option<ProfileKeys>, CredentialsError> {
    let keys = match source {
        Source::Keys(keys) => return Ok(Some(ProfileKeys::Written(keys))),
        Source::Nothing | Source::NoProfile => return Ok(None),
        Source::Process(line) => PrintedKeys::of_process(profile, line),
        Source::Cli(sign_in) => PrintedKeys::of_cli(profile, sign_in),
    };
    keys.get().await?;
    Ok(Some(ProfileKeys::Printed(keys)))
}

impl ProfileKeys {
    fn sign(self, builder: AmazonS3Builder) -> AmazonS3Builder {
        match self {
            Self::Printed(keys) => builder.with_credentials(Arc::new(keys)),
            Self::Written(keys) => {
                let builder = builder
                    .with_access_key_id(keys.id)
                    .with_secret_access_key(keys.secret);
                match keys.token {
                    Some(token) => builder.with_token(token),
                    None => builder,
                }
            }
        }
    }
}
