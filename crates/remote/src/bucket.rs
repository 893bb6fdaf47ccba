//! Buckets and containers, by `object_store`: what is in them, parts of it, and what their errors
//! mean. The files named after services say who asks, and where.

use std::error::Error as _;
use std::ops::Range;

use futures_util::StreamExt as _;
use object_store::path::Path;
use object_store::{
    ClientOptions, GetOptions, GetRange, ObjectMeta, ObjectStore, ObjectStoreExt as _,
};

use crate::address::Address;
use crate::error::{self, RemoteError, RemoteErrorKind};
use crate::object::{Interest, Listing, Object};
use crate::part::Part;
use crate::program::CredentialsError;
use crate::runtime;
use crate::status::{self, Credentials, Service};

/// A bucket and who asks it.
pub(crate) struct Bucket {
    pub(crate) store: Box<dyn ObjectStore>,
    pub(crate) service: Service,
    pub(crate) credentials: Credentials,
}

/// How long a bucket is waited for.
pub(crate) fn client_options() -> ClientOptions {
    ClientOptions::new()
        .with_connect_timeout(runtime::CONNECT_TIMEOUT)
        .with_read_timeout(runtime::READ_TIMEOUT)
        // A slow line is no reason to give up as long as something arrives.
        .with_timeout_disabled()
}

impl Bucket {
    pub(crate) fn new(store: impl ObjectStore, service: Service, credentials: Credentials) -> Self {
        Self {
            store: Box::new(store),
            service,
            credentials,
        }
    }

    /// The objects below a prefix, or the one of exactly this name.
    pub(crate) async fn list(
        &self,
        address: &Address,
        interest: &Interest,
    ) -> Result<Listing, RemoteError> {
        let prefix = path(&address.path, &address.url)?;
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
            // What consoles create for a folder: an object with its name and a slash.
            if name.is_empty() {
                continue;
            }
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

    /// A part of an object.
    pub(crate) async fn read(
        &self,
        object: &Object,
        range: Range<u64>,
    ) -> Result<Part, RemoteError> {
        let address = Address::parse(&object.url)?;
        let location = path(&address.path, &object.url)?;
        let options = GetOptions {
            range: Some(GetRange::Bounded(range)),
            ..GetOptions::default()
        };
        let result = self.store.get_opts(&location, options).await;
        let result = result.map_err(|error| self.failure(&error, &object.url))?;
        let version = result.meta.e_tag.as_ref();
        if version.is_some_and(|version| version.trim_matches('"') != object.version) {
            return Err(error::changed(&object.url));
        }
        let url = object.url.clone();
        let bytes = result.into_stream().map(move |chunk| {
            chunk.map_err(|error| error::unreachable(&error::chain(&error), false, &url))
        });
        Ok(Part {
            is_part: true,
            bytes: bytes.boxed(),
        })
    }

    /// Tells a person what an error of the store means.
    pub(crate) fn failure(&self, error: &object_store::Error, url: &str) -> RemoteError {
        if let Some(lost) = credentials_error(error) {
            return RemoteError::new(RemoteErrorKind::Credentials, url, &lost.message)
                .with_hint(&lost.hint);
        }
        let text = error::chain(error);
        if text.contains("Received redirect without LOCATION") {
            return status::wrong_region("", url);
        }
        if text.contains("performing token request") {
            return status::no_token(&text, url, &self.credentials);
        }
        let known = match error {
            object_store::Error::InvalidPath { source } => {
                return error::unreadable_name(source, url);
            }
            object_store::Error::NotFound { .. } => Some(404),
            object_store::Error::PermissionDenied { .. } => Some(403),
            object_store::Error::Unauthenticated { .. } => Some(401),
            // One of many that were to be deleted: the whole was answered with success.
            _ if text.contains("(code: AccessDenied)") => Some(403),
            _ => None,
        };
        match status_of(&text).or(known) {
            Some(code) => status::of_status(self.service, code, &text, url, &self.credentials),
            None => error::unreachable(&text, false, url),
        }
    }
}

/// The name in a store of what a URL names: as the store has it, without escaping, so that what a
/// listing gave is found again.
pub(crate) fn path(path: &str, url: &str) -> Result<Path, RemoteError> {
    Path::parse(path).map_err(|error| error::unreadable_name(&error, url))
}

/// What a source of credentials said, if that is why a request was not sent.
fn credentials_error(error: &object_store::Error) -> Option<&CredentialsError> {
    let mut causes = std::iter::successors(error.source(), |&cause| cause.source());
    causes.find_map(|cause| cause.downcast_ref())
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

/// What was set up for a service does not go together.
pub(crate) fn not_set_up(error: &object_store::Error, address: &Address) -> RemoteError {
    let message = format!(
        "the settings for this service are not valid ({})",
        error::chain(error)
    );
    RemoteError::new(RemoteErrorKind::Credentials, &address.url, message)
}
