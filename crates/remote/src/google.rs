//! Google Cloud Storage, by its JSON interface. Credentials come from `object_store` where they are
//! those of an application, and from `gcloud` where only a person has logged in there.

use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use object_store::gcp::{GcpCredentialProvider, GoogleCloudStorageBuilder};
use serde::Deserialize;

use crate::address::{Address, percent_encoded};
use crate::error::{self, RemoteError, RemoteErrorKind, Service};
use crate::http::{Asker, iso_date};
use crate::object::{Interest, Listing, Object};
use crate::{metadata, runtime, settings};

const BASE: &str = "https://storage.googleapis.com";
/// Tokens of `gcloud` are good for an hour.
const TOKEN_LIFE: Duration = Duration::from_mins(40);

/// How a bucket is asked.
pub(crate) struct Google {
    base: String,
    bucket: String,
    credentials: Credentials,
    tried: String,
}

enum Credentials {
    None,
    /// A token that was handed in.
    Token(String),
    Application(GcpCredentialProvider),
    /// What `gcloud auth print-access-token` printed, and when.
    Person(Mutex<Option<(String, Instant)>>),
}

impl Google {
    pub(crate) fn new(address: &Address) -> Result<Self, RemoteError> {
        let emulator = settings::variable("STORAGE_EMULATOR_HOST");
        let base = emulator
            .as_deref()
            .map_or_else(|| BASE.to_owned(), with_scheme);
        let (credentials, tried) = if settings::is_anonymous() {
            (Credentials::None, "none, as asked for".to_owned())
        } else if emulator.is_some() {
            (
                Credentials::None,
                "none: STORAGE_EMULATOR_HOST is set".to_owned(),
            )
        } else {
            credentials(address)?
        };
        Ok(Self {
            base,
            bucket: address.place.clone(),
            credentials,
            tried,
        })
    }

    async fn asker(&self, url: &str) -> Result<Asker, RemoteError> {
        let token = match &self.credentials {
            Credentials::None => None,
            Credentials::Token(token) => Some(token.clone()),
            Credentials::Application(provider) => {
                let credential = provider.get_credential().await.map_err(|error| {
                    let text = error::chain(&error);
                    RemoteError::new(
                        RemoteErrorKind::Credentials,
                        url,
                        format!("no token for the credentials ({text}; used {})", self.tried),
                    )
                    .with_hint("run `gcloud auth application-default login` again")
                })?;
                Some(credential.bearer.clone())
            }
            Credentials::Person(kept) => {
                let held = kept.lock().unwrap_or_else(PoisonError::into_inner).clone();
                match held {
                    Some((token, made)) if made.elapsed() < TOKEN_LIFE => Some(token),
                    _ => {
                        let token = token_of_gcloud();
                        let fresh = token.clone().map(|token| (token, Instant::now()));
                        *kept.lock().unwrap_or_else(PoisonError::into_inner) = fresh;
                        token
                    }
                }
            }
        };
        Ok(Asker {
            client: runtime::client(url)?,
            service: Service::Google,
            authorization: token.map(|token| format!("Bearer {token}")),
            user: None,
            tried: self.tried.clone(),
        })
    }

    /// Where the content of an object is, and how to ask for it.
    pub(crate) async fn content(&self, object: &Object) -> Result<(Asker, String), RemoteError> {
        let asker = self.asker(&object.url).await?;
        let key = object
            .url
            .split_once("://")
            .and_then(|(_, rest)| rest.split_once('/'));
        let key = match Address::parse(&object.url) {
            Ok(address) => address.path,
            Err(_) => key.map(|(_, key)| key.to_owned()).unwrap_or_default(),
        };
        let (bucket, key) = (percent_encoded(&self.bucket), percent_encoded(&key));
        Ok((
            asker,
            format!("{}/storage/v1/b/{bucket}/o/{key}?alt=media", self.base),
        ))
    }

