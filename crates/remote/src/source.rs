//! The places that are asked, each connected once: buckets and web servers behind one interface.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use bytes::Bytes;
use futures_util::stream::{BoxStream, StreamExt as _};
use object_store::{GetOptions, GetRange};

use crate::address::{Address, Scheme};
use crate::bucket::Bucket;
use crate::error::{self, RemoteError};
use crate::google::Google;
use crate::http::{self, Asker};
use crate::object::{Interest, Listing, Object};
use crate::web;

/// A place that is asked over HTTP, in whatever way it wants.
pub(crate) enum Source {
    Bucket(Bucket),
    Google(Google),
    Web(Asker),
}

/// Part of a file as it arrives.
pub(crate) struct Part {
    /// Whether it is the part asked for, and not the whole file.
    pub(crate) is_part: bool,
    pub(crate) bytes: BoxStream<'static, Result<Bytes, RemoteError>>,
}

type Sources = Mutex<HashMap<String, Arc<Source>>>;

fn sources() -> &'static Sources {
    static SOURCES: OnceLock<Sources> = OnceLock::new();
    SOURCES.get_or_init(Mutex::default)
}

impl Source {
    /// The source of a URL, connected before or now.
    pub(crate) async fn of(address: &Address) -> Result<Arc<Self>, RemoteError> {
        let key = address.key();
        let known = {
            let known = sources().lock().unwrap_or_else(PoisonError::into_inner);
            known.get(&key).cloned()
        };
        if let Some(source) = known.filter(|_| address.user.is_none()) {
            return Ok(source);
        }
        let made = match address.scheme {
            Scheme::Google => Self::Google(Google::new(address)?),
            Scheme::Web => Self::Web(web::asker(address)?),
            Scheme::Amazon | Scheme::Azure | Scheme::Machine => {
                Self::Bucket(Bucket::new(address).await?)
            }
        };
        let made = Arc::new(made);
        let mut known = sources().lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(key, Arc::clone(&made));
        Ok(made)
    }

    /// Forgets a place, so that credentials are looked for again.
    pub(crate) fn forget(address: &Address) {
        let mut known = sources().lock().unwrap_or_else(PoisonError::into_inner);
        known.remove(&address.key());
    }

    /// What is there.
    pub(crate) async fn list(
        &self,
        address: &Address,
        interest: &Interest,
    ) -> Result<Listing, RemoteError> {
        match self {
            Self::Bucket(bucket) => bucket.list(address, interest).await,
            Self::Google(google) => google.list(address, interest).await,
            Self::Web(asker) => web::list(asker, address, interest).await,
        }
    }

    /// A part of a file.
    pub(crate) async fn read(
        &self,
        object: &Object,
        range: Range<u64>,
    ) -> Result<Part, RemoteError> {
        match self {
            Self::Bucket(bucket) => read_bucket(bucket, object, range).await,
            Self::Google(google) => {
                let (asker, request) = google.content(object).await?;
                read_http(&asker, &request, object, range, "x-goog-generation").await
            }
            Self::Web(asker) => read_http(asker, &object.url, object, range, "etag").await,
        }
    }
}

async fn read_bucket(
    bucket: &Bucket,
    object: &Object,
    range: Range<u64>,
) -> Result<Part, RemoteError> {
    let location = bucket.location(object)?;
    let options = GetOptions {
        range: Some(GetRange::Bounded(range)),
        ..GetOptions::default()
    };
    let failure = |error: &object_store::Error| bucket.failure(error, &object.url);
    let result = bucket.store.get_opts(&location, options).await;
    let result = result.map_err(|error| failure(&error))?;
    let version = result.meta.e_tag.as_ref();
    if version.is_some_and(|version| version.trim_matches('"') != object.version) {
        return Err(http::changed(object));
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

async fn read_http(
    asker: &Asker,
    request: &str,
    object: &Object,
    range: Range<u64>,
    version: &str,
) -> Result<Part, RemoteError> {
    let answer = asker
        .get_range(request, &object.url, range.start, range.end)
        .await?;
    let headers = answer.headers();
    let now = match headers.get(version).and_then(|value| value.to_str().ok()) {
        Some(version) => version.to_owned(),
        None if version == "etag" => http::version(headers),
        None => String::new(),
    };
    if !now.is_empty() && !object.version.is_empty() && now != object.version {
        return Err(http::changed(object));
    }
    let is_part = http::is_part(&answer);
    let url = object.url.clone();
    let bytes = answer
        .bytes_stream()
        .map(move |chunk| chunk.map_err(|error| error::of_transport(&error, &url)));
    Ok(Part {
        is_part,
        bytes: bytes.boxed(),
    })
}
