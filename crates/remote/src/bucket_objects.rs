//! Whole objects of a bucket: listed, read, written and deleted, for [`BucketFolder`].
//!
//! [`BucketFolder`]: crate::BucketFolder

use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use object_store::{Attribute, Attributes, ObjectMeta, ObjectStoreExt as _, PutOptions};

use crate::address::Address;
use crate::bucket::{Bucket, path};
use crate::error::{self, RemoteError, RemoteErrorKind};
use crate::status::{self, Deed};
use crate::stored::{Stored, Whole};

/// Objects of a folder that are looked at, at most.
const MAX_OBJECTS: usize = 2_000_000;
/// Objects that are read at the same time.
const SIDE_BY_SIDE: usize = 16;

impl Bucket {
    /// What is in the folder `below` an address.
    pub(crate) async fn stored(
        &self,
        address: &Address,
        below: &str,
    ) -> Result<Vec<Stored>, RemoteError> {
        let failed = |error| self.failure(&error, &address.url);
        let prefix = path(&joined(&address.path, below), &address.url)?;
        let root = path(&address.path, &address.url)?;
        let prefix = (!prefix.as_ref().is_empty()).then_some(&prefix);
        let mut found = self.store.list(prefix).take(MAX_OBJECTS);
        let mut stored = Vec::new();
        while let Some(meta) = found.try_next().await.map_err(failed)? {
            let location = meta.location.as_ref();
            let name = location.strip_prefix(root.as_ref()).unwrap_or(location);
            stored.push(Stored {
                name: name.trim_start_matches('/').to_owned(),
                size_bytes: meta.size,
                modified_epoch_ms: meta.last_modified.timestamp_millis(),
                version: version(meta.e_tag),
            });
        }
        stored.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(stored)
    }

    /// Objects below an address, side by side, in the order of their names.
    pub(crate) async fn whole(
        &self,
        address: &Address,
        names: &[String],
        most_bytes: u64,
    ) -> Vec<Result<Option<Whole>, RemoteError>> {
        let read = |name: String| async move {
            match self.whole_one(address, &name, most_bytes).await {
                Err(error) if error.kind == RemoteErrorKind::NotFound => Ok(None),
                read => read.map(Some),
            }
        };
        let names = names.to_vec();
        stream::iter(names)
            .map(read)
            .buffered(SIDE_BY_SIDE)
            .collect()
            .await
    }

    async fn whole_one(
        &self,
        address: &Address,
        name: &str,
        most_bytes: u64,
    ) -> Result<Whole, RemoteError> {
        let url = address.child(name);
        let failed = |error| self.failure(&error, &url);
        let location = path(&joined(&address.path, name), &url)?;
        let too_large = || {
            let message = format!("the object has more than {most_bytes} bytes and is not read");
            RemoteError::new(RemoteErrorKind::Other, &url, message)
        };
        let result = self.store.get(&location).await.map_err(failed)?;
        let ObjectMeta { size, e_tag, .. } = result.meta.clone();
        if size > most_bytes {
            return Err(too_large());
        }
        let mut bytes = BytesMut::new();
        let mut chunks = result.into_stream();
        while let Some(chunk) = chunks.next().await {
            let chunk =
                chunk.map_err(|error| error::unreachable(&error::chain(&error), false, &url));
            bytes.extend_from_slice(&chunk?);
            // The size is what the other side says.
            if bytes.len() as u64 > most_bytes {
                return Err(too_large());
            }
        }
        Ok(Whole {
            bytes: bytes.freeze(),
            version: version(e_tag),
        })
    }

    /// Writes an object in one request. Returns its version.
    pub(crate) async fn put(
        &self,
        address: &Address,
        name: &str,
        bytes: Bytes,
    ) -> Result<String, RemoteError> {
        let url = address.child(name);
        let location = path(&joined(&address.path, name), &url)?;
        // Nobody's browser is to take it for a page.
        let kind = (Attribute::ContentType, "application/octet-stream");
        let options = PutOptions {
            attributes: Attributes::from_iter([kind]),
            ..PutOptions::default()
        };
        let put = self.store.put_opts(&location, bytes.into(), options).await;
        let put = put.map_err(|error| self.refusal(&error, Deed::Write, address, &url))?;
        Ok(version(put.e_tag))
    }

    /// Deletes objects, many with one request where the service can.
    pub(crate) async fn delete(
        &self,
        address: &Address,
        names: &[String],
    ) -> Result<(), RemoteError> {
        let locations = names.iter();
        let locations = locations.map(|name| path(&joined(&address.path, name), &address.url));
        let locations: Vec<_> = locations.collect::<Result<_, _>>()?;
        let locations = stream::iter(locations.into_iter().map(Ok)).boxed();
        let mut deleted = self.store.delete_stream(locations);
        while let Some(one) = deleted.next().await {
            match one {
                Ok(_) | Err(object_store::Error::NotFound { .. }) => {}
                Err(error) => {
                    return Err(self.refusal(&error, Deed::Delete, address, &address.url));
                }
            }
        }
        Ok(())
    }

    /// Why an object cannot be written or deleted.
    fn refusal(
        &self,
        error: &object_store::Error,
        deed: Deed,
        address: &Address,
        url: &str,
    ) -> RemoteError {
        let failure = self.failure(error, url);
        if failure.kind != RemoteErrorKind::Refused {
            return failure;
        }
        let body = error::chain(error);
        let (service, credentials) = (self.service, &self.credentials);
        status::not_allowed(service, deed, &address.place, url, &body, credentials)
    }
}

fn joined(path: &str, name: &str) -> String {
    let parts = [path, name.trim_matches('/')];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("/")
}

/// Services put an entity tag into quotes in some answers and not in others.
fn version(tag: Option<String>) -> String {
    tag.map_or_else(String::new, |tag| tag.trim_matches('"').to_owned())
}

#[cfg(test)]
#[path = "bucket_objects_tests.rs"]
mod tests;