    /// The objects below a prefix, or the one of exactly this name.
    pub(crate) async fn list(
        &self,
        address: &Address,
        interest: &Interest,
    ) -> Result<Listing, RemoteError> {
        let asker = self.asker(&address.url).await?;
        let bucket = percent_encoded(&self.bucket);
        let url = &address.url;
        if !address.path.is_empty() {
            let key = percent_encoded(&address.path);
            let request = format!("{}/storage/v1/b/{bucket}/o/{key}", self.base);
            match asker.get(&request, url).await {
                Ok(answer) => {
                    let text = answer.text().await.unwrap_or_default();
                    let item: Item = parse(&text, url)?;
                    let mut object = item.object(address, "");
                    address
                        .path
                        .rsplit('/')
                        .next()
                        .unwrap_or_default()
                        .clone_into(&mut object.name);
                    return Ok(Listing {
                        objects: vec![object],
                        is_file: true,
                        cut: None,
                        offline: None,
                    });
                }
                Err(error) if error.kind == RemoteErrorKind::NotFound => {}
                // Who may list need not be allowed to look at what does not exist.
                Err(error) if error.kind == RemoteErrorKind::Refused => {}
                Err(error) => return Err(error),
            }
        }
        let prefix = if address.path.is_empty() {
            String::new()
        } else {
            format!("{}/", address.path)
        };
        let mut listing = Listing {
            objects: Vec::new(),
            is_file: false,
            cut: None,
            offline: None,
        };
        let mut page = String::new();
        loop {
            let fields = "nextPageToken,items(name,size,etag,generation,updated)";
            let request = format!(
                "{}/storage/v1/b/{bucket}/o?prefix={}&fields={}&maxResults=1000{page}",
                self.base,
                percent_encoded(&prefix),
                percent_encoded(fields),
            );
            let answer = asker.get(&request, url).await?;
            let text = answer
                .text()
                .await
                .map_err(|error| error::of_transport(&error, url))?;
            let items: Items = parse(&text, url)?;
            let objects = items.items.iter().filter(|item| !item.name.ends_with('/'));
            listing
                .objects
                .extend(objects.map(|item| item.object(address, &prefix)));
            if listing.objects.len() >= interest.max_entries {
                listing.cut = Some(format!(
                    "the search ended after {} objects",
                    interest.max_entries
                ));
                return Ok(listing);
            }
            match items.next_page_token {
                Some(token) if !token.is_empty() => {
                    page = format!("&pageToken={}", percent_encoded(&token));
                }
                _ => return Ok(listing),
            }
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Items {
    #[serde(default)]
    items: Vec<Item>,
    next_page_token: Option<String>,
}

#[derive(Deserialize)]
struct Item {
    name: String,
    #[serde(default)]
    size: String,
    etag: Option<String>,
    generation: Option<String>,
    updated: Option<String>,
}

impl Item {
    fn object(&self, address: &Address, prefix: &str) -> Object {
        let name = self.name.strip_prefix(prefix).unwrap_or(&self.name);
        let url = if prefix.is_empty() && !address.path.is_empty() {
            address.url.clone()
        } else {
            address.child(name)
        };
        let version = self.generation.as_ref().or(self.etag.as_ref());
        Object {
            url,
            name: name.to_owned(),
            size_bytes: self.size.parse().unwrap_or(0),
            modified_epoch_s: self.updated.as_deref().and_then(iso_date),
            version: version.cloned().unwrap_or_default(),
        }
    }
}

fn parse<'a, T: Deserialize<'a>>(text: &'a str, url: &str) -> Result<T, RemoteError> {
    serde_json::from_str(text).map_err(|error| {
        let message = format!("the answer is not what Google Cloud Storage sends ({error})");
        RemoteError::new(RemoteErrorKind::Other, url, message)
    })
}

fn with_scheme(host: &str) -> String {
    let host = host.trim_end_matches('/');
    if host.contains("://") {
        host.to_owned()
    } else {
        format!("http://{host}")
    }
}

/// The first credentials there are, and what they are called; else where none were found.
fn credentials(address: &Address) -> Result<(Credentials, String), RemoteError> {
    for name in ["CLOUDSDK_AUTH_ACCESS_TOKEN", "GOOGLE_OAUTH_ACCESS_TOKEN"] {
        if let Some(token) = settings::variable(name) {
            return Ok((Credentials::Token(token), name.to_owned()));
        }
    }
    let named = [
        "GOOGLE_APPLICATION_CREDENTIALS",
        "GOOGLE_SERVICE_ACCOUNT",
        "GOOGLE_SERVICE_ACCOUNT_KEY",
    ]
    .into_iter()
    .find(|name| settings::variable(name).is_some());
    if let Some(name) = named {
        return Ok((
            Credentials::Application(application(address, name)?),
            name.to_owned(),
        ));
    }
    let folder = settings::variable("HOME").unwrap_or_default();
    let default = format!("{folder}/.config/gcloud/application_default_credentials.json");
    if std::path::Path::new(&default).is_file() {
        return Ok((
            Credentials::Application(application(address, &default)?),
            default,
        ));
    }
    if let Some(token) = token_of_gcloud() {
        let kept = Mutex::new(Some((token, Instant::now())));
        return Ok((
            Credentials::Person(kept),
            "the account of gcloud".to_owned(),
        ));
    }
    if metadata::answers() {
        let name = "the machine's service account";
        return Ok((
            Credentials::Application(application(address, name)?),
            name.to_owned(),
        ));
    }
    let tried = "none: GOOGLE_APPLICATION_CREDENTIALS is not set, no application default \
                 credentials, gcloud gives no token, and this is no machine of Google";
    Ok((Credentials::None, tried.to_owned()))
}

fn application(address: &Address, name: &str) -> Result<GcpCredentialProvider, RemoteError> {
    let built = GoogleCloudStorageBuilder::from_env()
        .with_bucket_name(&address.place)
        .with_retry(metadata::retries())
        .build();
    built
        .map(|store| Arc::clone(store.credentials()))
        .map_err(|error| {
            let message = format!("{name} cannot be used ({})", error::chain(&error));
            RemoteError::new(RemoteErrorKind::Credentials, &address.url, message).with_hint(
                "keys of service accounts and `gcloud auth application-default login` are read; of \
                 others, CLOUDSDK_AUTH_ACCESS_TOKEN=$(gcloud auth print-access-token) is",
            )
        })
}

/// The token of whoever is logged in at `gcloud`.
fn token_of_gcloud() -> Option<String> {
    let mut command = Command::new(if cfg!(windows) {
        "gcloud.cmd"
    } else {
        "gcloud"
    });
    command
        .args(["auth", "print-access-token", "--quiet"])
        .env("CLOUDSDK_CORE_DISABLE_PROMPTS", "1")
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    let output = command
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let token = String::from_utf8(output.stdout).ok()?;
    let token = token.trim();
    (!token.is_empty() && !token.contains(char::is_whitespace)).then(|| token.to_owned())
}
