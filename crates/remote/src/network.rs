//! Buckets and web servers, for callers that wait: each function hands its work to the runtime and
//! takes the result on the calling thread. `left_out.rs` stands in for it where a build has no clients.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::Instant;

use bytes::Bytes;
use futures_util::StreamExt as _;

use crate::address::Address;
use crate::bucket::Bucket;
use crate::cache::Entry;
use crate::download::{download, fill as fill_entry};
use crate::error::{RemoteError, RemoteErrorKind};
use crate::object::{Interest, Listing, Object};
use crate::pace::Pace;
use crate::runtime;
use crate::source::Source;
use crate::stored::{Stored, Whole};

pub(crate) use crate::runtime::lost;

/// What lies at or below an address.
pub(crate) fn list(address: &Address, interest: &Interest) -> Result<Listing, RemoteError> {
    let (address, interest) = (address.clone(), *interest);
    runtime::wait(&address.url.clone(), async move {
        let source = Source::of(&address).await?;
        let listed = source.list(&address, &interest).await;
        unless_rejected(listed, &address)
    })
}

/// What a task tells the thread that waits for it.
enum Told {
    Bytes(usize, u64),
    Done(usize, Result<PathBuf, RemoteError>),
}

/// Fetches the objects at the positions `wanted`, side by side: where each is, as they come.
pub(crate) fn fetch(
    objects: &[Object],
    wanted: &[usize],
    progress: &dyn Fn(usize, u64),
) -> Vec<(usize, Result<PathBuf, RemoteError>)> {
    let (sender, receiver) = mpsc::channel();
    let mut results = Vec::new();
    for &position in wanted {
        let object = objects[position].clone();
        let sender = sender.clone();
        let url = object.url.clone();
        let task = async move {
            let tell = |done| drop(sender.send(Told::Bytes(position, done)));
            let result = download(&object, &tell).await;
            let _ = sender.send(Told::Done(position, result));
        };
        if let Err(error) = runtime::begin(&url, task) {
            results.push((position, Err(error)));
        }
    }
    drop(sender);
    // Ends when the last task has dropped its sender.
    for told in receiver {
        match told {
            Told::Bytes(position, done) => progress(position, done),
            Told::Done(position, result) => results.push((position, result)),
        }
    }
    results
}

/// The first bytes of an object, without the rest.
pub(crate) fn beginning(object: &Object, count: u64) -> Result<Vec<u8>, RemoteError> {
    let object = object.clone();
    runtime::wait(&object.url.clone(), async move {
        let address = Address::parse(&object.url)?;
        let source = Source::of(&address).await?;
        let end = count.min(object.size_bytes);
        let mut answer = source.read(&object, 0..end).await?.bytes;
        let mut head = Vec::new();
        let mut pace = Pace::new(Instant::now());
        while (head.len() as u64) < end
            && let Some(some) = answer.next().await
        {
            let some = some?;
            pace.take(some.len() as u64, Instant::now(), &object.url)?;
            head.extend_from_slice(&some);
        }
        head.truncate(usize::try_from(end).unwrap_or(usize::MAX));
        Ok(head)
    })
}

/// What a task that fills an entry tells the thread that waits for it.
enum Filled {
    Bytes(u64),
    Done(Entry, Result<(), RemoteError>),
}

/// Fetches those of the ranges that are missing into an entry of the cache, and hands it back.
pub(crate) fn fill(
    object: &Object,
    mut entry: Entry,
    ranges: &[Range<u64>],
    progress: &dyn Fn(u64),
) -> Result<(Entry, Result<(), RemoteError>), RemoteError> {
    let (own, ranges) = (object.clone(), ranges.to_vec());
    let (sender, receiver) = mpsc::channel();
    runtime::begin(&object.url, async move {
        let tell = |done| drop(sender.send(Filled::Bytes(done)));
        let result = fill_entry(&own, &mut entry, &ranges, &tell).await;
        let _ = sender.send(Filled::Done(entry, result));
    })?;
    for told in receiver {
        match told {
            Filled::Bytes(done) => progress(done),
            Filled::Done(entry, result) => return Ok((entry, result)),
        }
    }
    Err(lost(&object.url))
}

/// What is in a folder of a bucket.
pub(crate) fn stored(address: &Address, below: &str) -> Result<Vec<Stored>, RemoteError> {
    let (address, below) = (address.clone(), below.to_owned());
    runtime::wait(&address.url.clone(), async move {
        let source = Source::of(&address).await?;
        let stored = bucket(&source, &address)?.stored(&address, &below).await;
        unless_rejected(stored, &address)
    })
}

/// Objects of a folder of a bucket.
pub(crate) fn whole(
    address: &Address,
    names: &[String],
    most_bytes: u64,
) -> Vec<Result<Option<Whole>, RemoteError>> {
    let (own, wanted) = (address.clone(), names.to_vec());
    let read = runtime::wait(&address.url, async move {
        let source = Source::of(&own).await?;
        let bucket = bucket(&source, &own)?;
        Ok(bucket.whole(&own, &wanted, most_bytes).await)
    });
    match read {
        Ok(read) => read,
        Err(error) => names.iter().map(|_| Err(error.clone())).collect(),
    }
}

/// Writes an object of a folder of a bucket.
pub(crate) fn put(address: &Address, name: &str, bytes: Bytes) -> Result<String, RemoteError> {
    let (address, name) = (address.clone(), name.to_owned());
    runtime::wait(&address.url.clone(), async move {
        let source = Source::of(&address).await?;
        let put = bucket(&source, &address)?.put(&address, &name, bytes).await;
        unless_rejected(put, &address)
    })
}

/// Deletes objects of a folder of a bucket.
pub(crate) fn delete(address: &Address, names: &[String]) -> Result<(), RemoteError> {
    let (address, names) = (address.clone(), names.to_vec());
    runtime::wait(&address.url.clone(), async move {
        let source = Source::of(&address).await?;
        let deleted = bucket(&source, &address)?.delete(&address, &names).await;
        unless_rejected(deleted, &address)
    })
}

fn bucket<'a>(source: &'a Source, address: &Address) -> Result<&'a Bucket, RemoteError> {
    // A folder of a bucket is made only where the URL names one.
    source.bucket().ok_or_else(|| lost(&address.url))
}

/// Credentials that were rejected are looked for again the next time.
fn unless_rejected<T>(result: Result<T, RemoteError>, address: &Address) -> Result<T, RemoteError> {
    let kind = result.as_ref().err().map(|error| error.kind);
    if kind == Some(RemoteErrorKind::Credentials) {
        Source::forget(address);
    }
    result
}
