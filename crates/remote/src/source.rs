//! The places that are asked, each connected once: buckets and web servers behind one interface.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use futures_util::stream::StreamExt as _;

use crate::address::{Address, Scheme};
use crate::bucket::Bucket;
use crate::error::{self, RemoteError};
use crate::http::{self, Asker};
use crate::object::{Interest, Listing, Object};
use crate::part::Part;
use crate::{amazon, azure, google, web};

/// A place that is asked over HTTP, in whatever way it wants.
pub(crate) enum Source {
    Bucket(Bucket),
    Web(Asker),
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
            Scheme::Google => Self::Bucket(google::connect(address).await?),
            Scheme::Azure => Self::Bucket(azure::connect(address)?),
            Scheme::Web => Self::Web(web::asker(address)?),
            Scheme::Amazon | Scheme::Machine => Self::Bucket(amazon::connect(address).await?),
        };
        let made = Arc::new(made);
        let mut known = sources().lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(key, Arc::clone(&made));
        Ok(made)
    }

    /// The bucket, where it is one.
    pub(crate) const fn bucket(&self) -> Option<&Bucket> {
        match self {
            Self::Bucket(bucket) => Some(bucket),
            Self::Web(_) => None,
        }
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
            Self::Bucket(bucket) => bucket.read(object, range).await,
            Self::Web(asker) => read_web(asker, object, range).await,
        }
    }
}

async fn read_web(asker: &Asker, object: &Object, range: Range<u64>) -> Result<Part, RemoteError> {
    let url = object.url.clone();
    let answer = asker.get_range(&url, range.start, range.end).await?;
    let now = http::version(answer.headers());
    if !now.is_empty() && !object.version.is_empty() && now != object.version {
        return Err(error::changed(&object.url));
    }
    let is_part = http::is_part(&answer);
    let bytes = answer
        .bytes_stream()
        .map(move |chunk| chunk.map_err(|error| error::of_transport(&error, &url)));
    Ok(Part {
        is_part,
        bytes: bytes.boxed(),
    })
}
